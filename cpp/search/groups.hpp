// cpp/search/groups.hpp: the menu of categories packed into k groups, over nominal columns.
//
// Missing cells are one more category here. Two classes at the node: sorted by class share an optimal grouping
// is contiguous, so the search along that order is exact. More classes: every set partition up to
// kExhaustive categories; beyond, the search along the first principal component of the class shares, a heuristic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/menu.hpp"
#include "base/types.hpp"

namespace polytomy {

inline constexpr std::size_t kExhaustive = 8;
// Beyond this many categories the principal-component order is first packed into about this many runs of about
// equal weight, since the search is quadratic.
inline constexpr std::size_t kPacked = 512;

// branch[i] is the child of codes[i], the i-th code present; children are numbered by their first code.
struct GroupOption {
    double gain = -kInfinity;
    std::int32_t column = -1;
    std::vector<std::uint32_t> codes;
    std::vector<Branch> branch;
};

std::vector<GroupOption> group_menu(const Histograms& node, std::span<const std::int32_t> columns,
                                    const Query& query);

}  // namespace polytomy
