// cpp/optimal/subset.cpp: subsets of rows, and the best split of each part of a subset into two leaves.
#include "optimal/subset.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

namespace polytomy {
namespace {

// Returns the next number of a fixed random sequence (splitmix64).
std::uint64_t next_random(std::uint64_t& state) noexcept {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

// Calls visit(row) in the order of a column, missing cells last or first, then after(is_cut): whether the next row has another
// code, without a branch, because codes change unpredictably.
template <class Visit, class After>
void walk(const SearchColumn& column, std::span<const Row> sorted, bool missing_first, Visit&& visit, After&& after) {
    std::size_t tail = sorted.size();  // where missing cells begin
    if (missing_first) {
        while (tail > 0 && column.is_missing(sorted[tail - 1])) --tail;
        for (std::size_t i = tail; i < sorted.size(); ++i) visit(sorted[i]);
    }
    if (tail == 0) return;
    const std::uint32_t* codes = column.codes.data();
    std::uint32_t code = codes[sorted[0]];
    for (std::size_t i = 0; i + 1 < tail; ++i) {
        visit(sorted[i]);
        const std::uint32_t next = codes[sorted[i + 1]];
        after(code != next);
        code = next;
    }
}

// The class counts of both parts, and the lowest cost of two leaves so far.
class TwoLeafScan {
 public:
    TwoLeafScan(const SearchRows& rows, const Subset& whole, const std::uint8_t* side, std::vector<double>& scratch)
        : rows_(rows), side_(side), classes_(rows.classes()), total_(2 * classes_), left_(2 * classes_), signed_(scratch) {
        for (const Row row : whole.sorted(0)) {
            worth_[side[row]] += rows.worth(row);
            rows.add(row, total_.data() + side[row] * classes_);
        }
        if (has_two_classes()) {
            signed_.resize(2 * rows.size());
            for (const Row row : whole.sorted(0)) {
                const auto worth = static_cast<double>(rows.worth(row));
                signed_[2 * row + side[row]] = rows.only_class(row) == 0 ? worth : -worth;
                signed_[2 * row + 1 - side[row]] = 0.0;
            }
        }
        for (std::size_t part = 0; part < 2; ++part) {
            best_.of[part] = worth_[part] - *std::max_element(of(total_, part), of(total_, part) + classes_);
        }
    }

    void scan_cuts(const SearchColumn& column, std::span<const Row> sorted, bool missing_first) {
        std::fill(left_.begin(), left_.end(), 0);
        if (has_two_classes()) {
            scan_two_classes(column, sorted, missing_first);
            return;
        }
        walk(column, sorted, missing_first, [&](Row row) { rows_.add(row, left_.data() + side_[row] * classes_); },
             [&](bool is_cut) {
                 for (std::size_t part = 0; part < 2 && is_cut; ++part) {
                     const Weight* left = of(left_, part);
                     const Weight* total = of(total_, part);
                     Weight most_left = 0, most_right = 0;
                     for (std::size_t c = 0; c < classes_; ++c) {
                         most_left = std::max(most_left, left[c]);
                         most_right = std::max(most_right, total[c] - left[c]);
                     }
                     best_.of[part] = std::min(best_.of[part], worth_[part] - most_left - most_right);
                 }
             });
    }

    // With two leaves of classes a and b, every category joins the leaf whose class it has more of: all pairs are tried.
    void scan_groups(const SearchColumn& column, std::span<const Row> sorted) {
        const std::size_t width = 2 * classes_;
        by_category_.clear();
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            if (i == 0 || column.codes[sorted[i]] != column.codes[sorted[i - 1]]) {
                by_category_.resize(by_category_.size() + width, 0);
            }
            rows_.add(sorted[i], by_category_.data() + by_category_.size() - width + side_[sorted[i]] * classes_);
        }
        for (std::size_t part = 0; part < 2; ++part) {
            for (std::size_t a = 0; a + 1 < classes_; ++a) {
                for (std::size_t b = a + 1; b < classes_; ++b) {
                    Weight covered = 0;
                    for (std::size_t v = part * classes_; v < by_category_.size(); v += width) {
                        covered += std::max(by_category_[v + a], by_category_[v + b]);
                    }
                    best_.of[part] = std::min(best_.of[part], worth_[part] - covered);
                }
            }
        }
    }

    [[nodiscard]] const TwoLeafCosts& best() const noexcept { return best_; }

 private:
    [[nodiscard]] bool has_two_classes() const noexcept { return classes_ == 2 && rows_.has_one_class_each(); }
    [[nodiscard]] const Weight* of(const std::vector<Weight>& counts, std::size_t part) const noexcept {
        return counts.data() + part * classes_;
    }

    // With two classes, let d be the weight of the first class less that of the second on the left of a cut, and D that of all
    // rows. Two leaves cover (worth + |d| + |D - d|) / 2, the larger of (worth + |D|) / 2 and (worth + |2 d - D|) / 2: only the
    // extremes of d matter. Sums of weights are exact in float64, which has a vector minimum, for both parts at once.
    void scan_two_classes(const SearchColumn& column, std::span<const Row> sorted, bool missing_first) {
        std::array<double, 2> d{}, low{}, high{};
        walk(column, sorted, missing_first,
             [&](Row row) {
                 d[0] += signed_[2 * row];
                 d[1] += signed_[2 * row + 1];
             },
             [&](bool is_cut) {
                 for (std::size_t part = 0; part < 2; ++part) {
                     const double seen = is_cut ? d[part] : 0.0;
                     low[part] = std::min(low[part], seen);
                     high[part] = std::max(high[part], seen);
                 }
             });
        for (std::size_t part = 0; part < 2; ++part) {
            const double all = static_cast<double>(total_[2 * part] - total_[2 * part + 1]);
            const double most = std::max(std::abs(2 * low[part] - all), std::abs(2 * high[part] - all));
            best_.of[part] = std::min(best_.of[part], (worth_[part] - static_cast<Weight>(most)) / 2);
        }
    }

    const SearchRows& rows_;
    const std::uint8_t* side_;
    std::size_t classes_;
    Weight worth_[2] = {0, 0};
    std::vector<Weight> total_, left_, by_category_;
    std::vector<double>& signed_;  // the weight of each row in either part, negative for the second class
    TwoLeafCosts best_{};
};

}  // namespace

SearchRows::SearchRows(std::vector<SearchColumn> columns, std::span<const std::int64_t> start,
                       std::span<const Label> label, std::span<const Weight> weight, std::size_t classes)
    : columns_(std::move(columns)), start_(start), label_(label), weight_(weight), classes_(classes), one_class_each_(true) {
    const auto fail = [](const char* what) { throw std::invalid_argument(what); };
    if (start.size() < 2 || start.front() != 0 || start.back() != std::ssize(label) || label.size() != weight.size()) {
        fail("optimal search: rows must have entries");
    }
    for (const Label own : label) {
        if (own >= classes) fail("optimal search: no such class");
    }
    for (const SearchColumn& column : columns_) {
        if (column.codes.size() != size()) fail("optimal search: one code per row");
        if (std::ranges::any_of(column.codes, [&](std::uint32_t code) { return code >= column.n_codes; })) {
            fail("optimal search: no such code");
        }
    }
    std::uint64_t state = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        if (start[i + 1] <= start[i]) fail("optimal search: every row needs a class");
        one_class_each_ = one_class_each_ && start[i + 1] == start[i] + 1;
        const auto own = weight.subspan(static_cast<std::size_t>(start[i]), static_cast<std::size_t>(start[i + 1] - start[i]));
        if (std::ranges::any_of(own, [](Weight w) { return w <= 0; })) fail("optimal search: weights must be positive");
        worth_.push_back(*std::ranges::max_element(own));
        const std::uint64_t high = next_random(state);
        key_.push_back({high, next_random(state)});
    }
}

