// cpp/boost/leaves.hpp: where each row is after a tree has grown, and what its leaf adds to its votes.
#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace polytomy {

// leaf[row] = child_of_code[code of the row] for `members` (null: rows 0..n-1), whose codes must all have a child.
void find_leaves(const CodeColumn& column, std::span<const std::int32_t> child_of_code, const Row* members,
                 std::size_t n, std::int32_t* leaf);

// Whether every row is in one of the nodes 0, 1, ..., nodes-1.
[[nodiscard]] bool all_in(std::span<const std::int32_t> leaf, std::size_t nodes) noexcept;

// votes[row * outputs + k] += scores[leaf[row] * outputs + k] for rows 0..n-1.
void add_scores(const std::int32_t* leaf, std::size_t n, const double* scores, std::size_t outputs, double* votes);

}  // namespace polytomy
