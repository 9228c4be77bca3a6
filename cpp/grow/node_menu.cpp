// cpp/grow/node_menu.cpp: see node_menu.hpp.
#include "grow/node_menu.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "search/groups.hpp"
#include "search/intervals.hpp"
#include "search/values.hpp"

namespace polytomy {
namespace {

Option from(IntervalOption&& found, const NodeHistograms& node) {
    Option option;
    option.gain = found.gain;
    option.column = found.column;
    option.missing = found.missing;
    for (const std::uint32_t place : found.left) option.first.push_back(node.code(found.column, place));
    for (const std::uint32_t place : found.right) {
        option.second.push_back(static_cast<Branch>(node.code(found.column, place)));
    }
    return option;
}

Option from(GroupOption&& found, const NodeHistograms& node) {
    Option option;
    option.gain = found.gain;
    option.charge = found.charge;
    option.column = found.column;
    option.first = std::move(found.codes);
    for (std::uint32_t& code : option.first) code = node.code(found.column, code);
    option.second = std::move(found.branch);
    return option;
}

template <class Found>
void add_menu(std::vector<Found>&& menu, const NodeHistograms& node, std::vector<Option>& options) {
    for (std::size_t a = 0; a < menu.size(); ++a) {
        if (menu[a].gain < 0.0) continue;
        options.push_back(from(std::move(menu[a]), node));
        options.back().arity = static_cast<std::int32_t>(a + 2);
    }
}

// `missing` holds the branch that missing cells join until `complete` lists the codes.
void add_values(const std::vector<ValueOption>& found, std::vector<Option>& options) {
    for (const ValueOption& value : found) {
        Option option;
        option.arity = value.arity;
        option.gain = value.gain;
        option.column = value.column;
        option.missing = value.joins;
        options.push_back(std::move(option));
    }
}

}  // namespace

void complete(Option& option, const NodeHistograms& node) {
    if (option.kind != FamilyKind::values) return;
    const auto column = static_cast<std::size_t>(option.column);
    for (std::size_t v = 0; v < node.view.n_codes(column); ++v) {
        if (node.view.rows_of(column, v) == 0) continue;
        option.second.push_back(static_cast<Branch>(option.first.size()));
        option.first.push_back(node.code(option.column, static_cast<std::uint32_t>(v)));
    }
    if (option.missing != kUnseen) option.second.back() = option.missing;
    option.missing = kUnseen;
}

namespace {

// Of options of one arity within the slack of the largest key: the lowest column, then the first listed.
std::size_t best_of(std::span<const Option> options, std::span<const std::size_t> which, double slack, OptionKey key) {
    double most = -kInfinity;
    for (const std::size_t i : which) most = std::max(most, key(options[i]));
    std::size_t best = which.front();
    bool found = false;
    for (const std::size_t i : which) {
        if (key(options[i]) < most - slack) continue;
        if (!found || options[i].column < options[best].column) best = i;
        found = true;
    }
    return best;
}

}  // namespace

std::vector<std::size_t> best_positions(std::span<const Option> options, double impurity, OptionKey key) {
    std::vector<std::size_t> by_arity(options.size());
    std::iota(by_arity.begin(), by_arity.end(), std::size_t{0});
    const auto smaller = [&](std::size_t a, std::size_t b) { return options[a].arity < options[b].arity; };
    if (!std::is_sorted(by_arity.begin(), by_arity.end(), smaller)) {
        std::stable_sort(by_arity.begin(), by_arity.end(), smaller);
    }
    std::vector<std::size_t> best;
    for (std::size_t begin = 0; begin < by_arity.size();) {
        std::size_t end = begin + 1;
        while (end < by_arity.size() && options[by_arity[end]].arity == options[by_arity[begin]].arity) ++end;
        best.push_back(best_of(options, std::span(by_arity).subspan(begin, end - begin), kTie * impurity, key));
        begin = end;
    }
    return best;
}

std::vector<Option> best_of_each_arity(std::vector<Option>&& options, double impurity, OptionKey key) {
    std::vector<Option> menu;
    for (const std::size_t best : best_positions(options, impurity, key)) menu.push_back(std::move(options[best]));
    return menu;
}

namespace {

// The branch of the code at this place of the node's histogram.
Branch branch_at(const Option& option, const NodeHistograms& node, std::size_t place) {
    const auto column = static_cast<std::size_t>(option.column);
    const std::uint32_t code = node.code(option.column, static_cast<std::uint32_t>(place));
    if (option.kind != FamilyKind::intervals) {
        const auto found = std::find(option.first.begin(), option.first.end(), code);
        return option.second[static_cast<std::size_t>(found - option.first.begin())];
    }
    const bool is_missing = node.view.has_missing[column] != 0 && place + 1 == node.view.n_codes(column);
    if (is_missing) return option.missing;
    return static_cast<Branch>(std::lower_bound(option.first.begin(), option.first.end(), code) - option.first.begin());
}

}  // namespace

void add_child_sums(Option& option, const NodeHistograms& node, std::span<const double> ranks) {
    const auto column = static_cast<std::size_t>(option.column);
    option.children.assign(static_cast<std::size_t>(option.arity), {});
    for (std::size_t place = 0; place < node.view.n_codes(column); ++place) {
        const Weight* counts = node.view.counts_of(column, place);
        if (node.view.rows_of(column, place) == 0) continue;
        ChildSums& child = option.children[static_cast<std::size_t>(branch_at(option, node, place))];
        for (std::size_t c = 0; c < node.view.classes; ++c) {
            child.ranks += ranks[c] * static_cast<double>(counts[c]);
            child.weight += static_cast<double>(counts[c]);
        }
    }
}

// As in the search for intervals, the two children of a binary split without missing rows are compared one by one.
bool is_within(const Option& option, const ValueRange& range) noexcept {
    const bool by_child = option.kind == FamilyKind::intervals && option.arity == 2 && option.missing == kUnseen;
    const double low = by_child ? range.any_low : range.low, high = by_child ? range.any_high : range.high;
    for (const ChildSums& child : option.children) {
        if (child.ranks < low * child.weight || child.ranks > high * child.weight) return false;
    }
    if (!by_child) return true;
    const std::int64_t left = option.first[0], right = option.second[0];
    const std::size_t heavier = first_is_heavier(option.children[0].weight, option.children[1].weight) ? 0 : 1;
    for (const PartialBound& bound : range.partial) {
        const PartialBound::Part* part = bound.in(option.column);
        for (std::size_t b = 0; b < 2; ++b) {
            if (part != nullptr) {
                const bool shares_codes = part->first <= part->last && (b == 0 ? part->first < right : part->last > left);
                const bool shares_missing = part->missing && b == heavier;
                if (!shares_codes && !shares_missing) continue;
            }
            const ChildSums& child = option.children[b];
            const double limit = bound.value * child.weight;
            if (bound.is_upper ? child.ranks > limit : child.ranks < limit) return false;
        }
    }
    return true;
}

namespace {

// The entropy of the branches in bits, times the weight of the node.
double split_information(const Option& option, const NodeHistograms& node) {
    const auto column = static_cast<std::size_t>(option.column);
    std::vector<double> weight(static_cast<std::size_t>(option.arity), 0.0);
    for (std::size_t place = 0; place < node.view.n_codes(column); ++place) {
        const Weight* counts = node.view.counts_of(column, place);
        const Weight here = std::accumulate(counts, counts + node.view.classes, Weight{0});
        if (here != 0) weight[static_cast<std::size_t>(branch_at(option, node, place))] += static_cast<double>(here);
    }
    const double whole = std::accumulate(weight.begin(), weight.end(), 0.0);
    double bits = 0.0;
    for (const double w : weight) bits -= w * std::log2(w / whole);
    return bits;
}

// The mean over columns of the gain of their widest options, which refine their others. Columns that nearly list the rows,
// with at least three branches for ten cases, are left out, unless all do.
double mean_gain_of_columns(std::span<const Option> options, double cases) {
    double sum = 0.0, plain_sum = 0.0;
    double columns = 0.0, plain_columns = 0.0;
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (i + 1 < options.size() && options[i + 1].column == options[i].column) continue;  // not the widest
        const bool plain = 10.0 * options[i].arity < (3.0 - kTie) * cases;
        sum += worth_of(options[i]);
        columns += 1.0;
        plain_sum += plain ? worth_of(options[i]) : 0.0;
        plain_columns += plain ? 1.0 : 0.0;
    }
    if (plain_columns > 0.0) return plain_sum / plain_columns;
    return columns > 0.0 ? sum / columns : 0.0;
}

}  // namespace

