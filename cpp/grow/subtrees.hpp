// cpp/grow/subtrees.hpp: all splits below a node of few rows, found at once.
//
// Without a budget, the splits below a node depend on its rows alone, and nearly all nodes of a tree that is grown until its
// leaves are pure have few rows. For such a node, the general way (a request to the row source, histograms in the pool, a
// menu of options) costs more than the search itself. Here the codes and counts of the rows are copied once, and the whole
// subtree is split from these copies, depth first, without allocating memory for single nodes. Growth puts the splits in
// order afterwards.
//
// Served are binary splits of ordered columns by a built-in index, without constraints on values or columns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grow/leaf_choice.hpp"
#include "grow/local_rows.hpp"
#include "grow/subtree_cuts.hpp"
#include "grow/subtree_rows.hpp"

namespace polytomy {

// A node of a subtree: its split, or the reason why it has none. An impurity of 0 means that it is pure.
struct FoundNode {
    double impurity = 0.0;
    double gain = 0.0;
    std::uint32_t first_row = 0, n_rows = 0;  // in the list of rows
    std::int32_t first_child = -1;            // in the list of nodes, followed by the second; -1 for a leaf
    std::int32_t column = -1;
    std::int32_t left = kNoCut, right = kNoCut;  // the codes on both sides of the cut; none: missing cells against the others
    std::int8_t missing = kUnseen;               // the branch of missing cells
    std::optional<Reason> reason;
};

// The order among equal scores, as for options of these splits.
int compare(const FoundNode& a, const FoundNode& b) noexcept;

class SubtreeSearch {
 public:
    // Whether a run with these families and rules, on local rows, can use the search.
    [[nodiscard]] static bool serves(std::span<const Family> families, const GrowthRules& rules, std::size_t classes);
    SubtreeSearch(const CodedTable& table, std::span<const Family> families, const GrowthRules& rules, std::size_t classes);
    SubtreeSearch(const SubtreeSearch&) = delete;  // parts of it point at others
    SubtreeSearch& operator=(const SubtreeSearch&) = delete;

    // The most rows of a node whose subtree is found at once.
    [[nodiscard]] std::size_t most_rows() const noexcept { return most_rows_; }
    // Forget all subtrees, for another tree.
    void clear() noexcept;

    struct Root {
        std::span<const Weight> counts;
        const Residue* residue;  // null if the target has none
        std::uint64_t key;
        std::int32_t depth;
    };
    // Find the subtree of a node with these rows. Returns the position of its root in the list of nodes, or nothing if the
    // general way must be taken.
    std::optional<std::int32_t> find(const Root& root, std::span<const Row> members, const LocalRows& source, Chooser& chooser);

    [[nodiscard]] const FoundNode& at(std::int32_t node) const noexcept { return nodes_[static_cast<std::size_t>(node)]; }
    // Load two children before they are needed.
    void prefetch(std::int32_t first_child) const noexcept {
        const FoundNode* const child = nodes_.data() + first_child;
        __builtin_prefetch(child);
        __builtin_prefetch(child + 1);
        __builtin_prefetch(counts_.data() + static_cast<std::size_t>(first_child) * classes_);
    }
    [[nodiscard]] std::span<const Weight> counts(std::int32_t node) const noexcept {
        return std::span(counts_).subspan(static_cast<std::size_t>(node) * classes_, classes_);
    }
    [[nodiscard]] std::span<const Row> rows(const FoundNode& node) const noexcept {
        return std::span(row_list_).subspan(node.first_row, node.n_rows);
    }
    // What leaves are compared by in steepest order.
    [[nodiscard]] double score(const FoundNode& node) const noexcept { return node.gain > 0.0 ? node.gain / price_ : node.gain; }
    // The split of a node as an option.
    [[nodiscard]] Option option(const FoundNode& node) const;

 private:
    struct Waiting {
        std::int32_t node;
        std::int32_t depth;
        SubtreeCuts::Node rows;
    };

    void add_node(const Waiting& waiting, const double* counts, const Residue& residue, const Chooser& chooser);
    void split(const Waiting& waiting, const Chooser& chooser);
    [[nodiscard]] std::size_t partition(const SubtreeCuts::Node& node, const SubtreeCut& cut);

    std::size_t classes_, most_rows_;
    std::int32_t rank_ = 0;  // of the family
    double price_ = 1.0;     // of two branches
    SubtreeRows rows_;
    SubtreeCuts cuts_;
    std::vector<FoundNode> nodes_;
    std::vector<Weight> counts_;  // node by node
    std::vector<Row> row_list_;   // those of a node are consecutive
    std::vector<Waiting> waiting_;
    std::vector<double> child_counts_;
};

}  // namespace polytomy
