// cpp/base/types.hpp: the types that all kernels share, each with its reason; _types.py has the same types in Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace polytomy {

using Row = std::uint32_t;     // index of a row: 4 bytes per row in a permutation, at most 4e9 rows
using Weight = std::int64_t;   // fixed-point weight: sums are exact in any order
using Label = std::uint16_t;   // class of a row: at most 65,536 classes
using Branch = std::int32_t;   // child of a node

inline constexpr Branch kUnseen = -1;        // a code that no training row of the node had
inline constexpr std::int32_t kMissing = -1; // a missing nominal cell, in routing
inline constexpr std::int32_t kUnknown = -2; // a category that the training table did not have

// Gains that differ by less than this fraction of the node's index value are equal; smaller gains are zero.
inline constexpr double kTie = 1e-12;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A column of codes, with 1, 2 or 4 bytes per cell, depending on the number of codes of the column.
struct CodeColumn {
    const void* data;
    int width;
    std::uint32_t n_codes;
};

template <class Visitor>
void with_codes(const CodeColumn& column, Visitor&& visit) {
    switch (column.width) {
        case 1: visit(static_cast<const std::uint8_t*>(column.data)); break;
        case 2: visit(static_cast<const std::uint16_t*>(column.data)); break;
        default: visit(static_cast<const std::uint32_t*>(column.data)); break;
    }
}

inline std::uint32_t code_at(const CodeColumn& column, std::size_t row) noexcept {
    std::uint32_t code = 0;
    with_codes(column, [&](const auto* codes) { code = codes[row]; });
    return code;
}

// The histograms of all columns at one node, one after the other: the counts of code v of column j are
// counts[(code_start[j] + v) * classes ...]. If a column has missing cells, its last code stands for them.
struct Histograms {
    const Weight* counts;
    const Weight* rows;  // rows of each code; null if every weight is 1, because then they follow from the counts
    const std::int64_t* code_start;
    const std::uint8_t* has_missing;
    std::size_t classes;
    const std::uint32_t* codes = nullptr;  // if only some codes are listed: the column's own code of each

    [[nodiscard]] std::uint32_t own_code(std::size_t column, std::size_t code) const noexcept {
        return codes == nullptr ? static_cast<std::uint32_t>(code) : codes[at(column, code)];
    }
    [[nodiscard]] std::size_t n_codes(std::size_t column) const noexcept {
        return static_cast<std::size_t>(code_start[column + 1] - code_start[column]);
    }
    [[nodiscard]] std::size_t at(std::size_t column, std::size_t code) const noexcept {
        return static_cast<std::size_t>(code_start[column]) + code;
    }
    [[nodiscard]] const Weight* counts_of(std::size_t column, std::size_t code) const noexcept {
        return counts + at(column, code) * classes;
    }
    [[nodiscard]] Weight rows_of(std::size_t column, std::size_t code) const noexcept {
        if (rows != nullptr) return rows[at(column, code)];
        const Weight* c = counts_of(column, code);
        Weight sum = 0;
        for (std::size_t k = 0; k < classes; ++k) sum += c[k];
        return sum;
    }
};

}  // namespace polytomy
