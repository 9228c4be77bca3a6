// cpp/grow/node_rows.hpp: which rows a node holds: ranges of one permuted array of row numbers.
//
//     members   | 4 0 7 | 1 2 | 3 5 6 |        rows of the leaves 3, 4 and 2
//     of node 1 |<----------->|                also rows of 3 and 4, its children
//
// Splitting a node permutes its range, stably, so that each child's rows are consecutive again. That waits until
// somebody asks for the children's rows: the last ones of a tree may never be wanted.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/types.hpp"

namespace polytomy {

class NodeRows {
 public:
    // The root holds rows 0, 1, 2, ...; or, of a tree within a tree, a range of rows that lies elsewhere.
    NodeRows(std::span<const CodeColumn> columns, std::size_t n_rows, int threads);
    NodeRows(std::span<const CodeColumn> columns, std::span<Row> part, int threads);

    [[nodiscard]] std::size_t size(std::int32_t node) const noexcept { return range(node).size; }
    [[nodiscard]] std::int32_t parent(std::int32_t node) const noexcept { return range(node).parent; }
    [[nodiscard]] std::int32_t n_nodes() const noexcept { return static_cast<std::int32_t>(ranges_.size()); }
    // Does the node hold rows 0, 1, 2, ... to the last, as the root does until something is permuted?
    [[nodiscard]] bool everything_in_order(std::int32_t node) const noexcept { return node == 0 && !moved_; }
    // The rows of a node; they stay where they are until one of its splits is carried out.
    [[nodiscard]] std::span<Row> members(std::int32_t node);

    // Make children, numbered from n_nodes() on: child b gets the sizes[b] rows whose code leads to branch b.
    void split(std::int32_t node, std::size_t column, std::vector<Branch>&& branch_of_code,
               std::span<const std::int64_t> sizes);

    // The time spent in permuting rows.
    [[nodiscard]] double seconds() const noexcept { return seconds_; }

 private:
    struct Range {
        std::size_t begin, size;
        std::int32_t parent;
    };
    struct Split {
        std::size_t column;
        std::vector<Branch> branch_of_code;
        std::size_t branches;
    };
    [[nodiscard]] const Range& range(std::int32_t node) const noexcept { return ranges_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] Row* begin(std::int32_t node) noexcept { return members_.data() + range(node).begin; }
    void permute(std::int32_t node);

    std::span<const CodeColumn> columns_;
    int threads_;
    bool moved_ = false;
    double seconds_ = 0.0;
    std::vector<Range> ranges_;
    std::unordered_map<std::int32_t, Split> waiting_;
    std::span<Row> members_;
    std::vector<Row> own_, scratch_;  // made when first asked for: a tree of one question needs neither
};

}  // namespace polytomy
