// tests/cpp/test_value_counts.cpp: distinct values with their totals, and greedy cuts of them, against plain loops.
#include <algorithm>
#include <array>
#include <map>

#include "check.hpp"
#include "encode/value_counts.hpp"
#include "random.hpp"
#include "search/greedy_cuts.hpp"

using namespace polytomy;

namespace {

void value_counts_match_a_map() {
    Random random(2);
    each_value_type([&](auto type) {
        using T = decltype(type);
        check::cases(40, [&](long c) {
            const std::size_t n = random.below(c % 4 == 0 ? 2000 : 40);
            const auto held = lay_out(random_values<T>(random, n, random.below(kShapes), random.one_in(2)), random.below(3));
            std::vector<Weight> first(n), second(n);
            std::map<double, std::array<Weight, 3>> totals;
            for (std::size_t row = 0; row < n; ++row) {
                first[row] = static_cast<Weight>(random.below(9));
                second[row] = static_cast<Weight>(random.below(9));
                const T value = load<T>(held.view, row);
                if (is_missing(value)) continue;
                auto& total = totals[to_double(value)];
                total[0] += 1;
                total[1] += first[row];
                total[2] += second[row];
            }
            const ValueCounts got = value_counts(held.view, n, first.data(), second.data());
            CHECK(got.values.size() == totals.size() && got.rows.size() == totals.size() + 1);
            std::array<Weight, 3> below{};
            std::size_t i = 0;
            for (const auto& [value, total] : totals) {
                CHECK(got.values[i] == value);
                CHECK((std::array{got.rows[i], got.first[i], got.second[i]} == below));
                for (std::size_t k = 0; k < 3; ++k) below[k] += total[k];
                ++i;
            }
            CHECK((std::array{got.rows[i], got.first[i], got.second[i]} == below));
        });
    });
}

double gini(double a, double b) { return a * b / (a + b); }

// The first cut has the largest gain of all, and every part has the least weight.
void greedy_cuts_are_large_and_best() {
    Random random(3);
    check::cases(500, [&](long) {
        const std::size_t n = 1 + random.below(30);
        std::vector<Weight> first{0}, second{0};
        for (std::size_t i = 0; i < n; ++i) {
            first.push_back(first.back() + static_cast<Weight>(random.below(4)));
            second.push_back(second.back() + static_cast<Weight>(1 + random.below(4)));
        }
        const auto least = static_cast<Weight>(random.below(12));
        const std::size_t leaves = 1 + random.below(8);
        std::vector<std::int64_t> cuts = greedy_cuts(first, second, leaves, least);
        CHECK(cuts.size() < leaves);
        const auto weight = [&](std::size_t from, std::size_t to) { return first[to] - first[from] + second[to] - second[from]; };
        const auto cost = [&](std::size_t cut) {
            const auto a = static_cast<double>(first[cut]), b = static_cast<double>(second[cut]);
            return gini(a, b) + gini(static_cast<double>(first[n]) - a, static_cast<double>(second[n]) - b);
        };
        double lowest = kInfinity;
        for (std::size_t cut = 1; cut < n; ++cut) {
            if (weight(0, cut) >= least && weight(cut, n) >= least) lowest = std::min(lowest, cost(cut));
        }
        if (leaves > 1 && first[n] > 0 && lowest < kInfinity) {
            CHECK(!cuts.empty());
            if (!cuts.empty()) CHECK_NEAR(cost(static_cast<std::size_t>(cuts[0])), lowest, 1e-9);
        }
        cuts.push_back(0);
        cuts.push_back(static_cast<std::int64_t>(n));
        std::sort(cuts.begin(), cuts.end());
        for (std::size_t i = 1; cuts.size() > 2 && i < cuts.size(); ++i) {
            CHECK(weight(static_cast<std::size_t>(cuts[i - 1]), static_cast<std::size_t>(cuts[i])) >= std::max<Weight>(least, 1));
        }
    });
}

}  // namespace

int main() { return check::run(value_counts_match_a_map, greedy_cuts_are_large_and_best); }
