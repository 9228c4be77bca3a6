// cpp/polish/assignment.hpp: the cheapest assignment of the codes of one column to the branches of a split.
//
// Every code has a cost for each branch, and every branch must get a code. An ordered column gives each branch one range
// of consecutive codes, in any order of the branches; a nominal column any codes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace polytomy {

// Up to this many branches, all orders of the ranges are considered; beyond it, only a given order and its reverse.
inline constexpr std::size_t kMostInAnyOrder = 6;

// Holds the memory of the searches, so that one object serves many columns.
class Assignment {
 public:
    // Returns the least cost of groups: cost[i * branches + b] is that of code i in branch b. kInfinity if there are fewer
    // codes than branches. Writes the branch of each code to `chosen` if that is not null.
    double groups(std::span<const double> cost, std::size_t branches, std::vector<Branch>* chosen = nullptr);

    // The same for ranges. `missing` has the costs of missing cells, or is empty if there are none: they take the cheapest
    // branch, or have one to themselves; `chosen` then has one more entry, for them. `order` has all branches; it matters
    // only if there are more than kMostInAnyOrder.
    double ranges(std::span<const double> cost, std::span<const double> missing, std::span<const Branch> order,
                  std::vector<Branch>* chosen = nullptr);

 private:
    // The least cost of ranges for each set of branches, in totals_[set]; keeps the steps if `trace`.
    void ranges_of_sets(std::span<const double> cost, std::size_t branches, bool trace);
    void trace_set(std::size_t set, std::size_t codes, std::vector<Branch>& chosen) const;
    // The least cost of ranges that take the branches in this order; adds the branches to `chosen` if that is not null.
    double ranges_in_order(std::span<const double> cost, std::size_t branches, std::span<const Branch> order,
                           std::vector<Branch>* chosen);
    double wide_ranges(std::span<const double> cost, std::span<const double> missing, std::span<const Branch> order,
                       std::vector<Branch>* chosen);
    // Adds to the cheapest groups what it costs to give every branch a code.
    double fill_empty(std::span<const double> cost, std::size_t branches, std::vector<Branch>& chosen);

    std::vector<double> totals_, ending_;  // by set, and by set and last branch
    std::vector<std::uint8_t> entered_, last_;
    std::vector<Branch> groups_, turned_;
};

}  // namespace polytomy
