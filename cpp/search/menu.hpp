// cpp/search/menu.hpp: the parameters of a search at one node, and how the options of all columns become one menu.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "search/index.hpp"

namespace polytomy {

struct Query {
    const Index* index;
    double node_value;  // F of the node
    int max_arity;
    Weight min_rows;    // fewest rows of a child
    const double* prices;  // of 2, 3, ..., max_arity branches
    double floor;       // best binary gain that is already known
    int threads;
    Weight min_weight = 0;  // least weight of a child
};

// Returns the best option of each arity: the one with the largest gain, or within the tie tolerance the one of the lowest
// column. `Option` must have `double gain` and `std::int32_t column`.
template <class Option>
std::vector<Option> best_by_arity(std::vector<std::vector<Option>>&& by_column, const Query& query) {
    std::size_t arities = 0;
    for (const auto& options : by_column) arities = std::max(arities, options.size());
    std::vector<Option> menu(arities);
    for (std::size_t a = 0; a < arities; ++a) {
        double most = -kInfinity;
        for (const auto& options : by_column) {
            if (a < options.size()) most = std::max(most, options[a].gain);
        }
        if (most < 0.0) continue;
        for (auto& options : by_column) {
            if (a < options.size() && options[a].gain >= most - kTie * query.node_value) {
                menu[a] = std::move(options[a]);
                break;
            }
        }
    }
    return menu;
}

// The skip lemma: if the bound on the gain of k > 2 branches, divided by their price, is not above the best binary gain,
// then no option with k branches can win. Returns the largest arity that may win; 2 if only binary options can.
inline int widest_that_may_win(const std::vector<double>& gain_bounds, double best_binary, const Query& query) noexcept {
    int widest = 2;
    const int most = std::min(query.max_arity, static_cast<int>(gain_bounds.size()) + 1);
    for (int k = 3; k <= most; ++k) {
        const auto at = static_cast<std::size_t>(k - 2);
        if (gain_bounds[at] > query.prices[at] * best_binary + kTie * query.node_value) widest = k;
    }
    return widest;
}

// A line below the prices of 3 and more branches, start + slope * (k - 1). It touches the last price and is as high as
// possible without being above another price.
struct PriceLine {
    double start;
    double slope;
};

inline PriceLine price_line(const Query& query) noexcept {
    const int last = query.max_arity;
    if (last < 3) return {0.0, 0.0};
    const double dearest = query.prices[last - 2];
    double slope = 0.0;
    for (int k = 3; k < last; ++k) slope = std::max(slope, (dearest - query.prices[k - 2]) / (last - k));
    if (last == 3) slope = dearest / 2.0;
    return {dearest - slope * (last - 1), slope};
}

// Calls search(tool, i) for each i in 0..n-1 on as many threads as the index and the work allow. Every thread creates one
// tool, whose memory is reused for all its columns.
template <class MakeTool, class Search>
void each_column(std::size_t n, std::size_t work, const Query& query, MakeTool&& make_tool, Search&& search) {
    constexpr std::size_t kGrain = 20000;  // codes per thread for which starting it pays off
    const int threads = query.index->parallel() ? worth(work, kGrain, query.threads) : 1;
    // Columns differ in cost (most skip the dynamic program), so threads take the next one as they finish.
    std::atomic<std::size_t> next{0};
    parallel_blocks(static_cast<std::size_t>(threads), threads, [&](std::size_t, std::size_t, std::size_t) {
        auto tool = make_tool();
        for (std::size_t i = next.fetch_add(1); i < n; i = next.fetch_add(1)) search(tool, i);
    });
}

}  // namespace polytomy
