// cpp/encode/encode.hpp: converts raw columns to codes, given their cuts.
#pragma once

#include <cstdint>
#include <span>

#include "base/columns.hpp"
#include "base/types.hpp"
#include "encode/row_cells.hpp"

namespace polytomy {

// The array for the codes of one column, with `width` bytes per cell.
struct CodeSink {
    void* data;
    int width;
    std::uint32_t n_codes;  // every code is below this, even if cells change meanwhile
};

// The code of a value is the number of bins, except the last, that end below it. A missing cell gets the code
// highs[j].size(), or the last code if the sink has none for it. highs[j] has the upper ends of the bins of column j in ascending order, each a value of its type.
// If the cells of the rows were kept when the bins were found, most values need not be read again; their codes are then those
// of the values at that time.
void encode(std::span<const ValueColumn> columns, std::span<const std::span<const double>> highs, std::size_t rows,
            std::span<const CodeSink> sinks, int threads, const RowCellsOfColumns* row_cells = nullptr);

}  // namespace polytomy
