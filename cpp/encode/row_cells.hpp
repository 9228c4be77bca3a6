// cpp/encode/row_cells.hpp: the cells of the rows of a column, kept from finding its bins for encoding it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/columns.hpp"
#include "base/large_array.hpp"

namespace polytomy {

// Cells are in ascending order of values, so that the code of a row follows from its cell if no bin ends in it.
struct RowCells {
    std::span<std::uint16_t> cells;          // by row; n_cells for a missing value
    std::shared_ptr<LargeArray<std::uint16_t>> memory;  // shared with other columns: large pages hold more than the cells of one
    std::size_t n_cells = 0;
    std::vector<std::uint16_t> cell_of_end;  // the cell of the upper end of each bin
};

using RowCellsOfColumns = std::vector<std::unique_ptr<RowCells>>;

// Some rows of a block of at most kMost rows.
class RowList {
 public:
    static constexpr std::size_t kMost = 4096;

    // Selects the rows i of n for which is_in(i) is 1 rather than 0. There is no branch: for one row in twenty it would be
    // mispredicted, which took twice as long.
    template <class IsIn>
    void select(std::size_t n, IsIn&& is_in) {
        std::size_t size = 0;
        for (std::size_t i = 0; i < n; ++i) {
            rows_[size] = static_cast<std::uint16_t>(i);
            size += is_in(i);
        }
        size_ = size;
    }
    [[nodiscard]] const std::uint16_t* begin() const noexcept { return rows_.data(); }
    [[nodiscard]] const std::uint16_t* end() const noexcept { return rows_.data() + size_; }

 private:
    std::array<std::uint16_t, kMost> rows_;
    std::size_t size_ = 0;
};

// Loads the cells of some rows of the block that starts at `begin` before they are needed: they are too far apart for the
// processor to foresee.
inline void prefetch(const ValueColumn& column, std::size_t begin, const RowList& rows) noexcept {
    const std::byte* const first = column.data + static_cast<std::ptrdiff_t>(begin) * column.stride;
    for (const std::uint16_t i : rows) __builtin_prefetch(first + i * column.stride);
}

}  // namespace polytomy
