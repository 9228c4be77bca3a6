// cpp/prune/minplus.hpp: the best prunings of a tree, for every number of leaves at once.
//
// A pruning turns inner nodes into leaves. Among the prunings of at most k leaves the best has
//   1. the fewest errors,
//   2. then the fewest leaves,
//   3. then the smallest sum of the depths of its leaves,
//   4. then the fewest leaves below the root's first branch, then below its second, and so on, also inside each branch.
// Errors are integers, so that their sums are exact in any order and equal prunings compare equal.
//
// The method: the prunings of a node are points (size, errors). The points of its branches are combined one branch after
// the other, by min-plus convolution, and only points with fewer errors than every smaller one are kept. The cap limits
// the leaves below a node, because each split above it has other branches that need a leaf each; that bounds the work on
// a chain. The time is at most O(leaves * cap). One step of 8 bytes is stored for each point of each fold with a choice,
// so that any pruning can be reconstructed without folding again. There is no recursion, because trees may be deep.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace polytomy {

class Prunings {
 public:
    // Node v has the children child[child_start[v] .. child_start[v + 1]), all with larger numbers than v, and
    // errors[v] >= 0 errors as a leaf; node 0 is the root. Throws std::invalid_argument otherwise. `carried` (empty, or one
    // number per node) does not affect the prunings; it is summed over the leaves of each.
    Prunings(std::span<const std::int64_t> child_start, std::span<const std::int32_t> child,
             std::span<const Weight> errors, std::span<const Weight> carried, std::size_t cap);

    // The best prunings: sizes ascend from 1 to at most the cap, and errors descend. The best pruning of at most k leaves
    // is the last one of size k or less.
    [[nodiscard]] const std::vector<std::int64_t>& sizes() const noexcept { return sizes_; }
    [[nodiscard]] const std::vector<Weight>& errors() const noexcept { return errors_; }
    [[nodiscard]] const std::vector<Weight>& carried() const noexcept { return carried_; }

    // Returns the leaves of a pruning, in ascending order.
    [[nodiscard]] std::vector<std::int32_t> leaves(std::size_t which) const;

 private:
    // A pruning of the subtree of a node; depths are counted from that node.
    struct Point {
        std::uint32_t size;
        Weight errors;
        std::int64_t depth;
        Weight carried;

        [[nodiscard]] Point plus(const Point& other) const noexcept;
    };
    // The origin of a point of a fold: a point of the branches after it, and one of the branch itself.
    struct Step {
        std::uint32_t rest, own;
    };
    // The fold of a node into the points of its parent: its first step or, if there was no choice, its first own point.
    struct Fold {
        std::size_t first_step, first_own;
    };
    struct Cell {
        Point point;
        Step step;
    };
    using Points = std::vector<Point>;

    void check(std::span<const Weight> errors, std::span<const Weight> carried, std::size_t cap) const;
    [[nodiscard]] std::vector<std::uint32_t> rooms(std::size_t cap) const;
    [[nodiscard]] std::span<const std::int32_t> children(std::size_t v) const noexcept;
    [[nodiscard]] bool has_choice(std::size_t v) const noexcept { return n_points_[v] > 1; }
    [[nodiscard]] Points points_of(std::size_t v, const Point& as_leaf, std::size_t room, std::vector<Points>& below);
    [[nodiscard]] Fold join(const Points& own, Points& rest, std::size_t most, Weight bound);
    [[nodiscard]] static Fold shift(const Points& own, Points& rest, std::size_t most, Weight bound);

    std::vector<std::int64_t> child_start_;
    std::vector<std::int32_t> child_;
    std::vector<std::uint32_t> n_points_;  // number of points of each node; the first is the node as a leaf
    std::vector<Fold> fold_of_;            // by node
    std::vector<Step> steps_;
    std::vector<Cell> cells_;  // by size, during a fold
    std::vector<std::int64_t> sizes_;
    std::vector<Weight> errors_;
    std::vector<Weight> carried_;
};

}  // namespace polytomy
