// cpp/grow/row_source.hpp: the rows of a growing tree, behind an interface that works in batches of nodes.
//
// Growth needs two things of the rows: class histograms of some nodes, and moving the rows of split nodes to their
// children. `LocalRows` does both with rows in memory; a source outside C++ may add up partitions on other machines
// or query a database. All sums are integers, so every source that holds the same rows leads to the same tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "grow/histograms.hpp"

namespace polytomy {

// The encoded table: its columns, the first code of each column if all codes are numbered consecutively, and which
// columns have missing cells. `columns` is empty if the rows are not in memory.
struct CodedTable {
    std::span<const CodeColumn> columns;
    std::span<const std::int64_t> code_start;
    std::span<const std::uint8_t> has_missing;
    std::size_t rows;

    [[nodiscard]] std::size_t n_columns() const noexcept { return has_missing.size(); }
    [[nodiscard]] std::size_t n_codes() const noexcept { return static_cast<std::size_t>(code_start.back()); }
    [[nodiscard]] std::int64_t most_codes() const noexcept {
        std::int64_t most = 0;
        for (std::size_t j = 0; j < n_columns(); ++j) most = std::max(most, code_start[j + 1] - code_start[j]);
        return most;
    }
};

// A split of a node's rows. The children are numbered from `first_child` on; child b gets sizes[b] rows.
struct Move {
    std::int32_t node;
    std::int32_t column = -1;
    std::vector<Branch> branch_of_code = {};  // for a split on a column
    std::vector<Branch> branch_of_row = {};   // for a user's own split: the branch of each row of the node, in order
    std::int32_t first_child = -1;
    std::vector<std::int64_t> sizes = {};
};

// A request to add the histogram of the rows of the nodes first..last, which are siblings, to a buffer. Several requests
// may share a buffer.
struct CountRequest {
    std::int32_t first, last;
    std::size_t n_rows;
    Weight* counts;  // (codes x classes)
    Weight* rows;    // null if rows need not be counted
};

class LocalRows;

class RowSource {
 public:
    virtual ~RowSource() = default;
    virtual void count(std::span<const CountRequest> requests) = 0;
    // Move rows, and return the residues of the children of each move; nothing if the target has none.
    virtual std::vector<std::vector<Residue>> move(std::vector<Move>&& moves) = 0;
    // The residue of all rows, and the unit of residues.
    [[nodiscard]] virtual std::optional<Residue> total_residue() { return std::nullopt; }
    [[nodiscard]] virtual double residue_unit() const noexcept { return 0.0; }
    // Nothing more will be asked about a node or its descendants.
    virtual void release(std::int32_t) {}
    // Whether the histograms of a node are the sum of its children's. Those of a density tree are not: lengths refer to
    // the node's own box.
    [[nodiscard]] virtual bool additive() const noexcept { return true; }
    // The rows in this process, or null.
    [[nodiscard]] virtual LocalRows* local() noexcept { return nullptr; }
};

}  // namespace polytomy
