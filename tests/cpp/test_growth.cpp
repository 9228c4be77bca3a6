// tests/cpp/test_growth.cpp: the tree does not depend on how histograms are obtained, on threads or on batches; new rows
// reach the leaf that its arrays say.
#include <algorithm>
#include <set>

#include "check.hpp"
#include "grow/grown_tree.hpp"
#include "grow/growth.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

struct Sample {
    std::size_t rows, classes;
    std::vector<std::vector<std::uint8_t>> cells;
    std::vector<CodeColumn> columns;
    std::vector<std::int64_t> code_start{0};
    std::vector<std::uint8_t> has_missing;
    std::vector<Label> label;
    std::vector<Weight> units;
    std::vector<std::vector<Label>> more_labels;
    std::vector<std::vector<Weight>> more_units;
    std::vector<Layer> more;
    std::vector<Weight> residue;  // empty without residues
    std::vector<double> value;
    std::vector<Family> families{{FamilyKind::intervals, {}}, {FamilyKind::values, {}}, {FamilyKind::groups, {}}};

    explicit Sample(Random& random) : rows(2 + random.below(300)), classes(2 + random.below(3)) {
        const std::size_t n = 1 + random.below(4);
        for (std::size_t j = 0; j < n; ++j) {
            const std::size_t codes = 1 + random.below(random.one_in(2) ? 6 : 80);
            std::vector<std::uint8_t> column(rows);
            for (std::uint8_t& cell : column) cell = static_cast<std::uint8_t>(random.below(codes));
            cells.push_back(std::move(column));
            columns.push_back({cells.back().data(), 1, static_cast<std::uint32_t>(codes)});
            code_start.push_back(code_start.back() + static_cast<std::int64_t>(codes));
            has_missing.push_back(random.one_in(3) ? 1 : 0);
            const bool ordered = random.one_in(2);
            for (Family& family : families) {
                if ((family.kind == FamilyKind::intervals) == ordered) family.columns.push_back(static_cast<std::int32_t>(j));
            }
        }
        const bool weighted = random.one_in(2);
        for (std::size_t i = 0; i < rows; ++i) {
            label.push_back(static_cast<Label>(random.one_in(3) ? random.below(classes) : cells[0][i] / 3 % classes));
            if (weighted) units.push_back(static_cast<Weight>(1 + random.below(5)));
        }
        if (weighted && random.one_in(2)) {
            for (std::size_t l = 0; l < 1 + random.below(2); ++l) {
                more_labels.emplace_back();
                more_units.emplace_back();
                for (std::size_t i = 0; i < rows; ++i) {
                    more_labels[l].push_back(static_cast<Label>(random.below(classes)));
                    more_units[l].push_back(static_cast<Weight>(1 + random.below(3)));
                }
            }
            for (std::size_t l = 0; l < more_labels.size(); ++l) more.push_back({more_labels[l].data(), more_units[l].data()});
        }
        if (weighted && random.one_in(3)) {
            for (std::size_t i = 0; i < rows; ++i) {
                residue.push_back(static_cast<Weight>(random.below(100)));
                value.push_back(static_cast<double>(random.below(4)));
            }
        }
        if (random.one_in(4)) std::swap(families[0], families[2]);
        std::erase_if(families, [](const Family& family) { return family.columns.empty(); });
    }

