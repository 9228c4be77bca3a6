// cpp/search/partitions.hpp: the best set partition of at most eight items for each number of blocks.
#pragma once

#include <vector>

#include "base/types.hpp"
#include "search/index.hpp"
#include "search/menu.hpp"

namespace polytomy {

struct Blocks {
    double gain = -kInfinity;
    std::vector<Branch> block;  // block of each item, numbered by first appearance
};

// Returns the best partitions into 2..max_arity blocks; of those within the tie tolerance of the best, the first in the
// order of their restricted growth strings. `counts` has `classes` entries for each item.
std::vector<Blocks> best_partitions(const Index& index, std::size_t classes, const std::vector<Weight>& counts,
                                    const std::vector<Weight>& rows, int max_arity, Weight min_rows,
                                    double node_value, Weight min_weight = 0, const ValueLimits& values = {});

}  // namespace polytomy
