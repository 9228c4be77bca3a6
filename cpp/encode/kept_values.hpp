// cpp/encode/kept_values.hpp: the values of some cells of a column, as one thread comes across them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/types.hpp"

namespace polytomy {

// The values of the cells wanted that one thread came across, slot after slot. How many there are is known, so they
// take one allocation: many that grow would leave ten million rows' worth of holes.
template <class Key>
struct KeptValues {
    std::vector<std::size_t> start, next;  // by slot
    std::vector<Key> keys;
    std::vector<Weight> units;

    KeptValues() = default;
    KeptValues(const std::vector<std::size_t>& wanted, const std::vector<std::uint32_t>& tallies, bool weighted)
        : start(wanted.size() + 1, 0) {
        for (std::size_t s = 0; s < wanted.size() && !tallies.empty(); ++s) start[s + 1] = tallies[wanted[s]];
        std::partial_sum(start.begin(), start.end(), start.begin());
        next = start;
        keys.resize(start.back());
        units.resize(weighted ? start.back() : 0);
    }
};

}  // namespace polytomy
