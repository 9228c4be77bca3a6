// cpp/grow/grown_tree.hpp: a finished run as the flat arrays of a tree (src/polytomy/tree/tree.py).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grow/growth.hpp"

namespace polytomy {

// Ragged data is a flat array with one offset more than there are nodes. Thresholds are not computed here: threshold t
// lies between the codes left[t] and right[t], which are numbered over all columns.
struct GrownTree {
    std::vector<std::int8_t> kind;  // 0 a leaf, 1 intervals, 2 codes, 3 a user's own
    std::vector<std::int32_t> feature;
    std::vector<std::int64_t> child_start;
    std::vector<std::int32_t> child;
    std::vector<std::int64_t> threshold_start;
    std::vector<std::int64_t> left, right;
    std::vector<std::int64_t> code_to_branch_start;
    std::vector<Branch> code_to_branch;
    std::vector<Branch> missing_branch, default_branch;
};

GrownTree grown_tree(const Growth& run);

// Adds to the numbers of every node those of its children, which include their subtrees', in the order of the node numbers:
// numbers[node * width ...]. The parent of a node has a smaller number, and that of the root is -1.
void add_up_subtrees(std::span<const std::int32_t> parent, std::size_t width, double* numbers);

// The least and the greatest value of each bin of the ordered columns; codes are numbered over all columns.
struct BinEdges {
    std::span<const double> low, high;
};

// Writes the leaf that each row of another table with the run's columns reaches; not for users' own splits, which need
// more than codes. A bin that contains a threshold, because no training row of the node was in it, goes to the side of
// its middle.
void route_codes(const Growth& run, const BinEdges& bins, std::span<const CodeColumn> columns, std::span<std::int32_t> leaf);

}  // namespace polytomy
