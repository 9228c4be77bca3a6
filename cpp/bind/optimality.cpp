// cpp/bind/optimality.cpp: the binding of the search for the best tree of a size.
#include "bind/optimality.hpp"

#include <nanobind/stl/optional.h>

#include <chrono>

#include "bind/tables.hpp"
#include "optimal/search.hpp"

namespace polytomy {
namespace {

using namespace nb::literals;

std::vector<SearchColumn> columns_of(const In2<std::uint32_t>& codes, const In<std::uint32_t>& n_codes,
                                     const In<std::uint8_t>& is_nominal, const In<std::uint8_t>& has_missing) {
    const std::size_t n = codes.shape(0), rows = codes.shape(1);
    require(n_codes.shape(0) == n && is_nominal.shape(0) == n && has_missing.shape(0) == n, "OptimalSearch: one entry per column");
    std::vector<SearchColumn> columns;
    for (std::size_t j = 0; j < n; ++j) {
        columns.push_back({{codes.data() + j * rows, rows}, n_codes(j), is_nominal(j) != 0, has_missing(j) != 0});
    }
    return columns;
}

// A search, with the arrays that own its rows.
class OptimalSearchRun {
 public:
    OptimalSearchRun(const In2<std::uint32_t>& codes, const In<std::uint32_t>& n_codes, const In<std::uint8_t>& is_nominal,
                     const In<std::uint8_t>& has_missing, const In<std::int64_t>& start, const In<Label>& label,
                     const In<Weight>& weight, std::size_t classes, std::size_t max_leaves, std::optional<std::size_t> max_depth)
        : owners_{nb::cast(codes), nb::cast(start), nb::cast(label), nb::cast(weight)},
          search_(SearchRows(columns_of(codes, n_codes, is_nominal, has_missing), span_of(start), span_of(label),
                             span_of(weight), classes),
                  max_leaves, max_depth.value_or(OptimalSearch::kAnyDepth)) {}

    bool prove(std::size_t leaves, Weight goal, double seconds) {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point start = Clock::now();
        Release free;
        return search_.prove(leaves, goal, [&] { return std::chrono::duration<double>(Clock::now() - start).count() < seconds; });
    }
    [[nodiscard]] const OptimalSearch& get() const noexcept { return search_; }

 private:
    std::vector<nb::object> owners_;
    OptimalSearch search_;
};

}  // namespace

void bind_optimality(nb::module_& m) {
    nb::class_<OptimalSearchRun>(m, "OptimalSearch")
        .def(nb::init<const In2<std::uint32_t>&, const In<std::uint32_t>&, const In<std::uint8_t>&, const In<std::uint8_t>&,
                      const In<std::int64_t>&, const In<Label>&, const In<Weight>&, std::size_t, std::size_t,
                      std::optional<std::size_t>>(),
             "codes"_a.noconvert(), "n_codes"_a.noconvert(), "is_nominal"_a.noconvert(), "has_missing"_a.noconvert(),
             "start"_a.noconvert(), "label"_a.noconvert(), "weight"_a.noconvert(), "classes"_a, "max_leaves"_a,
             "max_depth"_a.none())
        .def("prove", &OptimalSearchRun::prove, "leaves"_a, "goal"_a, "seconds"_a)
        .def("lower", [](const OptimalSearchRun& r, std::size_t leaves) { return r.get().lower(leaves); }, "leaves"_a)
        .def("upper", [](const OptimalSearchRun& r, std::size_t leaves) { return r.get().upper(leaves); }, "leaves"_a)
        .def_prop_ro("n_subsets", [](const OptimalSearchRun& r) { return r.get().n_subsets(); });
}

}  // namespace polytomy
