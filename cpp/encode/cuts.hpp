// cpp/encode/cuts.hpp: the bins of ordered columns: every distinct value, or exact weighted quantiles.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/columns.hpp"
#include "base/types.hpp"
#include "encode/row_cells.hpp"

namespace polytomy {

// Bin b holds the values from low[b] to high[b], both of them values of the table.
struct Cuts {
    std::vector<double> low, high;
    bool has_missing = false;
};

// How many bins a column may have: one for each distinct value, up to max_values of them, or else max_bins quantiles.
struct BinLimits {
    std::uint32_t max_values;  // at least max_bins
    std::uint32_t max_bins;
};

// A column with at most max_values distinct values gets one bin per value. Otherwise bin b ends at the smallest value
// that at least (b+1)/max_bins of the weight does not exceed; a value heavy enough to end several bins ends one.
// Every row has a weight of at least one unit. The cuts depend on the values and their weights only, not on the order
// of the rows, the threads, the type or the memory layout. Columns of at most sort_below rows are sorted; for longer ones
// the quantiles are found by counting. If `row_cells` is not null, the cells of the rows, which take two bytes for each row
// and column, are kept in it; its entry is null if a column was not counted.
std::vector<Cuts> find_cuts(std::span<const ValueColumn> columns, std::size_t rows, const Weight* units, BinLimits limits,
                            std::size_t sort_below, int threads, RowCellsOfColumns* row_cells = nullptr);

}  // namespace polytomy
