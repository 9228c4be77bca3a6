// cpp/grow/plan.hpp: every split of a run without a budget, found by several threads before they are put in order.
//
// Without a budget every leaf is looked at some day, and what is chosen there depends on nothing but its rows. So the
// order of the splits, which a run's record and the numbers of its nodes follow, can come afterwards. The nodes of many
// rows are split one after the other, with the threads inside the searches; the subtrees of fewer rows are each other's
// strangers, and each thread takes one after the other.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "grow/leaf_choice.hpp"
#include "grow/node_stats.hpp"

namespace polytomy {

// A node as planned: its choice, or why there is none; a value of 0 says that it is pure.
struct PlannedNode {
    Leaf leaf;
    std::optional<Reason> reason;
    std::int64_t rows = 0;
    std::int32_t depth = 0;
    std::int32_t first_child = -1;  // in the same list
    std::int32_t apart = -1;        // the subtree that goes on from here
};

struct PlannedTree {
    std::vector<PlannedNode> nodes;
    std::vector<Weight> counts;  // units of each class, node by node
};

using Deadline = std::chrono::steady_clock::time_point;

class Plan {
 public:
    // Subtrees of up to `apart` rows go to single threads.
    Plan(const StatsSource& source, const Decider& decider, std::span<const Weight> root, std::int64_t apart,
         int threads);

    // Go on until then, or somewhat longer; false when all is planned.
    bool go_on(Deadline deadline);

    // Where a planned node is found: 0 is the tree above all subtrees.
    struct Place {
        std::int32_t tree = 0;
        std::int32_t node = 0;
    };
    [[nodiscard]] PlannedNode& at(Place place) noexcept;
    [[nodiscard]] Place root() const noexcept;
    [[nodiscard]] Place child(Place parent, std::int32_t branch) const noexcept;
    [[nodiscard]] std::span<const Weight> counts(Place place) const noexcept;

 private:
    struct Subtree {
        std::span<Row> rows;
        PlannedTree tree;
    };

    [[nodiscard]] static PlannedTree sprout(std::span<const Weight> counts, std::int64_t rows, std::int32_t depth,
                                            const Decider& decider);
    void split(PlannedTree& tree, std::int32_t node, NodeStats& stats, Decider& decider) const;
    void plan_apart(Subtree& subtree, Decider& decider) const;
    void set_apart(std::int32_t node);

    StatsSource source_;
    Decider decider_;
    std::int64_t apart_;
    int threads_;
    std::optional<NodeStats> stats_;  // of the nodes of many rows
    PlannedTree top_;
    std::vector<std::int32_t> waiting_;  // of the top, to be split
    std::vector<std::unique_ptr<Subtree>> subtrees_;
    std::vector<std::size_t> order_;  // of the subtrees, the largest first
    std::size_t next_ = 0;
};

}  // namespace polytomy
