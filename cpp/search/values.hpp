// cpp/search/values.hpp: one child per category present at the node, over nominal columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/menu.hpp"
#include "base/types.hpp"

namespace polytomy {

// Every category its own child; the missing rows alone (joins == kUnseen) or in the child of another.
struct ValueOption {
    double gain = -kInfinity;
    std::int32_t column = -1;
    std::int32_t arity = 0;
    Branch joins = kUnseen;
};

// At most two per column, none above the query's max_arity.
std::vector<ValueOption> value_options(const Histograms& node, std::span<const std::int32_t> columns,
                                       const Query& query);

}  // namespace polytomy
