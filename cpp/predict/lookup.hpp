// cpp/predict/lookup.hpp: votes that are a sum of functions of single columns, by one table look-up per column.
#pragma once

#include <cstdint>
#include <span>

#include "base/columns.hpp"
#include "base/types.hpp"

namespace polytomy {

// Look-up j reads column[j]. The scores of its places are consecutive rows of `scores`, from row place_start[j] on.
// Ordered columns have a place for each range between thresholds, which includes its upper threshold. Categories (by_code)
// have a place for each code. The last place but one is for missing cells, the last for values that the training table
// did not have.
struct LookupView {
    std::span<const std::int32_t> column;
    const std::uint8_t* by_code;
    const std::int64_t* threshold_start;
    const double* threshold;
    const std::int64_t* place_start;
    const double* scores;  // a row for each place, a column for each output
    std::size_t outputs;
};

// Adds the scores of the places of row i to votes[i * outputs ...].
void look_up(const LookupView& lookups, std::span<const ValueColumn> columns, double* votes, std::size_t n, int threads);

}  // namespace polytomy
