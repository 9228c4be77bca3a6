// cpp/boost/leaves.cpp: see leaves.hpp.
#include "boost/leaves.hpp"

#include <algorithm>

#include "base/multiversion.hpp"

namespace polytomy {
namespace {

// Plain x86-64 has no maximum of integers. No early exit, so that the loop is vectorised; a negative number becomes a large one.
POLYTOMY_MULTIVERSION std::uint32_t largest(const std::int32_t* leaf, std::size_t n) {
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < n; ++i) last = std::max(last, static_cast<std::uint32_t>(leaf[i]));
    return last;
}

}  // namespace

bool all_in(std::span<const std::int32_t> leaf, std::size_t nodes) noexcept {
    return leaf.empty() || largest(leaf.data(), leaf.size()) < nodes;
}

void add_scores(const std::int32_t* leaf, std::size_t n, const double* scores, std::size_t outputs, double* votes) {
    if (outputs == 1) {
        for (std::size_t i = 0; i < n; ++i) votes[i] += scores[leaf[i]];
        return;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double* own = scores + static_cast<std::size_t>(leaf[i]) * outputs;
        for (std::size_t k = 0; k < outputs; ++k) votes[i * outputs + k] += own[k];
    }
}

}  // namespace polytomy
