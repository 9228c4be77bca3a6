// tests/cpp/test_subtrees.cpp: runs that find the splits below nodes of few rows at once, against runs that do not.
#include <cmath>
#include <numeric>

#include "check.hpp"
#include "grow/grown_tree.hpp"
#include "grow/growth.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

// A random table of ordered columns, with codes of all widths.
struct Sample {
    std::size_t rows, classes;
    std::vector<std::vector<std::uint8_t>> bytes;
    std::vector<std::vector<std::uint16_t>> words;
    std::vector<std::vector<std::uint32_t>> longs;
    std::vector<CodeColumn> columns;
    std::vector<std::int64_t> code_start{0};
    std::vector<std::uint8_t> has_missing;
    std::vector<Label> label, other_label;
    std::vector<Weight> units, other_units, residue;
    std::vector<double> value;
    std::vector<Layer> more;
    std::vector<Family> families{{FamilyKind::intervals, {}}};

    explicit Sample(Random& random) : rows(1 + random.below(random.one_in(4) ? 700 : 60)), classes(1 + random.below(5)) {
        const std::size_t n = 1 + random.below(6);
        for (std::size_t j = 0; j < n; ++j) {
            const std::size_t shape = random.below(4);
            const std::size_t codes = 1 + random.below(shape == 0 ? 5 : shape == 1 ? 256 : shape == 2 ? 6000 : 300000);
            if (shape < 2) columns.push_back(column(random, bytes, codes));
            else if (shape == 2) columns.push_back(column(random, words, codes));
            else columns.push_back(column(random, longs, codes));
            has_missing.push_back(random.one_in(3) ? 1 : 0);
            code_start.push_back(code_start.back() + static_cast<std::int64_t>(codes));
            families[0].columns.push_back(static_cast<std::int32_t>(j));
        }
        const bool weighted = random.one_in(2);
        const bool weightless = random.one_in(8);  // some rows count for nothing
        const bool layered = weighted && random.one_in(2);
        const bool numeric = weighted && random.one_in(2);
        for (std::size_t i = 0; i < rows; ++i) {
            label.push_back(static_cast<Label>(random.below(classes)));
            if (weighted) units.push_back(static_cast<Weight>((weightless ? 0 : 1) + random.below(4)));
            other_label.push_back(static_cast<Label>(random.below(classes)));
            other_units.push_back(static_cast<Weight>(random.below(4)));
            if (!numeric) continue;
            residue.push_back(static_cast<Weight>(random.below(50)));
            value.push_back(static_cast<double>(random.below(3)));
        }
        if (layered) more.push_back({other_label.data(), other_units.data()});
    }

    // Cells of few values, so that there are ties, of which the last code is one.
    template <class Code>
    CodeColumn column(Random& random, std::vector<std::vector<Code>>& to, std::size_t codes) const {
        std::vector<Code>& cells = to.emplace_back(rows);
        const std::size_t distinct = 1 + random.below(random.one_in(2) ? 5 : 200);
        for (Code& cell : cells) cell = static_cast<Code>(codes - 1 - random.below(distinct) * 7919 % codes);
        return {cells.data(), static_cast<int>(sizeof(Code)), static_cast<std::uint32_t>(codes)};
    }
    [[nodiscard]] CodedTable table() const { return {columns, code_start, has_missing, rows}; }
    [[nodiscard]] Target target() const {
        Target made{label.data(), units.empty() ? nullptr : units.data(), classes, more};
        if (!residue.empty()) made.residues = RowResidues{residue.data(), 1.0 / 256, value.data()};
        return made;
    }
};

GrowthRules any_rules(Random& random) {
    GrowthRules rules;
    rules.procedure = random.one_in(2) ? ProcedureKind::per_leaf : ProcedureKind::kearns_mansour;
    rules.steepest = random.one_in(2);
    rules.index = &builtin_index(static_cast<IndexKind>(random.below(4)));
    rules.max_arity = 2;
    rules.apart = 0;
    if (random.one_in(4)) rules.max_depth = static_cast<std::int64_t>(1 + random.below(6));
    if (random.one_in(4)) rules.min_samples_split = static_cast<std::int64_t>(random.below(9));
    if (random.one_in(3)) rules.min_samples_leaf = static_cast<std::int64_t>(1 + random.below(4));
    if (random.one_in(4)) rules.min_weight_fraction_leaf = 0.02;
    if (random.one_in(4)) rules.min_gain = 0.005;
    if (random.one_in(2)) rules.columns_per_node = static_cast<std::int64_t>(1 + random.below(3));
    rules.seed = random.below(1000);
    return rules;
}

struct Run {
    std::vector<std::int32_t> which;
    LocalRows rows;
    Growth growth;

    Run(const Sample& sample, const GrowthRules& rules)
        : which(columns_of(sample.families)), rows(sample.table(), sample.target(), which, 1),
          growth({sample.table(), &rows, rows.total(), !sample.units.empty()}, sample.families, rules) {}

    void finish(std::size_t steps = static_cast<std::size_t>(-1)) {
        for (std::size_t i = 0; i < steps && growth.step();) ++i;
    }
    [[nodiscard]] std::vector<std::int32_t> leaves(std::size_t n) const {
        std::vector<std::int32_t> leaf(n, -1);
        growth.read_leaves(leaf.data());
        return leaf;
    }
};

