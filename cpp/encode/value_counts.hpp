// cpp/encode/value_counts.hpp: the distinct values of a column, with running totals of two components.
#pragma once

#include <vector>

#include "base/columns.hpp"

namespace polytomy {

// Distinct values in ascending order. rows[i], first[i] and second[i] are the totals over all cells below values[i]; they
// have one entry more, for all cells that are not missing.
struct ValueCounts {
    std::vector<double> values;
    std::vector<Weight> rows, first, second;
};

// first[r] and second[r] are the components of row r.
ValueCounts value_counts(const ValueColumn& column, std::size_t n_rows, const Weight* first, const Weight* second);

}  // namespace polytomy
