// cpp/search/greedy_cuts.hpp: where a greedy tree on one ordered column with two components would cut.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace polytomy {

// first[i] and second[i] are the components of all cells below value i, and at the end of all cells. Until there are
// `leaves`, the leaf with the largest gini gain is cut; both parts of it must have the weight `least`. Leaves with one
// component only are not cut; other cuts may gain nothing. A cut i lies below value i. Cuts are returned in the order in
// which they are made.
std::vector<std::int64_t> greedy_cuts(std::span<const Weight> first, std::span<const Weight> second, std::size_t leaves,
                                      Weight least);

}  // namespace polytomy
