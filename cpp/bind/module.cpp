// cpp/bind/module.cpp: the Python module. It checks shapes, types and contiguity and releases the GIL; no arithmetic.
//
// Arrays are never converted (noconvert): a silent copy would hide a wrong type, and results would go into the copy.
// The documented functions for Python code are in src/polytomy/kernels/__init__.py.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "bind/alternatives.hpp"
#include "bind/binning.hpp"
#include "bind/growing.hpp"
#include "bind/index_argument.hpp"
#include "bind/optimality.hpp"
#include "bind/polishing.hpp"
#include "bind/recoding.hpp"
#include "bind/tables.hpp"
#include "bind/voting.hpp"
#include "bind/weighing.hpp"
#include "boost/leaves.hpp"
#include "encode/cells.hpp"
#include "encode/cuts.hpp"
#include "encode/encode.hpp"
#include "grow/histograms.hpp"
#include "grow/scatter.hpp"
#include "predict/route.hpp"
#include "prune/merging.hpp"
#include "prune/minplus.hpp"
#include "search/intervals.hpp"

using namespace nb::literals;
using namespace polytomy;

namespace {

// Returns the best thresholds on one column without missing cells: (codes left of the cuts, codes right of them) for each
// arity that may win.
nb::list best_intervals_py(const In2<Weight>& counts, const In<Weight>& rows, const IndexArgument& index, double impurity,
                           std::pair<Weight, Weight> least, const In<double>& prices, double floor) {
    require(rows.shape(0) == counts.shape(0), "best_intervals: there must be one number of rows per code");
    require(prices.shape(0) >= 1, "best_intervals: there must be at least one price");
    const IndexHolder holder(index);
    const std::int64_t code_start[] = {0, static_cast<std::int64_t>(counts.shape(0))};
    const std::uint8_t has_missing[] = {0};
    const std::int32_t column[] = {0};
    const Histograms node{counts.data(), rows.data(), code_start, has_missing, counts.shape(1)};
    const Query query{holder.get(), impurity, static_cast<int>(prices.shape(0)) + 1, least.first, prices.data(), floor, 1,
                      least.second};
    std::vector<IntervalOption> menu;
    {
        Release free;
        menu = interval_menu(node, column, query);
    }
    nb::list out;
    for (const IntervalOption& option : menu) {
        if (option.gain >= 0.0) out.append(nb::make_tuple(option.left, option.right));
    }
    return out;
}

// The cells of the rows of some columns, kept from `find_cuts` for `encode`.
struct RowCellsTable {
    RowCellsOfColumns columns;

