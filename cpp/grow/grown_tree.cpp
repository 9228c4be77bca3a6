// cpp/grow/grown_tree.cpp: see grown_tree.hpp.
#include "grow/grown_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace polytomy {
namespace {

void add_cuts(const Option& option, std::int64_t code_start, GrownTree& tree) {
    for (const std::uint32_t code : option.first) tree.left.push_back(code_start + code);
    for (const Branch code : option.second) tree.right.push_back(code_start + code);
}

// Append the branch of each category up to the last that the node holds, and return the branch of missing cells.
Branch add_codes(const Option& option, std::uint32_t n_values, GrownTree& tree) {
    Branch missing = kUnseen;
    std::vector<Branch>& branch = tree.code_to_branch;
    const std::size_t begin = branch.size();
    for (std::size_t i = 0; i < option.first.size(); ++i) {
        if (option.first[i] == n_values) {
            missing = option.second[i];
            continue;
        }
        branch.resize(begin + option.first[i], kUnseen);
        branch.push_back(option.second[i]);
    }
    return missing;
}

// The last code left of the threshold half-way between two bins (src/polytomy/encode/schema.py, thresholds_between).
std::size_t last_left(std::size_t left, std::size_t right, const BinEdges& bins) {
    const double high = bins.high[left], low = bins.low[right];
    double threshold = high / 2 + low / 2;
    if (std::isinf(low)) threshold = std::numeric_limits<double>::max();
    if (std::isinf(high)) threshold = std::isinf(low) ? 0.0 : high;
    while (left + 1 < right && bins.low[left + 1] / 2 + bins.high[left + 1] / 2 <= threshold) ++left;
    return left;
}

}  // namespace

GrownTree grown_tree(const Growth& run) {
    const std::size_t n = run.nodes().rows.size();
    std::vector<const Expansion*> split(n, nullptr);
    for (const Expansion& expanded : run.expansions()) split[static_cast<std::size_t>(expanded.leaf)] = &expanded;
    GrownTree tree;
    tree.kind.assign(n, 0);
    tree.feature.assign(n, -1);
    tree.missing_branch.assign(n, kUnseen);
    tree.default_branch.assign(n, kUnseen);
    for (std::vector<std::int64_t>* start : {&tree.child_start, &tree.threshold_start, &tree.code_to_branch_start}) {
        start->assign(1, 0);
        start->reserve(n + 1);
    }
    for (std::size_t v = 0; v < n; ++v) {
        if (split[v] != nullptr) {
            const Option& option = split[v]->option;
            for (std::int32_t b = 0; b < option.arity; ++b) tree.child.push_back(split[v]->first_child + b);
        }
        if (split[v] != nullptr && split[v]->option.kind == FamilyKind::own) {
            tree.kind[v] = 3;
        } else if (split[v] != nullptr) {
            const Option& option = split[v]->option;
            const auto column = static_cast<std::size_t>(option.column);
            const std::int64_t first_code = run.table().code_start[column];
            const bool intervals = option.kind == FamilyKind::intervals;
            tree.kind[v] = intervals ? 1 : 2;
            tree.feature[v] = option.column;
            tree.missing_branch[v] = option.missing;
            tree.default_branch[v] = split[v]->default_branch;
            if (intervals) {
                add_cuts(option, first_code, tree);
            } else {
                const auto n_codes = static_cast<std::uint32_t>(run.table().code_start[column + 1] - first_code);
                const bool has_missing = run.table().has_missing[column] != 0;
                tree.missing_branch[v] = add_codes(option, has_missing ? n_codes - 1 : n_codes, tree);
            }
        }
        tree.child_start.push_back(static_cast<std::int64_t>(tree.child.size()));
        tree.threshold_start.push_back(static_cast<std::int64_t>(tree.left.size()));
        tree.code_to_branch_start.push_back(static_cast<std::int64_t>(tree.code_to_branch.size()));
    }
    return tree;
}

void route_codes(const Growth& run, const BinEdges& bins, std::span<const CodeColumn> columns,
                 std::span<std::int32_t> leaf) {
    struct Step {
        std::size_t column;
        std::int32_t first_child;
        std::vector<Branch> branch;  // of each code
    };
    std::vector<std::int32_t> step_of(run.nodes().rows.size(), -1);
    std::vector<Step> steps;
    for (const Expansion& expanded : run.expansions()) {
        const Option& option = expanded.option;
        if (option.kind == FamilyKind::own) throw std::invalid_argument("route_codes: a user's own split needs rows");
        const auto column = static_cast<std::size_t>(option.column);
        const auto node = static_cast<std::size_t>(expanded.leaf);
        std::vector<Branch> branch = branch_of_code(option, run.table());
        if (option.kind == FamilyKind::intervals) {
            const auto start = static_cast<std::size_t>(run.table().code_start[column]);
            for (std::size_t r = 0; r < option.first.size(); ++r) {
                const std::size_t left = option.first[r], right = static_cast<std::size_t>(option.second[r]);
                const std::size_t last = last_left(start + left, start + right, bins) - start;
                std::fill_n(branch.begin() + static_cast<std::ptrdiff_t>(left), last - left + 1, static_cast<Branch>(r));
            }
            if (run.table().has_missing[column] != 0) branch.back() = option.missing;
        }
        for (Branch& b : branch) b = b == kUnseen ? expanded.default_branch : b;
        step_of[node] = static_cast<std::int32_t>(steps.size());
        steps.push_back({column, expanded.first_child, std::move(branch)});
    }
    for (std::size_t row = 0; row < leaf.size(); ++row) {
        std::int32_t node = 0;
        for (std::int32_t s = step_of[0]; s >= 0; s = step_of[static_cast<std::size_t>(node)]) {
            const Step& step = steps[static_cast<std::size_t>(s)];
            node = step.first_child + step.branch[code_at(columns[step.column], row)];
        }
        leaf[row] = node;
    }
}

}  // namespace polytomy