    // Only these rows.
    void keep(const std::vector<Row>& kept) {
        const auto keep_of = [&](auto& values) {
            auto part = values;
            part.clear();
            for (const Row row : kept) part.push_back(values[row]);
            values = std::move(part);
        };
        for (std::size_t j = 0; j < cells.size(); ++j) {
            keep_of(cells[j]);
            columns[j].data = cells[j].data();
        }
        keep_of(label);
        if (!units.empty()) keep_of(units);
        if (!residue.empty()) {
            keep_of(residue);
            keep_of(value);
        }
        for (std::size_t l = 0; l < more.size(); ++l) {
            keep_of(more_labels[l]);
            keep_of(more_units[l]);
            more[l] = {more_labels[l].data(), more_units[l].data()};
        }
        rows = kept.size();
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
    rules.procedure = static_cast<ProcedureKind>(random.below(7));
    rules.gamma = 0.05 + random.unit() * 0.8;
    rules.steepest = random.one_in(2);
    rules.index = &builtin_index(static_cast<IndexKind>(random.below(4)));
    rules.max_arity = static_cast<std::int64_t>(2 + random.below(7));
    if (random.one_in(2)) rules.max_leaves = static_cast<std::int64_t>(1 + random.below(60));
    if (random.one_in(4)) rules.max_depth = static_cast<std::int64_t>(1 + random.below(4));
    rules.min_samples_leaf = static_cast<std::int64_t>(random.one_in(2) ? 1 : 1 + random.below(6));
    if (random.one_in(4)) rules.min_weight_fraction_leaf = 0.05;
    if (random.one_in(4)) rules.min_gain = 0.01;
    if (random.one_in(3)) {
        rules.columns_per_node = static_cast<std::int64_t>(1 + random.below(3));
        rules.seed = random.below(1000);
    }
    if (rules.procedure == ProcedureKind::priced) {
        rules.steepest = rules.charge_groups = true;
        if (random.one_in(2)) rules.branch_price = random.unit() * 0.02;
    }
    return rules;
}

// A source that does not show its rows, like one on another machine.
class Remote final : public RowSource {
 public:
    explicit Remote(LocalRows& rows) : rows_(rows) {}
    void count(std::span<const CountRequest> requests) override {
        ++rounds;
        rows_.count(requests);
    }
    std::vector<std::vector<Residue>> move(std::vector<Move>&& moves) override { return rows_.move(std::move(moves)); }
    [[nodiscard]] std::optional<Residue> total_residue() override { return rows_.total_residue(); }
    [[nodiscard]] double residue_unit() const noexcept override { return rows_.residue_unit(); }
    std::size_t rounds = 0;

 private:
    LocalRows& rows_;
};

struct Run {
    std::vector<std::int32_t> which;
    LocalRows rows;
    Remote remote;
    Growth growth;

