// tests/cpp/test_leaves.cpp: scores of leaves are added to votes; against one row at a time.
#include <vector>

#include "boost/leaves.hpp"
#include "check.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

void add_scores_adds_the_scores_of_leaves() {
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

void all_in_detects_invalid_leaves() {
    CHECK(!all_in(std::vector<std::int32_t>{0, 3}, 3));
    CHECK(!all_in(std::vector<std::int32_t>{0, -1}, 3));
    CHECK(all_in(std::vector<std::int32_t>{}, 0));
}

}  // namespace

int main() { return check::run(add_scores_adds_the_scores_of_leaves, all_in_detects_invalid_leaves); }