void rank_by_ratio(std::span<Option> options, const NodeHistograms& node, double impurity, double cases) {
    const double enough = mean_gain_of_columns(options, cases) - kTie * impurity;
    for (Option& option : options) {
        const double worth = worth_of(option);
        const bool ranked = worth >= enough && worth >= 0.0;
        option.merit = ranked ? worth / split_information(option, node) * impurity : worth - impurity;
    }
}

namespace {

std::vector<std::int32_t> common(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
    std::vector<std::int32_t> both;
    both.reserve(std::min(a.size(), b.size()));
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

// The columns of a family to search: those drawn, and of these the ones in which the node's rows differ, as far as that
// is known.
std::vector<std::int32_t> columns_of(const Family& family, const NodeHistograms& node, const DrawnColumns& drawn) {
    std::vector<std::int32_t> columns = drawn ? common(family.columns, *drawn) : family.columns;
    return node.compact == nullptr ? columns : common(columns, node.compact->varied());
}

int order_of(const Option& option, std::size_t i) noexcept {
    if (option.kind == FamilyKind::own) return static_cast<int>(option.first[0]);
    if (option.kind != FamilyKind::intervals) return option.second[i];
    return i < option.first.size() ? static_cast<int>(option.first[i]) : option.missing;
}

std::size_t order_length(const Option& option) noexcept {
    if (option.kind == FamilyKind::own) return 1;
    return option.kind == FamilyKind::intervals ? option.first.size() + 1 : option.second.size();
}

}  // namespace

std::vector<std::int32_t> columns_of(std::span<const Family> families) {
    std::vector<std::int32_t> columns;
    for (const Family& family : families) columns.insert(columns.end(), family.columns.begin(), family.columns.end());
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
}

namespace {

// Columns with the same charge for asking about them.
struct ChargedColumns {
    double charge;
    std::vector<std::int32_t> columns;
};

std::vector<ChargedColumns> by_charge(std::vector<std::int32_t>&& columns, std::span<const double> charges) {
    std::vector<ChargedColumns> groups;
    if (charges.empty()) {
        groups.push_back({0.0, std::move(columns)});
        return groups;
    }
    for (const std::int32_t column : columns) {
        const double charge = charges[static_cast<std::size_t>(column)];
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const ChargedColumns& g) { return g.charge == charge; });
        if (same == groups.end()) {
            groups.push_back({charge, {column}});
        } else {
            same->columns.push_back(column);
        }
    }
    return groups;
}

