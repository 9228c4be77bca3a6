// cpp/search/ordering.hpp: orders of categories, along which groups are searched.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace polytomy {

// Returns the items in the order of the share of `heads` in heads + tails, ties by position.
std::vector<std::uint32_t> order_by_share(const std::vector<Weight>& counts, std::size_t classes,
                                          std::size_t heads, std::size_t tails);

// Returns the items in the order of the first principal component of their weighted class shares, ties by position. The
// first of the component's largest entries is positive. Every item must have a positive weight.
std::vector<std::uint32_t> order_by_component(const std::vector<Weight>& counts, std::size_t classes);

}  // namespace polytomy
