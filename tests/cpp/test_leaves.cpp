// tests/cpp/test_leaves.cpp: leaves and votes against one row at a time.
#include "check.hpp"
#include "boost/leaves.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

template <class Code>
void compare(Random& random, int width) {
    const std::size_t rows = random.below(200);
    const std::size_t n_codes = 1 + random.below(9);
    const std::size_t nodes = 1 + random.below(9);
    const std::size_t outputs = 1 + random.below(4);
    std::vector<Code> codes;
    std::vector<std::int32_t> child;
    std::vector<double> scores, votes(rows * outputs, 0.5);
    for (std::size_t i = 0; i < rows; ++i) codes.push_back(static_cast<Code>(random.below(n_codes)));
    for (std::size_t c = 0; c < n_codes; ++c) child.push_back(static_cast<std::int32_t>(random.below(nodes)));
    for (std::size_t s = 0; s < nodes * outputs; ++s) scores.push_back(static_cast<double>(random.below(100)));
    std::vector<Row> some;
    for (std::size_t i = rows; i-- > 0;) {
        if (random.one_in(2)) some.push_back(static_cast<Row>(i));
    }
    const CodeColumn column{codes.data(), width, static_cast<std::uint32_t>(n_codes)};
    std::vector<std::int32_t> all(rows, -1), part(rows, -1), expected(rows, -1);
    find_leaves(column, child, nullptr, rows, all.data());
    find_leaves(column, child, some.data(), some.size(), part.data());
    for (const Row row : some) expected[row] = child[codes[row]];
    CHECK(part == expected);
    add_scores(all.data(), rows, scores.data(), outputs, votes.data());
    for (std::size_t i = 0; i < rows; ++i) {
        CHECK(all[i] == child[codes[i]]);
        for (std::size_t k = 0; k < outputs; ++k) {
            CHECK(votes[i * outputs + k] == 0.5 + scores[static_cast<std::size_t>(all[i]) * outputs + k]);
        }
    }
}

void brute_force() {
    Random random(21);
    check::cases(60, [&](long) {
        compare<std::uint8_t>(random, 1);
        compare<std::uint16_t>(random, 2);
        compare<std::uint32_t>(random, 4);
    });
}

}  // namespace

int main() { return check::run(brute_force); }