void check_same(const Run& one, const Run& two, std::size_t n_rows) {
    const Growth& a = one.growth;
    const Growth& b = two.growth;
    CHECK(a.nodes().counts == b.nodes().counts && a.nodes().rows == b.nodes().rows);
    CHECK(a.nodes().parent == b.nodes().parent && a.nodes().depth == b.nodes().depth);
    CHECK(a.expansions().size() == b.expansions().size() && a.retirements().size() == b.retirements().size());
    for (std::size_t i = 0; i < std::min(a.expansions().size(), b.expansions().size()); ++i) {
        const Expansion& x = a.expansions()[i];
        const Expansion& y = b.expansions()[i];
        const Option p = a.option(x), q = b.option(y);
        CHECK(x.leaf == y.leaf && x.first_child == y.first_child && x.leaves_before == y.leaves_before);
        CHECK(x.impurity == y.impurity && x.binary_gain == y.binary_gain && x.default_branch == y.default_branch);
        CHECK(p.gain == q.gain && p.column == q.column && p.rank == q.rank && p.arity == q.arity && p.kind == q.kind);
        CHECK(p.first == q.first && p.second == q.second && p.missing == q.missing && compare(p, q) == 0);
    }
    for (std::size_t i = 0; i < std::min(a.retirements().size(), b.retirements().size()); ++i) {
        const Retirement& x = a.retirements()[i];
        const Retirement& y = b.retirements()[i];
        CHECK(x.leaf == y.leaf && x.reason == y.reason && x.leaves == y.leaves);
    }
    CHECK(one.leaves(n_rows) == two.leaves(n_rows));
    const GrownTree s = grown_tree(a), t = grown_tree(b);
    CHECK(s.kind == t.kind && s.feature == t.feature && s.child_start == t.child_start && s.child == t.child);
    CHECK(s.threshold_start == t.threshold_start && s.left == t.left && s.right == t.right);
    CHECK(s.missing_branch == t.missing_branch && s.default_branch == t.default_branch);
}

void subtrees_found_at_once_change_nothing() {
    Random random(81);
    std::size_t found = 0;
    check::cases(600, [&](long) {
        const Sample sample(random);
        GrowthRules rules = any_rules(random);
        rules.subtree = 0;
        Run plain(sample, rules);
        plain.finish();
        for (const std::int64_t most : {std::int64_t{1}, std::int64_t{2}, std::int64_t{17}, std::int64_t{100}, std::int64_t{100000}}) {
            rules.subtree = most;
            Run other(sample, rules);
            other.finish();
            check_same(plain, other, sample.rows);
            for (const Expansion& e : other.growth.expansions()) found += other.growth.found_split(e) != nullptr ? 1 : 0;
        }
        // Stopped after some steps
        rules.subtree = 0;
        Run few(sample, rules);
        const std::size_t steps = random.below(1 + plain.growth.expansions().size());
        few.finish(steps);
        rules.subtree = static_cast<std::int64_t>(1 + random.below(200));
        Run other(sample, rules);
        other.finish(steps);
        check_same(few, other, sample.rows);
    });
    CHECK(found > 10000);
}

void subtrees_of_a_restarted_run_are_those_of_its_rows() {
    Random random(82);
    check::cases(200, [&](long) {
        const Sample sample(random);
        GrowthRules rules = any_rules(random);
        std::vector<Row> bag;
        for (std::size_t row = 0; row < sample.rows; ++row) {
            if (random.one_in(2)) bag.push_back(static_cast<Row>(row));
        }
        if (bag.empty()) bag.push_back(0);
        rules.subtree = 0;
        Run plain(sample, rules);
        rules.subtree = static_cast<std::int64_t>(1 + random.below(200));
        Run other(sample, rules);
        other.finish();
        for (const bool all : {false, true}) {
            const std::uint64_t seed = random.below(100);
            for (Run* run : {&plain, &other}) {
                run->growth.restart(sample.target(), all ? StartRows{} : StartRows{bag}, seed);
                run->finish();
            }
            check_same(plain, other, sample.rows);
        }
    });
}

void sums_over_subtrees_are_those_of_a_walk() {
    Random random(83);
    check::cases(200, [&](long) {
        const std::size_t n = 1 + random.below(50);
        const std::size_t width = 1 + random.below(3);
        std::vector<std::int32_t> parent{-1};
        for (std::size_t v = 1; v < n; ++v) parent.push_back(static_cast<std::int32_t>(random.below(v)));
        std::vector<double> numbers(n * width);
        for (double& x : numbers) x = static_cast<double>(random.below(1000));
        std::vector<double> sums = numbers;
        add_up_subtrees(parent, width, sums.data());
        for (std::size_t v = 0; v < n; ++v) {
            for (std::size_t i = 0; i < width; ++i) {
                double expected = 0.0;
                for (std::size_t u = 0; u < n; ++u) {
                    auto above = static_cast<std::int32_t>(u);
                    while (above > static_cast<std::int32_t>(v)) above = parent[static_cast<std::size_t>(above)];
                    if (above == static_cast<std::int32_t>(v)) expected += numbers[u * width + i];
                }
                CHECK(sums[v * width + i] == expected);
            }
        }
    });
}

}  // namespace

int main() {
    return check::run(subtrees_found_at_once_change_nothing, subtrees_of_a_restarted_run_are_those_of_its_rows,
                      sums_over_subtrees_are_those_of_a_walk);
}
