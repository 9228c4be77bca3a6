// cpp/grow/plan.cpp: see plan.hpp.
#include "grow/plan.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"

namespace polytomy {
namespace {

// The children a node has just got are the last of the list.
void add_children(const PlannedTree& tree, std::int32_t node, std::vector<std::int32_t>& to) {
    const std::int32_t first = tree.nodes[static_cast<std::size_t>(node)].first_child;
    for (auto v = static_cast<std::int32_t>(tree.nodes.size()) - 1; first >= 0 && v >= first; --v) to.push_back(v);
}

}  // namespace

Plan::Plan(const CodedTable& table, LocalRows& rows, const PoolSettings& settings, const Chooser& chooser,
           std::span<const Weight> root, Leaf leaf, std::int64_t apart, int threads)
    : table_(table), rows_(rows), settings_(settings), chooser_(chooser), apart_(apart), threads_(threads),
      pool_(table, rows, settings, table.rows),
      top_(one_leaf(root, std::move(leaf), static_cast<std::int64_t>(table.rows), 0)), waiting_{0} {
    rows.expect_small_nodes();
}

PlannedTree Plan::one_leaf(std::span<const Weight> counts, Leaf leaf, std::int64_t rows, std::int32_t depth) {
    PlannedTree tree;
    tree.nodes.emplace_back();
    tree.nodes[0].leaf = std::move(leaf);
    tree.nodes[0].rows = rows;
    tree.nodes[0].depth = depth;
    tree.counts.assign(counts.begin(), counts.end());
    return tree;
}

bool Plan::advance(Deadline deadline) {
    const auto in_time = [deadline] { return std::chrono::steady_clock::now() < deadline; };
    while (!waiting_.empty() && in_time()) {
        const std::int32_t node = waiting_.back();
        waiting_.pop_back();
        if (top_.nodes[static_cast<std::size_t>(node)].rows <= apart_) {
            set_apart(node);
            continue;
        }
        split(top_, node, pool_, chooser_);
        add_children(top_, node, waiting_);
    }
    if (!waiting_.empty()) return true;
    if (order_.empty()) {
        order_.resize(subtrees_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::stable_sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) {
            return subtrees_[a]->rows.size() > subtrees_[b]->rows.size();
        });
    }
    std::atomic<std::size_t> next{next_};
    parallel_blocks(static_cast<std::size_t>(threads_), threads_, [&](std::size_t, std::size_t, std::size_t) {
        Chooser chooser = chooser_;
        chooser.set_threads(1);
        while (in_time()) {
            const std::size_t i = next.fetch_add(1);
            if (i >= order_.size()) break;
            plan_apart(*subtrees_[order_[i]], chooser);
        }
    });
    next_ = std::min(next.load(), order_.size());
    return next_ < order_.size();
}

// Start a subtree at a node of the top tree.
void Plan::set_apart(std::int32_t node) {
    PlannedNode& planned = top_.nodes[static_cast<std::size_t>(node)];
    if (planned.leaf.impurity <= 0.0) return;
    planned.apart = static_cast<std::int32_t>(subtrees_.size());
    const std::span<const Weight> held = counts({0, node});
    subtrees_.push_back(std::make_unique<Subtree>());
    subtrees_.back()->rows = rows_.members(node);
    subtrees_.back()->tree = one_leaf(held, planned.leaf, planned.rows, planned.depth);
    pool_.release(node);
}

void Plan::plan_apart(Subtree& subtree, Chooser& chooser) const {
    LocalRows rows(rows_, subtree.rows);
    PoolSettings settings = settings_;
    settings.memory /= static_cast<std::size_t>(threads_);
    HistogramPool pool(table_, rows, settings, subtree.rows.size());
    std::vector<std::int32_t> waiting{0};
    while (!waiting.empty()) {
        const std::int32_t node = waiting.back();
        waiting.pop_back();
        split(subtree.tree, node, pool, chooser);
        add_children(subtree.tree, node, waiting);
    }
}

// Choose a node's option and add its children to the list. Nodes have the same numbers in the list and in the pool.
void Plan::split(PlannedTree& tree, std::int32_t node, HistogramPool& pool, Chooser& chooser) const {
    PlannedNode& planned = tree.nodes[static_cast<std::size_t>(node)];
    if (planned.leaf.impurity > 0.0) {
        planned.reason = chooser.choose(planned.leaf, planned.depth, planned.rows, 1,
                                        [&](const DrawnColumns& drawn) { return pool.histograms(node, drawn); },
                                        [] { return std::span<const Row>{}; });
    }
    if (planned.leaf.impurity <= 0.0 || planned.reason) {
        planned.leaf.menu.clear();
        pool.release(node);
        return;
    }
    std::vector<Move> moves;
    moves.push_back(to_move(planned.leaf.chosen(), node, table_));
    const Children children = std::move(pool.move(std::move(moves)).front());
    planned.first_child = static_cast<std::int32_t>(tree.nodes.size());
    const std::int32_t depth = planned.depth + 1;
    const std::uint64_t key = planned.leaf.key;
    const AskedColumns asked = chooser.asked_below(planned.leaf, planned.leaf.chosen());
    tree.counts.insert(tree.counts.end(), children.counts.begin(), children.counts.end());
    for (std::size_t b = 0; b < children.rows.size(); ++b) {
        PlannedNode child;
        child.leaf = chooser.leaf_of(std::span(children.counts).subspan(b * settings_.classes, settings_.classes),
                                     children.residue(b));
        child.leaf.key = child_key(key, b);
        child.leaf.asked = asked;
        child.rows = children.rows[b];
        child.depth = depth;
        tree.nodes.push_back(std::move(child));
    }
}

PlannedNode& Plan::at(Place place) noexcept {
    PlannedTree& tree = place.tree == 0 ? top_ : subtrees_[static_cast<std::size_t>(place.tree - 1)]->tree;
    return tree.nodes[static_cast<std::size_t>(place.node)];
}

Plan::Place Plan::root() const noexcept {
    const std::int32_t apart = top_.nodes[0].apart;
    return {apart < 0 ? 0 : apart + 1, 0};
}

Plan::Place Plan::child(Place parent, std::int32_t branch) const noexcept {
    const PlannedTree& tree = parent.tree == 0 ? top_ : subtrees_[static_cast<std::size_t>(parent.tree - 1)]->tree;
    const std::int32_t node = tree.nodes[static_cast<std::size_t>(parent.node)].first_child + branch;
    const std::int32_t apart = tree.nodes[static_cast<std::size_t>(node)].apart;
    return apart < 0 ? Place{parent.tree, node} : Place{apart + 1, 0};
}

std::span<const Weight> Plan::counts(Place place) const noexcept {
    const PlannedTree& tree = place.tree == 0 ? top_ : subtrees_[static_cast<std::size_t>(place.tree - 1)]->tree;
    return std::span(tree.counts).subspan(static_cast<std::size_t>(place.node) * settings_.classes, settings_.classes);
}

}  // namespace polytomy
