// cpp/search/menu.hpp: the parameters of a search at one node, and how the options of all columns become one menu.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "search/index.hpp"

namespace polytomy {

class SearchTools;

// A bound on the values of those children of a node that compare with another node. Whether a child does depends on its
// codes if the node is split on a column of which the other holds only some; else all children do.
struct PartialBound {
    struct Part {
        std::int32_t column;
        std::int64_t first, last;  // the codes of the column that both nodes may hold; none if first > last
        bool missing;              // whether both take missing cells
    };
    double value;
    bool is_upper;
    std::vector<Part> parts;

    // The part in a column; null if all children compare.
    [[nodiscard]] const Part* in(std::int32_t column) const noexcept {
        const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.column == column; });
        return found == parts.end() ? nullptr : &*found;
    }
};

// The range in which the values of a node's children must lie: of any child, and of children that compare with all nodes
// that the node itself compares with.
struct ValueRange {
    double any_low = -kInfinity, any_high = kInfinity;
    double low = -kInfinity, high = kInfinity;
    std::vector<PartialBound> partial;  // what the second range has beyond the first
};

// Whether missing cells go to the first of two children, if none was seen: to the heavier one, on a tie to the first.
inline bool first_is_heavier(double first, double last) noexcept { return first >= last - kTie * (first + last); }

// The value of a child is the mean rank of its classes. It must lie within a range and, along a column with a direction,
// not decrease (1) or not increase (-1) from one interval to the next.
struct ValueLimits {
    std::span<const double> ranks = {};         // of the classes; empty: values are not limited
    std::span<const std::int8_t> directions = {};  // of the columns; empty: none has one
    double low = -kInfinity;
    double high = kInfinity;
    const ValueRange* range = nullptr;  // more precisely, for the children of binary splits into intervals
    double apart = 0.0;  // least difference of the values of neighbours: intervals, or groups in the order of their values

    [[nodiscard]] bool bind() const noexcept { return !ranks.empty() && (low > -kInfinity || high < kInfinity); }
    [[nodiscard]] int direction(std::int32_t column) const noexcept {
        return directions.empty() ? 0 : directions[static_cast<std::size_t>(column)];
    }
    // Whether any of the limits concerns splits on a column.
    [[nodiscard]] bool concern(std::int32_t column) const noexcept { return bind() || apart > 0.0 || direction(column) != 0; }
    // Whether two neighbours may have these sums of ranks and weights, in this order along a column with this direction.
    [[nodiscard]] bool admit_pair(double sum, double weight, double next_sum, double next_weight, int along) const noexcept {
        const double rise = next_sum * weight - sum * next_weight;
        if (along != 0 && rise * along < 0.0) return false;
        return apart <= 0.0 || (rise < 0.0 ? -rise : rise) >= apart * weight * next_weight * (1.0 - kTie);
    }
    // Whether a child whose ranks add up to `sum` is allowed.
    [[nodiscard]] bool admit(double sum, double weight) const noexcept {
        return !bind() || (sum >= low * weight && sum <= high * weight);
    }
};

struct Query {
    const Index* index;
    double node_value;  // F of the node
    int max_arity;
    Weight min_rows;    // fewest rows of a child
    const double* prices;  // of 2, 3, ..., max_arity branches
    double floor;       // best binary worth that is already known
    int threads;
    Weight min_weight = 0;  // least weight of a child
    double branch_price = 0.0;  // gain that every branch beyond the second must add
    double charge = 0.0;  // gain that a grouping of categories must pay for the logarithm of its alternatives
    int dimensions = 1;   // classes at the node less one
    double column_charge = 0.0;  // gain that asking about any of the columns costs; part of `floor`
    ValueLimits values = {};
    bool only_winner = false;  // options that another one beats may be left out, except the best binary one
    double least_score = -kInfinity;  // options with a lower score may be left out, except the best binary one
    SearchTools* tools = nullptr;  // memory for searches on the calling thread (runs.hpp); null: allocated for each
};

// What k branches must be worth to beat a binary option, both before the charge for the column. A price divides what an
// option is worth after it, unless that is negative.
inline double needed_worth(const Query& query, int k, double best_binary) noexcept {
    const double worth = best_binary - query.column_charge;
    const double price = worth > 0.0 ? query.prices[k - 2] : 1.0;
    return price * worth + query.column_charge + query.branch_price * (k - 2);
}

// The best binary worth to beat before a search: gains are never negative, but what they are worth after a charge may be. The
// score of a binary option is its worth.
inline double worth_to_beat(const Query& query) noexcept {
    const double least = query.charge > 0.0 || query.column_charge > 0.0 ? -kInfinity : 0.0;
    return std::max({query.floor, query.least_score + query.column_charge, least});
}

// What an option is worth: its gain, less the charge for its description if it has one.
template <class Option>
double worth_of(const Option& option) noexcept {
    if constexpr (requires { option.charge; }) return option.gain - option.charge;
    else return option.gain;
}

// Returns the best option of each arity: the one worth most, or within the tie tolerance the one of the lowest column.
// `Option` must have `double gain` and `std::int32_t column`.
template <class Option>
std::vector<Option> best_by_arity(std::vector<std::vector<Option>>&& by_column, const Query& query) {
    std::size_t arities = 0;
    for (const auto& options : by_column) arities = std::max(arities, options.size());
    std::vector<Option> menu(arities);
    for (std::size_t a = 0; a < arities; ++a) {
        double most = -kInfinity;
        for (const auto& options : by_column) {
            if (a < options.size()) most = std::max(most, worth_of(options[a]));
        }
        if (most == -kInfinity) continue;
        for (auto& options : by_column) {
            if (a < options.size() && worth_of(options[a]) >= most - kTie * query.node_value) {
                menu[a] = std::move(options[a]);
                break;
            }
        }
    }
    return menu;
}

// The skip lemma: if the bound on the gain of k > 2 branches is not above what they need to beat the best binary option,
// then no option with k branches can win. Returns the largest arity that may win; 2 if only binary options can.
inline int widest_that_may_win(const std::vector<double>& gain_bounds, double best_binary, const Query& query) noexcept {
    int widest = 2;
    const int most = std::min(query.max_arity, static_cast<int>(gain_bounds.size()) + 1);
    for (int k = 3; k <= most; ++k) {
        const auto at = static_cast<std::size_t>(k - 2);
        if (gain_bounds[at] > needed_worth(query, k, best_binary) + kTie * query.node_value) widest = k;
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

// The threads for an amount of work, in codes, as far as the index can be evaluated by several.
inline int useful_threads(std::size_t work, const Query& query) noexcept {
    constexpr std::size_t kGrain = 20000;  // codes per thread for which starting it pays off
    return query.index->parallel() ? worth(work, kGrain, query.threads) : 1;
}

// Calls search(tool, i) for each i in 0..n-1 on as many threads as the index and the work allow. Every thread creates one
// tool, whose memory is reused for all its columns.
template <class MakeTool, class Search>
void each_column(std::size_t n, std::size_t work, const Query& query, MakeTool&& make_tool, Search&& search) {
    const int threads = useful_threads(work, query);
    // Columns differ in cost (most skip the dynamic program), so threads take the next one as they finish.
    std::atomic<std::size_t> next{0};
    parallel_blocks(static_cast<std::size_t>(threads), threads, [&](std::size_t, std::size_t, std::size_t) {
        auto tool = make_tool();
        for (std::size_t i = next.fetch_add(1); i < n; i = next.fetch_add(1)) {
            poll(work / n);
            search(tool, i);
        }
    });
}

}  // namespace polytomy
