// cpp/predict/lookup.hpp: votes that are a sum of functions of one column each, by one look-up a column.
#pragma once

#include <cstdint>
#include <span>

#include "base/columns.hpp"
#include "base/types.hpp"

namespace polytomy {

// Look-up j reads column[j]. Its places have scores one after the other: row place_start[j] of `scores` and so on.
// Ordered columns: threshold t lies in the place of the numbers up to it, and there is one place more than thresholds.
// Categories (by_code): one place a code. The last place but one is for missing cells, the last for values that
// the training table did not have.
struct LookupView {
    std::span<const std::int32_t> column;
    const std::uint8_t* by_code;
    const std::int64_t* threshold_start;
    const double* threshold;
    const std::int64_t* place_start;
    const double* scores;  // a row a place, a column an output
    std::size_t outputs;
};

// votes[i * outputs ...] += the scores of the places of row i.
void look_up(const LookupView& lookups, std::span<const ValueColumn> columns, double* votes, std::size_t n, int threads);

}  // namespace polytomy
