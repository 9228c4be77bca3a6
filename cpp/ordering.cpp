// cpp/ordering.cpp: see ordering.hpp.
#include "ordering.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace polytomy {
namespace {

// Ascending; scores within the tie tolerance are equal (they are of the order of 1) and go by position, so that
// the rounding of fixed-point weights cannot reorder categories that are alike.
std::vector<std::uint32_t> sorted_by(const std::vector<double>& score) {
    std::vector<std::uint32_t> order(score.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return score[a] < score[b]; });
    for (auto first = order.begin(); first != order.end();) {
        const auto last = std::find_if(first, order.end(), [&](std::uint32_t i) { return score[i] > score[*first] + kTie; });
        std::sort(first, last);
        first = last;
    }
    return order;
}

// The leading eigenvector of a symmetric non-negative definite matrix, by repeated multiplication.
std::vector<double> leading_eigenvector(const std::vector<double>& matrix, std::size_t n) {
    constexpr int kRounds = 100;
    std::size_t start = 0;
    for (std::size_t c = 1; c < n; ++c) {
        if (matrix[c * n + c] > matrix[start * n + start]) start = c;
    }
    std::vector<double> v(matrix.begin() + static_cast<std::ptrdiff_t>(start * n),
                          matrix.begin() + static_cast<std::ptrdiff_t>((start + 1) * n));
    std::vector<double> next(n);
    for (int round = 0; round < kRounds; ++round) {
        double norm = 0.0;
        for (std::size_t r = 0; r < n; ++r) {
            next[r] = std::inner_product(v.begin(), v.end(), matrix.begin() + static_cast<std::ptrdiff_t>(r * n), 0.0);
            norm += next[r] * next[r];
        }
        if (!(norm > 0.0)) break;
        norm = std::sqrt(norm);
        for (std::size_t r = 0; r < n; ++r) v[r] = next[r] / norm;
    }
    const auto largest = std::max_element(v.begin(), v.end(), [](double a, double b) {
        return std::abs(a) < std::abs(b);
    });
    if (*largest < 0.0) {
        for (double& x : v) x = -x;
    }
    return v;
}

}  // namespace

std::vector<std::uint32_t> order_by_share(const std::vector<Weight>& counts, std::size_t classes,
                                          std::size_t heads, std::size_t tails) {
    std::vector<double> share(counts.size() / classes);
    for (std::size_t i = 0; i < share.size(); ++i) {
        const auto h = static_cast<double>(counts[i * classes + heads]);
        const auto t = static_cast<double>(counts[i * classes + tails]);
        share[i] = h / (h + t);
    }
    return sorted_by(share);
}

std::vector<std::uint32_t> order_by_component(const std::vector<Weight>& counts, std::size_t classes) {
    const std::size_t n = counts.size() / classes;
    std::vector<double> share(n * classes), weight(n), mean(classes, 0.0);
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < classes; ++c) {
            share[i * classes + c] = static_cast<double>(counts[i * classes + c]);
            weight[i] += share[i * classes + c];
            mean[c] += share[i * classes + c];
        }
        total += weight[i];
    }
    for (double& m : mean) m /= total;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < classes; ++c) share[i * classes + c] = share[i * classes + c] / weight[i] - mean[c];
    }
    std::vector<double> scatter(classes * classes, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t a = 0; a < classes; ++a) {
            const double x = weight[i] / total * share[i * classes + a];
            for (std::size_t b = 0; b < classes; ++b) scatter[a * classes + b] += x * share[i * classes + b];
        }
    }
    const std::vector<double> axis = leading_eigenvector(scatter, classes);
    std::vector<double> score(n);
    for (std::size_t i = 0; i < n; ++i) {
        score[i] = std::inner_product(axis.begin(), axis.end(),
                                      share.begin() + static_cast<std::ptrdiff_t>(i * classes), 0.0);
    }
    return sorted_by(score);
}

}  // namespace polytomy
