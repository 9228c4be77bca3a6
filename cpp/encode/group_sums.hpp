// cpp/encode/group_sums.hpp: sums of floats by group that do not depend on the order of the rows; see exact_sums.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace polytomy {

inline constexpr std::size_t kSumLevels = 3;

// Add the terms of each row to the sums of its group: sums[(group * terms + term) * 3 + level]. A term is split into multiples
// of powers of two by adding and subtracting the anchors of its levels, anchors[term * 3 + level].
void group_sums(std::span<const std::int32_t> group, std::span<const double* const> terms, std::span<const double> anchors,
                double* sums);

// Numbers whose moments are added up: the terms of a row are its weight w, w d and w d^2, where d is the distance of its number
// from the centre, and w times a further term, if there are any.
struct MomentTerms {
    const Row* rows;        // those in question, of all numbers and weights; null if all are
    const double* values;
    const double* weights;  // null if all are 1
    const double* further;  // of the rows in question; null if there are none
    double centre;
    std::span<const double> anchors;  // as for `group_sums`

    [[nodiscard]] std::size_t width() const noexcept { return further != nullptr ? 4 : 3; }
};

// Write the sums over the rows of each group, out[group * terms + term], given the groups of the rows in question. They are the
// totals of what `group_sums` adds up, bit for bit.
void group_moments(std::span<const std::int32_t> group, const MomentTerms& terms, std::size_t groups, int threads, double* out);

}  // namespace polytomy
