// cpp/grow/row_codes.hpp: the codes of a table row by row, for nodes whose rows are far apart.
//
// Of a node with every twentieth row, each cell of a column is in a cache line of its own, but the cells of a row are in one
// or two lines together. The copy takes a byte for each cell of the columns with at most 256 codes; others are not copied.
// If a row adds to two counts, what it adds can follow its cells, and is then in these lines, too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/large_array.hpp"
#include "base/types.hpp"

namespace polytomy {

class RowCodes {
 public:
    // `which` are the columns to copy, in ascending order; `pairs` is null or has two numbers for each row.
    RowCodes(std::span<const CodeColumn> columns, std::span<const std::int32_t> which, const Weight* pairs, std::size_t rows,
             int threads);

    // The first cell of each column; the next row's is `stride()` bytes further. Wide columns are as given, and narrow ones
    // that were not copied must not be read.
    [[nodiscard]] std::span<const CodeColumn> columns() const noexcept { return columns_; }
    [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
    // The first pair, if they were copied; the next row's is `stride()` bytes further.
    [[nodiscard]] const std::uint8_t* pairs() const noexcept { return pairs_; }
    // Another target has other pairs.
    void forget_pairs() noexcept { pairs_ = nullptr; }

 private:
    std::vector<CodeColumn> columns_;
    std::size_t stride_;
    LargeArray<std::uint8_t> cells_;
    const std::uint8_t* pairs_ = nullptr;
};

// Whether the cells of a column take one byte, so that they can be copied.
inline bool is_narrow(const CodeColumn& column) noexcept { return column.width == 1; }

}  // namespace polytomy
