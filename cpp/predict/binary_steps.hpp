// cpp/predict/binary_steps.hpp: a tree of ranges as forks of two ways, which rows go down several at a time.
//
// A question of many ranges becomes a balanced run of forks, so every step is the same: read a number, compare, go on.
// Nothing in it is mispredicted, and the steps of different rows do not wait for each other.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/columns.hpp"
#include "predict/route.hpp"

namespace polytomy {

class Forks {
 public:
    // The forks of a tree whose columns are all of one type, float or double, and one stride; nothing otherwise.
    static std::optional<Forks> of(const TreeView& tree, std::span<const ValueColumn> columns);

    // node[i] is where row i starts, and becomes where it ends.
    void route(std::int32_t* node, std::size_t begin, std::size_t end) const;

 private:
    struct Fork {
        double threshold;
        std::ptrdiff_t offset;       // of its column, from the first column's data
        std::int32_t without;        // where rows without a value go
        std::int32_t next[2];        // where the others go; a leaf leads to itself
        std::int32_t leaf;           // the node's own number where rows stop here, else kInner
    };
    static constexpr std::int32_t kInner = -1;

    void add_node(const TreeView& tree, std::span<const ValueColumn> columns, std::size_t v);
    std::int32_t add_ranges(const Fork& like, std::span<const double> thresholds, const std::int32_t* child);

    template <class T>
    void route_as(std::int32_t* node, std::size_t begin, std::size_t end) const;

    const std::byte* data_ = nullptr;
    std::ptrdiff_t stride_ = 0;
    ValueType type_ = ValueType::f64;
    std::vector<Fork> forks_;  // the first ones are the tree's nodes, by number
};

}  // namespace polytomy
