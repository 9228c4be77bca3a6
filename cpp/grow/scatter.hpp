// cpp/grow/scatter.hpp: a stable k-way partition of a node's rows.
#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace polytomy {

// Reorder members[0..n) so that the rows of branch 0 come first, then branch 1, ..., each in their old order;
// sizes[b] becomes the number of rows of branch b. `scratch` holds n rows. Every code present must have a branch.
void scatter(Row* members, std::size_t n, const CodeColumn& column, std::span<const Branch> branch_of_code,
             Row* scratch, std::span<std::int64_t> sizes, int threads);

}  // namespace polytomy