    RowCellsTable() = default;
    RowCellsTable(const RowCellsTable&) = delete;  // nanobind would try to copy the cells
    RowCellsTable& operator=(const RowCellsTable&) = delete;
};

nb::list find_cuts_py(const ValueTable& table, const std::optional<In<Weight>>& units, std::uint32_t max_values,
                      std::uint32_t max_bins, std::size_t sort_below, int threads, RowCellsTable* row_cells) {
    require(!units || units->shape(0) == table.rows, "find_cuts: there must be one weight per row");
    require(max_bins >= 2, "find_cuts: max_bins must be at least 2");
    require(max_values >= max_bins, "find_cuts: max_values must be at least max_bins");
    std::vector<Cuts> cuts;
    {
        Release free;
        cuts = find_cuts(table.columns, table.rows, data_or_null(units), {max_values, max_bins}, sort_below, threads,
                         row_cells != nullptr ? &row_cells->columns : nullptr);
    }
    nb::list out;
    for (Cuts& c : cuts) out.append(nb::make_tuple(to_numpy(std::move(c.low)), to_numpy(std::move(c.high)), c.has_missing));
    return out;
}

void encode_py(const ValueTable& table, const std::vector<In<double>>& highs, const nb::list& sinks,
               const std::vector<std::uint32_t>& n_codes, int threads, const RowCellsTable* row_cells) {
    require(highs.size() == table.columns.size() && sinks.size() == highs.size() && n_codes.size() == highs.size(),
            "encode: there must be one sink per column");
    std::vector<std::span<const double>> ends;
    std::vector<CodeSink> to;
    for (std::size_t j = 0; j < highs.size(); ++j) {
        const auto sink = nb::cast<nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>>(sinks[j]);
        require(sink.shape(0) == table.rows, "encode: there must be one code per row");
        const int bits = sink.dtype().bits;
        require(n_codes[j] <= (std::uint64_t{1} << bits), "encode: the codes do not fit their type");
        require(highs[j].shape(0) <= n_codes[j] && (n_codes[j] > 0 || table.rows == 0), "encode: there must be a code for each bin");
        ends.emplace_back(highs[j].data(), highs[j].shape(0));
        to.push_back({sink.data(), bits / 8, n_codes[j]});
    }
    require(row_cells == nullptr || row_cells->columns.size() == highs.size(), "encode: there must be cells for each column");
    for (std::size_t j = 0; row_cells != nullptr && j < highs.size(); ++j) {
        const RowCells* const cells = row_cells->columns[j].get();
        require(cells == nullptr || (cells->cells.size() == table.rows && cells->cell_of_end.size() == ends[j].size()),
                "encode: the cells must be those of the rows and the bins");
    }
    Release free;
    encode(table.columns, ends, table.rows, to, threads, row_cells != nullptr ? &row_cells->columns : nullptr);
}

void find_cells_py(const ValueTable& table, const std::vector<In<double>>& samples, const std::vector<Out<std::uint16_t>>& sinks) {
    require(samples.size() == table.columns.size() && sinks.size() == samples.size(), "find_cells: there must be one sink per column");
    std::vector<std::span<const double>> drawn;
    std::vector<std::uint16_t*> out;
    for (std::size_t j = 0; j < samples.size(); ++j) {
        require(samples[j].shape(0) > 0, "find_cells: a sample must not be empty");
        require(sinks[j].shape(0) == table.rows, "find_cells: there must be one cell per row");
        drawn.emplace_back(samples[j].data(), samples[j].shape(0));
        out.push_back(sinks[j].data());
    }
    Release free;
    find_cells(table.columns, drawn, table.rows, out);
}

nb::tuple keep_cells_py(const ValueTable& table, std::size_t column, const In<std::uint16_t>& cells, const In<std::uint8_t>& wanted,
                        const std::optional<In<Weight>>& units) {
    require(column < table.columns.size(), "keep_cells: no such column");
    require(cells.shape(0) == table.rows, "keep_cells: there must be one cell per row");
    require(!units || units->shape(0) == table.rows, "keep_cells: there must be one weight per row");
    const auto known = [&](std::uint16_t cell) { return cell < wanted.shape(0); };
    require(std::all_of(cells.data(), cells.data() + table.rows, known), "keep_cells: no such cell");
    KeptCells kept;
    {
        Release free;
        kept = keep_cells(table.columns[column], span_of(cells), span_of(wanted), data_or_null(units));
    }
    return nb::make_tuple(to_numpy(std::move(kept.values)), to_numpy(std::move(kept.up_to)));
}

Fresh<double> cell_ends_py(const In<double>& sample) {
    require(sample.shape(0) > 0, "cell_ends: a sample must not be empty");
    return to_numpy(cell_ends(span_of(sample)));
}

void accumulate_py(const CodeTable& table, const In<std::int32_t>& which, const std::optional<In<Row>>& members,
                   const In<Label>& labels, const std::optional<In<Weight>>& units,
                   const std::vector<std::pair<In<Label>, In<Weight>>>& more, const In<std::int64_t>& code_start,
                   const Out2<Weight>& counts, const std::optional<Out<Weight>>& rows, int threads) {
    require(labels.shape(0) == table.rows, "accumulate: there must be one label per row");
    require(more.empty() || units, "accumulate: layers need weights");
    std::vector<Layer> layers;
    for (const auto& [label, weight] : more) {
        require(label.shape(0) == table.rows && weight.shape(0) == table.rows, "accumulate: layers must have one label and one weight per row");
        layers.push_back({label.data(), weight.data()});
    }
    require(!units || units->shape(0) == table.rows, "accumulate: there must be one weight per row");
    require(code_start.shape(0) == table.columns.size() + 1, "accumulate: code_start must have one entry more than columns");
    const std::size_t n = members ? members->shape(0) : table.rows;
    const Target target{labels.data(), data_or_null(units), counts.shape(1), layers};
    Release free;
    accumulate(table.columns, span_of(which), data_or_null(members), n, target, code_start.data(),
               counts.data(), rows ? rows->data() : nullptr, threads);
}

Fresh<std::int64_t> scatter_py(const In<Row>& members, const CodeTable& table, std::size_t column,
                               const In<Branch>& branch_of_code, const Out<Row>& out, std::size_t branches, int threads) {
    require(column < table.columns.size(), "scatter: no such column");
    require(branch_of_code.shape(0) == table.columns[column].n_codes, "scatter: there must be one branch per code");
    require(out.shape(0) == members.shape(0), "scatter: there must be a place for each row");
    std::vector<std::int64_t> sizes(branches);
    {
        Release free;
        scatter(members.data(), members.shape(0), table.columns[column],
                span_of(branch_of_code), out.data(), sizes, threads);
    }
    return to_numpy(std::move(sizes));
}

void add_scores_py(const In<std::int32_t>& leaf, const In2<double>& scores, const Out2<double>& votes) {
    require(leaf.shape(0) == votes.shape(0), "add_scores: there must be one leaf per row");
    require(scores.shape(1) == votes.shape(1), "add_scores: scores and votes must have the same number of outputs");
    require(all_in(span_of(leaf), scores.shape(0)), "add_scores: no such leaf");
    Release free;
    add_scores(leaf.data(), leaf.shape(0), scores.data(), scores.shape(1), votes.data());
}

void route_py(const TreeArrays& tree, const ValueTable& table, const Out<std::int32_t>& node, int threads) {
    require(node.shape(0) == table.rows, "route: there must be one node per row");
    Release free;
    route(tree.view, table.columns, node.data(), table.rows, threads);
}

void prunings_py(Prunings* place, const In<std::int64_t>& child_start, const In<std::int32_t>& child,
                 const In<Weight>& errors, const std::optional<In<Weight>>& carried, std::size_t cap) {
    Release free;
    const std::span<const Weight> along = carried ? span_of(*carried) : std::span<const Weight>{};
    new (place) Prunings(span_of(child_start), span_of(child), span_of(errors), along, cap);
}

Fresh<double> index_values_py(int index, const In2<double>& counts) {
    const std::size_t n = counts.shape(0);
    const std::size_t classes = counts.shape(1);
    std::vector<double> by_class(n * classes), out(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < classes; ++c) by_class[c * n + i] = counts.data()[i * classes + c];
    }
    const auto& function = builtin_index(static_cast<IndexKind>(index));
    function.values(by_class.data(), n, n, classes, out.data());
    return to_numpy(std::move(out));
}

