// cpp/grow/row_codes.cpp: see row_codes.hpp.
#include "grow/row_codes.hpp"

#include <algorithm>
#include <cstring>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"

namespace polytomy {

RowCodes::RowCodes(std::span<const CodeColumn> columns, std::span<const std::int32_t> which, const Weight* pairs,
                   std::size_t rows, int threads)
    : columns_(columns.begin(), columns.end()), stride_(0) {
    constexpr std::size_t kTile = 512;       // rows, whose records stay in the first cache
    constexpr std::size_t kGrain = 1 << 17;  // cells that make a thread worthwhile
    std::vector<const std::uint8_t*> from;
    for (const std::int32_t j : which) {
        const CodeColumn& column = columns[static_cast<std::size_t>(j)];
        if (is_narrow(column)) from.push_back(static_cast<const std::uint8_t*>(column.data));
    }
    const std::size_t n_cells = from.size();
    constexpr std::size_t kPair = 2 * sizeof(Weight);
    stride_ = n_cells + (pairs != nullptr ? kPair : 0);
    const std::size_t stride = stride_;
    cells_.resize(rows * stride);
    if (pairs != nullptr) pairs_ = cells_.data() + n_cells;
    parallel_blocks(rows, worth(cells_.size(), kGrain, threads), [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; at += kTile) {
            const std::size_t last = std::min(at + kTile, end);
            poll((last - at) * stride);
            for (std::size_t k = 0; k < n_cells; ++k) {
                std::uint8_t* to = cells_.data() + k;
                const std::uint8_t* codes = from[k];
                for (std::size_t row = at; row < last; ++row) to[row * stride] = codes[row];
            }
            if (pairs == nullptr) continue;
            for (std::size_t row = at; row < last; ++row) std::memcpy(cells_.data() + row * stride + n_cells, pairs + 2 * row, kPair);
        }
    });
    std::size_t k = 0;
    for (const std::int32_t j : which) {
        CodeColumn& column = columns_[static_cast<std::size_t>(j)];
        if (is_narrow(column)) column.data = cells_.data() + k++;
    }
}

}  // namespace polytomy
