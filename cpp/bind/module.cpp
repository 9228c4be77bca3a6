// cpp/bind/module.cpp: the Python module: shapes, types, contiguity and the GIL; no arithmetic.
//
// Every array is taken as it is (noconvert): a silent copy would hide a wrong type or write into a copy.
// The documented functions Python code calls are in src/polytomy/kernels/__init__.py.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "bind/growing.hpp"
#include "bind/recoding.hpp"
#include "bind/tables.hpp"
#include "bind/voting.hpp"
#include "bind/weighing.hpp"
#include "encode/cuts.hpp"
#include "encode/encode.hpp"
#include "search/groups.hpp"
#include "search/intervals.hpp"
#include "boost/leaves.hpp"
#include "prune/minplus.hpp"
#include "predict/route.hpp"
#include "grow/scatter.hpp"
#include "grow/histograms.hpp"
#include "search/values.hpp"

using namespace nb::literals;
using namespace polytomy;

namespace {

// A user's index: called with an (n, classes) array, answers n values.
class CallableIndex final : public Index {
 public:
    explicit CallableIndex(nb::callable function) : function_(std::move(function)) {}
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                double* out) const override {
        nb::gil_scoped_acquire locked;
        std::vector<double> items;
        std::vector<std::size_t> held;  // F of nothing is 0, and no question for a user's function
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = 0.0;
            double sum = 0.0;
            for (std::size_t c = 0; c < classes; ++c) sum += counts[c * stride + i];
            if (sum <= 0.0) continue;
            held.push_back(i);
            for (std::size_t c = 0; c < classes; ++c) items.push_back(counts[c * stride + i]);
        }
        if (held.empty()) return;
        const nb::ndarray<nb::numpy, double, nb::ndim<2>> array(items.data(), {held.size(), classes});
        const auto answer = nb::cast<In<double>>(function_(nb::cast(array, nb::rv_policy::copy)));
        require(answer.shape(0) == held.size(), "the index function must return one value for each count vector");
        for (std::size_t k = 0; k < held.size(); ++k) out[held[k]] = answer.data()[k];
    }
    [[nodiscard]] bool strict() const noexcept override { return false; }  // for all we know
    [[nodiscard]] bool parallel() const noexcept override { return false; }

 private:
    nb::callable function_;
};

using IndexArgument = std::variant<int, nb::callable>;

// What a family asks of one node, as Python hands it over; `least` is the rows and the weight a child needs.
struct NodeQuery {
    Histograms node{};
    Query query{};
    std::optional<CallableIndex> own;
    std::vector<nb::object> owners;

    NodeQuery(const In2<Weight>& counts, const std::optional<In<Weight>>& rows, const In<std::int64_t>& code_start,
              const In<std::uint8_t>& has_missing, IndexArgument index, double node_value, std::pair<Weight, Weight> least, int threads)
        : owners{nb::cast(counts), nb::cast(rows), nb::cast(code_start), nb::cast(has_missing)} {
        const auto columns = has_missing.shape(0);
        require(code_start.shape(0) == columns + 1, "NodeQuery: code_start has one entry more than there are columns");
        const auto codes = static_cast<std::size_t>(code_start.data()[columns]);
        require(counts.shape(0) == codes && (!rows || rows->shape(0) == codes), "NodeQuery: one histogram row a code");
        node = {counts.data(), data_or_null(rows), code_start.data(), has_missing.data(), counts.shape(1)};
        if (std::holds_alternative<nb::callable>(index)) own.emplace(std::get<nb::callable>(index));
        query = {own ? static_cast<const Index*>(&*own) : &builtin_index(static_cast<IndexKind>(std::get<int>(index))),
                 node_value, 2, least.first, nullptr, 0.0, threads, least.second};
    }

