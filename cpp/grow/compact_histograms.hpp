// cpp/grow/compact_histograms.hpp: the histograms of a node of few rows, over the codes it holds and no others.
//
// A node of thirty rows holds at most thirty of a column's 255 codes. The searches skip codes without rows, so they find
// the same splits in these histograms; a code in the view is a position in the list of codes present. Of thousands of
// classes, those present can be listed in the same way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "grow/histograms.hpp"
#include "grow/row_codes.hpp"

namespace polytomy {

class CompactHistograms {
 public:
    CompactHistograms(std::span<const CodeColumn> columns, std::span<const std::uint8_t> has_missing);

    // From now on, read the codes of narrow columns from these records, which must outlive this.
    void read_records(const RowCodes& records) noexcept {
        columns_ = records.columns();
        stride_ = records.stride();
    }
    // Count `members` in the columns `which` (ascending); the others have no codes. If `classes_present`, the classes of
    // the view are those that the members have, in their order. If there are weights, the rows of each code are counted
    // only `with_rows`.
    void count(std::span<const std::int32_t> which, std::span<const Row> members, const Target& target,
               bool classes_present = false, bool with_rows = true);

    // A missing code stays the column's last.
    [[nodiscard]] Histograms view() const noexcept;
    // Of the columns counted, those in which the rows differ: the others have no options.
    [[nodiscard]] const std::vector<std::int32_t>& varied() const noexcept { return varied_; }

 private:
    template <class Code>
    void count_column(const Code* cells, std::size_t column, std::span<const Row> members, const CodeColumn& next);
    template <bool with_rows>
    void count_pairs(const std::uint8_t* cells, std::size_t column, std::span<const Row> members, const CodeColumn& next);
    void gather_pairs(std::span<const Row> members, const Target& target);
    [[nodiscard]] std::size_t stride_of(const CodeColumn& column) const noexcept { return is_narrow(column) ? stride_ : 1; }
    void list_codes(std::size_t n_codes);
    void number_classes(std::size_t classes);

    std::span<const CodeColumn> columns_;
    std::size_t stride_ = 1;  // between the cells of narrow columns
    std::span<const std::uint8_t> has_missing_;
    std::size_t classes_ = 0;
    bool weighted_ = false;
    bool with_rows_ = false;
    bool paired_ = false;  // then units_ has both counts of each row side by side, and there are no labels
    std::vector<std::int64_t> code_start_;
    std::vector<std::uint32_t> codes_;
    std::vector<Weight> counts_, rows_;
    std::vector<std::int32_t> varied_;
    // For the current column: a bit for every code present, and for every word of those bits that is not 0; the place
    // of each code present; the codes of the rows. Labels and weights of the rows are gathered once for all columns.
    std::vector<std::uint64_t> seen_, seen_words_;
    std::vector<std::uint32_t> place_, cell_;
    std::vector<std::uint8_t> is_present_;      // of each code; see count_pairs()
    std::vector<Weight> pair_sums_, row_sums_;  // of each code; 0 between columns
    std::size_t layers_ = 1;
    std::vector<Label> label_;  // layer by layer
    std::vector<Weight> units_;
    std::vector<Label> present_, number_;  // the classes present, and the number of each
};

}  // namespace polytomy
