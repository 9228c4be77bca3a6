// cpp/search/partitions.hpp: the best of all set partitions of at most eight items, for every number of blocks.
#pragma once

#include <vector>

#include "search/index.hpp"
#include "base/types.hpp"

namespace polytomy {

struct Blocks {
    double gain = -kInfinity;
    std::vector<Branch> block;  // block of each item, numbered by first appearance
};

// counts: item-major, `classes` per item. Options for 2..max_arity blocks; of those within the tie
// tolerance of the best, the first in the order of their block strings.
std::vector<Blocks> best_partitions(const Index& index, std::size_t classes, const std::vector<Weight>& counts,
                                    const std::vector<Weight>& rows, int max_arity, Weight min_rows,
                                    double node_value, Weight min_weight = 0);

}  // namespace polytomy