    Run(const Sample& sample, const GrowthRules& rules, bool is_remote = false)
        : which(columns_of(sample.families)), rows(sample.table(), sample.target(), which, rules.threads), remote(rows),
          growth({sample.table(), is_remote ? static_cast<RowSource*>(&remote) : &rows, rows.total(), !sample.units.empty()},
                 sample.families, rules) {}
};

void finish(Growth& run) {
    const auto soon = [] { return std::chrono::steady_clock::now() + std::chrono::microseconds(200); };
    while (run.prepare(soon())) continue;
    while (run.step()) continue;
}

void check_same(const Growth& a, const Growth& b) {
    CHECK(a.nodes().counts == b.nodes().counts && a.nodes().rows == b.nodes().rows);
    CHECK(a.nodes().parent == b.nodes().parent && a.nodes().depth == b.nodes().depth);
    CHECK(a.expansions().size() == b.expansions().size() && a.retirements().size() == b.retirements().size());
    for (std::size_t i = 0; i < std::min(a.expansions().size(), b.expansions().size()); ++i) {
        const Expansion& x = a.expansions()[i];
        const Expansion& y = b.expansions()[i];
        CHECK(x.leaf == y.leaf && x.first_child == y.first_child && x.leaves_before == y.leaves_before);
        const Option p = a.option(x), q = b.option(y);
        CHECK(x.impurity == y.impurity && x.default_branch == y.default_branch && p.gain == q.gain);
        CHECK(x.binary_gain == y.binary_gain || (std::isnan(x.binary_gain) && std::isnan(y.binary_gain)));
        CHECK(compare(p, q) == 0 && p.first == q.first && p.second == q.second && p.missing == q.missing);
    }
    for (std::size_t i = 0; i < std::min(a.retirements().size(), b.retirements().size()); ++i) {
        const Retirement& x = a.retirements()[i];
        const Retirement& y = b.retirements()[i];
        CHECK(x.leaf == y.leaf && x.reason == y.reason && x.leaves == y.leaves);
    }
}

// The counts of children add up to their parent's, children have enough rows, and the arrays of the tree are consistent.
void check_sound(const Growth& run, const Sample& sample, const GrowthRules& rules) {
    const GrownNodes& nodes = run.nodes();
    std::set<std::int32_t> split;
    for (const Expansion& e : run.expansions()) {
        CHECK(split.insert(e.leaf).second);
        const std::int32_t arity = run.option(e).arity;
        CHECK(!rules.max_leaves || e.leaves_before + arity - 1 <= *rules.max_leaves);
        std::int64_t rows = 0;
        std::vector<Weight> counts(sample.classes, 0);
        for (std::int32_t b = 0; b < arity; ++b) {
            const auto child = static_cast<std::size_t>(e.first_child + b);
            CHECK(nodes.parent[child] == e.leaf && nodes.rows[child] >= rules.min_samples_leaf);
            rows += nodes.rows[child];
            for (std::size_t c = 0; c < sample.classes; ++c) counts[c] += nodes.counts[child * sample.classes + c];
        }
        const auto at = static_cast<std::size_t>(e.leaf);
        CHECK(rows == nodes.rows[at]);
        if (!nodes.residues.empty() && !run.is_planned() && run.found_split(e) == nullptr) {
            Weight residue = 0;
            for (std::int32_t b = 0; b < arity; ++b) {
                residue += nodes.residues[static_cast<std::size_t>(e.first_child + b)].amount;
            }
            CHECK(residue == nodes.residues[at].amount && !nodes.residues[at].alike);
        }
        for (std::size_t c = 0; c < sample.classes; ++c) CHECK(counts[c] == nodes.counts[at * sample.classes + c]);
    }
    const GrownTree tree = grown_tree(run);
    CHECK(tree.child.size() + 1 == nodes.rows.size() && tree.child_start.size() == nodes.rows.size() + 1);
    CHECK(tree.left.size() == tree.right.size());
    CHECK(tree.threshold_start.back() == static_cast<std::int64_t>(tree.left.size()));
    CHECK(tree.code_to_branch_start.back() == static_cast<std::int64_t>(tree.code_to_branch.size()));
}

// The leaf of each row against the children in which rows were counted.
void check_leaves(const Run& run, const Sample& sample) {
    std::vector<std::int32_t> leaf(sample.rows, -1);
    run.growth.read_leaves(leaf.data());
    std::vector<std::int64_t> rows(run.growth.nodes().rows.size(), 0);
    for (const std::int32_t node : leaf) ++rows.at(static_cast<std::size_t>(node));
    std::set<std::int32_t> split;
    for (const Expansion& e : run.growth.expansions()) split.insert(e.leaf);
    for (std::size_t v = 0; v < rows.size(); ++v) {
        const bool inner = split.contains(static_cast<std::int32_t>(v));
        CHECK(rows[v] == (inner ? 0 : run.growth.nodes().rows[v]));
    }
}

// The leaf of a row of codes, by the arrays of the tree.
std::int32_t naive_leaf(const GrownTree& tree, const BinEdges& bins, const Sample& sample,
                        const std::vector<std::vector<std::uint8_t>>& cells, std::size_t row) {
    std::size_t v = 0;
    while (tree.kind[v] != 0) {
        const auto column = static_cast<std::size_t>(tree.feature[v]);
        const std::int64_t code = cells[column][row];
        const std::int64_t n_codes = sample.code_start[column + 1] - sample.code_start[column];
        Branch branch = kUnseen;
        if (sample.has_missing[column] != 0 && code + 1 == n_codes) {
            branch = tree.missing_branch[v];
        } else if (tree.kind[v] == 1) {
            branch = 0;
            for (auto t = tree.threshold_start[v]; t < tree.threshold_start[v + 1]; ++t) {
                const auto at = static_cast<std::size_t>(t);
                const auto here = static_cast<std::size_t>(sample.code_start[column] + code);
                const double threshold = (bins.high[static_cast<std::size_t>(tree.left[at])] +
                                          bins.low[static_cast<std::size_t>(tree.right[at])]) / 2;
                branch += (bins.low[here] + bins.high[here]) / 2 > threshold ? 1 : 0;
            }
        } else if (code < tree.code_to_branch_start[v + 1] - tree.code_to_branch_start[v]) {
            branch = tree.code_to_branch[static_cast<std::size_t>(tree.code_to_branch_start[v] + code)];
        }
        if (branch == kUnseen) branch = tree.default_branch[v];
        v = static_cast<std::size_t>(tree.child[static_cast<std::size_t>(tree.child_start[v] + branch)]);
    }
    return static_cast<std::int32_t>(v);
}

// Rows of the training sample reach the leaf they were counted in; rows of another sample, that of the tree's arrays.
void route_codes_follows_the_tree() {
    Random random(50);
    check::cases(300, [&](long) {
        const Sample sample(random);
        GrowthRules rules = any_rules(random);
        rules.apart = 0;
        Run run(sample, rules);
        finish(run.growth);
        const GrownTree tree = grown_tree(run.growth);
        std::vector<double> low, high;
        for (std::int64_t code = 0; code < sample.code_start.back(); ++code) {  // ascending also over the columns
            low.push_back((high.empty() ? -100.0 : high.back()) + 0.25 * static_cast<double>(1 + random.below(20)));
            high.push_back(low.back() + 0.25 * static_cast<double>(random.below(8)));
        }
        const BinEdges bins{low, high};
        std::vector<std::int32_t> counted(sample.rows), routed(sample.rows);
        run.growth.read_leaves(counted.data());
        route_codes(run.growth, bins, sample.columns, routed);
        CHECK(counted == routed);
        std::vector<std::vector<std::uint8_t>> cells;
        std::vector<CodeColumn> columns;
        for (const CodeColumn& column : sample.columns) {
            cells.emplace_back(40);
            for (std::uint8_t& cell : cells.back()) cell = static_cast<std::uint8_t>(random.below(column.n_codes));
        }
        for (std::size_t j = 0; j < cells.size(); ++j) {
            columns.push_back({cells[j].data(), 1, sample.columns[j].n_codes});
        }
        std::vector<std::int32_t> others(40);
        route_codes(run.growth, bins, columns, others);
        for (std::size_t row = 0; row < others.size(); ++row) {
            CHECK(others[row] == naive_leaf(tree, bins, sample, cells, row));
        }
    });
}

void growth_does_not_depend_on_threads_or_pool_size() {
    Random random(47);
    std::size_t steps = 0;
    check::cases(250, [&](long) {
        const Sample sample(random);
        GrowthRules rules = any_rules(random);
        rules.small = 0;
        rules.apart = 0;
        rules.subtree = 0;
        Run plain(sample, rules);
        finish(plain.growth);
        check_sound(plain.growth, sample, rules);
        check_leaves(plain, sample);
        steps += plain.growth.expansions().size();
        for (const std::int64_t small : {0, 12, 1000}) {
            for (const std::int64_t apart : {0, 1, 40, 1000}) {
                rules.small = small;
                rules.apart = apart;
                rules.subtree = random.below(2) == 0 ? std::int64_t{0} : static_cast<std::int64_t>(random.below(200));
                rules.threads = 1 + static_cast<int>(random.below(3));
                Run other(sample, rules);
                finish(other.growth);
                check_same(plain.growth, other.growth);
                if (!other.growth.is_planned()) check_leaves(other, sample);
            }
        }
    });
    CHECK(steps > 1000);
}

void growth_does_not_depend_on_sources_or_batches() {
    Random random(48);
    std::size_t alone = 0;
    std::size_t together = 0;
    check::cases(150, [&](long) {
        const Sample sample(random);
        GrowthRules rules = any_rules(random);
        rules.apart = 0;
        Run plain(sample, rules);
        finish(plain.growth);
        for (const std::int64_t batch : {1, 2, 5, 100}) {
            rules.batch = batch;
            Run local(sample, rules);
            finish(local.growth);
            check_same(plain.growth, local.growth);
            check_leaves(local, sample);
            if (!sample.residue.empty()) continue;  // other sources have none
            Run remote(sample, rules, true);
            finish(remote.growth);
            check_same(plain.growth, remote.growth);
            if (batch == 1) alone += remote.remote.rounds;
            if (batch == 100) together += remote.remote.rounds;
        }
    });
    CHECK(together < alone);
}

void restart_equals_a_new_run() {
    Random random(49);
    check::cases(150, [&](long) {
        Sample sample(random);
        GrowthRules rules = any_rules(random);
        rules.apart = 0;
        Run reused(sample, rules);
        finish(reused.growth);
        for (int again = 0; again < 3; ++again) {
            for (Label& label : sample.label) label = static_cast<Label>(random.below(sample.classes));
            for (Weight& weight : sample.units) weight = static_cast<Weight>(1 + random.below(9));
            reused.growth.restart(sample.target(), {}, rules.seed);
            finish(reused.growth);
            Run fresh(sample, rules);
            finish(fresh.growth);
            check_same(reused.growth, fresh.growth);
            check_leaves(reused, sample);
        }
    });
}

void restart_on_some_rows_equals_a_run_on_those_rows() {
    Random random(50);
    check::cases(150, [&](long) {
        Sample sample(random);
        GrowthRules rules = any_rules(random);
        rules.apart = 0;
        Run reused(sample, rules);
        for (int again = 0; again < 3; ++again) {
            std::vector<Row> kept;
            for (std::size_t row = 0; row < sample.rows; ++row) {
                if (random.one_in(2)) kept.push_back(static_cast<Row>(row));
            }
            if (kept.empty()) kept.push_back(0);
            rules.seed = random.below(1000);
            reused.growth.restart(sample.target(), std::span<const Row>(kept), rules.seed);
            finish(reused.growth);
            Sample part = sample;
            part.keep(kept);
            Run fresh(part, rules);
            finish(fresh.growth);
            check_same(reused.growth, fresh.growth);
        }
    });
}

void run_whose_root_is_split_by_its_own_option_is_the_same() {
    Random random(51);
    std::size_t split = 0;
    check::cases(200, [&](long) {
        Sample sample(random);
        GrowthRules rules = any_rules(random);
        rules.apart = 0;
        rules.columns_per_node.reset();
        Run plain(sample, rules);
        finish(plain.growth);
        if (plain.growth.expansions().empty()) return;
        Run given(sample, rules);
        const Option own = plain.growth.option(plain.growth.expansions().front());
        given.growth.split_root(own);
        finish(given.growth);
        CHECK(given.growth.nodes().counts == plain.growth.nodes().counts);
        CHECK(given.growth.nodes().parent == plain.growth.nodes().parent);
        check_leaves(given, sample);
        ++split;
        // At most two options of a column, all of whose branches hold rows.
        given.growth.restart(sample.target(), {}, rules.seed);
        std::vector<int> of_column(sample.columns.size(), 0);
        for (const Option& option : given.growth.root_options()) {
            CHECK(++of_column[static_cast<std::size_t>(option.column)] <= 2);
            given.growth.restart(sample.target(), {}, rules.seed);
            given.growth.split_root(option);
            const GrownNodes& nodes = given.growth.nodes();
            CHECK(nodes.rows.size() == 1 + static_cast<std::size_t>(option.arity));
            CHECK(*std::min_element(nodes.rows.begin(), nodes.rows.end()) >= rules.min_samples_leaf);
        }
    });
    CHECK(split > 50);
}

}  // namespace

int main() {
    return check::run(growth_does_not_depend_on_threads_or_pool_size,
                      growth_does_not_depend_on_sources_or_batches,
                      restart_equals_a_new_run,
                      restart_on_some_rows_equals_a_run_on_those_rows,
                      run_whose_root_is_split_by_its_own_option_is_the_same,
                      route_codes_follows_the_tree);
}
