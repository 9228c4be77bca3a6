// tests/cpp/test_number_units.cpp: numbers in integer units, against their definition row by row.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "encode/number_units.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

void compare(Random& random, std::size_t n, bool weighted) {
    std::vector<double> values, weights;
    for (std::size_t i = 0; i < n; ++i) {
        values.push_back(random.one_in(9) ? 3.0 : 3.0 + 5.0 * random.unit());
        weights.push_back(random.one_in(9) ? 1e-30 : random.unit());  // some are too small for a unit
    }
    const double units = std::ldexp(1.0, 30 - static_cast<int>(random.below(25)));
    constexpr double kFiner = 256.0;
    for (const int threads : {1, 3}) {
        std::vector<Weight> above(n, -7), below(n, -7), residues(n, -7);
        number_units({values, weighted ? weights.data() : nullptr, 3.0, 5.0, units}, kFiner, {above.data(), below.data(), residues.data()}, threads);
        for (std::size_t i = 0; i < n; ++i) {
            const double whole = weighted ? std::nearbyint(weights[i] * units) : units;
            const double share = (values[i] - 3.0) / 5.0;
            const double first = std::nearbyint(share * whole), second = whole - first;
            CHECK(static_cast<double>(above[i]) == first);
            CHECK(static_cast<double>(below[i]) == second);
            const double alone = whole == 0.0 ? 0.0 : 4.0 * (first * second) / whole;
            CHECK(static_cast<double>(residues[i]) == std::nearbyint(kFiner * alone));
            CHECK(above[i] >= 0 && below[i] >= 0 && static_cast<double>(residues[i]) <= kFiner * whole);
        }
    }
}

void units_match_their_definition() {
    Random random(81);
    check::cases(100, [&](long number) { compare(random, random.below(40), number % 2 == 1); });
}

// Enough rows for three threads, in several blocks each.
void units_do_not_depend_on_threads() {
    Random random(82);
    compare(random, 300'001, false);
    compare(random, 300'001, true);
}

}  // namespace

int main() { return check::run(units_match_their_definition, units_do_not_depend_on_threads); }
