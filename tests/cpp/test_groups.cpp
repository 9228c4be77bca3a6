// tests/cpp/test_groups.cpp: groups of categories against all set partitions, or against all cuts along their order.
#include "check.hpp"
#include "naive_partitions.hpp"
#include "random_node.hpp"
#include "search/groups.hpp"
#include "search/ordering.hpp"

using namespace polytomy;

namespace {

std::size_t classes_held(const Node& node) {
    return static_cast<std::size_t>(std::count_if(node.total.counts.begin(), node.total.counts.end(),
                                                  [](Weight w) { return w > 0; }));
}

// Returns the best gains along the kernel's order, trying all cuts.
std::vector<Chosen> along_order(const Node& node, const Node::PresentCodes& held, const SearchParams& params) {
    std::vector<Weight> counts;
    for (const Item& item : held.items) counts.insert(counts.end(), item.counts.begin(), item.counts.end());
    std::vector<std::size_t> present;
    for (std::size_t c = 0; c < node.classes; ++c) {
        if (node.total.counts[c] > 0) present.push_back(c);
    }
    const auto order = present.size() > 2 ? order_by_component(counts, node.classes)
                                          : order_by_share(counts, node.classes, present.back(), present.front());
    std::vector<Item> items;
    for (const std::uint32_t i : order) items.push_back(held.items[i]);
    return naive_runs(items, std::nullopt, params);
}

// The codes are those present, branches are numbered by first code, and the children have the gain of the option.
void check_whole(const GroupOption& got, std::size_t arity, const Node& node, const SearchParams& params) {
    const Node::PresentCodes held = node.with_missing_as_category(got.column);
    CHECK(got.codes == held.codes);
    CHECK(got.branch.size() == held.codes.size());
    std::uint32_t used = 0;
    std::vector<std::uint32_t> block;
    for (const Branch b : got.branch) {
        CHECK(b >= 0 && static_cast<std::uint32_t>(b) <= used);
        block.push_back(static_cast<std::uint32_t>(b));
        used = std::max(used, block.back() + 1);
    }
    CHECK(used == arity);
    const double cost = cost_of(sums_of(held.items, block), params);
    CHECK_NEAR(got.gain, std::max(0.0, params.node_value - cost), 1e-11 * params.node_value);
}

// Returns the options of one column for every arity: exact for two classes and few categories, else along its order.
std::vector<Chosen> naive_column(const Node& node, std::int32_t column, const SearchParams& params) {
    const Node::PresentCodes held = node.with_missing_as_category(column);
    if (held.items.empty()) return std::vector<Chosen>(12);
    const bool exact = classes_held(node) > 2 ? held.items.size() <= kExhaustive
                                              : params.min_rows <= 1 && params.min_weight == 0 && held.items.size() < 8;
    std::vector<Chosen> options = exact ? naive_partitions(held.items, params) : along_order(node, held, params);
    options.resize(12);
    return options;
}

// The number of ways to divide n categories into two groups, relative to the cuts of n values in order.
double naive_charge(std::size_t n, double unit) {
    std::size_t groupings = 0;
    for (std::size_t subset = 1; subset + 1 < std::size_t{1} << n; ++subset) groupings += 1;
    groupings /= 2;  // a subset and its complement are the same division
    return n < 2 ? 0.0 : unit * std::log(static_cast<double>(groupings) / static_cast<double>(n - 1));
}

// Without a charge, the worth of an option is its gain.
void compare(Random& random, std::size_t n_rows, std::size_t least_codes, std::size_t most_codes, bool charged) {
    const Node node(random, 1 + random.below(3), n_rows, 1 + random.below(4), least_codes, most_codes);
    const SearchParams params = node.random_params(random);
    const std::size_t max_arity = 2 + random.below(9);
    Query query = to_query(params, max_arity, kFree, 1 + random.below(3));
    if (charged) query.charge = params.node_value * random.unit() * (random.one_in(2) ? 0.02 : 0.5);
    const auto charge_of = [&](std::int32_t column) {
        return naive_charge(node.with_missing_as_category(column).codes.size(), query.charge);
    };
    std::vector<double> best(12, -kInfinity);
    double binary_gain = -kInfinity;
    for (const std::int32_t j : node.columns) {
        const std::vector<Chosen> column = naive_column(node, j, params);
        for (std::size_t k = 2; k < 12; ++k) best[k] = std::max(best[k], column[k].gain - charge_of(j));
        binary_gain = std::max(binary_gain, column[2].gain);
    }
    GroupMenu menu = group_menu(node.histograms(), node.columns, query);
    CHECK_NEAR(menu.binary_gain, binary_gain, 1e-11 * params.node_value);
    std::vector<GroupOption>& got = menu.options;
    CHECK(got.size() < max_arity);
    got.resize(max_arity - 1);
    const double slack = 1e-11 * params.node_value;
    for (std::size_t k = 2; k <= max_arity; ++k) {
        const GroupOption& option = got[k - 2];
        // With prices of 0, an option that is worth less than nothing and than the best binary one cannot win.
        if (k > 2 && best[k] <= std::min(best[2], 0.0) + slack) {
            CHECK(worth_of(option) <= best[k] + slack);
            continue;
        }
        CHECK_NEAR(worth_of(option), best[k], slack);
        CHECK((option.column >= 0) == (best[k] > -kInfinity));
        if (option.column < 0) continue;
        CHECK_NEAR(option.charge, charge_of(option.column), slack);
        check_whole(option, k, node, params);
        const std::vector<Chosen> own = naive_column(node, option.column, params);
        CHECK_NEAR(own[k].gain - charge_of(option.column), best[k], 2e-12 * params.node_value);
        if (classes_held(node) <= 2 || option.codes.size() > kExhaustive) continue;
        CHECK(std::vector<std::uint32_t>(option.branch.begin(), option.branch.end()) == own[k].key);
    }
}

void groups_match_all_partitions() {
    Random random(11);
    for (const bool charged : {false, true}) {
        check::cases(300, [&](long) { compare(random, random.below(25), 1, 6, charged); });
        check::cases(20, [&](long) { compare(random, 40 + random.below(40), 7, 8, charged); });
        check::cases(40, [&](long) { compare(random, 40 + random.below(40), 9, 11, charged); });
    }
}

// Far more categories than packs: options are valid, no better than the finest split, and the same for any threads.
void groups_of_many_categories_are_valid() {
    Random random(12);
    check::cases(6, [&](long number) {
        const Node node(random, 8, 4000, number % 2 == 0 ? 2 : 4, 1, 2500);
        const SearchParams params = node.random_params(random);
        const auto one = group_menu(node.histograms(), node.columns, to_query(params, 4, kFree, 1)).options;
        const auto three = group_menu(node.histograms(), node.columns, to_query(params, 4, kFree, 3)).options;
        CHECK(one.size() == three.size());
        for (std::size_t a = 0; a < one.size(); ++a) {
            CHECK(one[a].gain == three[a].gain && one[a].column == three[a].column);
            CHECK(one[a].branch == three[a].branch);
            if (one[a].column < 0) continue;
            check_whole(one[a], a + 2, node, params);
            const Node::PresentCodes held = node.with_missing_as_category(one[a].column);
            CHECK(one[a].gain <= finest_gain(held.items, params) * (1.0 + 1e-12));
            CHECK(a == 0 || one[a].gain >= one[a - 1].gain || params.min_rows > 1 || params.min_weight > 0);
        }
    });
}

}  // namespace

int main() { return check::run(groups_match_all_partitions, groups_of_many_categories_are_valid); }
