// tests/cpp/test_exact_sum.cpp: sums do not depend on the order of the terms, on shifts or on parts, and are accurate.
#include "base/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

// Terms of about one size, of very different sizes, or mostly 0.
std::vector<double> random_terms(Random& random, std::size_t n) {
    const double spread[] = {1.0, 90.0, 600.0};
    const double most = spread[random.below(3)];
    const double size = std::ldexp(1.0, static_cast<int>(random.below(1200)) - 600);
    std::vector<double> terms;
    for (std::size_t i = 0; i < n; ++i) {
        const double term = size * random.unit() * std::exp2(-std::floor(most * random.unit()));
        terms.push_back(random.one_in(4) ? 0.0 : term);
    }
    return terms;
}

// Adds the terms times 2^-shift in parts.
ExactSum in_parts(const std::vector<double>& terms, std::size_t parts, int shift) {
    std::vector<ExactSum> sums(parts);
    for (std::size_t first = 0; first < terms.size(); first += kSumRows) {
        SumBlock block{};
        for (std::size_t i = first; i < std::min(first + kSumRows, terms.size()); ++i) block[i - first] = std::ldexp(terms[i], -shift);
        sums[first / kSumRows % parts].add(block, shift);
    }
    ExactSum all;
    for (const ExactSum& sum : sums) all.add(sum);
    return all;
}

void sums_do_not_depend_on_order_parts_or_shifts() {
    Random random(11);
    check::cases(300, [&](long) {
        std::vector<double> terms = random_terms(random, random.below(4000));
        const double sum = exact_sum(terms);
        long double expected = 0.0L;
        for (const double term : terms) expected += term;
        CHECK_NEAR(sum, static_cast<double>(expected), 4e-16 * sum);
        std::shuffle(terms.begin(), terms.end(), random.engine);
        CHECK(exact_sum(terms) == sum);
        const int shift = static_cast<int>(random.below(200)) - 100;
        CHECK(in_parts(terms, 1 + random.below(3), shift).value() == sum);
        CHECK(std::ldexp(in_parts(terms, 1, shift).value(shift), shift) == sum);
    });
}

void extreme_terms_are_added() {
    CHECK(exact_sum({}) == 0.0);
    CHECK(exact_sum(std::vector<double>(3, 0.0)) == 0.0);
    CHECK(exact_sum(std::vector<double>{0x1p1000, 0x1p1000, 1.0}) == 0x1p1001);
    CHECK(std::isnan(exact_sum(std::vector<double>{std::numeric_limits<double>::quiet_NaN(), 1.0})));
    CHECK(exact_sum(std::vector<double>(4, 0x1p1023)) == kInfinity);
    CHECK(exact_sum(std::vector<double>{1.0, kInfinity}) == kInfinity);
    CHECK(exact_sum(std::vector<double>{0x1p-700, 0x1p-740}) == 0x1p-700 + 0x1p-740);
}

}  // namespace

int main() { return check::run(sums_do_not_depend_on_order_parts_or_shifts, extreme_terms_are_added); }
