// cpp/bind/recoding.cpp: see recoding.hpp.
#include "bind/recoding.hpp"

#include "bind/lists.hpp"
#include "bind/tables.hpp"
#include "boost/leaves.hpp"
#include "encode/group_sums.hpp"
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

}  // namespace

void bind_recoding(nb::module_& m) {
    m.def("occurring", &occurring_py, "codes"_a.noconvert(), "seen"_a.noconvert(), "threads"_a);
    m.def("group_sums", &group_sums_py, "group"_a.noconvert(), "terms"_a, "anchors"_a.noconvert(), "sums"_a.noconvert());
    m.def("recode", &recode_py, "codes"_a.noconvert(), "new_code"_a.noconvert(), "out"_a.noconvert(), "n_codes"_a,
          "threads"_a);
}

}  // namespace polytomy
