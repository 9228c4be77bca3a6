// tests/cpp/test_groups.cpp: the menu of groups against all set partitions, and against its order where that is all.
#include "blocks.hpp"
#include "check.hpp"
#include "search/groups.hpp"
#include "node.hpp"
#include "search/ordering.hpp"

using namespace polytomy;

namespace {

std::size_t classes_held(const Node& node) {
    return static_cast<std::size_t>(std::count_if(node.total.counts.begin(), node.total.counts.end(),
                                                  [](Weight w) { return w > 0; }));
}

// The gain along the kernel's own order, all cuts tried.
std::vector<Chosen> along_order(const Node& node, const Node::Held& held, const Question& asked) {
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
    return naive_runs(items, std::nullopt, asked);
}

// Codes are those present, branches are numbered by first code, and the children gain what the option says.
void check_whole(const GroupOption& got, std::size_t arity, const Node& node, const Question& asked) {
    const Node::Held held = node.with_missing_as_category(got.column);
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
    const double cost = cost_of(sums_of(held.items, block), asked);
    CHECK_NEAR(got.gain, std::max(0.0, asked.node_value - cost), 1e-11 * asked.node_value);
}

// What one column offers for every arity: exact for two classes and for few categories, else along its order.
std::vector<Chosen> naive_column(const Node& node, std::int32_t column, const Question& asked) {
    const Node::Held held = node.with_missing_as_category(column);
    if (held.items.empty()) return std::vector<Chosen>(12);
    const bool exact = classes_held(node) > 2 ? held.items.size() <= kExhaustive
                                              : asked.min_rows <= 1 && asked.min_weight == 0 && held.items.size() < 8;
    std::vector<Chosen> options = exact ? naive_partitions(held.items, asked) : along_order(node, held, asked);
    options.resize(12);
    return options;
}

void compare(Random& random, std::size_t n_rows, std::size_t least_codes, std::size_t most_codes) {
    const Node node(random, 1 + random.below(3), n_rows, 1 + random.below(4), least_codes, most_codes);
    const Question asked = node.ask(random);
    const std::size_t max_arity = 2 + random.below(9);
    std::vector<double> best(12, -kInfinity);
    for (const std::int32_t j : node.columns) {
        const std::vector<Chosen> column = naive_column(node, j, asked);
        for (std::size_t k = 2; k < 12; ++k) best[k] = std::max(best[k], column[k].gain);
    }
    const auto query = to_query(asked, max_arity, kFree, 1 + random.below(3));
    std::vector<GroupOption> got = group_menu(node.histograms(), node.columns, query);
    CHECK(got.size() < max_arity);
    got.resize(max_arity - 1);
    for (std::size_t k = 2; k <= max_arity; ++k) {
        const GroupOption& option = got[k - 2];
        if (option.gain < 0.0 && k > 2 && best[k] == 0.0) continue;  // cannot win, left out
        CHECK_NEAR(option.gain, best[k], 1e-11 * asked.node_value);
        CHECK((option.column >= 0) == (best[k] >= 0.0));
        if (option.column < 0) continue;
        check_whole(option, k, node, asked);
        const std::vector<Chosen> own = naive_column(node, option.column, asked);
        CHECK_NEAR(own[k].gain, best[k], 2e-12 * asked.node_value);
        if (classes_held(node) <= 2 || option.codes.size() > kExhaustive) continue;
        CHECK(std::vector<std::uint32_t>(option.branch.begin(), option.branch.end()) == own[k].key);
    }
}

void brute_force() {
    Random random(11);
    check::cases(300, [&](long) { compare(random, random.below(25), 1, 6); });
    check::cases(20, [&](long) { compare(random, 40 + random.below(40), 7, 8); });
    check::cases(40, [&](long) { compare(random, 40 + random.below(40), 9, 11); });
}

// Far more categories than are packed: whole options, no better than the finest, the same for every thread count.
void many_categories() {
    Random random(12);
    check::cases(6, [&](long number) {
        const Node node(random, 8, 4000, number % 2 == 0 ? 2 : 4, 1, 2500);
        const Question asked = node.ask(random);
        const auto one = group_menu(node.histograms(), node.columns, to_query(asked, 4, kFree, 1));
        const auto three = group_menu(node.histograms(), node.columns, to_query(asked, 4, kFree, 3));
        CHECK(one.size() == three.size());
        for (std::size_t a = 0; a < one.size(); ++a) {
            CHECK(one[a].gain == three[a].gain && one[a].column == three[a].column);
            CHECK(one[a].branch == three[a].branch);
            if (one[a].column < 0) continue;
            check_whole(one[a], a + 2, node, asked);
            const Node::Held held = node.with_missing_as_category(one[a].column);
            CHECK(one[a].gain <= finest_gain(held.items, asked) * (1.0 + 1e-12));
            CHECK(a == 0 || one[a].gain >= one[a - 1].gain || asked.min_rows > 1 || asked.min_weight > 0);
        }
    });
}

}  // namespace

int main() { return check::run(brute_force, many_categories); }
