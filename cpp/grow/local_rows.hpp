// cpp/grow/local_rows.hpp: a row source with the rows in this process's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/large_array.hpp"
#include "grow/column_draw.hpp"
#include "grow/compact_histograms.hpp"
#include "grow/histograms.hpp"
#include "grow/node_rows.hpp"
#include "grow/row_codes.hpp"
#include "grow/row_source.hpp"

namespace polytomy {

// Where to read codes: the first cell of each column, and the distance of the cells of narrow columns (see is_narrow).
struct CodeCells {
    std::span<const CodeColumn> columns;
    std::size_t stride = 1;
};

class LocalRows final : public RowSource {
 public:
    // `which` are the columns to count, in ascending order.
    LocalRows(const CodedTable& table, const Target& target, std::span<const std::int32_t> which, int threads);
    // A range of the rows of another source, for growing a subtree on one thread.
    LocalRows(const LocalRows& whole, std::span<Row> part);

    // Prepare for counting many nodes whose rows are far apart, if the table is large.
    void expect_small_nodes();

    // Start another tree on the same codes with a new target, on some rows or all of them.
    void restart(const Target& target, StartRows rows);
    // The number of rows of the tree.
    [[nodiscard]] std::size_t n_rows() const noexcept { return rows_.size(0); }

    void count(std::span<const CountRequest> requests) override;
    std::vector<std::vector<Residue>> move(std::vector<Move>&& moves) override;
    [[nodiscard]] std::optional<Residue> total_residue() override;
    [[nodiscard]] double residue_unit() const noexcept override { return target_.residues ? target_.residues->unit : 0.0; }
    [[nodiscard]] LocalRows* local() noexcept override { return this; }

    // Add the histograms of some columns of a node to a buffer; `rows` is null if rows need not be counted.
    void count_columns(std::int32_t node, std::span<const std::int32_t> columns, Weight* counts, Weight* rows);
    // The histograms of a node of few rows, over the codes it holds. Valid until the next call.
    [[nodiscard]] const CompactHistograms& compact(std::int32_t node, const DrawnColumns& drawn, bool classes_present, bool with_rows);
    // The counts and rows of the children of a split, from a pass over the node's rows.
    void add_children(const Move& move, std::span<Weight> counts, std::span<std::int64_t> rows);
    // Only the rows of the children, which is cheaper. If there are residues, the rows are moved; move() must follow.
    void add_child_rows(const Move& move, std::span<std::int64_t> rows);

    void undo_split(std::int32_t node) { rows_.undo_split(node); }
    [[nodiscard]] std::span<Row> members(std::int32_t node) { return rows_.members(node); }
    // Write the name of each row's leaf; names are given by node.
    void read_leaves(std::span<const std::int32_t> leaf_name, std::int32_t* leaf) { rows_.read_leaves(leaf_name, leaf); }
    // The codes of rows far apart.
    [[nodiscard]] CodeCells cells() const noexcept {
        return records_ != nullptr ? CodeCells{records_->columns(), records_->stride()} : CodeCells{table_.columns};
    }
    [[nodiscard]] const Target& target() const noexcept { return target_; }
    [[nodiscard]] std::vector<Weight> total();
    // The time spent permuting rows.
    [[nodiscard]] double moving() const noexcept { return rows_.seconds(); }

 private:
    // Add the histograms of n rows; a null `members` means all rows of the table.
    void add(const Row* members, std::size_t n, std::span<const std::int32_t> columns, Weight* counts, Weight* rows);
    [[nodiscard]] bool uses_records(std::size_t n_rows, std::size_t n_columns);
    void pair_up();
    [[nodiscard]] std::vector<Residue> child_residues(std::int32_t node, std::int32_t first, std::size_t branches);
    [[nodiscard]] Residue residue_of(std::span<const Row> members) const;
    template <class RowAt>
    [[nodiscard]] Residue residue_of(std::size_t n, const RowAt& row_at) const;
    // Call visit(row) for every row of the tree.
    template <class Visit>
    void each_row(Visit&& visit) {
        if (rows_.everything_in_order(0)) {
            for (std::size_t row = 0; row < table_.rows; ++row) visit(row);
        } else {
            for (const Row row : rows_.members(0)) visit(std::size_t{row});
        }
    }

    CodedTable table_;
    Target target_;
    std::span<const std::int32_t> which_;
    int threads_;
    NodeRows rows_;
    CompactHistograms compact_;
    bool is_part_ = false;                // of another source, whose pairs and records it uses
    LargeArray<Weight> pairs_;            // see Target::pairs
    std::optional<RowCodes> own_records_;
    const RowCodes* records_ = nullptr;   // null until they pay
    std::size_t far_apart_ = 0;           // cells of rows far apart that were counted column by column
    std::vector<Residue> residues_;       // by node, as far as they are known
};

}  // namespace polytomy
