// tests/cpp/test_leaves.cpp: the votes of leaves against one row at a time.
#include "boost/leaves.hpp"

#include <vector>

#include "check.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

void scores_are_added_to_the_rows_of_each_leaf() {
    Random random(21);
    check::cases(180, [&](long) {
        const std::size_t rows = random.below(200);
        const std::size_t nodes = 1 + random.below(9);
        const std::size_t outputs = 1 + random.below(4);
        std::vector<std::int32_t> leaf;
        std::vector<double> scores, votes(rows * outputs, 0.5);
        for (std::size_t i = 0; i < rows; ++i) leaf.push_back(static_cast<std::int32_t>(random.below(nodes)));
        for (std::size_t s = 0; s < nodes * outputs; ++s) scores.push_back(static_cast<double>(random.below(100)));
        CHECK(all_in(leaf, nodes));
        add_scores(leaf.data(), rows, scores.data(), outputs, votes.data());
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t k = 0; k < outputs; ++k) {
                CHECK(votes[i * outputs + k] == 0.5 + scores[static_cast<std::size_t>(leaf[i]) * outputs + k]);
            }
        }
    });
}

void a_leaf_that_does_not_exist_is_found() {
    CHECK(!all_in(std::vector<std::int32_t>{0, 3}, 3));
    CHECK(!all_in(std::vector<std::int32_t>{0, -1}, 3));
    CHECK(all_in(std::vector<std::int32_t>{}, 0));
}

}  // namespace

int main() { return check::run(scores_are_added_to_the_rows_of_each_leaf, a_leaf_that_does_not_exist_is_found); }
