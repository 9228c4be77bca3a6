// cpp/encode/group_sums.hpp: sums of floats by group that do not depend on the order of the rows; see exact_sums.py.
#pragma once

#include <cstdint>
#include <span>

namespace polytomy {

inline constexpr std::size_t kSumLevels = 3;

// Add the terms of each row to the sums of its group: sums[(group * terms + term) * 3 + level]. A term is split into multiples
// of powers of two by adding and subtracting the anchors of its levels, anchors[term * 3 + level].
void group_sums(std::span<const std::int32_t> group, std::span<const double* const> terms, std::span<const double> anchors,
                double* sums);

}  // namespace polytomy
