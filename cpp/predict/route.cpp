// cpp/predict/route.cpp: see route.hpp.
#include "predict/route.hpp"

#include <algorithm>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"
#include "predict/binary_steps.hpp"

namespace polytomy {
namespace {

// Returns the number in a cell; NaN for missing.
double number(const ValueColumn& column, std::size_t row) {
    double value = 0.0;
    with_values(column, [&](auto type) {
        using T = decltype(type);
        const T raw = load<T>(column, row);
        value = is_missing(raw) ? std::numeric_limits<double>::quiet_NaN() : to_double(raw);
    });
    return value;
}

Branch interval_of(const TreeView& tree, std::size_t v, double value) noexcept {
    if (std::isnan(value)) return tree.missing_branch[v];
    const double* begin = tree.threshold + tree.threshold_start[v];
    const double* end = tree.threshold + tree.threshold_start[v + 1];
    if (end - begin <= 8) {  // counting is branch-free and faster than a search in short lists
        Branch branch = 0;
        for (const double* t = begin; t != end; ++t) branch += static_cast<Branch>(value > *t);
        return branch;
    }
    return static_cast<Branch>(std::lower_bound(begin, end, value) - begin);
}

Branch group_of(const TreeView& tree, std::size_t v, std::int32_t code) noexcept {
    if (code == kMissing) return tree.missing_branch[v];
    const std::int64_t begin = tree.code_start[v];
    if (code < 0 || code >= tree.code_start[v + 1] - begin) return kUnseen;
    return tree.code_to_branch[begin + code];
}

// Returns the node where a row ends; for columns of any type.
std::int32_t end_of(const TreeView& tree, std::span<const ValueColumn> columns, std::size_t row, std::int32_t from) {
    auto v = static_cast<std::size_t>(from);
    while (true) {
        const auto kind = static_cast<NodeKind>(tree.kind[v]);
        if (kind == NodeKind::leaf || kind == NodeKind::own) return static_cast<std::int32_t>(v);
        const ValueColumn& column = columns[static_cast<std::size_t>(tree.feature[v])];
        Branch branch = kUnseen;
        if (kind == NodeKind::codes) {
            branch = group_of(tree, v, load<std::int32_t>(column, row));
        } else if (column.type != ValueType::rank || load<std::int32_t>(column, row) != kUnknown) {
            branch = interval_of(tree, v, number(column, row));
        }
        if (branch == kUnseen) branch = tree.default_branch[v];
        v = static_cast<std::size_t>(tree.child[tree.child_start[v] + branch]);
    }
}

}  // namespace

void route(const TreeView& tree, std::span<const ValueColumn> columns, std::int32_t* node, std::size_t n, int threads) {
    constexpr std::size_t kGrain = 10000;  // rows per thread for which starting it pays off
    constexpr std::size_t kWork = 32;      // of a row, in a tree of usual depth
    const bool many = 4 * n > tree.nodes;  // enough rows for building forks to pay off
    const std::optional<Forks> forks = many ? Forks::of(tree, columns) : std::nullopt;
    parallel_blocks(n, worth(n, kGrain, threads), [&](std::size_t, std::size_t begin, std::size_t end) {
        in_parts(begin, end, kWork, [&](std::size_t first, std::size_t last) {
            if (forks) {
                forks->route(node, first, last);
                return;
            }
            for (std::size_t row = first; row < last; ++row) node[row] = end_of(tree, columns, row, node[row]);
        });
    });
}

}  // namespace polytomy
