// cpp/grow/alternatives.hpp: for every node of a finished tree, the best split of each arity on each column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grow/growth.hpp"
#include "grow/histogram_pool.hpp"
#include "grow/local_rows.hpp"
#include "grow/rules.hpp"

namespace polytomy {

// The children of node v are child[child_start[v]] .. child[child_start[v + 1] - 1]; node 0 is the root.
struct TreeShape {
    std::span<const std::int64_t> child_start;
    std::span<const std::int32_t> child;
};

// Visits the nodes that hold rows, those with the most rows first, so that parents come before their children. Users'
// own families are left out, since they see rows rather than columns.
class Alternatives {
 public:
    // `leaf_of_row` are node numbers of the tree. `rules` must have prices of 0, so that no arity is skipped.
    Alternatives(const CodedTable& table, const Target& target, std::vector<Family> families, const GrowthRules& rules,
                 const TreeShape& tree, std::span<const std::int32_t> leaf_of_row);
    Alternatives(const Alternatives&) = delete;
    Alternatives& operator=(const Alternatives&) = delete;

    // Go to the next node and return its number; -1 after the last.
    std::int32_t next();
    // The options with a gain at the current node, column by column, smallest arity first.
    [[nodiscard]] std::vector<Option> options();
    // F of the current node.
    [[nodiscard]] double impurity() const { return chooser_.value(counts_[static_cast<std::size_t>(node_)]); }
    // The class counts of the current node, (codes x classes), of one column.
    [[nodiscard]] std::vector<Weight> column_counts(std::size_t column);

 private:
    void split(std::int32_t node);

    CodedTable table_;
    GrowthRules rules_;
    TreeShape tree_;
    std::vector<Family> families_;
    std::vector<std::int32_t> every_column_;
    LocalRows rows_;
    std::vector<Weight> total_;
    Chooser chooser_;
    HistogramPool pool_;
    std::vector<std::int32_t> position_;  // of each node in depth-first order
    std::vector<std::int32_t> position_of_row_;
    std::vector<std::int32_t> order_;  // nodes with rows, those with the most first
    std::vector<std::int32_t> in_source_;
    std::vector<std::vector<Weight>> counts_;  // by node, until it is visited
    std::vector<std::size_t> n_rows_;
    std::size_t next_ = 0;
    std::int32_t node_ = -1;
};

}  // namespace polytomy
