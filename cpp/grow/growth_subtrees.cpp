// cpp/grow/growth_subtrees.cpp: the growth loop on subtrees whose splits were found at once; see subtrees.hpp.
#include <algorithm>
#include <numeric>

#include "grow/growth.hpp"

namespace polytomy {
namespace {

// The cut of a binary option on an ordered column.
FoundNode as_found(const Option& option) noexcept {
    FoundNode node;
    node.column = option.column;
    node.missing = static_cast<std::int8_t>(option.missing);
    if (option.first.empty()) return node;
    node.left = static_cast<std::int32_t>(option.first.front());
    node.right = option.second.front();
    return node;
}

}  // namespace

// Find all splits below a node of few rows.
void Growth::find_subtree(std::int32_t node, std::uint64_t key) {
    const auto at = static_cast<std::size_t>(node);
    if (static_cast<std::size_t>(nodes_.rows[at]) > subtrees_->most_rows()) return;
    LocalRows& local = *sample_.source->local();
    const SubtreeSearch::Root root{std::span(nodes_.counts).subspan(at * classes(), classes()),
                                   nodes_.residues.empty() ? nullptr : &nodes_.residues[at], key, nodes_.depth[at]};
    const std::optional<std::int32_t> place = subtrees_->find(root, local.members(in_source(node)), local, chooser_);
    if (!place) return;
    in_subtree_[at] = *place;
    pool_->release(in_source(node));
}

// Put a leaf on the frontier whose split is known, unless it is pure or has none.
void Growth::add_found(std::int32_t node) {
    const FoundNode& leaf = found(node);
    if (leaf.impurity <= 0.0 || (rules_.steepest && retire_found(node))) return;
    frontier_.push(rules_.steepest ? subtrees_->score(leaf) : leaf.impurity, node, std::max(leaf.first_child, 0));
}

bool Growth::retire_found(std::int32_t node) {
    const std::optional<Reason> reason = found(node).reason;
    if (reason) retirements_.push_back({node, *reason, n_leaves_});
    return reason.has_value();
}

// The position of the children is known from the frontier: otherwise the position of the leaf, the leaf and its children would
// be loaded one after the other, mostly from far away.
void Growth::expand_found(std::int32_t node, std::int32_t first_child) {
    const auto first = static_cast<std::int32_t>(nodes_.rows.size());
    double weight[2];
    for (std::int32_t b = 0; b < 2; ++b) {
        const std::span<const Weight> counts = subtrees_->counts(first_child + b);
        weight[b] = static_cast<double>(std::accumulate(counts.begin(), counts.end(), Weight{0}));
        add_node(node, counts, nullptr, subtrees_->at(first_child + b).n_rows, -1);
        in_subtree_.back() = first_child + b;
    }
    const FoundNode& leaf = found(node);
    const Branch default_branch = first_is_heavier(weight[0], weight[1]) ? 0 : 1;
    expansions_.push_back({node, ~in_subtree_[static_cast<std::size_t>(node)], leaf.impurity, leaf.gain, n_leaves_, first, default_branch});
    ++n_leaves_;
    for (std::int32_t b = 0; b < 2; ++b) add_found(first + b);
}

// The order of two leaves by the options chosen. If one of them was found with a subtree, both are cuts of the same family.
int Growth::compare_options(std::int32_t a, std::int32_t b) const noexcept {
    if (!is_found(a) && !is_found(b)) return compare(leaf_at(a).chosen(), leaf_at(b).chosen());
    return compare(is_found(a) ? found(a) : as_found(leaf_at(a).chosen()), is_found(b) ? found(b) : as_found(leaf_at(b).chosen()));
}

void Growth::read_found_leaves(std::int32_t* leaf) const {
    std::vector<bool> is_split(in_subtree_.size(), false);
    for (const Expansion& expanded : expansions_) is_split[static_cast<std::size_t>(expanded.leaf)] = true;
    for (std::size_t node = 0; node < in_subtree_.size(); ++node) {
        if (in_subtree_[node] < 0 || is_split[node]) continue;
        for (const Row row : subtrees_->rows(subtrees_->at(in_subtree_[node]))) leaf[row] = static_cast<std::int32_t>(node);
    }
}

}  // namespace polytomy