// Prunings with merged branches, with the arrays that own the tree.
class MergedPruningsRun {
 public:
    MergedPruningsRun(const In<std::int8_t>& kind, const In<std::int32_t>& column, const In<std::int64_t>& child_start,
                      const In<std::int32_t>& child, const In<std::int64_t>& n_thresholds, const In2<Weight>& counts,
                      const IndexArgument& index, double impurity_share, double question_price, bool contract, bool merge,
                      std::size_t cap, const std::vector<double>& column_prices)
        : holder_(index), owners_{nb::cast(kind), nb::cast(column), nb::cast(child_start), nb::cast(child),
                                  nb::cast(n_thresholds), nb::cast(counts)} {
        const std::size_t n = kind.shape(0);
        require(column.shape(0) == n && child_start.shape(0) == n + 1 && n_thresholds.shape(0) == n && counts.shape(0) == n,
                "MergedPrunings: one entry per node");
        for (const std::int32_t j : span_of(column)) {
            require(column_prices.empty() || j < static_cast<std::int32_t>(column_prices.size()), "MergedPrunings: one price per column");
        }
        const PrunableTree tree{span_of(kind), span_of(column), span_of(child_start), span_of(child), span_of(n_thresholds),
                                {counts.data(), counts.size()}, counts.shape(1)};
        Release free;
        prunings_.emplace(tree, MergingPrices{holder_.get(), impurity_share, question_price, contract, merge, column_prices}, cap);
    }
    [[nodiscard]] const MergedPrunings& get() const { return *prunings_; }

 private:
    IndexHolder holder_;
    std::vector<nb::object> owners_;
    std::optional<MergedPrunings> prunings_;
};