// Adds the options of some columns of a built-in family. The query's floor is the best binary worth known before.
void search_columns(FamilyKind kind, const ChargedColumns& group, const NodeHistograms& node, Query query, FoundOptions& found) {
    const std::size_t before = found.options.size();
    query.column_charge = group.charge;
    query.floor += group.charge;
    switch (kind) {
        case FamilyKind::intervals: add_menu(interval_menu(node.view, group.columns, query), node, found.options); break;
        case FamilyKind::groups: {
            GroupMenu menu = group_menu(node.view, group.columns, query);
            found.binary_gain = std::max(found.binary_gain, menu.binary_gain);
            add_menu(std::move(menu.options), node, found.options);
            break;
        }
        default: add_values(value_options(node.view, group.columns, query), found.options); break;
    }
    for (std::size_t i = before; i < found.options.size(); ++i) found.options[i].charge += group.charge;
}

}  // namespace

FoundOptions find_options(const NodeHistograms& node, const MenuSettings& settings, const MenuRequest& request) {
    const auto widest = std::min<std::int64_t>(request.largest, static_cast<std::int64_t>(settings.prices.size()) + 1);
    Query query = settings.query;
    query.node_value = request.impurity;
    query.prices = settings.prices.data();
    query.charge = request.charge;
    query.dimensions = request.dimensions;
    query.floor = request.charge > 0.0 || !request.column_charges.empty() ? -kInfinity : 0.0;
    FoundOptions found{{}, -kInfinity};
    std::vector<Option>& options = found.options;
    for (std::size_t f = 0; f < settings.families.size(); ++f) {
        const Family& family = settings.families[f];
        const std::size_t before = options.size();
        if (family.kind == FamilyKind::own) {
            if (!request.own) continue;
            const auto prices = settings.prices.first(static_cast<std::size_t>(widest - 1));
            family.own->propose({request.rows, request.impurity, request.largest, prices, query.floor}, options);
        }
        const bool has_columns = family.kind != FamilyKind::own;
        query.max_arity = static_cast<int>(family.kind == FamilyKind::values ? request.largest : widest);
        std::size_t judged = before;
        const auto judge = [&] {
            for (; judged < options.size(); ++judged) {
                options[judged].kind = family.kind;
                options[judged].rank = static_cast<std::int32_t>(f);
                if (options[judged].arity != 2) continue;
                found.binary_gain = std::max(found.binary_gain, options[judged].gain);
                query.floor = std::max(query.floor, worth_of(options[judged]));
            }
        };
        for (const ChargedColumns& group :
             has_columns ? by_charge(columns_of(family, node, request.columns), request.column_charges) : std::vector<ChargedColumns>{}) {
            if (group.columns.empty()) continue;
            search_columns(family.kind, group, node, query, found);
            judge();
        }
        judge();
    }
    return found;
}

