// cpp/predict/vote.hpp: rows of raw columns down many trees at once, each leaf adding its scores.
#pragma once

#include <cstdint>
#include <span>

#include "base/columns.hpp"
#include "predict/route.hpp"
#include "base/types.hpp"

namespace polytomy {

// Trees whose arrays lie end to end, so that nodes and children are numbered through all of them.
struct ForestView {
    TreeView trees;
    std::span<const std::int32_t> root;
    const double* scores;  // a row a node, a column an output
    std::size_t outputs;
};

// votes[i * outputs ...] += the scores of the nodes where row i ends, tree after tree in the order of the roots.
// A row that meets a user's own question ends there.
void vote(const ForestView& forest, std::span<const ValueColumn> columns, double* votes, std::size_t n, int threads);

}  // namespace polytomy
