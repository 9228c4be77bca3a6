// cpp/search/groups.cpp: see groups.hpp.
#include "search/groups.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "search/categories.hpp"
#include "search/ordering.hpp"
#include "search/partitions.hpp"
#include "search/runs.hpp"

namespace polytomy {
namespace {

std::vector<std::size_t> classes_present(const Categories& held, std::size_t classes) {
    std::vector<std::size_t> present;
    for (std::size_t c = 0; c < classes; ++c) {
        bool any = false;
        for (std::size_t i = 0; i < held.codes.size() && !any; ++i) any = held.counts[i * classes + c] > 0;
        if (any) present.push_back(c);
    }
    return present;
}

// The order of the categories, and where each item of the run search ends in it.
struct Order {
    std::vector<std::uint32_t> items;
    std::vector<std::size_t> ends;
    bool monge = false;
};

std::vector<std::size_t> each_alone(std::size_t n) {
    std::vector<std::size_t> ends(n);
    std::iota(ends.begin(), ends.end(), std::size_t{1});
    return ends;
}

// Returns the ends of packs with about the same number of rows. A category large enough to fill a pack is not packed with
// others: otherwise one with nearly all rows that comes last would leave nothing to split.
std::vector<std::size_t> packs_of(const std::vector<std::uint32_t>& items, const std::vector<Weight>& rows) {
    if (items.size() <= kPacked) return each_alone(items.size());
    const auto share = static_cast<double>(std::accumulate(rows.begin(), rows.end(), Weight{0})) / kPacked;
    std::vector<std::size_t> ends;
    Weight inside = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        inside += rows[items[i]];
        const bool last = i + 1 == items.size();
        const bool full = static_cast<double>(inside) >= static_cast<double>(ends.size() + 1) * share;
        if (last || full || static_cast<double>(rows[items[i + 1]]) >= share) ends.push_back(i + 1);
    }
    return ends;
}

// With limits on the values of the groups, the best first cut does not move right with the start any more.
Order order_of(const Categories& held, std::size_t classes, bool is_limited) {
    Order order;
    const std::vector<std::size_t> present = classes_present(held, classes);
    if (present.size() <= 2) {
        order.items = order_by_share(held.counts, classes, present.back(), present.front());
        order.monge = !is_limited;
    } else {
        order.items = order_by_component(held.counts, classes);
    }
    order.ends = order.monge ? each_alone(order.items.size()) : packs_of(order.items, held.rows);
    return order;
}

// An option of a column before it is known whether it wins; its branches are only written out if it does.
struct Candidate {
    double gain = -kInfinity;
    double charge = 0.0;
    std::int32_t column = -1;
    Runs runs;                  // along the column's order,
    std::vector<Branch> block;  // or the group of each category
    std::size_t place = 0;      // index of the column among those searched
};

GroupOption to_option(double gain, std::int32_t column, const Categories& held, std::vector<Branch> branch) {
    GroupOption option;
    option.gain = gain;
    option.column = column;
    option.codes = held.codes;
    std::vector<Branch> renumbered(branch.size(), kUnseen);
    Branch next = 0;
    for (Branch& b : branch) {
        Branch& name = renumbered[static_cast<std::size_t>(b)];
        if (name == kUnseen) name = next++;
        b = name;
    }
    option.branch = std::move(branch);
    return option;
}

std::vector<Branch> branches_of(const Runs& runs, const Order& order) {
    std::vector<Branch> branch(order.items.size());
    std::size_t begin = 0;
    for (std::size_t r = 0; r <= runs.ends.size(); ++r) {
        const std::size_t end = r == runs.ends.size() ? order.items.size() : order.ends[runs.ends[r] - 1];
        for (std::size_t i = begin; i < end; ++i) branch[order.items[i]] = static_cast<Branch>(r);
        begin = end;
    }
    return branch;
}

// Puts the categories into the search in their order, each pack as one item.
void load(RunSearch& search, const Categories& held, const Order& order, std::size_t classes) {
    search.clear(order.ends.size());
    if (order.ends.size() == order.items.size()) {
        for (const std::uint32_t i : order.items) search.add_item(held.counts.data() + i * classes, held.rows[i]);
        return;
    }
    std::vector<Weight> sum(classes);
    std::size_t begin = 0;
    for (const std::size_t end : order.ends) {
        std::fill(sum.begin(), sum.end(), 0);
        Weight rows = 0;
        for (std::size_t i = begin; i < end; ++i) {
            for (std::size_t c = 0; c < classes; ++c) sum[c] += held.counts[order.items[i] * classes + c];
            rows += held.rows[order.items[i]];
        }
        search.add_item(sum.data(), rows);
        begin = end;
    }
}

std::vector<Runs> runs_along(RunSearch& search, int max_arity, bool monge, bool is_apart) {
    if (is_apart) return search.best_apart(max_arity, 0);
    return max_arity > 2 ? search.best_runs(max_arity, monge) : std::vector<Runs>{search.best_binary()};
}

std::vector<Candidate> along_order(RunSearch& search, const Categories& held, const Order& order, std::size_t classes,
                                   int max_arity, bool is_apart) {
    load(search, held, order, classes);
    std::vector<Runs> runs = runs_along(search, max_arity, order.monge, is_apart);
    std::vector<Candidate> candidates(runs.size());
    for (std::size_t a = 0; a < runs.size(); ++a) {
        candidates[a].gain = runs[a].gain;
        candidates[a].runs = std::move(runs[a]);
    }
    return candidates;
}

// Returns whether all set partitions are searched instead of the runs along an order.
bool exhaustive(const Categories& held, std::size_t classes) {
    return held.codes.size() <= kExhaustive && classes_present(held, classes).size() > 2;
}

// The order is computed on first use, because sorting is most of the work.
std::vector<Candidate> free_groups(RunSearch& search, const Categories& held, Order& order, std::size_t classes,
                                   int max_arity, const Query& query) {
    if (held.codes.size() < 2) return {};
    if (!exhaustive(held, classes)) {
        const bool is_apart = query.values.apart > 0.0;
        if (order.items.empty()) order = order_of(held, classes, is_apart || query.values.bind());
        return along_order(search, held, order, classes, max_arity, is_apart);
    }
    std::vector<Candidate> candidates;
    for (Blocks& blocks : best_partitions(*query.index, classes, held.counts, held.rows, max_arity,
                                          query.min_rows, query.node_value, query.min_weight, query.values)) {
        candidates.push_back({blocks.gain, 0.0, -1, {}, std::move(blocks.block), 0});
    }
    return candidates;
}

// Whether the values of the groups lie within their range and, in their order, apart.
bool is_admitted(const Candidate& candidate, const Categories& held, const Order& order, std::size_t classes,
                 const ValueLimits& limits) {
    const std::vector<Branch> branch = candidate.block.empty() ? branches_of(candidate.runs, order) : candidate.block;
    const auto groups = static_cast<std::size_t>(*std::max_element(branch.begin(), branch.end())) + 1;
    std::vector<double> sum(groups, 0.0), weight(groups, 0.0);
    for (std::size_t i = 0; i < branch.size(); ++i) {
        const auto b = static_cast<std::size_t>(branch[i]);
        for (std::size_t c = 0; c < classes; ++c) {
            const auto count = static_cast<double>(held.counts[i * classes + c]);
            sum[b] += limits.ranks[c] * count;
            weight[b] += count;
        }
    }
    std::vector<std::size_t> ascending(groups);
    std::iota(ascending.begin(), ascending.end(), std::size_t{0});
    std::sort(ascending.begin(), ascending.end(), [&](std::size_t a, std::size_t b) { return sum[a] * weight[b] < sum[b] * weight[a]; });
    for (std::size_t b = 0; b < groups; ++b) {
        if (!limits.admit(sum[b], weight[b])) return false;
        if (b == 0) continue;
        const std::size_t last = ascending[b - 1], next = ascending[b];
        if (!limits.admit_pair(sum[last], weight[last], sum[next], weight[next], 0)) return false;
    }
    return true;
}

// The same within the limits on values. An option that is the best without them and observes them is the best with them.
std::vector<Candidate> search_groups(RunSearch& search, const Categories& held, Order& order, std::size_t classes,
                                     int max_arity, const Query& query) {
    Query free = query;
    free.values = {};
    std::vector<Candidate> found = free_groups(search, held, order, classes, max_arity, free);
    if (!query.values.bind() && query.values.apart <= 0.0) return found;
    const auto refused = [&](const Candidate& candidate) {
        return candidate.gain > -kInfinity && !is_admitted(candidate, held, order, classes, query.values);
    };
    if (std::none_of(found.begin(), found.end(), refused)) return found;
    RunSearch limited(*query.index, classes, query.min_rows, query.node_value, query.min_weight, query.values);
    Order packed;  // the order is the same, but has packs if there are many categories
    std::vector<Candidate> allowed = free_groups(limited, held, packed, classes, max_arity, query);
    for (Candidate& candidate : allowed) {
        if (candidate.gain > -kInfinity && candidate.block.empty()) candidate.block = branches_of(candidate.runs, packed);
    }
    for (std::size_t a = 0; a < found.size(); ++a) {
        if (refused(found[a])) found[a] = a < allowed.size() ? std::move(allowed[a]) : Candidate{};
    }
    return found;
}

GroupOption written_out(Candidate&& candidate, const Categories& held, const Order& order) {
    std::vector<Branch> branch = candidate.block.empty() ? branches_of(candidate.runs, order) : std::move(candidate.block);
    GroupOption option = to_option(candidate.gain, candidate.column, held, std::move(branch));
    option.charge = candidate.charge;
    return option;
}

}  // namespace