std::vector<std::vector<Option>> options_by_column(const NodeHistograms& node, const MenuSettings& settings,
                                                   const MenuRequest& request, std::size_t columns, int threads) {
    std::vector<std::vector<Option>> found(columns);
    parallel_blocks(columns, threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) {
            const auto column = static_cast<std::int32_t>(j);
            std::vector<Family> asked;
            std::vector<std::int32_t> rank;
            for (std::size_t f = 0; f < settings.families.size(); ++f) {
                const std::vector<std::int32_t>& of_family = settings.families[f].columns;
                if (!std::binary_search(of_family.begin(), of_family.end(), column)) continue;
                asked.push_back({settings.families[f].kind, {column}, nullptr});
                rank.push_back(static_cast<std::int32_t>(f));
            }
            MenuSettings here = settings;
            here.families = asked;
            here.query.threads = 1;
            found[j] = best_of_each_arity(find_options(node, here, request).options, request.impurity);
            for (Option& option : found[j]) {
                complete(option, node);
                option.rank = rank[static_cast<std::size_t>(option.rank)];
            }
        }
    });
    return found;
}

int compare(const Option& a, const Option& b) noexcept {
    if (a.arity != b.arity) return a.arity < b.arity ? -1 : 1;
    if (a.column != b.column) return a.column < b.column ? -1 : 1;
    if (a.rank != b.rank) return a.rank < b.rank ? -1 : 1;
    const std::size_t n = std::min(order_length(a), order_length(b));
    for (std::size_t i = 0; i < n; ++i) {
        if (order_of(a, i) != order_of(b, i)) return order_of(a, i) < order_of(b, i) ? -1 : 1;
    }
    if (order_length(a) == order_length(b)) return 0;
    return order_length(a) < order_length(b) ? -1 : 1;
}

std::vector<Branch> branch_of_code(const Option& option, const CodedTable& table) {
    const auto column = static_cast<std::size_t>(option.column);
    const auto n_codes = static_cast<std::size_t>(table.code_start[column + 1] - table.code_start[column]);
    if (option.kind != FamilyKind::intervals) {
        std::vector<Branch> branch(n_codes, kUnseen);
        for (std::size_t i = 0; i < option.first.size(); ++i) branch[option.first[i]] = option.second[i];
        return branch;
    }
    std::vector<Branch> branch(n_codes, static_cast<Branch>(option.first.size()));
    auto begin = branch.begin();
    for (std::size_t r = 0; r < option.first.size(); ++r) {
        const auto end = branch.begin() + static_cast<std::ptrdiff_t>(option.first[r]) + 1;
        std::fill(begin, end, static_cast<Branch>(r));
        begin = end;
    }
    if (table.has_missing[column] != 0) branch.back() = std::max(option.missing, Branch{0});
    return branch;
}

Move to_move(const Option& option, std::int32_t node, const CodedTable& table) {
    Move move{.node = node};
    move.sizes.resize(static_cast<std::size_t>(option.arity));
    if (option.kind == FamilyKind::own) {
        move.branch_of_row = option.second;
    } else {
        move.column = option.column;
        move.branch_of_code = branch_of_code(option, table);
    }
    return move;
}

}  // namespace polytomy
