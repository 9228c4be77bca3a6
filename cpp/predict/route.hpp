// cpp/predict/route.hpp: routes rows of raw columns through a tree of any arity.
#pragma once

#include <cstdint>
#include <span>

#include "base/columns.hpp"
#include "base/types.hpp"

namespace polytomy {

enum class NodeKind : std::int8_t { leaf = 0, intervals = 1, codes = 2, own = 3 };

// The arrays of a Tree. Node v splits on column feature[v]; its children are child[child_start[v] ...].
struct TreeView {
    const std::int8_t* kind;
    const std::int32_t* feature;
    const std::int64_t* child_start;
    const std::int32_t* child;
    const std::int64_t* threshold_start;
    const double* threshold;
    const std::int64_t* code_start;
    const std::int32_t* code_to_branch;
    const std::int32_t* missing_branch;  // kUnseen: as default_branch
    const std::int32_t* default_branch;
    std::size_t nodes;
};

// node[i] is the node where row i starts, and is set to the node where it ends: a leaf, or a node with a user-defined split.
void route(const TreeView& tree, std::span<const ValueColumn> columns, std::int32_t* node, std::size_t n, int threads);

}  // namespace polytomy
