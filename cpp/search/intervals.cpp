// cpp/search/intervals.cpp: see intervals.hpp.
#include "search/intervals.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "search/runs.hpp"

namespace polytomy {
namespace {

using Codes = std::vector<std::uint32_t>;

// If values must lie within a range, the screens rule out little, and three or more branches are looked for among this many
// items: with all 255 of a column, a constraint on one of 20 columns made growing ten times as slow.
constexpr std::size_t kItemsInRange = 16;

// Codes of a node whose running sums stay in the cache: 16 bytes each.
constexpr std::size_t kMostKept = 16384;

// Pairs of items that take as long as one code, if the index is evaluated quickly: the screens rule out most of them. A second
// thread for 20 columns of 255 codes took longer than their search.
constexpr std::size_t kQuickPairs = 64;

// More than the rounding error of a bound on gains, as a share of F of the node.
constexpr double kSlack = 1e-9;

// Puts the codes present at the node into the search, in their order.
void load(RunSearch& search, const Histograms& node, std::size_t column) {
    const std::size_t n_codes = node.n_codes(column);
    const std::size_t n_values = n_codes - (node.has_missing[column] != 0 ? 1 : 0);
    search.clear(n_values);
    const Weight* rows = node.rows == nullptr ? nullptr : node.rows + node.at(column, 0);
    search.add_codes(node.counts_of(column, 0), rows, n_values);
    if (n_values < n_codes) {
        search.set_missing(node.counts_of(column, n_values), node.rows_of(column, n_values));
    }
}

// Returns these codes.
Codes present_codes(const Histograms& node, std::size_t column) {
    Codes present;
    const std::size_t n_values = node.n_codes(column) - (node.has_missing[column] != 0 ? 1 : 0);
    present.reserve(n_values);
    for (std::size_t v = 0; v < n_values; ++v) {
        const Weight* counts = node.counts_of(column, v);
        const bool has_weight = std::any_of(counts, counts + node.classes, [](Weight w) { return w != 0; });
        if (has_weight) present.push_back(static_cast<std::uint32_t>(v));
    }
    return present;
}

IntervalOption to_option(const Runs& runs, std::int32_t column, const Codes& present) {
    IntervalOption option;
    option.gain = runs.gain;
    option.column = column;
    option.missing = runs.missing;
    for (const std::uint32_t end : runs.ends) {
        if (end == present.size()) break;  // the missing rows have a branch of their own
        option.left.push_back(present[end - 1]);
        option.right.push_back(present[end]);
    }
    return option;
}

// Whether the values of an option's children are allowed.
bool is_admitted(const IntervalOption& option, const Histograms& node, const Query& query) {
    const auto column = static_cast<std::size_t>(option.column);
    const std::size_t n_codes = node.n_codes(column);
    const std::size_t n_values = n_codes - (node.has_missing[column] != 0 ? 1 : 0);
    const std::size_t runs = option.left.size() + 1;
    std::vector<double> sum(runs + 1, 0.0), weight(runs + 1, 0.0);
    std::size_t run = 0;
    for (std::size_t v = 0; v < n_codes; ++v) {
        while (v < n_values && run < option.left.size() && v > option.left[run]) ++run;
        const std::size_t branch = v < n_values ? run : static_cast<std::size_t>(std::max(option.missing, Branch{0}));
        const Weight* counts = node.counts_of(column, v);
        for (std::size_t c = 0; c < node.classes; ++c) {
            sum[branch] += query.values.ranks[c] * static_cast<double>(counts[c]);
            weight[branch] += static_cast<double>(counts[c]);
        }
    }
    for (std::size_t b = 0; b <= runs; ++b) {
        if (weight[b] > 0.0 && !query.values.admit(sum[b], weight[b])) return false;
    }
    const int direction = query.values.direction(option.column);
    for (std::size_t b = 0; b + 1 < runs; ++b) {
        if (!query.values.admit_pair(sum[b], weight[b], sum[b + 1], weight[b + 1], direction)) return false;
    }
    return true;
}

// Searches columns whose best options the limits on values may not allow. The best option of all is taken if it is allowed,
// because then it is the best allowed one.
class LimitedSearch {
 public:
    LimitedSearch(const Histograms& node, const Query& query) : node_(node), query_(query) {}

