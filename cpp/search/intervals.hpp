// cpp/search/intervals.hpp: the menu of k consecutive ranges over ordered columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/menu.hpp"
#include "base/types.hpp"

namespace polytomy {

// Cut r lies between the neighbouring codes left[r] < right[r] present at the node. There is one cut fewer
// than the arity says when the missing rows stand alone (missing == arity - 1 and left.size() == arity - 2).
struct IntervalOption {
    double gain = -kInfinity;
    std::int32_t column = -1;
    std::vector<std::uint32_t> left, right;
    Branch missing = kUnseen;
};

// Best option of arity 2, 3, ... (gain -inf where none); arities that cannot win may be left out.
std::vector<IntervalOption> interval_menu(const Histograms& node, std::span<const std::int32_t> columns,
                                          const Query& query);

}  // namespace polytomy
