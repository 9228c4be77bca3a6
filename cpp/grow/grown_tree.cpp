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

void add_found_split(const FoundNode& found, const CodedTable& table, std::size_t v, GrownTree& tree) {
    tree.kind[v] = 1;
    tree.feature[v] = found.column;
    tree.missing_branch[v] = found.missing;
    if (found.left == kNoCut) return;
    const std::int64_t first_code = table.code_start[static_cast<std::size_t>(found.column)];
    tree.left.push_back(first_code + found.left);
    tree.right.push_back(first_code + found.right);
}

void add_option(const Option& option, const CodedTable& table, std::size_t v, GrownTree& tree) {
    const auto column = static_cast<std::size_t>(option.column);
    const std::int64_t first_code = table.code_start[column];
    tree.feature[v] = option.column;
    if (option.kind == FamilyKind::intervals) {
        tree.kind[v] = 1;
        tree.missing_branch[v] = option.missing;
        add_cuts(option, first_code, tree);
        return;
    }
    tree.kind[v] = 2;
    const auto n_codes = static_cast<std::uint32_t>(table.code_start[column + 1] - first_code);
    tree.missing_branch[v] = add_codes(option, table.has_missing[column] != 0 ? n_codes - 1 : n_codes, tree);
}

// Node v is split by an expansion of the run.
void add_split(const Growth& run, const Expansion& split, std::size_t v, GrownTree& tree) {
    const FoundNode* const found = run.found_split(split);
    const std::int32_t arity = found != nullptr ? 2 : run.chosen_option(split).arity;
    for (std::int32_t b = 0; b < arity; ++b) tree.child.push_back(split.first_child + b);
    if (found == nullptr && run.chosen_option(split).kind == FamilyKind::own) {
        tree.kind[v] = 3;
        return;
    }
    tree.default_branch[v] = split.default_branch;
    if (found != nullptr) add_found_split(*found, run.table(), v, tree);
    else add_option(run.chosen_option(split), run.table(), v, tree);
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
        start->reserve(n + 1);
        start->push_back(0);
    }
    tree.child.reserve(n);
    tree.left.reserve(run.expansions().size());
    tree.right.reserve(run.expansions().size());
    // Nodes next to each other were found far apart, so what the next ones need is fetched ahead.
    constexpr std::size_t kAhead = 16;
    for (std::size_t v = 0; v < n; ++v) {
        if (v + 2 * kAhead < n) __builtin_prefetch(split[v + 2 * kAhead]);
        if (v + kAhead < n && split[v + kAhead] != nullptr) __builtin_prefetch(run.found_split(*split[v + kAhead]));
        if (split[v] != nullptr) add_split(run, *split[v], v, tree);
        tree.child_start.push_back(static_cast<std::int64_t>(tree.child.size()));
        tree.threshold_start.push_back(static_cast<std::int64_t>(tree.left.size()));
        tree.code_to_branch_start.push_back(static_cast<std::int64_t>(tree.code_to_branch.size()));
    }
    return tree;
}

void add_up_subtrees(std::span<const std::int32_t> parent, std::size_t width, double* numbers) {
    constexpr std::int32_t kEnd = -1;
    std::vector<std::int32_t> first_child(parent.size(), kEnd), next_sibling(parent.size(), kEnd);
    for (std::size_t v = parent.size(); v-- > 0;) {
        double* const sums = numbers + v * width;
        for (std::int32_t child = first_child[v]; child != kEnd; child = next_sibling[static_cast<std::size_t>(child)]) {
            const double* more = numbers + static_cast<std::size_t>(child) * width;
            for (std::size_t i = 0; i < width; ++i) sums[i] += more[i];
        }
        if (parent[v] < 0) continue;
        const auto above = static_cast<std::size_t>(parent[v]);
        next_sibling[v] = first_child[above];
        first_child[above] = static_cast<std::int32_t>(v);
    }
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
        const Option option = run.option(expanded);
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