    [[nodiscard]] bool concerns(std::int32_t column) const noexcept { return query_.values.concern(column); }
    // Whether three or more branches are searched among the allowed ones at once. In a direction, missing rows may join a
    // branch only in an option of the free search.
    [[nodiscard]] bool is_searched_at_once(std::int32_t column) const noexcept {
        if (query_.values.apart > 0.0) return false;
        return query_.values.direction(column) == 0 ? query_.values.bind() : !has_missing_rows(column);
    }
    // The search in the direction of a column, if it has one, with its codes.
    [[nodiscard]] RunSearch& ordered(std::int32_t column) {
        RunSearch& search = loaded(column);
        const int direction = query_.values.direction(column);
        if (direction != 0) search.keep_order(direction);
        return search;
    }
    // The best allowed binary option of a column. `free` is for the search without limits.
    [[nodiscard]] Runs binary(RunSearch& free, std::int32_t column) {
        if (query_.values.bind() && query_.values.apart <= 0.0) return ordered(column).best_binary();
        load(free, node_, static_cast<std::size_t>(column));
        Runs runs = free.best_binary();
        const int direction = query_.values.direction(column);
        if (runs.gain == -kInfinity || !concerns(column) || free.admits(runs, query_.values, direction)) return runs;
        return query_.values.apart > 0.0 ? best_apart(column, 2).front() : ordered(column).best_binary();
    }
    // Replace options of three or more branches that are not allowed. `cut_price` and `limit` are those of the screen.
    void replace(std::vector<IntervalOption>& options, std::int32_t column, double cut_price, double limit) {
        const auto refused = [&](const IntervalOption& option) {
            return option.gain > -kInfinity && !is_admitted(option, node_, query_);
        };
        if (!concerns(column) || std::none_of(options.begin() + 1, options.end(), refused)) return;
        const auto widest = static_cast<int>(options.size()) + 1;
        const std::vector<Runs> runs = query_.values.apart > 0.0 ? best_apart(column, widest)
                                                                : in_order(column, widest, cut_price, limit);
        const Codes present = present_codes(node_, static_cast<std::size_t>(column));
        for (std::size_t a = 1; a < options.size(); ++a) {
            if (refused(options[a])) options[a] = to_option(runs[a], column, present);
        }
    }

 private:
    [[nodiscard]] std::vector<Runs> in_order(std::int32_t column, int widest, double cut_price, double limit) {
        RunSearch& search = ordered(column);
        search.drop_useless_cuts();
        if (query_.values.bind()) search.coarsen(kItemsInRange);
        if (search.only_binary_can_win(cut_price, limit)) return std::vector<Runs>(static_cast<std::size_t>(widest) - 1);
        return search.best_runs(widest, false);
    }
    [[nodiscard]] std::vector<Runs> best_apart(std::int32_t column, int widest) {
        return loaded(column).best_apart(widest, query_.values.direction(column));
    }
    [[nodiscard]] bool has_missing_rows(std::int32_t column) const noexcept {
        const auto at = static_cast<std::size_t>(column);
        return node_.has_missing[at] != 0 && node_.rows_of(at, node_.n_codes(at) - 1) != 0;
    }
    // The search under the limits, with the codes of a column.
    [[nodiscard]] RunSearch& loaded(std::int32_t column) {
        RunSearch* search = nullptr;
        if (query_.tools != nullptr && query_.threads <= 1) {
            search = &query_.tools->limited_runs(query_, node_.classes);
        } else {
            if (!own_) own_.emplace(*query_.index, node_.classes, query_.min_rows, query_.node_value, query_.min_weight, query_.values);
            search = &*own_;
        }
        load(*search, node_, static_cast<std::size_t>(column));
        if (limit_cuts(column)) search->limit_cuts(cuts_);
        return *search;
    }
    // Find the ranges of two intervals of a column. Returns false if that of the node is as good: if every child compares
    // with all nodes that the node compares with, or if missing rows may join either interval.
    [[nodiscard]] bool limit_cuts(std::int32_t column) {
        const ValueRange* range = query_.values.range;
        if (range == nullptr || has_missing_rows(column)) return false;
        const auto in_part = [&](const PartialBound& bound) { return bound.in(column) != nullptr; };
        if (std::none_of(range->partial.begin(), range->partial.end(), in_part)) return false;
        find_present(static_cast<std::size_t>(column));
        if (present_.size() < 2) return false;
        double low = range->any_low, high = range->any_high;
        for (const PartialBound& bound : range->partial) {
            if (in_part(bound)) continue;
            (bound.is_upper ? high : low) = bound.is_upper ? std::min(high, bound.value) : std::max(low, bound.value);
        }
        for (CutLimits::Side* side : {&cuts_.first, &cuts_.last}) {
            side->low.assign(present_.size() + 1, low);
            side->high.assign(present_.size() + 1, high);
        }
        for (const PartialBound& bound : range->partial) {
            if (const PartialBound::Part* part = bound.in(column)) add_bound(bound, *part);
        }
        for (std::size_t cut = 2; cut < present_.size(); ++cut) {
            cuts_.first.low[cut] = std::max(cuts_.first.low[cut], cuts_.first.low[cut - 1]);
            cuts_.first.high[cut] = std::min(cuts_.first.high[cut], cuts_.first.high[cut - 1]);
        }
        for (std::size_t cut = present_.size() - 1; cut-- > 1;) {
            cuts_.last.low[cut] = std::max(cuts_.last.low[cut], cuts_.last.low[cut + 1]);
            cuts_.last.high[cut] = std::min(cuts_.last.high[cut], cuts_.last.high[cut + 1]);
        }
        return true;
    }
    // List the codes present, and the weight up to each.
    void find_present(std::size_t column) {
        present_.clear();
        weight_.assign(1, 0.0);
        for (const std::uint32_t place : present_codes(node_, column)) {
            const Weight* counts = node_.counts_of(column, place);
            present_.push_back(node_.own_code(column, place));
            weight_.push_back(weight_.back() + static_cast<double>(std::accumulate(counts, counts + node_.classes, Weight{0})));
        }
    }
    // The first interval compares with the other node from the first cut on that gives it a code of that one, and the last
    // up to the last such cut. Missing cells go to the heavier interval, so the same holds for them.
    void add_bound(const PartialBound& bound, const PartialBound::Part& part) {
        const std::size_t n = present_.size();
        std::size_t from = n, to = 0;
        if (part.first <= part.last) {
            const auto after = std::upper_bound(present_.begin(), present_.end(), part.first);
            from = std::max<std::size_t>(1, static_cast<std::size_t>(after - present_.begin()));
            const auto before = std::lower_bound(present_.begin(), present_.end(), part.last);
            to = std::min(n - 1, static_cast<std::size_t>(before - present_.begin()));
        }
        if (part.missing) {
            const auto last_is_heavier = [&](double first) { return !first_is_heavier(first, weight_.back() - first); };
            const auto heavy = std::partition_point(weight_.begin(), weight_.end(), last_is_heavier);
            const auto cut = static_cast<std::size_t>(heavy - weight_.begin());
            from = std::min(from, cut);
            to = std::max(to, std::min(n - 1, cut - 1));
        }
        const auto tighten = [&](CutLimits::Side& side, std::size_t cut) {
            if (bound.is_upper) side.high[cut] = std::min(side.high[cut], bound.value);
            else side.low[cut] = std::max(side.low[cut], bound.value);
        };
        if (from < n) tighten(cuts_.first, from);
        if (to > 0) tighten(cuts_.last, to);
    }