double charge_per_log(double impurity, double cases, std::size_t classes) {
    return classes < 2 ? 0.0 : 2.0 * impurity / (cases * static_cast<double>(classes - 1));
}

// Only the excess over an ordered column of n values is charged, which has n - 1 binary splits where n categories have
// 2^(n - 1) - 1. Binary groups follow chance in one direction of the class shares; k groups can follow it in k - 1, as far as
// there are as many.
double description_charge(std::size_t n, int k, int dimensions, double per_log) {
    if (per_log <= 0.0 || n < 3) return 0.0;
    const auto cuts = static_cast<double>(n - 1);
    const double log_excess = cuts * std::numbers::ln2 + std::log1p(-std::exp2(-cuts)) - std::log(cuts);
    return per_log * log_excess * std::min(k - 1, dimensions);
}

GroupMenu group_menu(const Histograms& node, std::span<const std::int32_t> columns, const Query& query) {
    std::vector<std::vector<Candidate>> found(columns.size());
    std::vector<std::vector<double>> bounds(columns.size());
    std::vector<Categories> held(columns.size());
    std::vector<Order> order(columns.size());
    std::size_t codes = 0;
    for (const std::int32_t j : columns) codes += node.n_codes(static_cast<std::size_t>(j));

    const auto make_search = [&] {
        return RunSearch(*query.index, node.classes, query.min_rows, query.node_value, query.min_weight);
    };
    each_column(columns.size(), codes * 8, query, make_search, [&](RunSearch& search, std::size_t i) {
        held[i] = held_categories(node, static_cast<std::size_t>(columns[i]));
        found[i] = search_groups(search, held[i], order[i], node.classes, 2, query);
        if (query.max_arity <= 2 || held[i].codes.size() < 3) return;
        if (!exhaustive(held[i], node.classes)) {
            bounds[i] = search.gain_bounds(query.max_arity);  // for the order just searched
            return;
        }
        const std::vector<double> value = item_values(held[i], node.classes, *query.index);
        const double finest = query.node_value - std::accumulate(value.begin(), value.end(), 0.0);
        bounds[i].assign(static_cast<std::size_t>(query.max_arity) - 1, finest);
    });
    const auto charge = [&](std::size_t n, std::size_t arity_less_two) {
        return description_charge(n, static_cast<int>(arity_less_two) + 2, query.dimensions, query.charge);
    };
    GroupMenu menu;
    double best = worth_to_beat(query);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (found[i].empty()) continue;
        menu.binary_gain = std::max(menu.binary_gain, found[i][0].gain);
        const std::size_t n = held[i].codes.size();
        best = std::max(best, found[i][0].gain - charge(n, 0));
        for (std::size_t a = 0; a < bounds[i].size(); ++a) {
            bounds[i][a] -= charge(n, a);
        }
    }
    std::vector<std::size_t> deeper;
    std::vector<int> widest(columns.size(), 2);
    std::size_t work = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        widest[i] = widest_that_may_win(bounds[i], best, query);
        if (widest[i] == 2) continue;
        deeper.push_back(i);
        work += 32 * held[i].codes.size();
    }
    each_column(deeper.size(), work, query, make_search, [&](RunSearch& search, std::size_t d) {
        const std::size_t i = deeper[d];
        found[i] = search_groups(search, held[i], order[i], node.classes, widest[i], query);
    });
    for (std::size_t i = 0; i < columns.size(); ++i) {
        for (std::size_t a = 0; a < found[i].size(); ++a) {
            Candidate& candidate = found[i][a];
            candidate.charge = charge(held[i].codes.size(), a);
            candidate.column = columns[i];
            candidate.place = i;
        }
    }
    for (Candidate& winner : best_by_arity(std::move(found), query)) {
        const std::size_t i = winner.place;
        menu.options.push_back(winner.gain < 0.0 ? GroupOption{} : written_out(std::move(winner), held[i], order[i]));
    }
    return menu;
}

}  // namespace polytomy
