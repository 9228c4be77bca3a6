// cpp/bind/recoding.cpp: see recoding.hpp.
#include "bind/recoding.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "bind/lists.hpp"
#include "bind/tables.hpp"
#include "boost/leaves.hpp"
#include "encode/group_sums.hpp"
#include "encode/number_units.hpp"
#include "encode/recode.hpp"

using namespace nb::literals;

namespace polytomy {
namespace {

void occurring_py(const In<std::int32_t>& codes, const Out<std::uint8_t>& seen, int threads) {
    require(seen.shape(0) > 0, "occurring: seen must have an entry for missing cells");
    Release free;
    occurring(span_of(codes), {seen.data(), seen.shape(0)}, threads);
}

void recode_py(const In<std::int32_t>& codes, const In<std::uint32_t>& new_code,
               const nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>& out, std::uint32_t n_codes, int threads) {
    require(new_code.shape(0) > 0, "recode: new_code must have an entry for missing cells");
    require(out.shape(0) == codes.shape(0), "recode: there must be one code per row");
    require(n_codes > 0 || codes.shape(0) == 0, "recode: there must be a code for the rows");
    const CodeSink sink{out.data(), out.dtype().bits / 8, n_codes};
    Release free;
    recode(span_of(codes), span_of(new_code), sink, threads);
}

void group_sums_py(const In<std::int32_t>& group, const std::vector<In<double>>& terms, const In2<double>& anchors,
                   const Out2<double>& sums) {
    require(anchors.shape(0) == terms.size() && anchors.shape(1) == kSumLevels, "group_sums: there must be three anchors for each term");
    require(sums.shape(1) == kSumLevels * terms.size(), "group_sums: there must be three sums for each term");
    require(all_in(span_of(group), sums.shape(0)), "group_sums: no such group");
    std::vector<const double*> columns;
    for (const In<double>& term : terms) {
        require(term.shape(0) == group.shape(0), "group_sums: there must be one term per row");
        columns.push_back(term.data());
    }
    Release free;
    group_sums(span_of(group), columns, {anchors.data(), kSumLevels * terms.size()}, sums.data());
}

void group_moments_py(const In<std::int32_t>& group, const In<double>& values, const std::optional<In<double>>& weights,
                      const std::optional<In<double>>& further, const std::optional<In<Row>>& rows, double centre, const In2<double>& anchors,
                      const Out2<double>& out, int threads) {
    require(!weights || weights->shape(0) == values.shape(0), "group_moments: there must be one weight per number");
    require(!further || further->shape(0) == group.shape(0), "group_moments: there must be one further term per row");
    require(group.shape(0) == (rows ? rows->shape(0) : values.shape(0)), "group_moments: there must be one group per row");
    require(group.shape(0) < std::numeric_limits<Row>::max(), "group_moments: too many rows");
    const MomentTerms terms{data_or_null(rows),    values.data(), data_or_null(weights),
                            data_or_null(further), centre,        {anchors.data(), kSumLevels * anchors.shape(0)}};
    require(anchors.shape(0) == terms.width() && anchors.shape(1) == kSumLevels, "group_moments: there must be three anchors for each term");
    require(out.shape(1) == terms.width(), "group_moments: there must be one sum for each term");
    require(all_in(span_of(group), out.shape(0)), "group_moments: no such group");
    const auto is_row = [&](Row row) { return row < values.shape(0); };
    require(!rows || std::all_of(rows->data(), rows->data() + rows->shape(0), is_row), "group_moments: no such row");
    Release free;
    group_moments(span_of(group), terms, out.shape(0), threads, out.data());
}

void number_units_py(const In<double>& values, const std::optional<In<double>>& weights, std::array<double, 4> scale,
                     const Out<Weight>& above, const Out<Weight>& below, const Out<Weight>& residues, int threads) {
    const std::size_t n = values.shape(0);
    require(!weights || weights->shape(0) == n, "number_units: there must be one weight per number");
    require(above.shape(0) == n && below.shape(0) == n && residues.shape(0) == n, "number_units: there must be units for every row");
    const auto [low, span, units, finer] = scale;
    Release free;
    number_units({span_of(values), data_or_null(weights), low, span, units}, finer, {above.data(), below.data(), residues.data()}, threads);
}

}  // namespace

void bind_recoding(nb::module_& m) {
    m.def("occurring", &occurring_py, "codes"_a.noconvert(), "seen"_a.noconvert(), "threads"_a);
    m.def("group_sums", &group_sums_py, "group"_a.noconvert(), "terms"_a, "anchors"_a.noconvert(), "sums"_a.noconvert());
    m.def("group_moments", &group_moments_py, "group"_a.noconvert(), "values"_a.noconvert(), "weights"_a.noconvert().none(),
          "further"_a.noconvert().none(), "rows"_a.noconvert().none(), "centre"_a, "anchors"_a.noconvert(), "out"_a.noconvert(), "threads"_a);
    m.def("number_units", &number_units_py, "values"_a.noconvert(), "weights"_a.noconvert().none(), "scale"_a, "above"_a.noconvert(),
          "below"_a.noconvert(), "residues"_a.noconvert(), "threads"_a);
    m.def("recode", &recode_py, "codes"_a.noconvert(), "new_code"_a.noconvert(), "out"_a.noconvert(), "n_codes"_a,
          "threads"_a);
}

}  // namespace polytomy
