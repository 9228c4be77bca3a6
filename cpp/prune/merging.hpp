// cpp/prune/merging.hpp: for every number of leaves, the pruning with the least cost if branches may be merged.
//
//     cost(T) = loss of the leaves of T + question_price * (weight that passes each split, summed over the splits)
//
// The tree is read as contracted: a node and those of its children that split on the same column are one wide split,
// whose branches are the nodes that come after them. Such a split may keep a branch as it is, turn it into a leaf, or
// merge neighbouring branches into one leaf: ranges that follow each other, and groups of categories in the order of
// their class shares. The branch of the missing cells may be merged with any one range. For the branches of a split,
// with best(0) = 0 and all terms as functions of the number of leaves,
//     best(j) = min(best(j - 1) + branch j,  min over i < j - 1 of best(i) + branches i + 1 .. j as one leaf),
// which takes O(leaves * cap) for the sums and O(branches^2 * cap) for the merged ones. There is no recursion, because
// trees may be deep.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "search/index.hpp"

namespace polytomy {

// Node v has the children child[child_start[v] .. child_start[v + 1]), all with larger numbers than v. kind and column
// are those of the splits (0 leaf, 1 intervals, 2 codes, 3 a user's own), missing_branch the branch of missing cells, and
// counts the weight of each class, node by node.
struct PrunableTree {
    std::span<const std::int8_t> kind;
    std::span<const std::int32_t> column;
    std::span<const std::int64_t> child_start;
    std::span<const std::int32_t> child;
    std::span<const std::int64_t> n_thresholds;
    std::span<const Weight> counts;
    std::size_t classes;
};

struct MergingPrices {
    const Index* index;     // of the impure part of the loss
    double impurity_share;  // the loss of a leaf is (1 - share) * errors + share * F / 2
    double question_price;  // for each unit of weight that passes a split
    bool contract;          // whether nodes that split on the same column are read as one
    bool merge;             // whether branches may be merged
    // By column: what the first question about it on a path costs more, for each unit of weight; empty if nothing.
    std::vector<double> column_prices = {};
};

class MergedPrunings {
 public:
    MergedPrunings(const PrunableTree& tree, const MergingPrices& prices, std::size_t cap);

    // By the number of leaves, from 1: the least cost, infinite if no pruning has that size.
    [[nodiscard]] const std::vector<double>& costs() const noexcept { return costs_; }

    // The number of leaves, at most `most`, with the least cost if each leaf has this price; the smallest on a tie.
    [[nodiscard]] std::size_t best(double leaf_price, std::size_t most) const noexcept;

    // A pruning with this number of leaves. `state` of a node: kSplit for the first node of a split that remains, kLeaf
    // for a leaf or a part of one, kGone otherwise. `branch` is the position of a leaf or split among the branches of the
    // split above it, equal for those that are merged; -1 for the root and for nodes that are gone.
    static constexpr std::int8_t kGone = 0, kSplit = 1, kLeaf = 2;
    // The pruned tree's own nodes are numbered from the root, parents first: `number` is that of every node, also of
    // those below a leaf; -1 inside a wide split. `parent` is by that number.
    struct Pruning {
        std::vector<std::int8_t> state;
        std::vector<std::int32_t> branch;
        std::vector<std::int32_t> number;
        std::vector<std::int32_t> parent;
    };
    [[nodiscard]] Pruning at(std::size_t leaves) const;

 private:
    // A point of best(j): branch j alone with `own` leaves (from == kAlone), or the branches from + 1 .. j as one leaf.
    struct Step {
        std::int32_t from;
        std::int32_t own;
    };
    static constexpr std::int32_t kAlone = -1, kNoStep = -2;
    // best(j) by the number of leaves, and where each comes from; `placed`: the missing rows are in one of the leaves.
    struct Level {
        std::vector<double> cost;
        std::vector<Step> step;
    };
    struct Split {
        bool orderly = false;                // its branches may be merged
        std::vector<std::int32_t> branches;  // the nodes after the split, in the order in which they may be merged
        std::int32_t missing = -1;           // the node of the missing cells, if it is a branch of its own
        std::vector<Level> open, placed;     // by j; `placed` is empty without such a node
        std::vector<Step> last;              // how the missing rows' own leaf or subtree ends the split
    };

    void number_nodes(Pruning& pruning) const;
    [[nodiscard]] std::span<const std::int32_t> children(std::size_t v) const noexcept;
    [[nodiscard]] bool joins(std::size_t v, std::size_t child) const noexcept;
    void find_branches(std::size_t v, Split& split) const;
    [[nodiscard]] std::vector<std::size_t> in_share_order(std::size_t v, std::size_t top) const;
    void solve(std::size_t v);
    void grow_levels(Split& split, std::size_t most);
    [[nodiscard]] std::vector<double> run_losses(const Split& split, std::size_t j, bool with_missing);
    [[nodiscard]] Weight weight(std::size_t v) const noexcept;
    [[nodiscard]] double question_price(std::size_t v) const noexcept;
    void find_parents();
    void losses(std::size_t n, double* out);

    PrunableTree tree_;
    MergingPrices prices_;
    std::size_t cap_;
    std::vector<std::int32_t> parent_;  // of each node; empty unless columns have prices
    std::vector<double> leaf_loss_;
    std::vector<std::vector<double>> cost_;  // by node, then by number of leaves from 1; empty if not solved
    std::vector<Split> splits_;              // by node; only those of solved nodes have branches
    std::vector<double> batch_;
    std::vector<double> costs_;
};

}  // namespace polytomy
