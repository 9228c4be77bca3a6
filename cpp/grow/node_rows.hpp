// cpp/grow/node_rows.hpp: the rows of every node, as ranges of one permuted array of row numbers.
//
//     members   | 4 0 7 | 1 2 | 3 5 6 |        rows of the leaves 3, 4 and 2
//     of node 1 |<----------->|                also rows of 3 and 4, its children
//
// Splitting a node permutes its range, stably, so that each child's rows are consecutive again. The permutation is
// deferred until the rows of a child are needed; for the last splits of a tree that is never.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/types.hpp"
#include "grow/row_source.hpp"

namespace polytomy {

// The rows of a tree, without duplicates; none means every row of the table.
using StartRows = std::optional<std::span<const Row>>;

class NodeRows {
 public:
    // The root holds the rows 0, 1, 2, ...
    NodeRows(std::span<const CodeColumn> columns, std::size_t n_rows, int threads);
    // The root of a subtree holds a range of another tree's permuted rows.
    NodeRows(std::span<const CodeColumn> columns, std::span<Row> part, int threads);

    // Start again with some of the table's rows, or with all of them.
    void restart(std::size_t n_rows, StartRows rows);

    [[nodiscard]] std::size_t size(std::int32_t node) const noexcept { return range(node).size; }
    // True if the node holds the rows 0, 1, 2, ... to the last, as the root does until something is permuted.
    [[nodiscard]] bool everything_in_order(std::int32_t node) const noexcept { return node == 0 && !moved_; }
    // The rows of a node. They stay in place until a split of the node or of an ancestor is carried out.
    [[nodiscard]] std::span<Row> members(std::int32_t node);
    void split(Move&& move);
    // Carry out a split on a column whose sizes are not known yet, and set them; split() must follow.
    void permute_ahead(const Move& move, std::span<std::int64_t> sizes);
    // Make a split node a leaf again; its children must not be used any more.
    void undo_split(std::int32_t node);
    // Write leaf_name[v] for the rows of every node v without children; `leaf` has an entry for every row.
    void read_leaves(std::span<const std::int32_t> leaf_name, std::int32_t* leaf);

    // The time spent permuting rows.
    [[nodiscard]] double seconds() const noexcept { return seconds_; }

 private:
    struct Range {
        std::size_t begin = 0, size = 0;
        std::int32_t parent = -1;
        std::int32_t first_child = -1;
        std::int32_t children = 0;
    };
    struct Deferred {
        std::size_t column;
        std::vector<Branch> branch_of_code;
    };
    [[nodiscard]] const Range& range(std::int32_t node) const noexcept { return ranges_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] Range& range(std::int32_t node) noexcept { return ranges_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] Row* begin(std::int32_t node) noexcept { return members_.data() + range(node).begin; }
    [[nodiscard]] bool is_leaf(std::int32_t node) const noexcept { return range(node).children == 0; }
    void permute_above(std::int32_t node);
    void permute(std::int32_t node);
    void permute(std::int32_t node, std::size_t column, std::span<const Branch> branch_of_code, std::span<std::int64_t> sizes);
    void permute_by_row(std::int32_t node, std::span<const Branch> branch, std::span<const std::int64_t> sizes);

    std::span<const CodeColumn> columns_;
    int threads_;
    bool moved_ = false;
    double seconds_ = 0.0;
    std::vector<Range> ranges_;
    std::unordered_map<std::int32_t, Deferred> deferred_;
    std::vector<std::int32_t> permuted_;  // nodes whose split has been carried out ahead
    std::span<Row> members_;
    std::vector<Row> own_, scratch_;  // allocated when first needed: a tree of one split needs neither
};

}  // namespace polytomy
