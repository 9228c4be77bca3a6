// cpp/search/values.cpp: see values.hpp.
#include "search/values.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/cancellation.hpp"
#include "search/categories.hpp"

namespace polytomy {
namespace {

// Returns whether these items together can be a child.
bool fits(const Categories& held, std::initializer_list<std::size_t> items, std::size_t classes, const Query& query) {
    Weight rows = 0;
    Weight weight = 0;
    double ranks = 0.0;
    const auto of_class = query.values.ranks;
    for (const std::size_t item : items) {
        rows += held.rows[item];
        for (std::size_t c = 0; c < classes; ++c) weight += held.counts[item * classes + c];
        for (std::size_t c = 0; c < of_class.size(); ++c) {
            ranks += of_class[c] * static_cast<double>(held.counts[item * classes + c]);
        }
    }
    return rows >= query.min_rows && weight >= query.min_weight && query.values.admit(ranks, static_cast<double>(weight));
}

// Whether the children are apart in the order of their values, if each item is one and the last joins another or none.
bool are_apart(const Categories& held, std::size_t n, Branch joins, std::size_t classes, const ValueLimits& limits) {
    if (limits.apart <= 0.0) return true;
    std::vector<std::pair<double, double>> children(n, {0.0, 0.0});  // ranks and weight
    for (std::size_t i = 0; i < held.codes.size(); ++i) {
        auto& [ranks, weight] = children[i < n ? i : static_cast<std::size_t>(joins)];
        for (std::size_t c = 0; c < classes; ++c) {
            const auto count = static_cast<double>(held.counts[i * classes + c]);
            ranks += limits.ranks[c] * count;
            weight += count;
        }
    }
    std::sort(children.begin(), children.end(), [](const auto& a, const auto& b) { return a.first * b.second < b.first * a.second; });
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const auto& [sum, weight] = children[i];
        if (!limits.admit_pair(sum, weight, children[i + 1].first, children[i + 1].second, 0)) return false;
    }
    return true;
}

// The child that the missing rows join at the least cost, the first within the tie tolerance. Every child must fit; at most
// one may need the missing rows for that.
struct Joined {
    double cost = kInfinity;
    Branch child = kUnseen;
};

Joined join_missing(const Categories& held, std::size_t classes, const std::vector<double>& value, double cost,
                    const Query& query) {
    const std::size_t named = held.codes.size() - 1;
    Categories merged = held;
    for (std::size_t i = 0; i < named; ++i) {
        for (std::size_t c = 0; c < classes; ++c) merged.counts[i * classes + c] += held.counts[named * classes + c];
    }
    std::vector<double> total = item_values(merged, classes, *query.index);
    total.resize(named);
    const auto small = [&](std::size_t i) { return !fits(held, {i}, classes, query); };
    std::size_t n_small = 0;
    for (std::size_t i = 0; i < named; ++i) n_small += small(i) ? 1 : 0;
    for (std::size_t i = 0; i < named; ++i) {
        const bool enough = fits(held, {i, named}, classes, query);
        const bool all_fit = enough && n_small == (small(i) ? 1 : 0) &&
                             are_apart(held, named, static_cast<Branch>(i), classes, query.values);
        total[i] = all_fit ? cost - value[i] + total[i] : kInfinity;
    }
    Joined best;
    best.cost = *std::min_element(total.begin(), total.end());
    const auto first = std::find_if(total.begin(), total.end(), [&](double t) {
        return t <= best.cost + kTie * query.node_value;
    });
    best.child = static_cast<Branch>(first - total.begin());
    return best;
}

}  // namespace

std::vector<ValueOption> value_options(const Histograms& node, std::span<const std::int32_t> columns,
                                       const Query& query) {
    std::vector<ValueOption> options;
    const auto offer = [&](std::int32_t column, std::size_t arity, double cost, Branch joins) {
        if (arity < 2 || arity > static_cast<std::size_t>(query.max_arity) || !(cost < kInfinity)) return;
        const double gain = query.node_value - cost;
        options.push_back({gain > kTie * query.node_value ? gain : 0.0, column, static_cast<std::int32_t>(arity), joins});
    };
    for (const std::int32_t column : columns) {
        poll(4 * node.n_codes(static_cast<std::size_t>(column)) * node.classes);
        const Categories held = held_categories(node, static_cast<std::size_t>(column));
        const std::size_t n = held.codes.size();
        if (n < 2) continue;
        const std::vector<double> value = item_values(held, node.classes, *query.index);
        const std::size_t named = held.missing_last ? n - 1 : n;
        double cost = 0.0;
        for (std::size_t i = 0; i < named; ++i) cost += value[i];
        bool all_fit = are_apart(held, n, kUnseen, node.classes, query.values);
        for (std::size_t i = 0; i < n; ++i) all_fit = all_fit && fits(held, {i}, node.classes, query);
        const double alone = held.missing_last ? cost + value[named] : cost;
        if (held.missing_last) {
            const Joined joined = join_missing(held, node.classes, value, cost, query);
            offer(column, named, joined.cost, joined.child);
        }
        offer(column, n, all_fit ? alone : kInfinity, kUnseen);
    }
    return options;
}

}  // namespace polytomy
