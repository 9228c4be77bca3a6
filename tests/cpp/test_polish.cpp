// tests/cpp/test_polish.cpp: polished trees of random tables: rows, counts and cost agree with a recount.
#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "polish/polish.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

// A random table of codes, a target of two layers, and a tree whose splits know nothing of either.
struct Case {
    std::size_t rows, classes;
    std::vector<std::vector<std::uint8_t>> cells;
    std::vector<CodeColumn> columns;
    std::vector<std::uint8_t> use, has_missing;
    std::vector<Label> first, second;
    std::vector<Weight> first_units, second_units;
    std::vector<Layer> more;
    std::vector<std::int64_t> child_start{0}, code_start{0};
    std::vector<std::int32_t> child, column;
    std::vector<Branch> branch_of_code;

    explicit Case(Random& random) : rows(20 + random.below(40)), classes(2 + random.below(3)) {
        const std::size_t n_columns = 1 + random.below(4);
        for (std::size_t j = 0; j < n_columns; ++j) {
            const std::size_t codes = 4 + random.below(8);
            cells.emplace_back(rows);
            for (auto& cell : cells.back()) cell = static_cast<std::uint8_t>(random.below(codes));
            columns.push_back({cells.back().data(), 1, static_cast<std::uint32_t>(codes)});
            use.push_back(static_cast<std::uint8_t>(random.below(2)));
            has_missing.push_back(random.one_in(2) ? 1 : 0);
        }
        for (std::size_t i = 0; i < rows; ++i) {
            first.push_back(static_cast<Label>(random.below(classes)));
            second.push_back(static_cast<Label>(random.below(classes)));
            first_units.push_back(static_cast<Weight>(1 + random.below(1000)));
            second_units.push_back(static_cast<Weight>(random.below(1000)));
        }
        more = {{second.data(), second_units.data()}};
        grow(random);
    }

    // Splits some of the first nodes at random; most have two branches.
    void grow(Random& random) {
        std::size_t splits = 1 + random.below(3), known = 1;
        for (std::size_t v = 0; v < known; ++v) {
            const bool splitting = splits > 0 && (v == 0 || random.one_in(2));
            const std::size_t j = random.below(columns.size());
            const std::size_t branches = random.one_in(3) ? 3 : 2;
            column.push_back(splitting ? static_cast<std::int32_t>(j) : -1);
            if (splitting) {
                --splits;
                for (std::size_t b = 0; b < branches; ++b) child.push_back(static_cast<std::int32_t>(known++));
                for (std::uint32_t code = 0; code < columns[j].n_codes; ++code) {
                    branch_of_code.push_back(static_cast<Branch>(code * branches / columns[j].n_codes));
                }
            }
            child_start.push_back(static_cast<std::int64_t>(child.size()));
            code_start.push_back(static_cast<std::int64_t>(branch_of_code.size()));
        }
    }
    [[nodiscard]] PolishTable table() const { return {columns, use, has_missing, rows}; }
    [[nodiscard]] Target target() const { return {first.data(), first_units.data(), classes, more}; }
    [[nodiscard]] TreeOnCodes tree() const { return {child_start, child, column, code_start, branch_of_code}; }

    // Returns the leaf of a row in a tree of this shape.
    [[nodiscard]] std::int32_t leaf_of(std::size_t row, const std::vector<std::int32_t>& split_column,
                                       const std::vector<std::int64_t>& start, const std::vector<Branch>& branches) const {
        std::size_t v = 0;
        while (split_column[v] >= 0) {
            const std::uint8_t code = cells[static_cast<std::size_t>(split_column[v])][row];
            const Branch b = branches[static_cast<std::size_t>(start[v]) + code];
            CHECK(b != kUnseen);
            v = static_cast<std::size_t>(child[static_cast<std::size_t>(child_start[v] + b)]);
        }
        return static_cast<std::int32_t>(v);
    }

    // The cost of a tree: half the errors and a quarter of gini, without questions.
    [[nodiscard]] double cost(const std::vector<std::int32_t>& leaf) const {
        double sum = 0.0;
        for (std::size_t v = 0; v < column.size(); ++v) {
            std::vector<double> counts(classes, 0.0);
            for (std::size_t i = 0; i < rows; ++i) {
                if (static_cast<std::size_t>(leaf[i]) != v) continue;
                counts[first[i]] += static_cast<double>(first_units[i]);
                counts[second[i]] += static_cast<double>(second_units[i]);
            }
            const double n = std::accumulate(counts.begin(), counts.end(), 0.0);
            if (n == 0.0) continue;
            double squares = 0.0;
            for (const double c : counts) squares += c * c;
            sum += 0.5 * (n - *std::max_element(counts.begin(), counts.end())) + 0.5 * (n - squares / n);
        }
        return sum;
    }
};

