// cpp/base/exact_sum.cpp: see exact_sum.hpp.
#include "base/exact_sum.hpp"

#include <limits>

namespace polytomy {

POLYTOMY_MULTIVERSION double ExactSum::largest(const SumBlock& terms) {
    Lanes most{};
    for (std::size_t i = 0; i < kSumRows; i += kLanes) {
        Lanes at;
        std::memcpy(&at, &terms[i], sizeof at);
        most = most < at ? at : most;
    }
    return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

POLYTOMY_MULTIVERSION void ExactSum::add_digits(const SumBlock& terms, const Digits& anchor, Digits& sum) {
    const Lanes first = Lanes{} + anchor[0], second = Lanes{} + anchor[1], third = Lanes{} + anchor[2];
    Lanes high{}, middle{}, low{};
    for (std::size_t i = 0; i < kSumRows; i += kLanes) {
        Lanes rest;
        std::memcpy(&rest, &terms[i], sizeof rest);
        const Lanes a = (rest + first) - first;
        rest -= a;
        const Lanes b = (rest + second) - second;
        rest -= b;
        high += a;
        middle += b;
        low += (rest + third) - third;
    }
    for (std::size_t l = 0; l < kLanes; ++l) {
        sum[0] += high[l];
        sum[1] += middle[l];
        sum[2] += low[l];
    }
}

namespace {

ExactSum scaled_sum(std::span<const double> terms, double scale, int down) {
    ExactSum sum;
    SumBlock block{};
    for (std::size_t first = 0; first < terms.size(); first += kSumRows) {
        const std::size_t n = std::min(kSumRows, terms.size() - first);
        for (std::size_t i = 0; i < n; ++i) block[i] = terms[first + i] * scale;
        std::fill(block.begin() + static_cast<std::ptrdiff_t>(n), block.end(), 0.0);
        sum.add(block, down);
    }
    return sum;
}

}  // namespace

ExactSum open_sum(std::span<const double> terms) { return scaled_sum(terms, 1.0, 0); }

double exact_sum(std::span<const double> terms) {
    double most = 0.0;
    bool has_nan = false;
    for (const double term : terms) {
        most = most < term ? term : most;
        has_nan |= std::isnan(term);
    }
    if (has_nan) return std::numeric_limits<double>::quiet_NaN();
    if (!(most < kInfinity)) return most;
    const int down = most > 0x1p900 ? 200 : 0;
    const double scale = std::ldexp(1.0, -down);
    return scaled_sum(terms, scale, down).value();
}

}  // namespace polytomy