    // The prices of 2, 3, ... branches say how wide an option may be.
    [[nodiscard]] Query ask(const In<double>& prices, double floor) const {
        require(prices.shape(0) >= 1, "NodeQuery: an option has at least two branches");
        Query asked = query;
        asked.max_arity = static_cast<int>(prices.shape(0)) + 1;
        asked.prices = prices.data();
        asked.floor = floor;
        return asked;
    }
};

nb::list interval_menu_py(const NodeQuery& asked, const In<std::int32_t>& columns, const In<double>& prices,
                          double floor) {
    std::vector<IntervalOption> menu;
    {
        Release free;
        menu = interval_menu(asked.node, span_of(columns), asked.ask(prices, floor));
    }
    nb::list out;
    for (std::size_t a = 0; a < menu.size(); ++a) {
        IntervalOption& o = menu[a];
        if (o.gain < 0.0) continue;
        out.append(nb::make_tuple(a + 2, o.gain, o.column, o.left, o.right, o.missing));
    }
    return out;
}

nb::list group_menu_py(const NodeQuery& asked, const In<std::int32_t>& columns, const In<double>& prices,
                       double floor) {
    std::vector<GroupOption> menu;
    {
        Release free;
        menu = group_menu(asked.node, span_of(columns), asked.ask(prices, floor));
    }
    nb::list out;
    for (std::size_t a = 0; a < menu.size(); ++a) {
        GroupOption& o = menu[a];
        if (o.gain < 0.0) continue;
        out.append(nb::make_tuple(a + 2, o.gain, o.column, to_numpy(std::move(o.codes)), to_numpy(std::move(o.branch))));
    }
    return out;
}

nb::list value_options_py(const NodeQuery& asked, const In<std::int32_t>& columns, int max_arity) {
    std::vector<ValueOption> options;
    {
        Release free;
        Query query = asked.query;
        query.max_arity = max_arity;
        options = value_options(asked.node, span_of(columns), query);
    }
    nb::list out;
    for (const ValueOption& o : options) out.append(nb::make_tuple(o.arity, o.gain, o.column, o.joins));
    return out;
}

nb::list find_cuts_py(const ValueTable& table, const std::optional<In<Weight>>& units, std::uint32_t max_bins,
                      std::size_t sort_below, int threads) {
    require(!units || units->shape(0) == table.rows, "find_cuts: one weight a row");
    require(max_bins >= 2, "find_cuts: at least two bins");
    std::vector<Cuts> cuts;
    {
        Release free;
        cuts = find_cuts(table.columns, table.rows, data_or_null(units), max_bins, sort_below, threads);
    }
    nb::list out;
    for (Cuts& c : cuts) out.append(nb::make_tuple(to_numpy(std::move(c.low)), to_numpy(std::move(c.high)), c.has_missing));
    return out;
}

void encode_py(const ValueTable& table, const std::vector<In<double>>& highs, const nb::list& sinks, int threads) {
    require(highs.size() == table.columns.size() && sinks.size() == highs.size(), "encode: one sink a column");
    std::vector<std::span<const double>> ends;
    std::vector<CodeSink> to;
    for (std::size_t j = 0; j < highs.size(); ++j) {
        const auto sink = nb::cast<nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>>(sinks[j]);
        require(sink.shape(0) == table.rows, "encode: one code a row");
        const int bits = sink.dtype().bits;
        // one code more is written where cells are missing: the caller knows, and picks the type by it
        require(highs[j].shape(0) <= (std::uint64_t{1} << bits), "encode: the codes do not fit their type");
        ends.emplace_back(highs[j].data(), highs[j].shape(0));
        to.push_back({sink.data(), bits / 8});
    }
    Release free;
    encode(table.columns, ends, table.rows, to, threads);
}

