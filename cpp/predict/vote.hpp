// cpp/predict/vote.hpp: routes rows of raw columns through many trees and adds the scores of the leaves.
#pragma once

#include <cstdint>
#include <span>

#include "base/columns.hpp"
#include "base/types.hpp"
#include "predict/route.hpp"

namespace polytomy {

// Trees whose arrays are concatenated; nodes and children are numbered across all trees.
struct ForestView {
    TreeView trees;
    std::span<const std::int32_t> root;
    const double* scores;  // a row for each node, a column for each output
    std::size_t outputs;
};

// Adds to votes[i * outputs ...] the scores of the nodes where row i ends, tree by tree in the order of the roots. A row
// that reaches a user-defined split ends there.
void vote(const ForestView& forest, std::span<const ValueColumn> columns, double* votes, std::size_t n, int threads);

}  // namespace polytomy
