// cpp/grow/subtree_cuts.hpp: the best cut of a node of few rows, from copies of its rows.
//
// Gains, and the choice among ties, are those of interval_menu and RunSearch for two branches, bit for bit: the same
// operations on the same whole numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grow/column_draw.hpp"
#include "grow/subtree_rows.hpp"
#include "search/menu.hpp"

namespace polytomy {

inline constexpr std::int32_t kNoCut = -1;

// A split of a node's rows. Without codes on both sides, it divides missing cells from the others.
struct SubtreeCut {
    std::int32_t column;
    SubtreeRows::Number last_left;               // rank
    std::int32_t left = kNoCut, right = kNoCut;  // codes
    Branch missing = kUnseen;
    double gain = 0.0;
};

class SubtreeCuts {
 public:
    static constexpr std::size_t kMostClasses = 32;

    SubtreeCuts(SubtreeRows& rows, std::vector<std::int32_t> columns, std::optional<std::int64_t> columns_per_node,
                std::size_t most_rows, const Index& index);

    // What a child needs.
    void restart(const Query& query) noexcept;

    // A node: its rows from a place of their order on, the key of its draws, and F of its counts.
    struct Node {
        std::size_t begin, n;
        std::uint64_t key;
        double value;
    };
    // The first column with the largest gain, and its first cut with that gain, both up to ties; nothing if no column has a cut.
    [[nodiscard]] std::optional<SubtreeCut> best(const Node& node);
    // F of counts; 0 if only one class is present.
    [[nodiscard]] double value(const double* counts) const;

 private:
    using Number = SubtreeRows::Number;
    using Column = SubtreeRows::Column;
    // The cuts of one column. Cut i lies between the ranks item_[first + i] and item_[first + i + 1] and costs cost_[first + i];
    // the last cut of a column with missing cells divides these from the others.
    struct ColumnCuts {
        std::int32_t column;
        std::size_t first, n;
        double least;      // cost
        bool has_missing;  // at the node
    };

    [[nodiscard]] std::optional<SubtreeCut> best_of_two(const Node& node, std::span<const std::int32_t> columns);
    [[nodiscard]] double gain_of(const Node& node, double cost) const noexcept;
    void gather(const Node& node);
    void add_column(std::int32_t column, const Node& node);
    void list_items(const Column& column, const Node& node, std::size_t first);
    template <std::size_t Classes>
    [[nodiscard]] std::size_t sort_rows(const Column& column, const Node& node, Number* item);
    template <std::size_t Classes>
    [[nodiscard]] std::size_t count_rows(const Column& column, const Node& node, Number* item);
    void price(ColumnCuts& cuts);
    void price_with_missing(ColumnCuts& cuts);
    void add_values(double sign, std::span<const double> to, std::size_t n, std::span<double> sums);
    [[nodiscard]] bool is_too_small(double rows, double weight) const noexcept { return rows < min_rows_ || weight < min_weight_; }
    [[nodiscard]] double weight_up_to(std::size_t item) const noexcept;
    [[nodiscard]] SubtreeCut cut_of(const ColumnCuts& cuts, const Node& node);

    SubtreeRows& rows_;
    const Index& index_;
    std::size_t classes_, stride_;
    bool is_gini_of_two_;
    std::vector<std::int32_t> all_columns_;
    ColumnDraw draw_;
    double min_rows_ = 0.0, min_weight_ = 0.0, tolerance_ = 0.0;
    bool is_limited_ = false;

    // Of the current node: what its rows count for, their sums, and the columns that have cuts.
    std::vector<double> counts_, total_;
    std::vector<ColumnCuts> columns_;
    std::vector<Number> item_;
    std::vector<double> cost_;
    // Of the current column: sums over the first 1, 2, ... items, class by class, and a histogram that is 0 between two uses.
    std::size_t n_items_ = 0;
    std::vector<double> prefix_, rows_prefix_, batch_, batch_value_, histogram_, missing_, rest_;
    std::vector<std::uint64_t> seen_;
    std::vector<double> left_cost_, right_cost_;  // if missing cells go left or right
};

}  // namespace polytomy