    const Histograms& node_;
    const Query& query_;
    std::optional<RunSearch> own_;
    CutLimits cuts_;
    std::vector<std::int64_t> present_;  // codes of the column for which cuts_ was found
    std::vector<double> weight_;         // of the rows with fewer than i of these codes
};

// Returns an upper bound on the gain of any split into children whose values lie within the range. F is concave, so that
// children can do no better than to have the ends of the range as values. With more than two classes, F is no function of
// the value.
double most_gain_in_range(const Histograms& node, std::int32_t column, const Query& query) {
    const ValueLimits& values = query.values;
    if (!values.bind() || node.classes != 2 || !query.index->fused()) return kInfinity;
    double count[2] = {0.0, 0.0};
    const auto at = static_cast<std::size_t>(column);
    for (std::size_t v = 0; v < node.n_codes(at); ++v) {
        for (std::size_t c = 0; c < 2; ++c) count[c] += static_cast<double>(node.counts_of(at, v)[c]);
    }
    const double weight = count[0] + count[1];
    const double rise = values.ranks[1] - values.ranks[0];
    const double share = count[1] / weight;  // of the second class, to which the value is linear
    const double one = std::clamp((values.low - values.ranks[0]) / rise, 0.0, 1.0);
    const double other = std::clamp((values.high - values.ranks[0]) / rise, 0.0, 1.0);
    const double low = std::min({one, other, share}), high = std::max({one, other, share});
    if (!(low < high)) return kSlack * query.node_value;
    const double part = weight * (high - share) / (high - low);
    // Two items: the part at the low end, and the rest.
    const double counts[4] = {part * (1.0 - low), (weight - part) * (1.0 - high), part * low, (weight - part) * high};
    double cost[2];
    query.index->values(counts, 2, 2, 2, cost);
    return query.node_value - cost[0] - cost[1] + kSlack * query.node_value;
}

// Lower the gains of columns whose best binary option is not allowed; columns that cannot win are left out.
void keep_allowed(std::vector<double>& gain, RunSearch& search, const Histograms& node,
                  std::span<const std::int32_t> columns, const Query& query) {
    std::vector<std::size_t> order(columns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return gain[a] > gain[b]; });
    LimitedSearch limited(node, query);
    double best = -kInfinity;
    for (const std::size_t i : order) {
        if (gain[i] == -kInfinity || gain[i] < best - 2.0 * kTie * query.node_value) {
            gain[i] = -kInfinity;
            continue;
        }
        if (!limited.concerns(columns[i])) {
            best = std::max(best, gain[i]);
            continue;
        }
        gain[i] = limited.binary(search, columns[i]).gain;
        best = std::max(best, gain[i]);
    }
}

// needed_worth() as a line in the number of cuts, for the screen.
struct Screen {
    double cut_price, limit;
};

Screen screen_at(double best, const PriceLine& line, const Query& query) {
    const double worth = best - query.column_charge;
    const double start = worth > 0.0 ? line.start * worth : worth;
    return {line.slope * std::max(worth, 0.0) + query.branch_price,
            start + query.column_charge - query.branch_price + kTie * query.node_value};
}

}  // namespace

