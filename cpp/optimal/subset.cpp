// cpp/optimal/subset.cpp: subsets of rows, and the best split of each part of a subset into two leaves.
#include "optimal/subset.hpp"

#include <array>
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

// Calls visit(row) in the order of a column, missing cells last or first, and between(is_cut) after each code but the last.
template <class Visit, class Between>
void walk(const SearchColumn& column, std::span<const Row> sorted, bool missing_first, Visit&& visit, Between&& between) {
    std::size_t tail = sorted.size();  // where missing cells begin
    if (missing_first) {
        while (tail > 0 && column.is_missing(sorted[tail - 1])) --tail;
        for (std::size_t i = tail; i < sorted.size(); ++i) visit(sorted[i]);
    }
    for (std::size_t i = 0; i < tail; ++i) {
        visit(sorted[i]);
        if (i + 1 < tail && column.codes[sorted[i]] != column.codes[sorted[i + 1]]) between();
    }
}

// The class counts of both parts, and the lowest cost of two leaves so far.
class TwoLeafScan {
 public:
    TwoLeafScan(const SearchRows& rows, const Subset& whole, const std::uint8_t* side)
        : rows_(rows), side_(side), classes_(rows.classes()), total_(2 * classes_), left_(2 * classes_) {
        for (const Row row : whole.sorted(0)) {
            worth_[side[row]] += rows.worth(row);
            rows.add(row, total_.data() + side[row] * classes_);
        }
        for (std::size_t part = 0; part < 2; ++part) {
            best_.of[part] = worth_[part] - *std::max_element(of(total_, part), of(total_, part) + classes_);
        }
    }

    void scan_cuts(const SearchColumn& column, std::span<const Row> sorted, bool missing_first) {
        std::fill(left_.begin(), left_.end(), 0);
        if (classes_ == 2 && rows_.has_one_class_each()) {
            scan_two_classes(column, sorted, missing_first);
            return;
        }
        walk(column, sorted, missing_first, [&](Row row) { rows_.add(row, left_.data() + side_[row] * classes_); },
             [&] {
                 for (std::size_t part = 0; part < 2; ++part) {
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
    [[nodiscard]] const Weight* of(const std::vector<Weight>& counts, std::size_t part) const noexcept {
        return counts.data() + part * classes_;
    }

    // The same as the general scan, with all counts in registers.
    void scan_two_classes(const SearchColumn& column, std::span<const Row> sorted, bool missing_first) {
        std::array<Weight, 4> left{};
        const std::array<Weight, 4> total{total_[0], total_[1], total_[2], total_[3]};
        std::array<Weight, 2> best{best_.of[0], best_.of[1]};
        walk(column, sorted, missing_first,
             [&](Row row) { left[2U * side_[row] + rows_.only_class(row)] += rows_.worth(row); },
             [&] {
                 for (std::size_t part = 0; part < 2; ++part) {
                     const Weight a = left[2 * part], b = left[2 * part + 1];
                     const Weight cost = std::min(a, b) + std::min(total[2 * part] - a, total[2 * part + 1] - b);
                     best[part] = std::min(best[part], cost);
                 }
             });
        best_ = {{best[0], best[1]}};
    }

    const SearchRows& rows_;
    const std::uint8_t* side_;
    std::size_t classes_;
    Weight worth_[2] = {0, 0};
    std::vector<Weight> total_, left_, by_category_;
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

TwoLeafCosts two_leaf_costs(const SearchRows& rows, const Subset& whole, const std::uint8_t* side) {
    TwoLeafScan scan(rows, whole, side);
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
