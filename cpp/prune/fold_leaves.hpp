// cpp/prune/fold_leaves.hpp: a tree grown and pruned without the rows of one fold, and those rows at its leaves.
//
// This is what cross-fitting learns from. It equals growing, pruning and routing one after the other
// (src/polytomy/estimators/fitting/cross_fitting.py), without making a tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grow/grown_tree.hpp"
#include "grow/growth.hpp"
#include "prune/merging.hpp"

namespace polytomy {

// The pruned tree by its own node numbers, parents first. Counts are units of each class, node by node.
struct FoldLeaves {
    std::vector<Weight> counts;
    std::vector<std::int32_t> parent;
    std::vector<std::int32_t> leaves;
    std::vector<Weight> held_out;  // at each leaf
    std::vector<std::int32_t> leaf_of_row;  // of all rows; only for a target with residues
};

struct FoldPruning {
    MergingPrices prices;
    double leaf_price;  // in units
    std::size_t most;   // leaves
};

// The rows of all folds.
struct FoldRows {
    CodedTable table;
    Target target;
    BinEdges bins;
};

// `fold` is the fold of each row. The families must be built-in ones.
FoldLeaves fold_leaves(const FoldRows& rows, std::span<const std::int32_t> fold, std::int32_t which,
                       std::span<const Family> families, const GrowthRules& rules, const FoldPruning& pruning);

}  // namespace polytomy
