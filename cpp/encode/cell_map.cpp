// cpp/encode/cell_map.cpp: see cell_map.hpp.
#include "encode/cell_map.hpp"

#include "base/multiversion.hpp"

namespace polytomy {
namespace {

template <class T>
POLYTOMY_INLINE void find_all(EqualCells<T> cells, const T* values, std::size_t n, std::uint16_t* __restrict out) {
    for (std::size_t i = 0; i < n; ++i) {
        const T value = values[i];
        out[i] = value == value ? cells.cell(value) : cells.n_cells;
    }
}

POLYTOMY_MULTIVERSION void find_floats(const EqualCells<float>& cells, const float* values, std::size_t n, std::uint16_t* out) {
    find_all(cells, values, n, out);
}

POLYTOMY_MULTIVERSION void find_doubles(const EqualCells<double>& cells, const double* values, std::size_t n, std::uint16_t* out) {
    find_all(cells, values, n, out);
}

}  // namespace

void find_equal_cells(const EqualCells<float>& cells, const float* values, std::size_t n, std::uint16_t* out) {
    find_floats(cells, values, n, out);
}

void find_equal_cells(const EqualCells<double>& cells, const double* values, std::size_t n, std::uint16_t* out) {
    find_doubles(cells, values, n, out);
}

}  // namespace polytomy
