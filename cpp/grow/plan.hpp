// cpp/grow/plan.hpp: every split of a run without a budget, found by several threads before the splits are ordered.
//
// Without a budget every leaf is searched sooner or later, and its choice depends on its rows alone. So the order of
// the splits, which determines the record and the node numbers, can be worked out afterwards. Nodes of many rows are
// split one after the other, with the threads inside each search; subtrees of fewer rows are independent of each
// other, and each thread takes one at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "grow/histogram_pool.hpp"
#include "grow/leaf_choice.hpp"

namespace polytomy {

// A node with its choice, or the reason why there is none. An impurity of 0 means that it is pure.
struct PlannedNode {
    Leaf leaf;
    std::optional<Reason> reason;
    std::int64_t rows = 0;
    std::int32_t depth = 0;
    std::int32_t first_child = -1;  // in the same list
    std::int32_t apart = -1;        // the subtree that continues here
};

struct PlannedTree {
    std::vector<PlannedNode> nodes;
    std::vector<Weight> counts;  // units of each class, node by node
};

using Deadline = std::chrono::steady_clock::time_point;

class Plan {
 public:
    // Subtrees of up to `apart` rows are planned by single threads.
    Plan(const CodedTable& table, LocalRows& rows, const PoolSettings& settings, const Chooser& chooser,
         std::span<const Weight> root, Leaf leaf, std::int64_t apart, int threads);

    // Continue until the deadline, or somewhat longer. Returns false when everything is planned.
    bool advance(Deadline deadline);

    // The position of a planned node. Tree 0 is the one above all subtrees.
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

    [[nodiscard]] static PlannedTree one_leaf(std::span<const Weight> counts, Leaf leaf, std::int64_t rows,
                                              std::int32_t depth);
    void split(PlannedTree& tree, std::int32_t node, HistogramPool& pool, Chooser& chooser) const;
    void plan_apart(Subtree& subtree, Chooser& chooser) const;
    void set_apart(std::int32_t node);

    CodedTable table_;
    LocalRows& rows_;
    PoolSettings settings_;
    Chooser chooser_;
    std::int64_t apart_;
    int threads_;
    HistogramPool pool_;  // of the nodes of many rows
    PlannedTree top_;
    std::vector<std::int32_t> waiting_;  // nodes of the top tree to be split
    std::vector<std::unique_ptr<Subtree>> subtrees_;
    std::vector<std::size_t> order_;  // of the subtrees, the largest first
    std::size_t next_ = 0;
};

}  // namespace polytomy
