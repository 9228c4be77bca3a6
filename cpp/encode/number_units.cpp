// cpp/encode/number_units.cpp: see number_units.hpp.
#include "encode/number_units.hpp"

#include <algorithm>
#include <cmath>

#include "base/cancellation.hpp"
#include "base/multiversion.hpp"
#include "base/parallel.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kGrain = 100000;  // rows that make a thread worthwhile (about 0.1 ms)
constexpr std::size_t kBlock = 1 << 14;

template <bool Weighted>
POLYTOMY_INLINE void convert(const double* values, const double* weights, std::size_t n, double low, double span, double units,
                             double finer, const NumberUnits& out) {
    for (std::size_t i = 0; i < n; ++i) {
        double whole = units;
        if constexpr (Weighted) whole = std::rint(weights[i] * units);
        const double above = std::rint((values[i] - low) / span * whole);
        const double below = whole - above;
        out.above[i] = static_cast<Weight>(above);
        out.below[i] = static_cast<Weight>(below);
        const double alone = whole > 0.0 ? above * below * 4.0 / whole : 0.0;  // tiny weights may have no units
        out.residues[i] = static_cast<Weight>(std::rint(alone * finer));
    }
}

POLYTOMY_MULTIVERSION void convert_all(const double* values, const double* weights, std::size_t n, double low, double span,
                                       double units, double finer, const NumberUnits& out) {
    if (weights != nullptr) return convert<true>(values, weights, n, low, span, units, finer, out);
    convert<false>(values, nullptr, n, low, span, units, finer, out);
}

}  // namespace

void number_units(const ScaledNumbers& numbers, double finer, const NumberUnits& out, int threads) {
    const std::size_t n = numbers.values.size();
    parallel_blocks(n, worth(n, kGrain, threads), [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; at += kBlock) {
            const std::size_t size = std::min(kBlock, end - at);
            poll(size);
            const double* weights = numbers.weights != nullptr ? numbers.weights + at : nullptr;
            convert_all(numbers.values.data() + at, weights, size, numbers.low, numbers.span, numbers.units_per_weight, finer,
                        {out.above + at, out.below + at, out.residues + at});
        }
    });
}

}  // namespace polytomy
