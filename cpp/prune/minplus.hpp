// cpp/prune/minplus.hpp: the best prunings of a tree, for every number of leaves at once.
//
// A pruning turns inner nodes into leaves. Among the prunings of at most k leaves the best has
//   1. the fewest errors,
//   2. then the fewest leaves,
//   3. then its leaves closest to the root: the least sum of their depths,
//   4. then the fewest leaves below the root's first branch, then below its second, ...; then so inside each branch.
// Errors are whole units, not floats: their sums are exact in any order, so equal prunings compare equal.
//
// The method: a node's prunings are points (size, errors). The points of its branches are folded together one branch
// after the other, by min-plus convolution, and only points with fewer errors than every smaller one are kept. A node
// of depth d cannot have more leaves than the cap leaves it, since each question above it has other branches that
// need a leaf each; that bounds a chain. Time O(leaves * cap) at most. One step of 8 bytes is kept for each point of
// each fold with a choice, so that any pruning can be read off without folding again. Nothing recurses: trees may be
// deep.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace polytomy {

class Prunings {
 public:
    // Node v has the children child[child_start[v] .. child_start[v + 1]), all of larger number than v, and makes
    // errors[v] >= 0 errors as a leaf; node 0 is the root. Throws std::invalid_argument where that is not so.
    // `carried`, empty or one a node, decides nothing: it is added up over the leaves of each pruning.
    Prunings(std::span<const std::int64_t> child_start, std::span<const std::int32_t> child,
             std::span<const Weight> errors, std::span<const Weight> carried, std::size_t cap);

    // The best prunings from small to large: sizes ascend from 1 to at most the cap, errors fall. The best of at most
    // k leaves is the last one of size k or less.
    [[nodiscard]] const std::vector<std::int64_t>& sizes() const noexcept { return sizes_; }
    [[nodiscard]] const std::vector<Weight>& errors() const noexcept { return errors_; }
    [[nodiscard]] const std::vector<Weight>& carried() const noexcept { return carried_; }

    // The nodes that are the leaves of the given pruning, in ascending order.
    [[nodiscard]] std::vector<std::int32_t> leaves(std::size_t which) const;

 private:
    // A pruning of the subtree of a node; the depths of its leaves are counted from there.
    struct Point {
        std::uint32_t size;
        Weight errors;
        std::int64_t depth;
        Weight carried;

        [[nodiscard]] Point plus(const Point& other) const noexcept;
    };
    // How a point of a fold came about: from which point of the branches after it, and which of its own.
    struct Step {
        std::uint32_t rest, own;
    };
    // The fold of a node into its parent's points: where its steps begin, or, where it had no choice, its first own point.
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
    std::vector<std::uint32_t> n_points_;  // of each node; the first is the node as a leaf
    std::vector<Fold> fold_of_;            // each node into its parent's points
    std::vector<Step> steps_;
    std::vector<Cell> cells_;  // by size, while folding
    std::vector<std::int64_t> sizes_;
    std::vector<Weight> errors_;
    std::vector<Weight> carried_;
};

}  // namespace polytomy
