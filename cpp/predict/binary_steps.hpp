// cpp/predict/binary_steps.hpp: fast routing through trees of interval splits, several rows at a time.
//
// A split into many ranges becomes a balanced tree of two-way forks, so that every step is the same: read a number,
// compare, move on. There are no branches to mispredict, and the steps of different rows do not wait for each other.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/columns.hpp"
#include "predict/route.hpp"

namespace polytomy {

class Forks {
 public:
    // Returns the forks of a tree whose columns all have the same type, float or double, and the same stride; otherwise
    // nothing.
    static std::optional<Forks> of(const TreeView& tree, std::span<const ValueColumn> columns);

    // node[i] is the node where row i starts, and is set to the node where it ends.
    void route(std::int32_t* node, std::size_t begin, std::size_t end) const;

 private:
    struct Fork {
        double threshold;
        std::ptrdiff_t offset;       // of the column's data from that of the first column
        std::int32_t missing;        // the next fork for rows with a missing cell
        std::int32_t next[2];        // for the other rows; a leaf leads to itself
        std::int32_t leaf;           // the number of the node if rows stop here, otherwise kInner
    };
    static constexpr std::int32_t kInner = -1;

    void add_node(const TreeView& tree, std::span<const ValueColumn> columns, std::size_t v);
    std::int32_t add_ranges(const Fork& like, std::span<const double> thresholds, const std::int32_t* child);

    template <class T>
    void route_as(std::int32_t* node, std::size_t begin, std::size_t end) const;

    const std::byte* data_ = nullptr;
    std::ptrdiff_t stride_ = 0;
    ValueType type_ = ValueType::f64;
    std::vector<Fork> forks_;  // the first ones are the nodes of the tree, by number
};

}  // namespace polytomy
