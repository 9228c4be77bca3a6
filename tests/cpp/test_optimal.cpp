// tests/cpp/test_optimal.cpp: the best trees of small random tables against all trees; bounds; subsets; stopping.
#include <map>
#include <set>
#include <stdexcept>

#include "check.hpp"
#include "optimal/search.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

// Distinct rows of a few columns, the first of them nominal, with one or several classes each.
struct Table {
    std::vector<std::vector<std::uint32_t>> codes;
    std::uint32_t n_codes;
    std::vector<std::int64_t> start{0};
    std::vector<Label> label;
    std::vector<Weight> weight;
    std::size_t classes;
    bool has_missing;

    Table(Random& random, std::size_t most_rows, std::size_t columns, std::uint32_t n_values, std::size_t n_classes)
        : codes(columns), n_codes(n_values), classes(n_classes), has_missing(random.one_in(2)) {
        std::set<std::vector<std::uint32_t>> seen;
        for (std::size_t tried = 0; tried < most_rows; ++tried) {
            std::vector<std::uint32_t> row(columns);
            for (std::uint32_t& code : row) code = static_cast<std::uint32_t>(random.below(n_values));
            if (!seen.insert(row).second) continue;
            for (std::size_t j = 0; j < columns; ++j) codes[j].push_back(row[j]);
            const std::size_t only = random.below(n_classes);
            for (std::size_t c = 0; c < n_classes; ++c) {
                if (c != only && (n_classes == 2 || !random.one_in(4))) continue;
                label.push_back(static_cast<Label>(c));
                weight.push_back(static_cast<Weight>(1 + random.below(3)));
            }
            start.push_back(std::ssize(label));
        }
    }
    [[nodiscard]] std::size_t size() const { return start.size() - 1; }
    [[nodiscard]] SearchRows rows() const {
        std::vector<SearchColumn> columns;
        for (std::size_t j = 0; j < codes.size(); ++j) columns.push_back({codes[j], n_codes, j == 0, j == 1 && has_missing});
        return {columns, start, label, weight, classes};
    }
    [[nodiscard]] Weight leaf_cost(unsigned set) const {
        Weight worth = 0;
        std::vector<Weight> counts(classes, 0);
        for (std::size_t i = 0; i < size(); ++i) {
            if ((set >> i & 1U) == 0) continue;
            Weight most = 0;
            for (auto e = static_cast<std::size_t>(start[i]); e < static_cast<std::size_t>(start[i + 1]); ++e) {
                counts[label[e]] += weight[e];
                most = std::max(most, weight[e]);
            }
            worth += most;
        }
        return worth - *std::max_element(counts.begin(), counts.end());
    }
    // Whether a split on column j may send `left` one way and the other rows of `set` the other way.
    [[nodiscard]] bool is_split(unsigned set, unsigned left, std::size_t j) const {
        std::map<std::uint32_t, unsigned> sides;  // of each code: 1 left, 2 right
        for (std::size_t i = 0; i < size(); ++i) {
            if ((set >> i & 1U) != 0) sides[codes[j][i]] |= (left >> i & 1U) != 0 ? 1U : 2U;
        }
        const bool may_miss = j == 1 && has_missing;
        unsigned changes = 0, last = 0;
        for (const auto& [code, side] : sides) {
            if (side == 3) return false;
            if (j == 0 || (may_miss && code + 1 == n_codes)) continue;
            changes += last != 0 && last != side ? 1 : 0;
            last = side;
        }
        return changes <= 1;
    }
};

// The least cost of a set of rows by trying every division of it, for every column.
class Naive {
 public:
    explicit Naive(const Table& table) : table_(table) {}
    Weight cost(unsigned set, std::size_t leaves, std::size_t depth) {
        const auto key = std::make_tuple(set, leaves, depth);
        if (const auto found = known_.find(key); found != known_.end()) return found->second;
        Weight least = table_.leaf_cost(set);
        for (unsigned left = (set - 1) & set; depth > 0 && leaves > 1 && left > 0; left = (left - 1) & set) {
            for (std::size_t j = 0; j < table_.codes.size(); ++j) {
                if (!table_.is_split(set, left, j)) continue;
                for (std::size_t k = 1; k < leaves; ++k) {
                    least = std::min(least, cost(left, k, depth - 1) + cost(set & ~left, leaves - k, depth - 1));
                }
                break;
            }
        }
        return known_[key] = least;
    }

