// cpp/search/categories.hpp: the categories of one nominal column that are present at a node.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "search/index.hpp"

namespace polytomy {

struct Categories {
    std::vector<std::uint32_t> codes;  // the codes present, ascending; missing cells, if any, come last
    std::vector<Weight> counts;        // item-major
    std::vector<Weight> rows;
    bool missing_last = false;
};

Categories held_categories(const Histograms& node, std::size_t column);

// Returns F of every item.
std::vector<double> item_values(const Categories& held, std::size_t classes, const Index& index);

}  // namespace polytomy
