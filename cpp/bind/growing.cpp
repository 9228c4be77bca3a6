// cpp/bind/growing.cpp: the bindings of the growth loop.
#include "bind/growing.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <optional>
#include <tuple>
#include <vector>

#include "bind/tables.hpp"
#include "grow/growth.hpp"
#include "grow/grown_tree.hpp"

namespace polytomy {
namespace {

using namespace nb::literals;

using Longs = Fresh<std::int64_t>;

// One entry of an array for each of a list of records.
template <class T, class Records, class Read>
Fresh<T> column_of(const Records& records, std::size_t first, Read&& read) {
    std::vector<T> values;
    values.reserve(records.size() - first);
    for (std::size_t i = first; i < records.size(); ++i) values.push_back(static_cast<T>(read(records[i])));
    return to_numpy(std::move(values));
}

// A run, and the arrays it reads.
class GrowthRun {
 public:
    GrowthRun(nb::object table, const In<std::int64_t>& code_start, const In<std::uint8_t>& has_missing,
              const In<Label>& labels, const std::optional<In<Weight>>& units, std::size_t classes,
              const std::vector<std::pair<int, std::vector<std::int32_t>>>& families, const GrowthRules& rules)
        : owners_{table, nb::cast(code_start), nb::cast(has_missing), nb::cast(labels), nb::cast(units)} {
        const auto& codes = nb::cast<const CodeTable&>(table);
        const std::size_t columns = codes.columns.size();
        require(code_start.shape(0) == columns + 1 && has_missing.shape(0) == columns, "GrowthRun: one entry a column");
        require(labels.shape(0) == codes.rows && (!units || units->shape(0) == codes.rows), "GrowthRun: one label a row");
        std::vector<Family> asked;
        for (const auto& [kind, of_family] : families) {
            for (const std::int32_t j : of_family) {
                require(j >= 0 && static_cast<std::size_t>(j) < columns, "GrowthRun: no such column");
            }
            asked.push_back({static_cast<FamilyKind>(kind), of_family});
        }
        const CodedTable coded{codes.columns, span_of(code_start), span_of(has_missing), codes.rows};
        const Target target{labels.data(), data_or_null(units), classes};
        Release free;
        run_.emplace(coded, target, std::move(asked), rules);
    }

    // Make some steps, not for so long that Python cannot hear of an interrupt; false when there are no more.
    bool run(std::size_t steps) {
        Release free;
        const auto now = [] { return std::chrono::steady_clock::now(); };
        const Deadline patience = now() + std::chrono::milliseconds(100);
        if (run_->prepare(patience)) return true;
        for (std::size_t made = 0; made < steps; ++made) {
            if (!run_->step()) return made > 0;
            if (now() >= patience) break;
        }
        return true;
    }

    [[nodiscard]] const Growth& growth() const { return *run_; }

