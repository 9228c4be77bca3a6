// cpp/search/groups.hpp: the best splits of nominal columns into k groups of categories.
//
// Missing cells are one more category here. With two classes at the node, some best grouping is contiguous in the order
// of the class shares, so the search along that order is exact. With more classes, all set partitions of up to kExhaustive
// categories are searched; beyond that, the search follows the first principal component of the class shares, a
// heuristic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "search/menu.hpp"

namespace polytomy {

inline constexpr std::size_t kExhaustive = 8;
// With more categories than this, the order is first divided into about this many packs with about the same number of
// rows, because the search is quadratic.
inline constexpr std::size_t kPacked = 512;

// branch[i] is the branch of codes[i], the i-th code present; branches are numbered by their first code.
struct GroupOption {
    double gain = -kInfinity;
    double charge = 0.0;  // for its description, in units of gain
    std::int32_t column = -1;
    std::vector<std::uint32_t> codes;
    std::vector<Branch> branch;
};

// The best option of each arity by worth, and the largest gain of a binary option before its charge.
struct GroupMenu {
    std::vector<GroupOption> options;
    double binary_gain = -kInfinity;
};

// Under no association, n (C - 1) gain / F(node) of a grouping is about chi-square, and the best of M groupings exceeds a
// given one by about 2 ln M: the gain that corresponds to a logarithm of 1, for a node with this number of cases.
double charge_per_log(double impurity, double cases, std::size_t classes);
// The charge for choosing one of the groupings of n categories into k groups, given that gain. `dimensions` is the number of
// classes less one.
double description_charge(std::size_t n, int k, int dimensions, double per_log);

GroupMenu group_menu(const Histograms& node, std::span<const std::int32_t> columns, const Query& query);

}  // namespace polytomy
