// tests/cpp/check.hpp: CHECK and CHECK_NEAR, which report failures and continue, and `run` for the main function.
#pragma once

#include <cmath>
#include <cstdio>

namespace check {

inline long failures = 0;
inline long current = -1;  // the random case under test, printed with a failure

inline void fail(const char* file, int line, const char* what) {
    constexpr long kPrinted = 20;
    if (++failures > kPrinted) return;
    std::fprintf(stderr, "%s:%d: case %ld: %s\n", file, line, current, what);
}

inline void near(double a, double b, double tolerance, const char* file, int line, const char* what) {
    if (a == b || std::abs(a - b) <= tolerance) return;
    fail(file, line, what);
    if (failures <= 20) std::fprintf(stderr, "    %.17g is not %.17g within %g\n", a, b, tolerance);
}

// Calls test(case) for the cases 0, 1, ..., n-1.
template <class Test>
void cases(long n, Test&& test) {
    for (current = 0; current < n; ++current) test(current);
    current = -1;
}

// Runs the tests and returns the exit status of the program.
template <class... Tests>
int run(Tests... tests) {
    (tests(), ...);
    if (failures > 0) std::fprintf(stderr, "%ld checks failed\n", failures);
    return failures > 0 ? 1 : 0;
}

}  // namespace check

#define CHECK(condition) \
    do { \
        if (!(condition)) check::fail(__FILE__, __LINE__, #condition); \
    } while (false)

#define CHECK_NEAR(a, b, tolerance) check::near((a), (b), (tolerance), __FILE__, __LINE__, #a " near " #b)