 private:
    const Table& table_;
    std::map<std::tuple<unsigned, std::size_t, std::size_t>, Weight> known_;
};

const auto kAlways = [] { return true; };

void finds_the_best_tree() {
    Random random(20);
    check::cases(150, [&](long i) {
        const Table table(random, 3 + random.below(6), 1 + random.below(3), 2 + static_cast<std::uint32_t>(random.below(4)),
                          2 + random.below(3));
        Naive naive(table);
        const unsigned all = (1U << table.size()) - 1;
        const bool any_depth = i % 2 == 0;
        const std::size_t depth = any_depth ? 10 : random.below(4);
        OptimalSearch search(table.rows(), 5, any_depth ? OptimalSearch::kAnyDepth : depth);
        for (std::size_t k = 1; k <= 5; ++k) {
            const Weight least = naive.cost(all, k, depth);
            CHECK(search.lower(k) <= least && least <= search.upper(k));
            const Weight goal = static_cast<Weight>(random.below(static_cast<std::size_t>(least) + 2));
            CHECK(search.prove(k, goal, kAlways));
            CHECK(search.lower(k) <= least && least <= search.upper(k));
            CHECK(search.lower(k) >= std::min(goal, least));
            CHECK(search.prove(k, least + 1, kAlways));
            CHECK(search.lower(k) == least && search.upper(k) == least);
        }
    });
}

// A memory for very few subsets forgets them again and again.
void forgets_without_harm() {
    Random random(21);
    check::cases(10, [&](long) {
        const Table table(random, 40, 3, 5, 2);
        OptimalSearch large(table.rows(), 4), small(table.rows(), 4, OptimalSearch::kAnyDepth, 0);
        const Weight far = large.upper(1) + 1;
        CHECK(large.prove(4, far, kAlways) && small.prove(4, far, kAlways));
        CHECK(large.lower(4) == small.lower(4));
        CHECK(small.n_subsets() <= 64);
    });
}

void stops_when_told() {
    Random random(22);
    const Table table(random, 400, 4, 12, 2);
    OptimalSearch search(table.rows(), 8);
    long polls = 0;
    CHECK(!search.prove(8, search.upper(8), [&] { return ++polls < 2; }));
    CHECK(polls == 2);
    CHECK(search.lower(8) <= search.upper(8));
}

void divides_rows() {
    Random random(23);
    check::cases(50, [&](long) {
        const Table table(random, 30, 3, 6, 2 + random.below(3));
        const SearchRows rows = table.rows();
        const Subset all = all_rows(rows);
        std::vector<std::uint8_t> side(rows.size());
        for (std::uint8_t& s : side) s = random.one_in(2) ? 1 : 0;
        const Subset parts[2] = {part_of(rows, all, side.data(), 0), part_of(rows, all, side.data(), 1)};
        CHECK(parts[0].size + parts[1].size == all.size && parts[0].worth + parts[1].worth == all.worth);
        CHECK(all.key - parts[0].key == parts[1].key);
        std::vector<double> scratch;
        const TwoLeafCosts costs = two_leaf_costs(rows, all, side.data(), scratch);
        for (std::size_t p = 0; p < 2; ++p) {
            if (parts[p].size == 0) continue;
            for (std::size_t j = 0; j < rows.columns().size(); ++j) {
                const auto& codes = rows.columns()[j].codes;
                const auto sorted = parts[p].sorted(j);
                CHECK(std::is_sorted(sorted.begin(), sorted.end(), [&](Row a, Row b) { return codes[a] < codes[b]; }));
            }
            const std::vector<std::uint8_t> whole(rows.size(), 0);
            CHECK(two_leaf_costs(rows, parts[p], whole.data(), scratch).of[0] == costs.of[p]);
        }
    });
}

void refuses_what_is_wrong() {
    Random random(24);
    Table table(random, 6, 1, 4, 2);
    const auto fails = [](auto&& call) {
        try {
            call();
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    CHECK(fails([&] { (void)OptimalSearch(table.rows(), 0); }));
    OptimalSearch search(table.rows(), 2);
    CHECK(fails([&] { (void)search.prove(3, 1, kAlways); }));
    table.label[0] = 9;
    CHECK(fails([&] { (void)table.rows(); }));
}

}  // namespace

int main() {
    return check::run(finds_the_best_tree, forgets_without_harm, stops_when_told, divides_rows, refuses_what_is_wrong);
}
