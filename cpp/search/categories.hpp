// cpp/search/categories.hpp: the categories a node holds in one nominal column.
#pragma once

#include <cstdint>
#include <vector>

#include "search/index.hpp"
#include "base/types.hpp"

namespace polytomy {

struct Categories {
    std::vector<std::uint32_t> codes;  // present ones, ascending; missing cells, if any, come last
    std::vector<Weight> counts;        // item-major
    std::vector<Weight> rows;
    bool missing_last = false;
};

Categories held_categories(const Histograms& node, std::size_t column);

// F of every item.
std::vector<double> item_values(const Categories& held, std::size_t classes, const Index& index);

}  // namespace polytomy
