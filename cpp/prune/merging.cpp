// cpp/prune/merging.cpp: see merging.hpp.
#include "prune/merging.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include "base/cancellation.hpp"

namespace polytomy {
namespace {

constexpr std::int8_t kIntervals = 1, kCodes = 2;

}  // namespace

MergedPrunings::MergedPrunings(const PrunableTree& tree, const MergingPrices& prices, std::size_t cap)
    : tree_(tree), prices_(prices), cap_(cap) {
    const std::size_t n = tree_.kind.size();
    if (n == 0 || cap == 0) throw std::invalid_argument("MergedPrunings: at least one node and one leaf");
    batch_.resize(tree_.classes * n);
    for (std::size_t v = 0; v < n; ++v) {
        for (std::size_t c = 0; c < tree_.classes; ++c) {
            batch_[c * n + v] = static_cast<double>(tree_.counts[v * tree_.classes + c]);
        }
    }
    leaf_loss_.resize(n);
    losses(n, leaf_loss_.data());
    cost_.resize(n);
    splits_.resize(n);
    if (!prices_.column_prices.empty()) find_parents();
    std::vector<bool> inside(n, false);  // of a wide split, rather than its first node
    for (std::size_t v = 0; v < n; ++v) {
        for (const std::int32_t c : children(v)) inside[static_cast<std::size_t>(c)] = joins(v, static_cast<std::size_t>(c));
    }
    for (std::size_t v = n; v-- > 0;) {
        poll(64);
        if (!inside[v]) solve(v);
    }
    costs_ = cost_[0];
}

// The losses of n count vectors in batch_, class by class.
void MergedPrunings::losses(std::size_t n, double* out) {
    const double share = prices_.impurity_share;
    if (share > 0.0) prices_.index->values(batch_.data(), n, n, tree_.classes, out);
    for (std::size_t i = 0; i < n; ++i) {
        double total = 0.0, most = 0.0;
        for (std::size_t c = 0; c < tree_.classes; ++c) {
            total += batch_[c * n + i];
            most = std::max(most, batch_[c * n + i]);
        }
        out[i] = (1.0 - share) * (total - most) + (share > 0.0 ? share * 0.5 * out[i] : 0.0);
    }
}

std::span<const std::int32_t> MergedPrunings::children(std::size_t v) const noexcept {
    return tree_.child.subspan(static_cast<std::size_t>(tree_.child_start[v]),
                               static_cast<std::size_t>(tree_.child_start[v + 1] - tree_.child_start[v]));
}

bool MergedPrunings::joins(std::size_t v, std::size_t child) const noexcept {
    const bool orderly = tree_.kind[v] == kIntervals || tree_.kind[v] == kCodes;
    return prices_.contract && orderly && tree_.kind[child] == tree_.kind[v] && tree_.column[child] == tree_.column[v];
}

Weight MergedPrunings::weight(std::size_t v) const noexcept {
    const Weight* counts = tree_.counts.data() + v * tree_.classes;
    return std::accumulate(counts, counts + tree_.classes, Weight{0});
}

// The branches of a split into groups, by the share of a class; ranges keep their order.
std::vector<std::size_t> MergedPrunings::in_share_order(std::size_t v, std::size_t top) const {
    std::vector<std::size_t> order(children(v).size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (tree_.kind[v] != kCodes) return order;
    std::vector<double> share;
    for (const std::int32_t child : children(v)) {
        const auto c = static_cast<std::size_t>(child);
        share.push_back(static_cast<double>(tree_.counts[c * tree_.classes + top]) / static_cast<double>(weight(c)));
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return share[a] < share[b]; });
    return order;
}

// The nodes after the wide split that begins at v, from left to right. Groups of one node stay together, so that the
// tree at any earlier step of its growth is among the prunings.
void MergedPrunings::find_branches(std::size_t v, Split& split) const {
    const Weight* counts = tree_.counts.data() + v * tree_.classes;
    const auto top = static_cast<std::size_t>(std::max_element(counts, counts + tree_.classes) - counts);
    std::vector<std::size_t> waiting{v};
    while (!waiting.empty()) {
        const std::size_t here = waiting.back();
        waiting.pop_back();
        if (here != v && !joins(v, here)) {
            split.branches.push_back(static_cast<std::int32_t>(here));
            continue;
        }
        const std::vector<std::size_t> order = in_share_order(here, top);
        std::size_t n = order.size();
        if (tree_.kind[here] == kIntervals && n == static_cast<std::size_t>(tree_.n_thresholds[here]) + 2) {
            split.missing = children(here)[--n];
        }
        while (n-- > 0) waiting.push_back(static_cast<std::size_t>(children(here)[order[n]]));
    }
}

// out[i], for i in 0..j-1: the loss of the branches i + 1 .. j as one leaf.
std::vector<double> MergedPrunings::run_losses(const Split& split, std::size_t j, bool with_missing) {
    std::vector<double> sum(tree_.classes, 0.0);
    const auto add = [&](std::int32_t node) {
        const Weight* counts = tree_.counts.data() + static_cast<std::size_t>(node) * tree_.classes;
        for (std::size_t c = 0; c < tree_.classes; ++c) sum[c] += static_cast<double>(counts[c]);
    };
    if (with_missing) add(split.missing);
    batch_.resize(std::max(batch_.size(), tree_.classes * j));
    for (std::size_t i = j; i-- > 0;) {
        poll(8 * tree_.classes);
        add(split.branches[i]);
        for (std::size_t c = 0; c < tree_.classes; ++c) batch_[c * j + i] = sum[c];
    }
    std::vector<double> out(j);
    losses(j, out.data());
    return out;
}

void MergedPrunings::grow_levels(Split& split, std::size_t most) {
    const bool apart = split.missing >= 0;
    const double slack = kTie * static_cast<double>(weight(0));
    const auto improve = [slack](Level& level, std::size_t leaves, double cost, Step step) {
        if (!(cost < level.cost[leaves] - slack)) return;
        level.cost[leaves] = cost;
        level.step[leaves] = step;
    };
    const auto add_alone = [&](const Level& before, const std::vector<double>& own, Level& after) {
        for (std::size_t a = 1; a <= own.size(); ++a) {
            if (own[a - 1] == kInfinity) continue;
            poll(4 * before.cost.size());
            for (std::size_t z = 0; z < before.cost.size() && z + a < after.cost.size(); ++z) {
                if (before.cost[z] == kInfinity) continue;
                improve(after, z + a, before.cost[z] + own[a - 1], {kAlone, static_cast<std::int32_t>(a)});
            }
        }
    };
    const auto add_merged = [&](const Level& before, double loss, Step step, Level& after) {
        poll(4 * before.cost.size());
        for (std::size_t z = 0; z < before.cost.size() && z + 1 < after.cost.size(); ++z) {
            if (before.cost[z] == kInfinity) continue;
            improve(after, z + 1, before.cost[z] + loss, step);
        }
    };
    const bool merge = prices_.merge && split.orderly;
    std::size_t room = 0;
    split.open.assign(1, Level{{0.0}, {{kNoStep, 0}}});
    if (apart) split.placed.assign(1, Level{{kInfinity}, {{kNoStep, 0}}});
    for (std::size_t j = 1; j <= split.branches.size(); ++j) {
        const std::vector<double>& own = cost_[static_cast<std::size_t>(split.branches[j - 1])];
        room = std::min(most, room + own.size());
        const Level none{std::vector<double>(room + 1, kInfinity), std::vector<Step>(room + 1, Step{kNoStep, 0})};
        Level open = none;
        add_alone(split.open[j - 1], own, open);
        const auto from = [](std::size_t i, std::int32_t kind) { return Step{static_cast<std::int32_t>(i), kind}; };
        const std::vector<double> loss = merge ? run_losses(split, j, false) : std::vector<double>{};
        for (std::size_t i = j - 1; merge && i-- > 0;) add_merged(split.open[i], loss[i], from(i, 0), open);
        split.open.push_back(std::move(open));
        if (!apart) continue;
        Level placed = none;
        add_alone(split.placed[j - 1], own, placed);
        if (merge) {
            for (std::size_t i = j - 1; i-- > 0;) add_merged(split.placed[i], loss[i], from(i, 0), placed);
            // A run with the missing rows; its `own` of -1 says so.
            const std::vector<double> joined = run_losses(split, j, true);
            for (std::size_t i = j; i-- > 0;) add_merged(split.open[i], joined[i], from(i, -1), placed);
        }
        split.placed.push_back(std::move(placed));
    }
}

void MergedPrunings::find_parents() {
    parent_.assign(tree_.kind.size(), -1);
    for (std::size_t v = 0; v < parent_.size(); ++v) {
        for (const std::int32_t c : children(v)) parent_[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(v);
    }
}

// A pruning keeps every node above one that it keeps, so whether a column has been asked above depends on the tree alone.
double MergedPrunings::question_price(std::size_t v) const noexcept {
    const std::int32_t column = tree_.column[v];
    if (prices_.column_prices.empty() || column < 0) return prices_.question_price;
    for (std::int32_t above = parent_[v]; above >= 0; above = parent_[static_cast<std::size_t>(above)]) {
        if (tree_.column[static_cast<std::size_t>(above)] == column) return prices_.question_price;
    }
    return prices_.question_price + prices_.column_prices[static_cast<std::size_t>(column)];
}

void MergedPrunings::solve(std::size_t v) {
    std::vector<double>& cost = cost_[v];
    cost.assign(1, leaf_loss_[v]);
    if (children(v).empty()) return;
    Split& split = splits_[v];
    split.orderly = tree_.kind[v] == kIntervals || tree_.kind[v] == kCodes;
    find_branches(v, split);
    grow_levels(split, cap_);
    Level end = split.open.back();
    if (split.missing >= 0) {
        const std::vector<double>& own = cost_[static_cast<std::size_t>(split.missing)];
        const Level open = std::move(end);
        end = split.placed.back();
        const std::size_t room = std::min(cap_, open.cost.size() - 1 + own.size());
        end.cost.resize(room + 1, kInfinity);
        end.step.assign(room + 1, Step{kNoStep, 0});
        for (std::size_t a = 1; a <= own.size(); ++a) {
            poll(4 * open.cost.size());
            for (std::size_t z = 0; z < open.cost.size() && z + a <= room; ++z) {
                const double total = open.cost[z] + own[a - 1];
                if (total < end.cost[z + a]) {
                    end.cost[z + a] = total;
                    end.step[z + a] = {kAlone, static_cast<std::int32_t>(a)};
                }
            }
        }
        split.last = end.step;
    }
    const double asked = question_price(v) * static_cast<double>(weight(v));
    cost.resize(std::max<std::size_t>(1, end.cost.size() - 1), kInfinity);
    for (std::size_t leaves = 2; leaves < end.cost.size(); ++leaves) cost[leaves - 1] = end.cost[leaves] + asked;
}

std::size_t MergedPrunings::best(double leaf_price, std::size_t most) const noexcept {
    const std::size_t n = std::min(most, costs_.size());
    const auto total = [&](std::size_t leaves) { return costs_[leaves - 1] + leaf_price * static_cast<double>(leaves); };
    double least = kInfinity;
    for (std::size_t leaves = 1; leaves <= n; ++leaves) least = std::min(least, total(leaves));
    const double enough = least + kTie * std::abs(least);
    std::size_t found = 1;
    while (total(found) > enough) ++found;
    return found;
}

MergedPrunings::Pruning MergedPrunings::at(std::size_t leaves) const {
    if (leaves == 0 || leaves > costs_.size() || costs_[leaves - 1] == kInfinity) {
        throw std::out_of_range("MergedPrunings: there is no pruning of that size");
    }
    const std::size_t n = tree_.kind.size();
    Pruning pruning{std::vector<std::int8_t>(n, kGone), std::vector<std::int32_t>(n, -1), {}, {}};
    std::vector<std::pair<std::size_t, std::size_t>> waiting{{0, leaves}};  // node, its leaves
    while (!waiting.empty()) {
        const auto [v, size] = waiting.back();
        waiting.pop_back();
        if (size == 1) {
            pruning.state[v] = kLeaf;
            continue;
        }
        pruning.state[v] = kSplit;
        const Split& split = splits_[v];
        std::size_t z = size;
        bool placed = split.missing >= 0;
        const auto last = static_cast<std::int32_t>(split.branches.size());
        // Branches are numbered from the right; the caller renumbers them.
        std::int32_t number = last;
        if (placed && split.last[z].from == kAlone) {
            const auto own = static_cast<std::size_t>(split.last[z].own);
            pruning.branch[static_cast<std::size_t>(split.missing)] = last + 1;
            waiting.emplace_back(static_cast<std::size_t>(split.missing), own);
            z -= own;
            placed = false;
        }
        for (std::int32_t j = last; j > 0; --number) {
            const auto at = static_cast<std::size_t>(j);
            const Step step = (placed ? split.placed : split.open)[at].step[z];
            if (step.from == kAlone) {
                const auto node = static_cast<std::size_t>(split.branches[at - 1]);
                pruning.branch[node] = number;
                waiting.emplace_back(node, static_cast<std::size_t>(step.own));
                z -= static_cast<std::size_t>(step.own);
                --j;
                continue;
            }
            for (std::int32_t i = step.from; i < j; ++i) {
                const auto node = static_cast<std::size_t>(split.branches[static_cast<std::size_t>(i)]);
                pruning.state[node] = kLeaf;
                pruning.branch[node] = number;
            }
            if (step.own == -1) {
                pruning.state[static_cast<std::size_t>(split.missing)] = kLeaf;
                pruning.branch[static_cast<std::size_t>(split.missing)] = number;
                placed = false;
            }
            --z;
            j = step.from;
        }
    }
    number_nodes(pruning);
    return pruning;
}

void MergedPrunings::number_nodes(Pruning& pruning) const {
    const std::size_t n = tree_.kind.size();
    pruning.number.assign(n, -1);
    std::vector<std::int32_t> above(n, -1);  // the split that a node belongs to, or lies below
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> merged;
    for (std::size_t v = 0; v < n; ++v) {  // parents come first
        if (pruning.state[v] != kGone) {
            const std::pair<std::int32_t, std::int32_t> place{above[v], pruning.branch[v]};
            const auto [found, is_new] = merged.try_emplace(place, static_cast<std::int32_t>(pruning.parent.size()));
            if (is_new) pruning.parent.push_back(above[v]);
            pruning.number[v] = found->second;
        }
        const bool below_leaf = pruning.number[v] >= 0 && pruning.state[v] != kSplit;
        for (const std::int32_t child : children(v)) {
            const auto c = static_cast<std::size_t>(child);
            if (below_leaf) pruning.number[c] = pruning.number[v];
            above[c] = pruning.state[v] == kSplit ? pruning.number[v] : above[v];
        }
    }
}

}  // namespace polytomy
