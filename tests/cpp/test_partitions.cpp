// tests/cpp/test_partitions.cpp: the best set partitions against a recursive enumeration.
#include "check.hpp"
#include "naive_partitions.hpp"
#include "search/partitions.hpp"

using namespace polytomy;

namespace {

std::vector<Blocks> search(const std::vector<Item>& items, std::size_t classes, int max_arity, const SearchParams& params) {
    std::vector<Weight> counts, rows;
    for (const Item& item : items) {
        counts.insert(counts.end(), item.counts.begin(), item.counts.end());
        rows.push_back(item.rows);
    }
    return best_partitions(builtin_index(params.kind), classes, counts, rows, max_arity, params.min_rows,
                           params.node_value, params.min_weight);
}

SearchParams random_params(Random& random, const std::vector<Item>& items, std::size_t classes) {
    const Item total = total_of(items, classes);
    const auto rows = static_cast<std::size_t>(total.rows);
    SearchParams params{kKinds[random.below(4)], 0, 0.0};
    if (random.one_in(2)) params.min_rows = static_cast<Weight>(random.below(rows + 1) / 2);
    if (random.one_in(3)) params.min_weight = total.weight() / static_cast<Weight>(2 + random.below(9));
    params.node_value = naive_value(params.kind, total.counts);
    return params;
}

void compare(Random& random, std::size_t n, std::size_t classes) {
    const std::vector<Item> items = random_items(random, n, classes);
    const SearchParams params = random_params(random, items, classes);
    const std::vector<Chosen> want = naive_partitions(items, params);
    const auto max_arity = static_cast<std::size_t>(2 + random.below(8));
    const std::vector<Blocks> got = search(items, classes, static_cast<int>(max_arity), params);
    CHECK(got.size() + 1 == std::min(n, max_arity));
    for (std::size_t k = 2; k < got.size() + 2; ++k) {
        const Blocks& option = got[k - 2];
        CHECK_NEAR(option.gain, want[k].gain, 1e-11 * params.node_value);
        CHECK(std::vector<std::uint32_t>(option.block.begin(), option.block.end()) == want[k].key);
    }
}

void partitions_match_an_enumeration() {
    Random random(5);
    check::cases(400, [&](long) { compare(random, 1 + random.below(6), 1 + random.below(5)); });
    check::cases(12, [&](long) { compare(random, 7 + random.below(2), 1 + random.below(4)); });
}

// Equal items give the first restricted growth string of each number of blocks.
void partitions_resolve_ties_to_the_first() {
    const std::vector<Item> items(8, Item{{1, 2, 3}, 6});
    for (const IndexKind kind : kKinds) {
        const std::vector<Blocks> got = search(items, 3, 8, {kind, 1, naive_value(kind, {8, 16, 24})});
        CHECK(got.size() == 7);
        for (std::size_t k = 2; k <= 8; ++k) {
            std::vector<Branch> first(8, 0);
            for (std::size_t i = 0; i < k; ++i) first[8 - k + i] = static_cast<Branch>(i);
            CHECK(got[k - 2].gain == 0.0);
            CHECK(got[k - 2].block == first);
        }
    }
}

void partitions_of_too_few_items_are_empty() {
    const SearchParams params{IndexKind::gini, 1, 4.8};
    CHECK(search({}, 2, 4, params).empty());
    CHECK(search({Item{{3, 2}, 5}}, 2, 4, params).empty());
    const std::vector<Item> two{Item{{3, 0}, 3}, Item{{0, 2}, 2}};
    for (const int max_arity : {0, 1}) CHECK(search(two, 2, max_arity, params).empty());
    CHECK(search(two, 2, 2, {IndexKind::gini, 3, 4.8})[0].gain == -kInfinity);
    CHECK(search(two, 2, 2, {IndexKind::gini, 3, 4.8})[0].block.empty());
    CHECK_NEAR(search(two, 2, 2, params)[0].gain, 4.8, 1e-15);
}

}  // namespace

int main() {
    return check::run(partitions_match_an_enumeration,
                      partitions_resolve_ties_to_the_first,
                      partitions_of_too_few_items_are_empty);
}
