// cpp/grow/subtree_rows.hpp: copies of the codes and counts of a few rows, in which they have the numbers 0, 1, ...
//
// Codes are replaced by their ranks among those of the rows, so that a histogram has at most as many entries as there are
// rows. A column is copied when it is first asked for.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "grow/local_rows.hpp"

namespace polytomy {

class SubtreeRows {
 public:
    using Number = std::uint16_t;  // of a row, or the rank of a code
    static constexpr Number kNone = std::numeric_limits<Number>::max();

    // At most `most_rows` < kNone rows are copied at a time.
    SubtreeRows(const CodedTable& table, std::size_t classes, std::size_t most_rows);

    // Start with other rows, in their order. Returns false if one of them counts for nothing: searches pass over such rows.
    [[nodiscard]] bool restart(std::span<const Row> members, const LocalRows& source);

    [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
    [[nodiscard]] std::size_t classes() const noexcept { return classes_; }
    // What a row counts for, class by class: whole numbers below 2^53.
    [[nodiscard]] const double* counts(Number row) const noexcept { return counts_.data() + row * classes_; }
    // The residue of the rows from a place of the order on; `alike` and 0 if the target has none.
    [[nodiscard]] Residue residue(std::size_t begin, std::size_t n) const noexcept;
    [[nodiscard]] bool has_residues() const noexcept { return !residues_.empty(); }

    struct Column {
        const Number* rank;         // of the code of each row
        const std::uint32_t* code;  // of each rank
        std::size_t n_ranks;
        Number missing;             // the rank of missing cells; kNone if there are none
    };
    [[nodiscard]] Column column(std::int32_t column) {
        const auto j = static_cast<std::size_t>(column);
        if (copied_[j] != restarts_) copy_column(j);
        return {ranks_.data() + j * most_rows_, codes_.data() + j * most_rows_, n_ranks_[j], missing_[j]};
    }

    // The rows in an order in which those of every node are consecutive.
    [[nodiscard]] const Number* order() const noexcept { return order_.data(); }
    [[nodiscard]] Row member(std::size_t place) const noexcept { return members_[order_[place]]; }
    // Put rows that go left before the others, and return how many they are.
    template <class GoesLeft>
    std::size_t partition(std::size_t begin, std::size_t n, GoesLeft&& goes_left) {
        std::size_t left = begin, right = 0;
        for (std::size_t i = begin; i < begin + n; ++i) {
            const Number row = order_[i];
            const bool is_left = goes_left(row);
            order_[left] = row;
            scratch_[right] = row;
            left += is_left ? 1 : 0;
            right += is_left ? 0 : 1;
        }
        for (std::size_t i = 0; i < right; ++i) order_[left + i] = scratch_[i];
        return left - begin;
    }

 private:
    void copy_column(std::size_t column);
    template <class Code>
    [[nodiscard]] std::size_t rank_by_bits(const Code* cells, std::size_t stride, std::size_t n_codes, Number* ranks, std::uint32_t* codes);
    template <class Code>
    [[nodiscard]] std::size_t rank_by_sorting(const Code* cells, std::size_t stride, Number* ranks, std::uint32_t* codes) const;

    std::span<const std::uint8_t> has_missing_;
    std::size_t classes_, most_rows_;
    CodeCells cells_;
    std::span<const Row> members_;
    std::vector<double> counts_;    // row by row
    std::vector<Weight> residues_;  // of the rows; empty if the target has none
    std::vector<double> values_;    // see RowResidues::value
    std::vector<Number> order_, scratch_;
    std::uint64_t restarts_ = 0;
    std::vector<std::uint64_t> copied_;  // by column: the restart that it was copied for
    std::vector<Number> ranks_;          // column by column
    std::vector<std::uint32_t> codes_;
    std::vector<std::size_t> n_ranks_;   // by column
    std::vector<Number> missing_;
    std::vector<std::uint64_t> seen_;    // a bit for each code of a column; 0 between two uses
    std::vector<Number> rank_of_code_;
};

}  // namespace polytomy