auto merged_pruning_py(const MergedPruningsRun& run, std::size_t leaves) {
    MergedPrunings::Pruning pruning = run.get().at(leaves);
    return std::make_tuple(to_numpy(std::move(pruning.state)), to_numpy(std::move(pruning.branch)),
                           to_numpy(std::move(pruning.number)), to_numpy(std::move(pruning.parent)));
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "Compiled kernels of polytomy; import them through polytomy.kernels.";
    m.attr("MISSING") = kMissing;
    m.attr("UNKNOWN") = kUnknown;
    m.attr("UNSEEN") = kUnseen;
    m.attr("TIE") = kTie;
    m.attr("PROCEDURES") = nb::make_tuple("per-leaf", "hatano", "mansour-mcallester", "kearns-mansour", "priced", "id3",
                                          "gain-ratio");  // ProcedureKind
    m.attr("FAMILIES") = nb::make_tuple("intervals", "values", "groups", "own");                          // FamilyKind
    m.attr("ITEM_SIZES") = nb::make_tuple(sizeof(Row), sizeof(Weight), sizeof(Label), sizeof(Branch));
    nb::class_<CodeTable>(m, "CodeTable").def(nb::init<const nb::list&, const std::vector<std::uint32_t>&>(),
                                              "columns"_a, "n_codes"_a);
    nb::class_<ValueTable>(m, "ValueTable")
        .def(nb::init<const nb::list&, const std::vector<int>&, std::size_t>(), "columns"_a, "readings"_a, "n_rows"_a);
    nb::class_<RowCellsTable>(m, "RowCells").def(nb::init<>());
    nb::class_<TreeArrays>(m, "TreeArrays")
        .def(nb::init<const In<std::int8_t>&, const In<std::int32_t>&, const In<std::int64_t>&, const In<std::int32_t>&,
                      const In<std::int64_t>&, const In<double>&, const In<std::int64_t>&, const In<std::int32_t>&,
                      const In<std::int32_t>&, const In<std::int32_t>&>(),
             "kind"_a.noconvert(), "feature"_a.noconvert(), "child_start"_a.noconvert(), "child"_a.noconvert(),
             "threshold_start"_a.noconvert(), "threshold"_a.noconvert(), "code_start"_a.noconvert(),
             "code_to_branch"_a.noconvert(), "missing_branch"_a.noconvert(), "default_branch"_a.noconvert());
    nb::class_<MergedPruningsRun>(m, "MergedPrunings")
        .def(nb::init<const In<std::int8_t>&, const In<std::int32_t>&, const In<std::int64_t>&, const In<std::int32_t>&,
                      const In<std::int64_t>&, const In2<Weight>&, const IndexArgument&, double, double, bool, bool,
                      std::size_t, const std::vector<double>&>(),
             "kind"_a.noconvert(), "column"_a.noconvert(), "child_start"_a.noconvert(), "child"_a.noconvert(),
             "n_thresholds"_a.noconvert(), "counts"_a.noconvert(), "index"_a, "impurity_share"_a, "question_price"_a,
             "contract"_a, "merge"_a, "cap"_a, "column_prices"_a = std::vector<double>{})
        .def_prop_ro("costs", [](const MergedPruningsRun& r) { return view_of(r.get().costs()); })
        .def("best", [](const MergedPruningsRun& r, double price, std::size_t most) { return r.get().best(price, most); },
             "leaf_price"_a, "most"_a)
        .def("at", &merged_pruning_py, "leaves"_a);
    nb::class_<Prunings>(m, "Prunings")
        .def("__init__", &prunings_py, "child_start"_a.noconvert(), "child"_a.noconvert(), "errors"_a.noconvert(),
             "carried"_a.noconvert().none(), "cap"_a)
        .def_prop_ro("sizes", [](const Prunings& p) { return view_of(p.sizes()); })
        .def_prop_ro("errors", [](const Prunings& p) { return view_of(p.errors()); })
        .def_prop_ro("carried", [](const Prunings& p) { return view_of(p.carried()); })
        .def("leaves", [](const Prunings& p, std::size_t which) { return to_numpy(p.leaves(which)); }, "which"_a);
    m.def("can_throw", &can_throw);
    m.def("best_intervals", &best_intervals_py, "counts"_a.noconvert(), "rows"_a.noconvert(), "index"_a, "impurity"_a,
          "least"_a, "prices"_a.noconvert(), "floor"_a);
    m.def("find_cuts", &find_cuts_py, "table"_a, "units"_a.noconvert().none(), "max_values"_a, "max_bins"_a, "sort_below"_a, "threads"_a,
          "row_cells"_a.none());
    m.def("cell_ends", &cell_ends_py, "sample"_a.noconvert());
    m.def("keep_cells", &keep_cells_py, "table"_a, "column"_a, "cells"_a.noconvert(), "wanted"_a.noconvert(), "units"_a.noconvert().none());
    m.def("find_cells", &find_cells_py, "table"_a, "samples"_a, "sinks"_a);
    m.def("encode", &encode_py, "table"_a, "highs"_a, "sinks"_a, "n_codes"_a, "threads"_a, "row_cells"_a.none());
    m.def("accumulate", &accumulate_py, "table"_a, "which"_a.noconvert(), "members"_a.noconvert().none(),
          "labels"_a.noconvert(), "units"_a.noconvert().none(), "more"_a.noconvert(), "code_start"_a.noconvert(),
          "counts"_a.noconvert(), "rows"_a.noconvert().none(), "threads"_a);
    m.def("scatter", &scatter_py, "members"_a.noconvert(), "table"_a, "column"_a, "branch_of_code"_a.noconvert(),
          "out"_a.noconvert(), "branches"_a, "threads"_a);
    m.def("add_scores", &add_scores_py, "leaf"_a.noconvert(), "scores"_a.noconvert(), "votes"_a.noconvert());
    m.def("route", &route_py, "tree"_a, "table"_a, "node"_a.noconvert(), "threads"_a);
    bind_growing(m);
    bind_alternatives(m);
    bind_binning(m);
    bind_optimality(m);
    bind_polishing(m);
    bind_recoding(m);
    bind_voting(m);
    bind_weighing(m);
    m.def("index_values", &index_values_py, "index"_a, "counts"_a.noconvert());
}
