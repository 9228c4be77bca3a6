// cpp/boost/leaves.hpp: the votes that a tree's leaves add to the training rows.
#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace polytomy {

// Returns whether every row is in one of the nodes 0..nodes-1.
[[nodiscard]] bool all_in(std::span<const std::int32_t> leaf, std::size_t nodes) noexcept;

// Adds scores[leaf[row] * outputs + k] to votes[row * outputs + k] for rows 0..n-1.
void add_scores(const std::int32_t* leaf, std::size_t n, const double* scores, std::size_t outputs, double* votes);

}  // namespace polytomy