void accumulate_py(const CodeTable& table, const In<std::int32_t>& which, const std::optional<In<Row>>& members,
                   const In<Label>& labels, const std::optional<In<Weight>>& units,
                   const std::vector<std::pair<In<Label>, In<Weight>>>& more, const In<std::int64_t>& code_start,
                   const Out2<Weight>& counts, const std::optional<Out<Weight>>& rows, int threads) {
    require(labels.shape(0) == table.rows, "accumulate: one label a row");
    require(more.empty() || units, "accumulate: layers come with weights");
    std::vector<Layer> layers;
    for (const auto& [label, weight] : more) {
        require(label.shape(0) == table.rows && weight.shape(0) == table.rows, "accumulate: layers of one length");
        layers.push_back({label.data(), weight.data()});
    }
    require(!units || units->shape(0) == table.rows, "accumulate: one weight a row");
    require(code_start.shape(0) == table.columns.size() + 1, "accumulate: code_start has one entry more than columns");
    const std::size_t n = members ? members->shape(0) : table.rows;
    const Target target{labels.data(), data_or_null(units), counts.shape(1), layers};
    Release free;
    accumulate(table.columns, span_of(which), data_or_null(members), n, target, code_start.data(),
               counts.data(), rows ? rows->data() : nullptr, threads);
}

Fresh<std::int64_t> scatter_py(const Out<Row>& members, const CodeTable& table, std::size_t column,
                               const In<Branch>& branch_of_code, const Out<Row>& scratch, std::size_t branches, int threads) {
    require(column < table.columns.size(), "scatter: no such column");
    require(branch_of_code.shape(0) == table.columns[column].n_codes, "scatter: one branch a code");
    require(scratch.shape(0) >= members.shape(0), "scatter: scratch is too small");
    std::vector<std::int64_t> sizes(branches);
    {
        Release free;
        scatter(members.data(), members.shape(0), table.columns[column],
                span_of(branch_of_code), scratch.data(), sizes, threads);
    }
    return to_numpy(std::move(sizes));
}

void find_leaves_py(const CodeTable& table, std::size_t column, const In<std::int32_t>& child_of_code,
                    const std::optional<In<Row>>& members, const Out<std::int32_t>& leaf) {
    require(column < table.columns.size(), "find_leaves: no such column");
    require(child_of_code.shape(0) == table.columns[column].n_codes, "find_leaves: one child a code");
    require(leaf.shape(0) == table.rows, "find_leaves: one leaf a row");
    const std::size_t n = members ? members->shape(0) : table.rows;
    Release free;
    find_leaves(table.columns[column], span_of(child_of_code), data_or_null(members), n, leaf.data());
}

void add_scores_py(const In<std::int32_t>& leaf, const In2<double>& scores, const Out2<double>& votes) {
    require(leaf.shape(0) == votes.shape(0), "add_scores: one leaf a row");
    require(scores.shape(1) == votes.shape(1), "add_scores: as many scores as votes");
    require(all_in(span_of(leaf), scores.shape(0)), "add_scores: a row in no leaf");
    Release free;
    add_scores(leaf.data(), leaf.shape(0), scores.data(), scores.shape(1), votes.data());
}

