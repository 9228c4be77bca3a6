// cpp/search/ordering.hpp: orders of categories along which groups are looked for.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace polytomy {

// Items by the share of `heads` in heads + tails, ties by position.
std::vector<std::uint32_t> order_by_share(const std::vector<Weight>& counts, std::size_t classes,
                                          std::size_t heads, std::size_t tails);

// Items along the first principal component of their class shares, each weighing what it weighs; the
// component's first largest entry is positive, ties by position. Every item weighs something.
std::vector<std::uint32_t> order_by_component(const std::vector<Weight>& counts, std::size_t classes);

}  // namespace polytomy
