// cpp/encode/number_units.hpp: what numbers count for as components, in integer units; see encode/numbers.py.
#pragma once

#include <cstddef>
#include <span>

#include "base/types.hpp"

namespace polytomy {

// Numbers with weights (null if all are 1). A weight of 1 has `units_per_weight` units, and a number counts for them as far as
// it is above `low`, in parts of `span`.
struct ScaledNumbers {
    std::span<const double> values;
    const double* weights;
    double low, span, units_per_weight;
};

// The units of each row for both components, and what it contributes to the squared error by itself, 4 above below / units,
// times `finer`.
struct NumberUnits {
    Weight *above, *below, *residues;
};

void number_units(const ScaledNumbers& numbers, double finer, const NumberUnits& out, int threads);

}  // namespace polytomy