void polished_trees_agree_with_a_recount_and_cost_less() {
    Random random(1);
    long improved = 0;
    check::cases(500, [&](long) {
        const Case made(random);
        PolishRules rules{&builtin_index(IndexKind::gini), 0.5, 0.0, made.rows, 1, 0, 4, 1};
        const PolishedTree found = polish(made.table(), made.target(), made.tree(), rules);
        std::vector<std::int32_t> before(made.rows), after(made.rows);
        for (std::size_t i = 0; i < made.rows; ++i) {
            before[i] = made.leaf_of(i, made.column, made.code_start, made.branch_of_code);
            after[i] = made.leaf_of(i, found.column, found.code_start, found.branch_of_code);
        }
        CHECK(after == found.leaf);
        const double old_cost = made.cost(before), new_cost = made.cost(after);
        CHECK(found.passes > 0 ? new_cost < old_cost : before == after);
        improved += found.passes > 0 ? 1 : 0;
        std::vector<std::int64_t> held(made.column.size(), 0);
        for (const std::int32_t leaf : after) ++held[static_cast<std::size_t>(leaf)];
        for (std::size_t v = made.column.size(); v-- > 0;) {
            for (std::int64_t c = made.child_start[v]; c < made.child_start[v + 1]; ++c) {
                held[v] += held[static_cast<std::size_t>(made.child[static_cast<std::size_t>(c)])];
            }
        }
        CHECK(held == found.rows);
        Weight total = 0;
        for (std::size_t i = 0; i < made.rows; ++i) total += made.first_units[i] + made.second_units[i];
        CHECK(std::accumulate(found.counts.begin(), found.counts.begin() + static_cast<std::ptrdiff_t>(made.classes), Weight{0}) == total);
        rules.threads = 3;
        CHECK(polish(made.table(), made.target(), made.tree(), rules).leaf == found.leaf);
    });
    CHECK(improved > 250);
}

void fixed_columns_keep_their_splits() {
    Random random(2);
    check::cases(100, [&](long) {
        Case made(random);
        std::fill(made.use.begin(), made.use.end(), static_cast<std::uint8_t>(ColumnUse::fixed));
        const PolishRules rules{&builtin_index(IndexKind::gini), 0.5, 0.0, made.rows, 1, 0, 4, 1};
        const PolishedTree found = polish(made.table(), made.target(), made.tree(), rules);
        CHECK(found.passes == 0 && found.column == made.column);
    });
}

// Whether every node below `v` splits on a column one of whose needed columns is asked above it, or that needs none.
bool keeps_order(const Case& made, const std::vector<std::int32_t>& column, const PolishRules& rules, std::size_t v,
                 std::vector<std::int32_t> asked) {
    if (column[v] < 0) return true;
    const std::vector<std::int32_t>& needed = rules.after_columns[static_cast<std::size_t>(column[v])];
    const auto was_asked = [&](std::int32_t j) { return std::find(asked.begin(), asked.end(), j) != asked.end(); };
    if (!needed.empty() && std::none_of(needed.begin(), needed.end(), was_asked)) return false;
    asked.push_back(column[v]);
    for (std::int64_t c = made.child_start[v]; c < made.child_start[v + 1]; ++c) {
        const auto child = static_cast<std::size_t>(made.child[static_cast<std::size_t>(c)]);
        if (!keeps_order(made, column, rules, child, asked)) return false;
    }
    return true;
}

void columns_stay_below_those_they_need() {
    Random random(3);
    long improved = 0;
    check::cases(500, [&](long) {
        const Case made(random);
        PolishRules rules{&builtin_index(IndexKind::gini), 0.5, 0.0, made.rows, 1, 0, 4, 1};
        rules.after_columns.resize(made.columns.size());
        for (std::size_t j = 0; j < made.columns.size(); ++j) {
            const auto other = static_cast<std::int32_t>(random.below(made.columns.size()));
            if (random.one_in(3)) rules.after_columns[j].push_back(other);
            if (random.one_in(4)) rules.first_columns.push_back(static_cast<std::int32_t>(j));
        }
        if (!keeps_order(made, made.column, rules, 0, {})) return;
        const PolishedTree found = polish(made.table(), made.target(), made.tree(), rules);
        CHECK(keeps_order(made, found.column, rules, 0, {}));
        improved += found.passes > 0 ? 1 : 0;
        rules.threads = 3;
        CHECK(polish(made.table(), made.target(), made.tree(), rules).leaf == found.leaf);
    });
    CHECK(improved > 50);
}

}  // namespace

int main() {
    return check::run(polished_trees_agree_with_a_recount_and_cost_less, fixed_columns_keep_their_splits,
                      columns_stay_below_those_they_need);
}
