// cpp/grow/grown_tree.cpp: see grown_tree.hpp.
#include "grow/grown_tree.hpp"

#include <algorithm>
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

void route_codes(const Growth& run, std::span<const std::int64_t> last_left, std::span<const CodeColumn> columns,
                 std::span<std::int32_t> leaf) {
    struct Step {
        std::size_t column;
        std::int32_t first_child;
        std::vector<Branch> branch;  // of each code
    };
    const GrownTree tree = grown_tree(run);
    if (last_left.size() != tree.left.size()) throw std::invalid_argument("route_codes: one code for each threshold");
    std::vector<std::int32_t> step_of(run.nodes().rows.size(), -1);
    std::vector<Step> steps;
    for (const Expansion& expanded : run.expansions()) {
        const Option& option = expanded.option;
        if (option.kind == FamilyKind::own) throw std::invalid_argument("route_codes: a user's own split needs rows");
        const auto column = static_cast<std::size_t>(option.column);
        const auto node = static_cast<std::size_t>(expanded.leaf);
        std::vector<Branch> branch = branch_of_code(option, run.table());
        if (option.kind == FamilyKind::intervals) {
            const auto first = static_cast<std::size_t>(tree.threshold_start[node]);
            const auto cuts = last_left.subspan(first, static_cast<std::size_t>(tree.threshold_start[node + 1]) - first);
            std::int64_t code = run.table().code_start[column];
            for (Branch& b : branch) {
                b = static_cast<Branch>(std::count_if(cuts.begin(), cuts.end(), [code](auto last) { return code > last; }));
                ++code;
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
