// cpp/search/intervals.hpp: the best splits of ordered columns into k consecutive ranges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "search/menu.hpp"

namespace polytomy {

// Cut r lies between left[r] < right[r], which are neighbours among the codes present at the node. There are arity - 1
// cuts, or arity - 2 if the missing rows have a branch of their own (then missing == arity - 1).
struct IntervalOption {
    double gain = -kInfinity;
    std::int32_t column = -1;
    std::vector<std::uint32_t> left, right;
    Branch missing = kUnseen;
};

// Returns the best option of arity 2, 3, ... (gain -inf if there is none). Arities that cannot win may be left out.
std::vector<IntervalOption> interval_menu(const Histograms& node, std::span<const std::int32_t> columns,
                                          const Query& query);

}  // namespace polytomy
