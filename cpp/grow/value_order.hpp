// cpp/grow/value_order.hpp: the ranges for the values of nodes, along columns with a direction.
//
// Two rows that differ in one column only reach nodes whose boxes meet in all other columns. That column is the one by
// which the paths to the nodes part. If it has a direction, the value of one node must not exceed that of the other. All
// nodes of the tree count, not only its leaves, so that no pruning puts the values out of order. A child holds only a part of
// its parent's box, so it may compare with fewer nodes: without that, two trees below a split limit each other so much that
// three columns with directions stopped growth at 11 leaves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grow/node_menu.hpp"
#include "grow/row_source.hpp"
#include "search/menu.hpp"

namespace polytomy {

class ValueOrder {
 public:
    ValueOrder(const CodedTable& table, std::span<const std::int8_t> directions);

    // Add the root, or the children of a node in the order of their branches.
    void add_root(double value);
    void add_children(std::int32_t node, const Option& option, Branch default_branch, std::span<const double> values);
    [[nodiscard]] std::size_t n_nodes() const noexcept { return nodes_.size(); }
    // The range in which the values of a node's children must lie.
    [[nodiscard]] ValueRange range(std::int32_t node) const;

 private:
    // A threshold between two codes. Codes between them have no rows in the node that is split, so the threshold may lie
    // on either side of what other nodes cut there.
    struct Cut {
        std::int64_t left, right;
        bool operator==(const Cut&) const = default;
        [[nodiscard]] bool is_surely_at_most(const Cut& other) const noexcept {
            return *this == other || right <= other.left + 1;
        }
    };
    // What a node admits of a column: a range (ordered) or a set of codes, and whether a missing cell; new categories are
    // a code of their own.
    struct Side {
        std::int32_t column;
        bool is_ordered, has_range;
        Cut low, high;
        bool missing;
        std::vector<bool> codes;
    };
    struct Node {
        std::vector<Side> sides;  // of the columns that were asked about on its path, ascending
        double value;
        std::int32_t parent, branch, column;  // the column by which the parent is split
    };

    [[nodiscard]] static bool meet(const Side& a, const Side& b) noexcept;
    [[nodiscard]] static const Side& side_of(const Node& node, std::int32_t column) noexcept;
    // How two nodes compare, and the column by which their paths part.
    struct Comparison {
        int order = 0;  // negative: the first must not exceed the second; positive: it must not be less; 0: they do not compare
        std::int32_t column = -1;
    };
    [[nodiscard]] Comparison compare(std::int32_t a, std::int32_t b) const noexcept;
    [[nodiscard]] std::vector<PartialBound::Part> common_parts(const Node& node, const Node& other, std::int32_t parting) const;
    [[nodiscard]] Side whole(std::int32_t column, bool is_ordered) const;

    CodedTable table_;
    std::span<const std::int8_t> directions_;
    std::vector<Node> nodes_;
};

}  // namespace polytomy
