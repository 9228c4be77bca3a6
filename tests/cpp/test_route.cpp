// tests/cpp/test_route.cpp: routing through random trees against one step at a time.
#include "check.hpp"
#include "predict/route.hpp"
#include "random_trees.hpp"

using namespace polytomy;

namespace {

void compare(Random& random, std::size_t rows) {
    const RandomTable table(random, rows);
    // Only floats are routed with forks; the first two columns are floats and doubles.
    const std::size_t only = random.one_in(2) ? random.below(2) : kNumbers;
    const RandomTree tree(random, table, random.below(40), false, only);
    std::vector<std::int32_t> start(rows), want(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        start[i] = random.one_in(2) ? 0 : static_cast<std::int32_t>(random.below(tree.kind.size()));
        auto v = static_cast<std::size_t>(start[i]);
        while (tree.step(v, table, i) != v) v = tree.step(v, table, i);
        want[i] = static_cast<std::int32_t>(v);
    }
    for (const int threads : {1, 3}) {
        std::vector<std::int32_t> node = start;
        for (int again = 0; again < 2; ++again) {  // routing again changes nothing
            route(tree.view(), table.views, node.data(), rows, threads);
            CHECK(node == want);
        }
    }
}

void route_matches_single_steps() {
    Random random(26);
    check::cases(400, [&](long number) { compare(random, random.below(number < 10 ? 2 : 200)); });
    check::cases(2, [&](long) { compare(random, 31000); });  // enough for three threads
}

}  // namespace

int main() { return check::run(route_matches_single_steps); }
