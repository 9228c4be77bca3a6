// tests/cpp/test_intervals.cpp: interval splits against all cuts and all placements of the missing rows.
#include "check.hpp"
#include "random_node.hpp"
#include "search/intervals.hpp"
#include "search/runs.hpp"

using namespace polytomy;

namespace {

struct Expected {
    Chosen option;
    std::int32_t column = -1;
};

// Returns the best option of every arity, of the lowest column on ties.
std::vector<Expected> naive_menu(const Node& node, const SearchParams& params, std::size_t max_arity) {
    std::vector<std::vector<Chosen>> by_column;
    for (const std::int32_t j : node.columns) {
        const Node::PresentCodes held = node.present_codes(j);
        by_column.push_back(naive_runs(held.items, held.missing, params));
        by_column.back().resize(max_arity + 1);
    }
    std::vector<Expected> menu(max_arity + 1);
    for (std::size_t k = 2; k <= max_arity; ++k) {
        double most = -kInfinity;
        for (const auto& options : by_column) most = std::max(most, options[k].gain);
        for (std::size_t i = 0; i < by_column.size() && menu[k].column < 0 && most >= 0.0; ++i) {
            if (by_column[i][k].gain < most - kTie * params.node_value) continue;
            menu[k] = {by_column[i][k], node.columns[i]};
        }
    }
    return menu;
}

void check_option(const IntervalOption& got, const Expected& want, const Node& node, const SearchParams& params) {
    CHECK_NEAR(got.gain, want.option.gain, 1e-11 * params.node_value);
    CHECK(got.column == want.column);
    if (got.column != want.column || want.column < 0) return;
    const Node::PresentCodes held = node.present_codes(want.column);
    std::vector<std::uint32_t> ends = want.option.key, left, right;
    if (held.missing) {
        CHECK(got.missing == static_cast<Branch>(ends.back()));
        ends.pop_back();
    } else {
        CHECK(got.missing == kUnseen);
    }
    for (const std::uint32_t end : ends) {
        if (end == held.codes.size()) continue;
        left.push_back(held.codes[end - 1]);
        right.push_back(held.codes[end]);
    }
    CHECK(got.left == left);
    CHECK(got.right == right);
}

// If all prices are 0, an option may be left out or be worse only if one with fewer branches gains as much.
void intervals_match_all_cuts() {
    Random random(8);
    check::cases(500, [&](long) {
        const Node node(random, 1 + random.below(3), random.below(25), 1 + random.below(4), 1, 8);
        const SearchParams params = node.random_params(random);
        const std::size_t max_arity = 2 + random.below(8);
        const auto query = to_query(params, max_arity, kFree, 1 + random.below(3));
        const std::vector<Expected> want = naive_menu(node, params, max_arity);
        std::vector<IntervalOption> got = interval_menu(node.histograms(), node.columns, query);
        CHECK(got.size() < max_arity);
        got.resize(max_arity - 1);
        const double slack = 1e-11 * params.node_value;
        double fewer = -kInfinity;  // the most that fewer branches gain
        for (std::size_t k = 2; k <= max_arity; ++k) {
            const bool useful = want[k].option.gain > std::max(fewer, 0.0) + slack;
            if (k == 2 || useful) check_option(got[k - 2], want[k], node, params);
            else CHECK(got[k - 2].gain <= want[k].option.gain + slack);
            fewer = std::max(fewer, want[k].option.gain);
        }
    });
}

// Skipping columns and arities never loses an option whose gain / price beats the best binary one, or whose gain less a
// branch price does, and whose gain is more than that of options with fewer branches.
void intervals_skip_no_winner() {
    Random random(9);
    int winners = 0, winners_at_branch_price = 0;
    check::cases(800, [&](long) {
        const Node node(random, 1 + random.below(3), 2 + random.below(25), 2 + random.below(3), 1, 9);
        const SearchParams params = node.random_params(random);
        Prices prices{};
        const std::size_t style = random.below(4);
        for (std::size_t k = 2; k < prices.size(); ++k) {
            const auto branches = static_cast<double>(k);
            prices[k - 2] = style == 0 ? branches - 1.0 : style == 1 ? std::ceil(std::log2(branches)) : 1.1;
            if (style == 3) prices[k - 2] = 1.0;  // what counts is the branch price
        }
        prices[0] = 1.0;
        const std::vector<Expected> want = naive_menu(node, params, 9);
        Query query = to_query(params, 9, prices, 1);
        if (style == 3) query.branch_price = params.node_value * random.unit() * (random.one_in(2) ? 0.01 : 0.2);
        if (style == 3 && random.one_in(2)) query.charge = params.node_value;  // as in a run that charges groupings
        std::vector<IntervalOption> got = interval_menu(node.histograms(), node.columns, query);
        got.resize(8);
        check_option(got[0], want[2], node, params);
        for (std::size_t k = 3; k <= 9; ++k) {
            double bar = prices[k - 2] * std::max(0.0, want[2].option.gain);
            bar += query.branch_price * static_cast<double>(k - 2);
            for (std::size_t fewer = 3; fewer < k; ++fewer) bar = std::max(bar, want[fewer].option.gain);
            if (want[k].option.gain <= bar + 1e-9 * params.node_value) continue;
            (style == 3 ? winners_at_branch_price : winners) += 1;
            check_option(got[k - 2], want[k], node, params);
        }
        // With a floor that no option can beat, only the binary options remain.
        Query high = query;
        high.floor = 2.0 * params.node_value + 1.0;
        CHECK(interval_menu(node.histograms(), node.columns, high).size() <= 1);
    });
    CHECK(winners > 100 && winners_at_branch_price > 100);
}

// If only the winner is needed, the best option of all is still found, with the same ties, and the best binary one.
void intervals_find_the_winner() {
    Random random(12);
    int wide = 0;
    check::cases(1500, [&](long) {
        const Node node(random, 1 + random.below(5), 2 + random.below(30), 2 + random.below(2), 1, 9);
        const SearchParams params = node.random_params(random);
        const bool at_branch_price = random.one_in(3);
        Prices prices{};
        for (std::size_t k = 2; k < prices.size(); ++k) prices[k - 2] = at_branch_price ? 1.0 : static_cast<double>(k) - 1.0;
        Query query = to_query(params, 9, prices, 1);
        if (at_branch_price) query.branch_price = 0.05 * params.node_value * random.unit();
        const std::vector<Expected> want = naive_menu(node, params, 9);
        const auto value = [&](std::size_t k) {
            return (want[k].option.gain - query.branch_price * static_cast<double>(k - 2)) / prices[k - 2];
        };
        const double slack = 1e-8 * params.node_value;
        std::size_t winner = 2;
        for (std::size_t k = 3; k <= 9; ++k) winner = value(k) > value(winner) + slack ? k : winner;
        SearchTools tools;
        query.tools = &tools;
        query.only_winner = true;
        std::vector<IntervalOption> got = interval_menu(node.histograms(), node.columns, query);
        got.resize(8);
        check_option(got[0], want[2], node, params);
        if (winner == 2) return;
        ++wide;
        check_option(got[winner - 2], want[winner], node, params);
        for (std::size_t k = 3; k <= 9; ++k) {  // options within a tie of the winner are found, too
            if (k != winner && value(k) >= value(winner) - kTie * params.node_value && want[k].option.gain > want[k - 1].option.gain + slack) {
                check_option(got[k - 2], want[k], node, params);
            }
        }
    });
    CHECK(wide > 100);
}

// There are enough codes for three threads. Neither they nor memory that was used before change the options.
void intervals_do_not_depend_on_threads() {
    Random random(10);
    check::cases(8, [&](long number) {
        SearchTools tools;
        const Node node(random, 40, 3000, 2 + random.below(2), 1, 150);
        const SearchParams params = node.random_params(random);
        Query query = to_query(params, 4, kFree, 1);
        if (number % 2 == 1) query.branch_price = 0.01 * params.node_value * random.unit();
        const auto one = interval_menu(node.histograms(), node.columns, query);
        for (const int threads : {1, 3}) {
            for (SearchTools* const memory : {static_cast<SearchTools*>(nullptr), &tools}) {
                query.threads = threads;
                query.tools = memory;
                const auto same = interval_menu(node.histograms(), node.columns, query);
                CHECK(one.size() == same.size());
                for (std::size_t a = 0; a < one.size(); ++a) {
                    CHECK(one[a].gain == same[a].gain && one[a].column == same[a].column);
                    CHECK(one[a].left == same[a].left && one[a].missing == same[a].missing);
                }
            }
        }
    });
}

}  // namespace

int main() {
    return check::run(intervals_match_all_cuts,
                      intervals_skip_no_winner,
                      intervals_find_the_winner,
                      intervals_do_not_depend_on_threads);
}
