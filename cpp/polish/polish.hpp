// cpp/polish/polish.hpp: better splits for a finished tree of fixed shape, one node at a time.
//
// The cost of a tree is the sum over its leaves of (1 - share) errors + share F/2, plus a price for every split that a row
// passes. F is concave and of degree 1, so F(x) <= g . x for its gradient g at the counts of a leaf, with equality there.
// With g and the labels of the leaves fixed, a row costs t . L in a leaf, where t are its counts and
//     L = (1 - share) (1 - label) + share/2 g + price * depth.
// So with all other splits fixed, the best split of a node sends each code to the branch whose leaves are cheap for its
// rows, and the sum of these costs bounds the cost of the new tree from above: it cannot rise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "grow/histograms.hpp"
#include "search/index.hpp"

namespace polytomy {

// How a column may be used by a new split; a fixed column keeps the splits that it has.
enum class ColumnUse : std::uint8_t { ordered = 0, nominal = 1, fixed = 2 };

struct PolishTable {
    std::span<const CodeColumn> columns;
    std::span<const std::uint8_t> use;          // a ColumnUse for each column
    std::span<const std::uint8_t> has_missing;  // whether the last code of a column stands for missing cells
    std::size_t rows;
};

// A tree on codes. The children of node v, none for a leaf, are child[child_start[v]..child_start[v + 1]], all larger than
// v; a row whose cell of column[v] has code c goes to number branch_of_code[code_start[v] + c] of them.
struct TreeOnCodes {
    std::span<const std::int64_t> child_start;
    std::span<const std::int32_t> child;
    std::span<const std::int32_t> column;  // -1 for a leaf
    std::span<const std::int64_t> code_start;
    std::span<const Branch> branch_of_code;
};

struct PolishRules {
    const Index* index;
    double impurity_share;
    double question_price;
    std::size_t observed;  // the first rows of the table, which `least_rows` counts
    std::int64_t least_rows;
    Weight least_weight;
    int passes;
    int threads;
    // See grow/column_path.hpp: columns that come first, and by column those of which one must be asked above it. The tree
    // that is given observes both.
    std::vector<std::int32_t> first_columns = {};
    std::vector<std::vector<std::int32_t>> after_columns = {};
    double cases_per_unit = 0.0;  // of weight: groupings of categories pay for their description; 0: they do not
};

struct PolishedTree {
    int passes = 0;  // those that changed a split
    std::vector<std::int32_t> column;
    std::vector<std::int64_t> code_start;
    std::vector<Branch> branch_of_code;  // kUnseen for codes that no row of the node has
    std::vector<std::uint8_t> changed;   // whether the split of a node, or of one above it, changed
    std::vector<Weight> counts;          // nodes x classes
    std::vector<std::int64_t> rows;      // of each node
    std::vector<std::int32_t> leaf;      // of each row
};

// Visits the nodes from the top, several times, and gives each the best split on any column, with as many branches as it
// has, if that lowers the cost of the tree. No leaf is left without rows, nor with less than `least_rows` observed rows or
// `least_weight` if it had them, and every node asks what it may on its path. A tree with a leaf that no row reaches stays as it is.
PolishedTree polish(const PolishTable& table, const Target& target, const TreeOnCodes& tree, const PolishRules& rules);

}  // namespace polytomy
