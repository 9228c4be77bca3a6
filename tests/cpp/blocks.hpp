// tests/cpp/blocks.hpp: all set partitions of a few items, one item at a time.
#pragma once

#include "naive.hpp"

namespace polytomy {

// The items' blocks, numbered by first appearance, and their sums.
inline std::vector<Item> sums_of(const std::vector<Item>& items, const std::vector<std::uint32_t>& block) {
    std::vector<Item> sums;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (block[i] < sums.size()) sums[block[i]].add(items[i]);
        else sums.push_back(items[i]);
    }
    return sums;
}

inline void add_partitions(const std::vector<Item>& items, const Question& asked, std::vector<std::uint32_t>& block,
                           std::uint32_t used, std::vector<std::vector<Candidate>>& found) {
    if (block.size() == items.size()) {
        found[used].push_back({cost_of(sums_of(items, block), asked), block});
        return;
    }
    for (std::uint32_t b = 0; b <= used; ++b) {
        block.push_back(b);
        add_partitions(items, asked, block, std::max(used, b + 1), found);
        block.pop_back();
    }
}

// By number of blocks; the key is the block of each item.
inline std::vector<Chosen> naive_partitions(const std::vector<Item>& items, const Question& asked) {
    std::vector<std::vector<Candidate>> found(items.size() + 1);
    std::vector<std::uint32_t> block;
    add_partitions(items, asked, block, 0, found);
    std::vector<Chosen> chosen;
    for (const auto& of_arity : found) chosen.push_back(choose(of_arity, asked));
    return chosen;
}

}  // namespace polytomy
