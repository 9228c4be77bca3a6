// cpp/grow/scatter.hpp: a stable k-way partition of a node's rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace polytomy {

// Write members[0..n) to out[0..n) so that the rows of branch 0 come first, then branch 1, ..., each in their old order;
// sizes[b] becomes the number of rows of branch b. Every code present must have a branch. A null `members` means the rows
// 0..n-1.
void scatter(const Row* members, std::size_t n, const CodeColumn& column, std::span<const Branch> branch_of_code, Row* out,
             std::span<std::int64_t> sizes, int threads);

// The same in place. `scratch` grows to the number of rows that do not belong to branch 0, or of all rows for two branches. It
// is not used for millions of ascending rows close to each other, for which a bit for each row and branch is enough.
void partition(Row* members, std::size_t n, const CodeColumn& column, std::span<const Branch> branch_of_code,
               std::vector<Row>& scratch, std::span<std::int64_t> sizes, int threads);

}  // namespace polytomy
