// cpp/search/values.hpp: splits of nominal columns with one child for each category present at the node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "search/menu.hpp"

namespace polytomy {

// Every category has its own child; the missing rows have one too (joins == kUnseen) or join that of a category.
struct ValueOption {
    double gain = -kInfinity;
    std::int32_t column = -1;
    std::int32_t arity = 0;
    Branch joins = kUnseen;
};

// Returns at most two options per column, none with more than max_arity branches.
std::vector<ValueOption> value_options(const Histograms& node, std::span<const std::int32_t> columns,
                                       const Query& query);

}  // namespace polytomy
