// cpp/grow/compact_histograms.hpp: the histograms of a node of few rows, over the codes it holds and no others.
//
// A node of thirty rows holds at most thirty of a column's 255 codes. The searches skip codes without rows anyway, so
// they find the same options on these histograms; only the codes they speak of are places in `codes`.
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

    // Count `members` in the columns `which` (ascending); the others have no codes.
    void count(std::span<const std::int32_t> which, std::span<const Row> members, const Target& target);

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

    std::span<const CodeColumn> columns_;
    std::span<const std::uint8_t> has_missing_;
    std::size_t classes_ = 0;
    bool weighted_ = false;
    std::vector<std::int64_t> code_start_;
    std::vector<std::uint32_t> codes_;
    std::vector<Weight> counts_, rows_;
    std::vector<std::int32_t> varied_;
    // Of the column at hand: a bit for every code seen, and for every word of those bits that is not 0; the place of
    // each code seen; the codes of the rows. Labels and weights of the rows serve all columns.
    std::vector<std::uint64_t> seen_, seen_words_;
    std::vector<std::uint32_t> place_, cell_;
    std::vector<Label> label_;
    std::vector<Weight> units_;
};

}  // namespace polytomy