Subset all_rows(const SearchRows& rows) {
    Subset all;
    all.size = rows.size();
    all.counts.assign(rows.classes(), 0);
    for (Row row = 0; row < rows.size(); ++row) {
        all.worth += rows.worth(row);
        all.key += rows.key(row);
        rows.add(row, all.counts.data());
    }
    for (const SearchColumn& column : rows.columns()) {
        std::vector<std::size_t> place(column.n_codes + 1, 0);
        for (const std::uint32_t code : column.codes) ++place[code + 1];
        for (std::size_t v = 1; v < place.size(); ++v) place[v] += place[v - 1];
        const std::size_t first = all.order.size();
        all.order.resize(first + rows.size());
        for (Row row = 0; row < rows.size(); ++row) all.order[first + place[column.codes[row]]++] = row;
    }
    return all;
}

Subset part_of(const SearchRows& rows, const Subset& whole, const std::uint8_t* side, std::uint8_t which) {
    Subset part;
    part.counts.assign(rows.classes(), 0);
    for (const Row row : whole.sorted(0)) {
        if (side[row] != which) continue;
        ++part.size;
        part.worth += rows.worth(row);
        part.key += rows.key(row);
        rows.add(row, part.counts.data());
    }
    part.order.resize(part.size * rows.columns().size() + 1);  // one more: the loop below writes before it decides
    Row* out = part.order.data();
    for (const Row row : whole.order) {
        *out = row;
        out += side[row] == which ? 1 : 0;
    }
    part.order.pop_back();
    return part;
}

TwoLeafCosts two_leaf_costs(const SearchRows& rows, const Subset& whole, const std::uint8_t* side,
                            std::vector<double>& scratch) {
    TwoLeafScan scan(rows, whole, side, scratch);
    for (std::size_t j = 0; j < rows.columns().size(); ++j) {
        const SearchColumn& column = rows.columns()[j];
        const std::span<const Row> sorted = whole.sorted(j);
        if (column.codes[sorted.front()] == column.codes[sorted.back()]) continue;
        if (column.is_nominal) {
            scan.scan_groups(column, sorted);
            continue;
        }
        scan.scan_cuts(column, sorted, false);
        if (column.is_missing(sorted.back())) scan.scan_cuts(column, sorted, true);
    }
    return scan.best();
}

}  // namespace polytomy
