// tests/cpp/test_vector_math.cpp: exp and log against the standard library.
#include <algorithm>
#include <cmath>

#include "boost/vector_math.hpp"
#include "check.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

constexpr double kClose = 4e-16;  // relative: two units in the last place

void exp_is_accurate() {
    Random random(31);
    check::cases(20000, [&](long) {
        const double x = (random.unit() - 0.5) * 1400.0;
        const double expected = std::exp(x);
        CHECK_NEAR(exp_shifted(x, 0.0), expected, kClose * expected);
        const double small = (random.unit() - 0.5) * 1e-3;
        CHECK_NEAR(exp_shifted(small, 0.0), std::exp(small), kClose);
    });
    CHECK(exp_shifted(0.0, 0.0) == 1.0);
    CHECK(exp_shifted(-1e6, 0.0) == 0.0);
    CHECK(exp_shifted(-1e12, 7.0) == 0.0);
}

// A shift multiplies the result by a power of two and changes no other bit.
void exp_shift_is_exact() {
    Random random(32);
    check::cases(5000, [&](long) {
        const double x = (random.unit() - 0.5) * 200.0;
        const auto shift = static_cast<int>(random.below(400)) - 200;
        CHECK(exp_shifted(x, shift) == std::ldexp(exp_shifted(x, 0.0), -shift));
        const double far = x + 1e6;  // overflows without the shift
        CHECK(exp_shifted(far, 1442695.0) == std::ldexp(exp_shifted(far, 1442895.0), 200));
    });
}

void log_is_accurate() {
    Random random(33);
    check::cases(20000, [&](long) {
        const double x = std::exp((random.unit() - 0.5) * 1400.0);
        CHECK_NEAR(log_of(x), std::log(x), kClose * std::max(1.0, std::abs(std::log(x))));
        const double near_one = 1.0 + random.unit() * 1e-3;
        CHECK_NEAR(log_of(near_one), std::log(near_one), kClose * std::log(near_one));
    });
    CHECK(log_of(1.0) == 0.0);
}

void log1p_is_accurate_near_zero() {
    Random random(34);
    check::cases(20000, [&](long) {
        const double x = std::exp((random.unit() - 0.95) * 700.0);
        CHECK_NEAR(log1p_of(x), std::log1p(x), 1e-12 * std::log1p(x));
    });
    CHECK(log1p_of(0.0) == 0.0);
}

void nearest_rounds_ties_to_even() {
    Random random(34);
    check::cases(5000, [&](long) {
        const double x = random.unit() * std::ldexp(1.0, static_cast<int>(random.below(53)));
        CHECK(nearest(x) == std::llrint(x));
    });
    CHECK(nearest(0.5) == 0);
    CHECK(nearest(1.5) == 2);
    CHECK(nearest(0x1p52) == std::int64_t{1} << 52);
}

}  // namespace

int main() {
    return check::run(exp_is_accurate,
                      exp_shift_is_exact,
                      log_is_accurate,
                      log1p_is_accurate_near_zero,
                      nearest_rounds_ties_to_even);
}
