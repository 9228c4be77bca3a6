// cpp/base/types.hpp: the few types every kernel speaks, each with its reason. Python's side is _types.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace polytomy {

using Row = std::uint32_t;     // index of a row: 4 bytes a row per permutation, 4e9 rows at most
using Weight = std::int64_t;   // fixed-point weight: sums are exact, so no order of adding matters
using Label = std::uint16_t;   // class of a row: 65,536 classes at most
using Branch = std::int32_t;   // child of a node

inline constexpr Branch kUnseen = -1;        // a code no training row of the node had
inline constexpr std::int32_t kMissing = -1; // a nominal cell without a value, when routing
inline constexpr std::int32_t kUnknown = -2; // a category the training table did not have

// A gain is zero, and two gains are equal, within this share of the node's weight.
inline constexpr double kTie = 1e-12;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A column of codes: 1, 2 or 4 bytes a cell, by the column's own number of codes.
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

// The histograms of one node over every column, end to end: the counts of code v of column j are
// counts[(code_start[j] + v) * classes ...]. A column with missing cells keeps them in its last code.
struct Histograms {
    const Weight* counts;
    const Weight* rows;  // rows of each code; null when every weight is 1 and the counts say it
    const std::int64_t* code_start;
    const std::uint8_t* has_missing;
    std::size_t classes;

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