 private:
    std::vector<nb::object> owners_;
    std::optional<Growth> run_;
};

// Everything about the expansions from `first` on, an array each; see kernels/__init__.py.
auto expansions_py(const GrowthRun& run, std::size_t first) {
    const auto& all = run.growth().expansions();
    require(first <= all.size(), "GrowthRun: no such expansion");
    std::vector<std::int64_t> cut_start{0};
    std::vector<std::int32_t> left, right;
    for (std::size_t i = first; i < all.size(); ++i) {
        const Option& option = all[i].option;
        left.insert(left.end(), option.first.begin(), option.first.end());
        right.insert(right.end(), option.second.begin(), option.second.end());
        cut_start.push_back(static_cast<std::int64_t>(left.size()));
    }
    return std::make_tuple(
        column_of<std::int32_t>(all, first, [](const Expanded& e) { return e.leaf; }),
        column_of<std::int32_t>(all, first, [](const Expanded& e) { return e.option.arity; }),
        column_of<std::int32_t>(all, first, [](const Expanded& e) { return e.option.column; }),
        column_of<std::int32_t>(all, first, [](const Expanded& e) { return static_cast<int>(e.option.kind); }),
        column_of<std::int32_t>(all, first, [](const Expanded& e) { return e.option.missing; }),
        column_of<std::int32_t>(all, first, [](const Expanded& e) { return e.first_child; }),
        column_of<std::int64_t>(all, first, [](const Expanded& e) { return e.leaves_before; }),
        column_of<double>(all, first, [](const Expanded& e) { return e.option.gain; }),
        column_of<double>(all, first, [](const Expanded& e) { return e.value; }),
        column_of<double>(all, first, [](const Expanded& e) { return e.binary_gain; }),
        to_numpy(std::move(cut_start)), to_numpy(std::move(left)), to_numpy(std::move(right)));
}

auto retirements_py(const GrowthRun& run) {
    const auto& all = run.growth().retirements();
    return std::make_tuple(column_of<std::int32_t>(all, 0, [](const Retired& r) { return r.leaf; }),
                           column_of<std::int32_t>(all, 0, [](const Retired& r) { return static_cast<int>(r.reason); }),
                           column_of<std::int64_t>(all, 0, [](const Retired& r) { return r.leaves; }));
}

Longs counts_py(const GrowthRun& run, std::size_t node) {
    const GrownNodes& nodes = run.growth().nodes();
    require(node < nodes.rows.size(), "GrowthRun: no such node");
    const std::size_t classes = nodes.counts.size() / nodes.rows.size();
    const auto first = nodes.counts.begin() + static_cast<std::ptrdiff_t>(node * classes);
    return to_numpy(std::vector<Weight>(first, first + static_cast<std::ptrdiff_t>(classes)));
}

auto nodes_py(const GrowthRun& run) {
    const GrownNodes& nodes = run.growth().nodes();
    return std::make_tuple(to_numpy(std::vector(nodes.counts)), to_numpy(std::vector(nodes.rows)),
                           to_numpy(std::vector(nodes.parent)));
}

auto tree_py(const GrowthRun& run) {
    GrownTree t = grown_tree(run.growth());
    return std::make_tuple(to_numpy(std::move(t.kind)), to_numpy(std::move(t.feature)),
                           to_numpy(std::move(t.child_start)), to_numpy(std::move(t.child)),
                           to_numpy(std::move(t.threshold_start)), to_numpy(std::move(t.left)),
                           to_numpy(std::move(t.right)), to_numpy(std::move(t.code_to_branch_start)),
                           to_numpy(std::move(t.code_to_branch)), to_numpy(std::move(t.missing_branch)),
                           to_numpy(std::move(t.default_branch)));
}

}  // namespace

void bind_growing(nb::module_& m) {
    using Whole = std::optional<std::int64_t>;
    nb::class_<GrowthRules>(m, "GrowthRules")
        .def("__init__",
             [](GrowthRules* place, int procedure, Whole max_leaves, double gamma, bool steepest, int index,
                std::int64_t max_arity, Whole max_depth, std::int64_t min_samples_split, std::int64_t min_samples_leaf,
                double min_weight_fraction_leaf, double min_gain, int threads, Whole small, Whole apart) {
                 new (place) GrowthRules{static_cast<ProcedureKind>(procedure), max_leaves, gamma, steepest,
                                         static_cast<IndexKind>(index), max_arity, max_depth, min_samples_split,
                                         min_samples_leaf, min_weight_fraction_leaf, min_gain, threads, small, apart};
             },
             nb::kw_only(), "procedure"_a, "max_leaves"_a.none(), "gamma"_a, "steepest"_a, "index"_a, "max_arity"_a,
             "max_depth"_a.none(), "min_samples_split"_a, "min_samples_leaf"_a, "min_weight_fraction_leaf"_a,
             "min_gain"_a, "threads"_a, "small"_a.none(), "apart"_a.none());
    nb::class_<GrowthRun>(m, "GrowthRun")
        .def(nb::init<nb::object, const In<std::int64_t>&, const In<std::uint8_t>&, const In<Label>&,
                      const std::optional<In<Weight>>&, std::size_t,
                      const std::vector<std::pair<int, std::vector<std::int32_t>>>&, const GrowthRules&>(),
             "table"_a, "code_start"_a.noconvert(), "has_missing"_a.noconvert(), "labels"_a.noconvert(),
             "units"_a.noconvert().none(), "n_classes"_a, "families"_a, "rules"_a)
        .def("run", &GrowthRun::run, "steps"_a)
        .def_prop_ro("n_steps", [](const GrowthRun& r) { return r.growth().expansions().size(); })
        .def_prop_ro("weight", [](const GrowthRun& r) { return r.growth().weight(); })
        .def_prop_ro("root_value", [](const GrowthRun& r) { return r.growth().root_value(); })
        .def_prop_ro("seconds", [](const GrowthRun& r) { return std::make_pair(r.growth().counting(), r.growth().moving()); })
        .def("expansions", &expansions_py, "first"_a)
        .def("retirements", &retirements_py)
        .def("counts", &counts_py, "node"_a)
        .def("nodes", &nodes_py)
        .def("tree", &tree_py);
}

}  // namespace polytomy
