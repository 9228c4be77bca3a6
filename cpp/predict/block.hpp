// cpp/predict/block.hpp: a few rows of a raw column as plain doubles, for kernels that read a column many times.
//
// Rows are taken a block at a time: what a block needs of a table with a few dozen columns stays in the nearest cache
// while every tree, or every look-up, is asked about it.
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

// Missing is the usual NaN. A label that the training table did not have is a NaN of its own, so that a row of either
// compares as no number does and only then the two are told apart.
inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kNoSuchLabel = std::bit_cast<double>(std::bit_cast<std::uint64_t>(kNoValue) | 1U);

[[nodiscard]] inline bool is_new_label(double value) noexcept {
    return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(kNoSuchLabel);
}

// Read `n` rows from `begin` on. A user's own NaN may have any bits, so every one becomes kNoValue.
inline void read_block(const ValueColumn& column, std::size_t begin, std::size_t n, Block& out) noexcept {
    with_values(column, [&](auto type) {
        using T = decltype(type);
        for (std::size_t i = 0; i < n; ++i) {
            const T raw = load<T>(column, begin + i);
            out[i] = is_missing(raw) ? kNoValue : to_double(raw);
            if constexpr (std::is_same_v<T, Rank>) {
                if (raw.place == kUnknown) out[i] = kNoSuchLabel;
            }
        }
    });
}

// Call body(begin, n) for the blocks of a range of rows, one after the other.
template <class Body>
void each_block(std::size_t begin, std::size_t end, Body&& body) {
    for (std::size_t at = begin; at < end; at += kBlock) body(at, std::min(kBlock, end - at));
}

}  // namespace polytomy
