// cpp/bind/recoding.cpp: see recoding.hpp.
#include "bind/recoding.hpp"

#include "bind/tables.hpp"
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

}  // namespace

void bind_recoding(nb::module_& m) {
    m.def("occurring", &occurring_py, "codes"_a.noconvert(), "seen"_a.noconvert(), "threads"_a);
    m.def("recode", &recode_py, "codes"_a.noconvert(), "new_code"_a.noconvert(), "out"_a.noconvert(), "n_codes"_a,
          "threads"_a);
}

}  // namespace polytomy
