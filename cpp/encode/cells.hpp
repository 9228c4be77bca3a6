// cpp/encode/cells.hpp: the cells of a grid that the values of columns lie in, the same for all parts of a table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/columns.hpp"
#include "base/types.hpp"

namespace polytomy {

// Returns the largest value of each cell of the grid based on a sample, which must be ascending and not empty. The last
// cell has no upper end: infinity. The first one is below the sample; its end is NaN if no number is that small. There are
// fewer than 65,535 cells.
std::vector<double> cell_ends(std::span<const double> sample);

// Writes the cell of each value to out[j]; that of a missing cell is the number of cells. Values are compared as doubles,
// so that parts of a table may hold them in different types.
void find_cells(std::span<const ValueColumn> columns, std::span<const std::span<const double>> samples, std::size_t rows,
                std::span<std::uint16_t* const> out);

// The distinct values of some cells in ascending order; up_to[i] is the weight of the first i of them.
struct KeptCells {
    std::vector<double> values;
    std::vector<Weight> up_to;
};

// Returns the values of the rows of one column whose cells are wanted. `units` are the weights of the rows, null if all
// are 1; `wanted` has an entry for each cell, and one for missing cells, which must be 0.
KeptCells keep_cells(const ValueColumn& column, std::span<const std::uint16_t> cells, std::span<const std::uint8_t> wanted,
                     const Weight* units);

}  // namespace polytomy