void route_py(const TreeArrays& tree, const ValueTable& table, const Out<std::int32_t>& node, int threads) {
    require(node.shape(0) == table.rows, "route: one node a row");
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

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "Compiled kernels of polytomy; import them through polytomy.kernels.";
    m.attr("MISSING") = kMissing;
    m.attr("UNKNOWN") = kUnknown;
    m.attr("UNSEEN") = kUnseen;
    m.attr("TIE") = kTie;
    m.attr("ITEM_SIZES") = nb::make_tuple(sizeof(Row), sizeof(Weight), sizeof(Label), sizeof(Branch));
    nb::class_<CodeTable>(m, "CodeTable").def(nb::init<const nb::list&, const std::vector<std::uint32_t>&>(),
                                              "columns"_a, "n_codes"_a);
    nb::class_<ValueTable>(m, "ValueTable")
        .def(nb::init<const nb::list&, const std::vector<int>&, std::size_t>(), "columns"_a, "readings"_a, "n_rows"_a);
    nb::class_<TreeArrays>(m, "TreeArrays")
        .def(nb::init<const In<std::int8_t>&, const In<std::int32_t>&, const In<std::int64_t>&, const In<std::int32_t>&,
                      const In<std::int64_t>&, const In<double>&, const In<std::int64_t>&, const In<std::int32_t>&,
                      const In<std::int32_t>&, const In<std::int32_t>&>(),
             "kind"_a.noconvert(), "feature"_a.noconvert(), "child_start"_a.noconvert(), "child"_a.noconvert(),
             "threshold_start"_a.noconvert(), "threshold"_a.noconvert(), "code_start"_a.noconvert(),
             "code_to_branch"_a.noconvert(), "missing_branch"_a.noconvert(), "default_branch"_a.noconvert());
    nb::class_<NodeQuery>(m, "NodeQuery")
        .def(nb::init<const In2<Weight>&, const std::optional<In<Weight>>&, const In<std::int64_t>&,
                      const In<std::uint8_t>&, IndexArgument, double, std::pair<Weight, Weight>, int>(),
             "counts"_a.noconvert(), "rows"_a.noconvert().none(), "code_start"_a.noconvert(),
             "has_missing"_a.noconvert(), "index"_a, "node_value"_a, "least"_a, "threads"_a)
        .def("interval_menu", &interval_menu_py, "columns"_a.noconvert(), "prices"_a.noconvert(), "floor"_a)
        .def("group_menu", &group_menu_py, "columns"_a.noconvert(), "prices"_a.noconvert(), "floor"_a)
        .def("value_options", &value_options_py, "columns"_a.noconvert(), "max_arity"_a);
    nb::class_<Prunings>(m, "Prunings")
        .def("__init__", &prunings_py, "child_start"_a.noconvert(), "child"_a.noconvert(), "errors"_a.noconvert(),
             "carried"_a.noconvert().none(), "cap"_a)
        .def_prop_ro("sizes", [](const Prunings& p) { return view_of(p.sizes()); })
        .def_prop_ro("errors", [](const Prunings& p) { return view_of(p.errors()); })
        .def_prop_ro("carried", [](const Prunings& p) { return view_of(p.carried()); })
        .def("leaves", [](const Prunings& p, std::size_t which) { return to_numpy(p.leaves(which)); }, "which"_a);
    m.def("find_cuts", &find_cuts_py, "table"_a, "units"_a.noconvert().none(), "max_bins"_a, "sort_below"_a, "threads"_a);
    m.def("encode", &encode_py, "table"_a, "highs"_a, "sinks"_a, "threads"_a);
    m.def("accumulate", &accumulate_py, "table"_a, "which"_a.noconvert(), "members"_a.noconvert().none(),
          "labels"_a.noconvert(), "units"_a.noconvert().none(), "more"_a.noconvert(), "code_start"_a.noconvert(),
          "counts"_a.noconvert(), "rows"_a.noconvert().none(), "threads"_a);
    m.def("scatter", &scatter_py, "members"_a.noconvert(), "table"_a, "column"_a, "branch_of_code"_a.noconvert(),
          "scratch"_a.noconvert(), "branches"_a, "threads"_a);
    m.def("find_leaves", &find_leaves_py, "table"_a, "column"_a, "child_of_code"_a.noconvert(),
          "members"_a.noconvert().none(), "leaf"_a.noconvert());
    m.def("add_scores", &add_scores_py, "leaf"_a.noconvert(), "scores"_a.noconvert(), "votes"_a.noconvert());
    m.def("route", &route_py, "tree"_a, "table"_a, "node"_a.noconvert(), "threads"_a);
    bind_growing(m);
    bind_recoding(m);
    bind_voting(m);
    bind_weighing(m);
    m.def("index_values", &index_values_py, "index"_a, "counts"_a.noconvert());
}
