// cpp/grow/compact_histograms.hpp: the histograms of a node of few rows, over the codes it holds and no others.
//
// A node of thirty rows holds at most thirty of a column's 255 codes. The searches skip codes without rows, so they find
// the same splits in these histograms; a code in the view is a position in the list of codes present. Of thousands of
// classes, those present can be listed in the same way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grow/histograms.hpp"
#include "base/types.hpp"

namespace polytomy {

class CompactHistograms {
 public:
    CompactHistograms(std::span<const CodeColumn> columns, std::span<const std::uint8_t> has_missing);

    // Count `members` in the columns `which` (ascending); the others have no codes. If `classes_present`, the classes of
    // the view are those that the members have, in their order.
    void count(std::span<const std::int32_t> which, std::span<const Row> members, const Target& target,
               bool classes_present = false);

    [[nodiscard]] Histograms view() const noexcept;
    // The column's own code of what is code `place` in the view. A missing code stays the column's last.
    [[nodiscard]] std::uint32_t code(std::size_t column, std::size_t place) const noexcept {
        return codes_[static_cast<std::size_t>(code_start_[column]) + place];
    }
    // Of the columns counted, those in which the rows differ: the others have no options.
    [[nodiscard]] const std::vector<std::int32_t>& varied() const noexcept { return varied_; }

 private:
    template <class Code>
    void count_column(const Code* cells, std::size_t column, std::span<const Row> members, const CodeColumn& next);
    void list_codes(std::size_t n_codes);
    void number_classes(std::size_t classes);

    std::span<const CodeColumn> columns_;
    std::span<const std::uint8_t> has_missing_;
    std::size_t classes_ = 0;
    bool weighted_ = false;
    std::vector<std::int64_t> code_start_;
    std::vector<std::uint32_t> codes_;
    std::vector<Weight> counts_, rows_;
    std::vector<std::int32_t> varied_;
    // For the current column: a bit for every code present, and for every word of those bits that is not 0; the place
    // of each code present; the codes of the rows. Labels and weights of the rows are gathered once for all columns.
    std::vector<std::uint64_t> seen_, seen_words_;
    std::vector<std::uint32_t> place_, cell_;
    std::size_t layers_ = 1;
    std::vector<Label> label_;  // layer by layer
    std::vector<Weight> units_;
    std::vector<Label> present_, number_;  // the classes present, and the number of each
};

}  // namespace polytomy
