// cpp/base/exact_sum.cpp: see exact_sum.hpp.
#include "base/exact_sum.hpp"

#include <limits>

namespace polytomy {

// Several chains of vectors: in a single one, each operation would have to wait for the one before.
POLYTOMY_MULTIVERSION double ExactSum::largest(const SumBlock& terms) {
    constexpr std::size_t kChains = 4;
    Lanes most[kChains] = {};
    for (std::size_t i = 0; i < kSumRows; i += kChains * kLanes) {
        for (std::size_t c = 0; c < kChains; ++c) {
            Lanes at;
            std::memcpy(&at, &terms[i + c * kLanes], sizeof at);
            most[c] = most[c] < at ? at : most[c];
        }
    }
    for (std::size_t c = 1; c < kChains; ++c) most[0] = most[0] < most[c] ? most[c] : most[0];
    return std::max(std::max(most[0][0], most[0][1]), std::max(most[0][2], most[0][3]));
}

POLYTOMY_MULTIVERSION void ExactSum::add_digits(const SumBlock& terms, const Digits& anchor, Digits& sum) {
    constexpr std::size_t kChains = 2;
    const Lanes first = Lanes{} + anchor[0], second = Lanes{} + anchor[1], third = Lanes{} + anchor[2];
    Lanes high[kChains] = {}, middle[kChains] = {}, low[kChains] = {};
    for (std::size_t i = 0; i < kSumRows; i += kChains * kLanes) {
        for (std::size_t c = 0; c < kChains; ++c) {
            Lanes rest;
            std::memcpy(&rest, &terms[i + c * kLanes], sizeof rest);
            const Lanes a = (rest + first) - first;
            rest -= a;
            const Lanes b = (rest + second) - second;
            rest -= b;
            high[c] += a;
            middle[c] += b;
            low[c] += (rest + third) - third;
        }
    }
    for (std::size_t c = 0; c < kChains; ++c) {  // the sums of digits are exact, in any order
        for (std::size_t l = 0; l < kLanes; ++l) {
            sum[0] += high[c][l];
            sum[1] += middle[c][l];
            sum[2] += low[c][l];
        }
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
