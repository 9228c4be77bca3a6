// tests/cpp/naive_partitions.hpp: the best set partition of a few items, by enumeration.
#pragma once

#include "naive_search.hpp"

namespace polytomy {

// Returns the sum of the items of each block; blocks are numbered by first appearance.
inline std::vector<Item> sums_of(const std::vector<Item>& items, const std::vector<std::uint32_t>& block) {
    std::vector<Item> sums;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (block[i] < sums.size()) sums[block[i]].add(items[i]);
        else sums.push_back(items[i]);
    }
    return sums;
}

inline void add_partitions(const std::vector<Item>& items, const SearchParams& params, std::vector<std::uint32_t>& block,
                           std::uint32_t used, std::vector<std::vector<Candidate>>& found) {
    if (block.size() == items.size()) {
        found[used].push_back({cost_of(sums_of(items, block), params), block});
        return;
    }
    for (std::uint32_t b = 0; b <= used; ++b) {
        block.push_back(b);
        add_partitions(items, params, block, std::max(used, b + 1), found);
        block.pop_back();
    }
}

// Returns the best partition by number of blocks; the key is the block of each item.
inline std::vector<Chosen> naive_partitions(const std::vector<Item>& items, const SearchParams& params) {
    std::vector<std::vector<Candidate>> found(items.size() + 1);
    std::vector<std::uint32_t> block;
    add_partitions(items, params, block, 0, found);
    std::vector<Chosen> chosen;
    for (const auto& of_arity : found) chosen.push_back(choose(of_arity, params));
    return chosen;
}

}  // namespace polytomy
