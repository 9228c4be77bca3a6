// cpp/predict/block.hpp: a few rows of a raw column as plain doubles, for kernels that read a column many times.
//
// Rows are processed in blocks: the cells of a block of a few dozen columns stay in the first cache while all trees, or
// all look-ups, are evaluated.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/columns.hpp"

namespace polytomy {

inline constexpr std::size_t kBlock = 256;  // rows
using Block = std::array<double, kBlock>;

// A missing cell is the usual NaN. A label that the training table did not have is another NaN, so that both fail all
// comparisons and need to be distinguished only after that.
inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kNewLabel = std::bit_cast<double>(std::bit_cast<std::uint64_t>(kNoValue) | 1U);

[[nodiscard]] inline bool is_new_label(double value) noexcept {
    return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(kNewLabel);
}

// Reads `n` rows from `begin` on. The bits of a user's NaN are arbitrary, so it is replaced by kNoValue.
inline void read_block(const ValueColumn& column, std::size_t begin, std::size_t n, Block& out) noexcept {
    with_values(column, [&](auto type) {
        using T = decltype(type);
        for (std::size_t i = 0; i < n; ++i) {
            const T raw = load<T>(column, begin + i);
            out[i] = is_missing(raw) ? kNoValue : to_double(raw);
            if constexpr (std::is_same_v<T, Rank>) {
                if (raw.place == kUnknown) out[i] = kNewLabel;
            }
        }
    });
}

// Calls body(begin, n) for each block of a range of rows.
template <class Body>
void each_block(std::size_t begin, std::size_t end, Body&& body) {
    for (std::size_t at = begin; at < end; at += kBlock) body(at, std::min(kBlock, end - at));
}

}  // namespace polytomy
