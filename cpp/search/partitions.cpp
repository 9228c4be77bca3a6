// cpp/search/partitions.cpp: see partitions.hpp. Eight items have 4140 partitions and 255 possible blocks, so every block
// is evaluated once and every partition is tried.
#include "search/partitions.hpp"

#include <algorithm>
#include <array>

#include "base/cancellation.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kMost = 8;

// Visits every partition of n items as its restricted growth string, in lexicographic order.
template <class Visit>
void visit_partitions(std::size_t n, Visit&& visit) {
    std::array<std::size_t, kMost> block{};
    std::array<std::size_t, kMost + 1> used{};  // blocks in use before item i
    used[0] = 0;
    std::size_t i = 0;
    block[0] = 0;
    while (true) {
        used[i + 1] = std::max(used[i], block[i] + 1);
        if (i + 1 < n) {
            block[++i] = 0;
            continue;
        }
        visit(block, used[n]);
        while (block[i] == used[i]) {  // the item already has a block of its own: backtrack
            if (i == 0) return;
            --i;
        }
        if (i == 0) return;
        ++block[i];
    }
}

}  // namespace

std::vector<Blocks> best_partitions(const Index& index, std::size_t classes, const std::vector<Weight>& counts,
                                    const std::vector<Weight>& rows, int max_arity, Weight min_rows,
                                    double node_value, Weight min_weight, const ValueLimits& values) {
    const std::size_t n = rows.size();
    const std::size_t subsets = std::size_t{1} << n;
    std::vector<double> sums(classes * subsets, 0.0);
    std::vector<double> value(subsets);
    for (std::size_t mask = 1; mask < subsets; ++mask) {
        poll(n * classes);
        for (std::size_t i = 0; i < n; ++i) {
            if ((mask >> i & 1) == 0) continue;
            for (std::size_t c = 0; c < classes; ++c) {
                sums[c * subsets + mask] += static_cast<double>(counts[i * classes + c]);
            }
        }
    }
    index.values(sums.data(), subsets, subsets, classes, value.data());
    for (std::size_t mask = 1; mask < subsets; ++mask) {
        Weight inside = 0;
        for (std::size_t i = 0; i < n; ++i) inside += (mask >> i & 1) != 0 ? rows[i] : 0;
        double weight = 0.0;
        for (std::size_t c = 0; c < classes; ++c) weight += sums[c * subsets + mask];
        double ranks = 0.0;
        for (std::size_t c = 0; c < values.ranks.size(); ++c) ranks += values.ranks[c] * sums[c * subsets + mask];
        const bool fits = inside >= min_rows && weight >= static_cast<double>(min_weight) && values.admit(ranks, weight);
        if (!fits) value[mask] = kInfinity;
    }
    const auto cost = [&](const std::array<std::size_t, kMost>& block, std::size_t k) {
        std::array<std::size_t, kMost> mask{};
        for (std::size_t i = 0; i < n; ++i) mask[block[i]] |= std::size_t{1} << i;
        double total = 0.0;
        for (std::size_t b = 0; b < k; ++b) total += value[mask[b]];
        return total;
    };

    const auto most = std::min(n, static_cast<std::size_t>(max_arity));
    std::vector<double> least(n + 1, kInfinity);
    visit_partitions(n, [&](const auto& block, std::size_t k) {
        if (k <= most) least[k] = std::min(least[k], cost(block, k));
    });
    std::vector<Blocks> options(most < 2 ? 0 : most - 1);
    visit_partitions(n, [&](const auto& block, std::size_t k) {
        if (k < 2 || k > most || !(least[k] < kInfinity) || !options[k - 2].block.empty()) return;
        if (cost(block, k) > least[k] + kTie * node_value) return;
        const double gain = node_value - least[k];
        options[k - 2].gain = gain > kTie * node_value ? gain : 0.0;
        for (std::size_t i = 0; i < n; ++i) options[k - 2].block.push_back(static_cast<Branch>(block[i]));
    });
    return options;
}

}  // namespace polytomy
