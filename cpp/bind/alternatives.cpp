// cpp/bind/alternatives.cpp: the bindings of a tree's alternatives and of the trees of folds.
#include "bind/alternatives.hpp"

#include <nanobind/stl/variant.h>

#include "bind/option_arrays.hpp"
#include "bind/run_input.hpp"
#include "grow/alternatives.hpp"
#include "prune/fold_leaves.hpp"

namespace polytomy {
namespace {

using namespace nb::literals;

// The alternatives of the nodes of a tree, one node after the other.
class AlternativesRun {
 public:
    AlternativesRun(const nb::object& code_table, const In<std::int64_t>& code_start, const In<std::uint8_t>& has_missing,
                    const In<Label>& labels, const std::optional<In<Weight>>& units, const Layers& more,
                    std::size_t classes, const std::vector<FamilyArgument>& families, const GrowthRules& rules,
                    const IndexArgument& index, const In<std::int64_t>& child_start, const In<std::int32_t>& child,
                    const In<std::int32_t>& leaf_of_row)
        : input_(code_table, 0, code_start, has_missing, families, rules, index, std::nullopt),
          target_(labels, units, more, classes, std::nullopt, input_.table.rows) {
        require(leaf_of_row.shape(0) == input_.table.rows, "Alternatives: one leaf per row");
        require(child_start.shape(0) >= 2, "Alternatives: a tree has at least one node");
        const auto nodes = static_cast<std::int32_t>(child_start.shape(0) - 1);
        for (const std::int32_t leaf : span_of(leaf_of_row)) {
            require(leaf >= 0 && leaf < nodes, "Alternatives: no such leaf");
        }
        for (const std::int32_t node : span_of(child)) require(node > 0 && node < nodes, "Alternatives: no such child");
        owners_ = {nb::cast(child_start), nb::cast(child)};
        input_.rules.price = [](std::int64_t) { return 0.0; };
        Release free;
        run_.emplace(input_.table, target_.target, input_.families, input_.rules,
                     TreeShape{span_of(child_start), span_of(child)}, span_of(leaf_of_row));
    }
    std::int32_t next() {
        Release free;
        return run_->next();
    }
    auto options() {
        std::vector<Option> found;
        std::vector<std::size_t> best;
        {
            Release free;
            found = run_->options();
            best = best_positions(found, run_->impurity());
        }
        return std::make_pair(option_arrays(found, 0, [](const Option& option) -> const Option& { return option; }),
                              column_of<std::int64_t>(best, 0, [](std::size_t i) { return i; }));
    }
    Fresh<std::int64_t> column_counts(std::size_t column) {
        require(column < input_.table.n_columns(), "Alternatives: no such column");
        std::vector<Weight> counts;
        {
            Release free;
            counts = run_->column_counts(column);
        }
        return to_numpy(std::move(counts));
    }

 private:
    RunInput input_;
    TargetHolder target_;
    std::vector<nb::object> owners_;
    std::optional<Alternatives> run_;
};

// A fold's tree and held-out rows; see prune/fold_leaves.hpp.
auto fold_leaves_py(const nb::object& code_table, const In<std::int64_t>& code_start, const In<std::uint8_t>& has_missing,
                    const In<Label>& labels, const std::optional<In<Weight>>& units, const Layers& more,
                    std::size_t classes, const ResidueArgument& residues,
                    const std::vector<FamilyArgument>& families, const GrowthRules& rules, const IndexArgument& index,
                    const In<double>& bin_low, const In<double>& bin_high, const In<std::int32_t>& fold,
                    std::int32_t which, double impurity_share, double question_price,
                    double leaf_price, bool contract, std::size_t most, bool merge, const std::vector<double>& column_prices) {
    const RunInput input(code_table, 0, code_start, has_missing, families, rules, index, std::nullopt);
    require(input.own_families.empty(), "fold_leaves: users' own families need rows");
    const TargetHolder target(labels, units, more, classes, residues, input.table.rows);
    require(fold.shape(0) == input.table.rows, "fold_leaves: one fold per row");
    require(bin_low.shape(0) == input.table.n_codes() && bin_high.shape(0) == input.table.n_codes(),
            "fold_leaves: one bin per code");
    const MergingPrices prices{input.index.get(), impurity_share, question_price, contract, merge, column_prices};
    require(column_prices.empty() || column_prices.size() == input.table.n_columns(), "fold_leaves: one price per column");
    FoldLeaves found;
    {
        Release free;
        found = fold_leaves({input.table, target.target, {span_of(bin_low), span_of(bin_high)}}, span_of(fold), which,
                            input.families, input.rules, {prices, leaf_price, most});
    }
    return std::make_tuple(to_numpy(std::move(found.counts)), to_numpy(std::move(found.parent)),
                           to_numpy(std::move(found.leaves)), to_numpy(std::move(found.held_out)),
                           to_numpy(std::move(found.leaf_of_row)));
}

}  // namespace

void bind_alternatives(nb::module_& m) {
    m.def("fold_leaves", &fold_leaves_py, "table"_a, "code_start"_a.noconvert(), "has_missing"_a.noconvert(),
          "labels"_a.noconvert(), "units"_a.noconvert().none(), "more"_a.noconvert(), "n_classes"_a,
          "residues"_a.none(), "families"_a, "rules"_a, "index"_a, "bin_low"_a.noconvert(), "bin_high"_a.noconvert(), "fold"_a.noconvert(), "which"_a, "impurity_share"_a, "question_price"_a, "leaf_price"_a, "contract"_a, "most"_a,
          "merge"_a = true, "column_prices"_a = std::vector<double>{});
    nb::class_<AlternativesRun>(m, "AlternativesRun")
        .def(nb::init<const nb::object&, const In<std::int64_t>&, const In<std::uint8_t>&, const In<Label>&,
                      const std::optional<In<Weight>>&, const Layers&, std::size_t, const std::vector<FamilyArgument>&,
                      const GrowthRules&, const IndexArgument&, const In<std::int64_t>&, const In<std::int32_t>&,
                      const In<std::int32_t>&>(),
             "table"_a, "code_start"_a.noconvert(), "has_missing"_a.noconvert(), "labels"_a.noconvert(),
             "units"_a.noconvert().none(), "more"_a.noconvert(), "n_classes"_a, "families"_a, "rules"_a, "index"_a,
             "child_start"_a.noconvert(), "child"_a.noconvert(), "leaf_of_row"_a.noconvert())
        .def("next", &AlternativesRun::next)
        .def("options", &AlternativesRun::options)
        .def("column_counts", &AlternativesRun::column_counts, "column"_a);
}

}  // namespace polytomy
