// cpp/grow/subtrees.hpp: all splits below a node of few rows, found at once.
//
// Without a budget, the splits below a node depend on its rows alone, and nearly all nodes of a tree that is grown until its
// leaves are pure have few rows. For such a node, the general way (a request to the row source, histograms in the pool, a
// menu of options) costs more than the search itself. Here the codes and counts of the rows are copied once, and the whole
// subtree is split from these copies, depth first, without allocating memory for single nodes. Splits, gains and the choice
// among ties are those of interval_menu and Chooser, bit for bit.
//
// Served are binary splits of ordered columns by a built-in index, without constraints on values or columns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grow/leaf_choice.hpp"
#include "grow/local_rows.hpp"

namespace polytomy {

// A node of a subtree: its split, or the reason why it has none. An impurity of 0 means that it is pure.
struct FoundNode {
    static constexpr std::int32_t kNoCut = -1;

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
    // `families` and `rules` must outlive the search.
    SubtreeSearch(const CodedTable& table, std::span<const Family> families, const GrowthRules& rules, std::size_t classes);

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
    using LocalCode = std::uint16_t;  // the rank of a code among those of the subtree's rows
    // A node that waits to be split: its rows are order_[begin], ..., and its value is F of its counts.
    struct Waiting {
        std::int32_t node;
        std::int32_t depth;
        std::size_t begin, n;
        std::uint64_t key;
        double value;
    };
    // The cuts of one column of the current node. Cut i lies between the codes item_[first + i] and item_[first + i + 1] and
    // has the cost cost_[first + i]; the last cut of a column with missing cells divides these from the others.
    struct ColumnCuts {
        std::int32_t column;
        std::size_t first, n;
        double least;      // cost
        bool has_missing;  // at the node
    };
    struct Cut {
        std::int32_t column;
        LocalCode last_left;  // of the codes
        std::int32_t left, right;
        Branch missing;
        double gain;
    };

    bool copy_target(std::span<const Row> members, const LocalRows& source);
    void copy_column(std::int32_t column);
    [[nodiscard]] const LocalCode* codes_of(std::int32_t column);
    void split(const Waiting& waiting, const Chooser& chooser);
    [[nodiscard]] std::optional<Cut> best_cut(const Waiting& node);
    [[nodiscard]] std::optional<Cut> best_cut_of_two(const Waiting& node, std::span<const std::int32_t> columns);
    template <std::size_t Classes>
    void gather(const Waiting& node);
    void add_column(std::int32_t column, const Waiting& node);
    template <std::size_t Classes>
    void list_items(const LocalCode* codes, const Waiting& node, std::size_t first);
    template <std::size_t Classes>
    void list_few_items(const LocalCode* codes, const Waiting& node, std::size_t first);
    template <std::size_t Classes>
    void list_many_items(const LocalCode* codes, const Waiting& node, std::size_t first);
    void price_cuts(ColumnCuts& cuts);
    void price_cuts_with_missing(ColumnCuts& cuts);
    [[nodiscard]] bool is_too_small(double rows, double weight) const noexcept { return rows < min_rows_ || weight < min_weight_; }
    [[nodiscard]] double weight_before(std::size_t item) const noexcept;
    [[nodiscard]] Cut cut_of(const ColumnCuts& cuts, const Waiting& node);
    void values(const double* counts, std::size_t n, double* out) const;
    [[nodiscard]] double value(const double* counts) const;
    [[nodiscard]] std::size_t partition(const Waiting& node, const Cut& cut);
    [[nodiscard]] Residue residue_of(std::size_t begin, std::size_t n) const noexcept;
    void add_node(const Waiting& waiting, const double* counts, const Residue& residue, const Chooser& chooser);

    CodedTable table_;
    const Index* index_;
    bool is_gini_of_two_;
    std::int32_t rank_ = 0;  // of the family
    std::size_t classes_;
    std::size_t most_rows_;
    ColumnDraw draw_;
    std::vector<std::int32_t> all_columns_;

    std::vector<FoundNode> nodes_;
    std::vector<Weight> counts_;  // node by node
    std::vector<Row> row_list_;   // those of a node are consecutive
    double price_ = 1.0;          // of two branches

    // Of the current subtree. Rows have the numbers 0, 1, ... here.
    CodeCells cells_;
    std::size_t n_rows_ = 0;
    std::span<const Row> rows_;
    std::vector<double> row_counts_;  // class by class, row by row
    std::vector<Weight> residue_;     // of the rows; empty if the target has none
    std::vector<double> target_value_;
    std::vector<LocalCode> order_, scratch_;  // the rows of every node are consecutive
    std::uint64_t subtree_ = 0;               // its number
    std::vector<std::uint64_t> copied_;       // by column: the subtree that its codes were copied for
    std::vector<LocalCode> codes_;            // column by column
    std::vector<std::uint32_t> code_list_;    // column by column: the column's own code of each local one
    std::vector<LocalCode> missing_code_;     // by column; none if no row has a missing cell
    std::vector<std::size_t> n_codes_;        // by column: local codes
    std::vector<std::uint64_t> seen_;         // a bit for every code of a column, or every local code
    std::vector<std::uint32_t> place_;
    std::vector<Waiting> waiting_;

    // Of the current node.
    double min_rows_ = 0.0, min_weight_ = 0.0, tolerance_ = 0.0;
    bool is_limited_ = false;
    std::vector<double> node_counts_;  // row by row
    std::vector<ColumnCuts> columns_;
    std::vector<LocalCode> item_;
    std::vector<double> cost_;
    // Of the current column: the sums of its first items, class by class, and a histogram whose counts are 0 between two uses.
    std::size_t n_items_ = 0;
    std::vector<double> prefix_, rows_prefix_, batch_, before_, after_, histogram_, total_, missing_;
    std::vector<double> left_cost_, right_cost_;  // of cuts, if missing cells go left or right
    std::vector<double> child_counts_;
};

}  // namespace polytomy