std::vector<IntervalOption> interval_menu(const Histograms& node, std::span<const std::int32_t> columns,
                                          const Query& query) {
    std::vector<std::vector<IntervalOption>> found(columns.size());
    std::vector<double> gain(columns.size());  // of the best binary option
    std::vector<double> side_deviation(columns.size(), kInfinity);
    std::vector<std::size_t> items(columns.size());
    std::vector<std::vector<double>> bounds(columns.size());
    const PriceLine line = price_line(query);
    // Bounds on the gain of each arity take O(n). They decide most columns if wide splits are cheap, but few at prices of
    // k - 1; there they pay only if evaluating the index takes long.
    const bool is_quick = node.classes == 2 && query.index->fused();
    const bool bounds_first = line.start > 0.0 || !is_quick;
    std::size_t codes = 0;
    for (const std::int32_t j : columns) codes += node.n_codes(static_cast<std::size_t>(j));

    const auto make_search = [&] {
        return RunSearch(*query.index, node.classes, query.min_rows, query.node_value, query.min_weight);
    };
    const auto search_each = [&](std::size_t n, std::size_t work, auto&& search_column) {
        if (query.tools == nullptr || useful_threads(work, query) > 1) return each_column(n, work, query, make_search, search_column);
        RunSearch& search = query.tools->runs(query, node.classes);
        for (std::size_t i = 0; i < n; ++i) search_column(search, i);
    };
    // Loading the items of a column takes as long as testing whether a wide split may win.
    const bool is_kept = query.tools != nullptr && query.max_arity > 2 && node.classes == 2 && codes <= kMostKept;
    const std::span<RunSearch::Items> kept = is_kept ? query.tools->items(columns.size()) : std::span<RunSearch::Items>{};
    const bool has_limits = query.values.bind() || query.values.apart > 0.0 || !query.values.directions.empty();
    // Once the best binary option is known, most columns need only a part of their bounds.
    const bool is_later_bounded = is_kept && is_quick && !has_limits;
    search_each(columns.size(), codes * 3, [&](RunSearch& search, std::size_t i) {
        load(search, node, static_cast<std::size_t>(columns[i]));
        gain[i] = search.best_binary_gain(query.max_arity > 2 ? &side_deviation[i] : nullptr);
        items[i] = search.size();
        const bool is_later = is_later_bounded && search.is_plain();
        if (bounds_first && !is_later && query.max_arity > 2 && items[i] > 1) bounds[i] = search.gain_bounds(query.max_arity);
        if (is_kept) {
            kept[i].n = 0;
            if (search.is_plain()) search.swap_items(kept[i]);
        }
    });

    if (has_limits) search_each(1, 0, [&](RunSearch& search, std::size_t) { keep_allowed(gain, search, node, columns, query); });
    double best = worth_to_beat(query);
    for (const double g : gain) best = std::max(best, g);
    // If values must be apart, there may be three branches that are and no two; they need not beat anything.
    if (best == -kInfinity && query.values.apart > 0.0) best = -query.branch_price * query.max_arity;
    const double most_in_range = columns.empty() ? kInfinity : most_gain_in_range(node, columns.front(), query);
    const auto widest_in_range = [&](std::vector<double> gain_bounds) {
        for (double& bound : gain_bounds) bound = std::min(bound, most_in_range);
        return widest_that_may_win(gain_bounds, best, query);
    };
    const std::vector<double> no_bounds(static_cast<std::size_t>(std::max(query.max_arity, 2)) - 1, kInfinity);
    // Many ranges in order leave little room to the values below each. At a branch price, a column with a direction is split
    // in two at a time, and splits that follow each other are joined at the end: with one such column the error of 18 tables
    // fell by 0.9 points, or 1 % of the squared error.
    const auto is_split_in_two = [&](std::int32_t column) { return query.branch_price > 0.0 && query.values.direction(column) != 0; };
    if (query.max_arity > 2 && best > -kInfinity && widest_in_range(no_bounds) > 2) {
        std::vector<std::pair<double, std::size_t>> deeper;  // columns, behind the deviation of their sides with a minus
        std::vector<double> needed;  // by arity: what the bound on its gain must exceed
        for (int k = 2; k <= query.max_arity; ++k) needed.push_back(needed_worth(query, k, best) + kTie * query.node_value);
        deeper.reserve(columns.size());
        std::size_t work = 0;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (items[i] < 2) continue;
            if (is_split_in_two(columns[i])) continue;
            if (!bounds[i].empty() && widest_that_may_win(bounds[i], best, query) == 2) continue;
            deeper.emplace_back(-side_deviation[i], i);
            work += items[i] * items[i] / (is_quick ? kQuickPairs : 4);
        }
        // If only the winner is needed, what one column finds raises what the next ones must beat. Those whose sides deviate
        // most come first. Options within a tie of the winner are kept.
        const bool is_raised = query.only_winner && query.tools != nullptr && query.threads <= 1 && !has_limits && query.column_charge <= 0.0;
        if (is_raised) std::sort(deeper.begin(), deeper.end());
        const auto raise = [&](double found_gain, int arity) {
            if (arity < 3 || arity > query.max_arity || found_gain == -kInfinity) return;
            const double worth = (found_gain - query.branch_price * (arity - 2)) / query.prices[arity - 2];
            best = std::max(best, worth - kSlack * query.node_value);
        };
        search_each(deeper.size(), work, [&](RunSearch& free, std::size_t d) {
            const std::size_t i = deeper[d].second;
            LimitedSearch limited(node, query);
            const bool at_once = has_limits && limited.is_searched_at_once(columns[i]);
            RunSearch& search = at_once ? limited.ordered(columns[i]) : free;
            if (is_kept && !at_once && kept[i].n > 0) search.swap_items(kept[i]);
            else if (!at_once) load(search, node, static_cast<std::size_t>(columns[i]));
            if (bounds_first && bounds[i].empty() && !search.may_gain(needed)) return;
            search.drop_useless_cuts();
            if (query.values.bind()) search.coarsen(kItemsInRange);
            Screen screen = screen_at(best, line, query);
            if (search.only_binary_can_win(screen.cut_price, screen.limit, at_once ? kInfinity : side_deviation[i])) return;
            if (is_raised && search.is_plain()) {
                const RunSearch::PricedRuns priced = search.priced_runs();
                raise(priced.gain, priced.arity);
                screen = screen_at(best, line, query);
                if (search.only_binary_can_win(screen.cut_price, screen.limit)) return;
            }
            const int widest = widest_in_range(search.gain_bounds(query.max_arity));
            if (widest == 2) return;
            const Codes present = present_codes(node, static_cast<std::size_t>(columns[i]));
            const std::vector<Runs> runs = search.best_runs(widest, false);
            found[i].emplace_back();  // the binary option
            for (std::size_t a = 1; a < runs.size(); ++a) found[i].push_back(to_option(runs[a], columns[i], present));
            if (has_limits && !at_once) limited.replace(found[i], columns[i], screen.cut_price, screen.limit);
            for (std::size_t a = 1; a < runs.size() && is_raised; ++a) raise(runs[a].gain, static_cast<int>(a) + 2);
        });
    }
    const double most = gain.empty() ? -kInfinity : *std::max_element(gain.begin(), gain.end());
    if (most > -kInfinity) {
        // At small nodes, options of all columns would take longer than the search: only the winner's cuts are listed.
        const auto enough = [&](double g) { return g >= most - kTie * query.node_value; };
        const auto i = static_cast<std::size_t>(std::find_if(gain.begin(), gain.end(), enough) - gain.begin());
        search_each(1, 0, [&](RunSearch& search, std::size_t) {
            const auto column = static_cast<std::size_t>(columns[i]);
            if (found[i].empty()) found[i].emplace_back();
            if (!has_limits) load(search, node, column);
            const Runs runs = has_limits ? LimitedSearch(node, query).binary(search, columns[i]) : search.best_binary();
            found[i][0] = to_option(runs, columns[i], present_codes(node, column));
        });
    }
    return best_by_arity(std::move(found), query);
}

}  // namespace polytomy
