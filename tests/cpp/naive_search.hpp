// tests/cpp/naive_search.hpp: index functions and searches for splits, written from their definitions.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "base/types.hpp"
#include "random.hpp"
#include "search/index.hpp"

namespace polytomy {

inline constexpr IndexKind kKinds[] = {IndexKind::sqrt, IndexKind::gini, IndexKind::entropy, IndexKind::error};

// Sums over pairs of classes avoid cancellation, so that a useless split has no gain here either.
inline double naive_value(IndexKind kind, const std::vector<Weight>& counts) {
    long double n = 0.0L, most = 0.0L, roots = 0.0L, products = 0.0L, nats = 0.0L;
    for (const Weight w : counts) n += static_cast<long double>(w);
    for (std::size_t a = 0; a < counts.size(); ++a) {
        const auto c = static_cast<long double>(counts[a]);
        most = std::max(most, c);
        if (counts[a] > 0) nats += c * std::log1p((n - c) / c);
        for (std::size_t b = 0; b < a; ++b) {
            const auto d = static_cast<long double>(counts[b]);
            roots += 2.0L * std::sqrt(c * d);
            products += 4.0L * c * d;
        }
    }
    switch (kind) {
        case IndexKind::sqrt: return static_cast<double>(roots);
        case IndexKind::gini: return n > 0.0L ? static_cast<double>(products / n) : 0.0;
        case IndexKind::entropy: return static_cast<double>(nats / std::log(2.0L));
        default: return static_cast<double>(2.0L * (n - most));
    }
}

struct Item {
    std::vector<Weight> counts;
    Weight rows = 0;

    [[nodiscard]] Weight weight() const { return std::accumulate(counts.begin(), counts.end(), Weight{0}); }
    void add(const Item& other) {
        for (std::size_t c = 0; c < counts.size(); ++c) counts[c] += other.counts[c];
        rows += other.rows;
    }
};

// Returns items with positive weights; small counts make ties, large ones are like fixed-point weights.
inline std::vector<Item> random_items(Random& random, std::size_t n, std::size_t classes) {
    const std::size_t scale = random.below(3);
    const std::size_t most = scale == 0 ? 3 : scale == 1 ? 100 : std::size_t{1} << 45;
    std::vector<Item> items(n);
    for (Item& item : items) {
        for (std::size_t c = 0; c < classes; ++c) {
            item.counts.push_back(random.one_in(3) ? 0 : static_cast<Weight>(random.below(most)));
        }
        item.counts[random.below(classes)] += 1;
        item.rows = scale < 2 ? item.weight() : static_cast<Weight>(1 + random.below(6));
    }
    return items;
}

inline Item total_of(const std::vector<Item>& items, std::size_t classes) {
    Item total{std::vector<Weight>(classes, 0), 0};
    for (const Item& item : items) total.add(item);
    return total;
}

struct SearchParams {
    IndexKind kind;
    Weight min_rows;
    double node_value;
    Weight min_weight = 0;
};

// Returns the sum of F over the children; infinite if a child has too few rows or too little weight.
inline double cost_of(const std::vector<Item>& children, const SearchParams& params) {
    double cost = 0.0;
    for (const Item& child : children) {
        if (child.rows < params.min_rows || child.weight() < params.min_weight) return kInfinity;
        cost += naive_value(params.kind, child.counts);
    }
    return cost;
}

// An option, and the key that decides ties: the smallest wins.
struct Candidate {
    double cost = kInfinity;
    std::vector<std::uint32_t> key;
};

struct Chosen {
    double gain = -kInfinity;
    std::vector<std::uint32_t> key;
};

inline Chosen choose(const std::vector<Candidate>& candidates, const SearchParams& params) {
    double least = kInfinity;
    for (const Candidate& c : candidates) least = std::min(least, c.cost);
    if (!(least < kInfinity)) return {};
    Chosen chosen;
    const double gain = params.node_value - least;
    chosen.gain = gain > kTie * params.node_value ? gain : 0.0;
    for (const Candidate& c : candidates) {
        if (c.cost > least + kTie * params.node_value) continue;
        if (chosen.key.empty() || c.key < chosen.key) chosen.key = c.key;
    }
    return chosen;
}

// Tries every way to cut the items into runs and to place the missing rows; returns the best by arity. The key is the
// ends of the runs (the number of items if the missing rows are the last run), then the run of the missing rows.
inline std::vector<Chosen> naive_runs(const std::vector<Item>& items, const std::optional<Item>& missing,
                                      const SearchParams& params) {
    const std::size_t n = items.size();
    std::vector<std::vector<Candidate>> candidates(n + 2);
    for (std::size_t cuts = 0; n > 0 && cuts < std::size_t{1} << (n - 1); ++cuts) {
        std::vector<Item> runs{items[0]};
        std::vector<std::uint32_t> ends;
        for (std::size_t i = 1; i < n; ++i) {
            if ((cuts >> (i - 1) & 1) == 0) {
                runs.back().add(items[i]);
                continue;
            }
            ends.push_back(static_cast<std::uint32_t>(i));
            runs.push_back(items[i]);
        }
        if (!missing) candidates[runs.size()].push_back({cost_of(runs, params), ends});
        for (std::size_t r = 0; missing && r <= runs.size(); ++r) {
            std::vector<Item> placed = runs;
            std::vector<std::uint32_t> key = ends;
            if (r == runs.size()) {
                placed.push_back(*missing);
                key.push_back(static_cast<std::uint32_t>(n));
            } else {
                placed[r].add(*missing);
            }
            key.push_back(static_cast<std::uint32_t>(r));
            candidates[placed.size()].push_back({cost_of(placed, params), key});
        }
    }
    std::vector<Chosen> chosen;
    for (const auto& of_arity : candidates) chosen.push_back(choose(of_arity, params));
    return chosen;
}

}  // namespace polytomy
