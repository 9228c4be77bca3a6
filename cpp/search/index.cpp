// cpp/search/index.cpp: the built-in index functions.
//
// Each formula avoids the cancellation of its textbook form (n - sum c^2/n, (sum sqrt c)^2 - n): values are accurate to
// a few units in the last place even for a node with millions of rows of one class and a single row of another.
#include "search/index.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/multiversion.hpp"
#include "base/types.hpp"

namespace polytomy {
namespace {

POLYTOMY_MULTIVERSION void gini_of_two(const double* a, const double* b, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) {
        const double sum = a[i] + b[i];
        out[i] = 4.0 * a[i] * b[i] / (sum > 0.0 ? sum : 1.0);
    }
}

POLYTOMY_MULTIVERSION void sqrt_of_two(const double* a, const double* b, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = 2.0 * std::sqrt(a[i] * b[i]);
}

POLYTOMY_MULTIVERSION void add_sqrt_of_two(const double* a, const double* b, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] += 2.0 * std::sqrt(a[i] * b[i]);
}

// The least of cost(first[j] - a, second[j] - b) + rest[j], in several chains of vectors: a single chain would be bound by latency.
template <class Vector, class Number, class Cost>
POLYTOMY_INLINE Number fused_least(const Number* first, const Number* second, Number a, Number b, const Number* rest,
                                   std::size_t n, Cost cost) {
    constexpr std::size_t kLanes = sizeof(Vector) / sizeof(Number);
    constexpr std::size_t kChains = kPadding / kLanes;
    Vector least[kChains];
    for (Vector& m : least) m = std::numeric_limits<Number>::infinity() - Vector{};
    for (std::size_t j = 0; j < n; j += kPadding) {
        for (std::size_t c = 0; c < kChains; ++c) {
            Vector x, y, z, total;
            std::memcpy(&x, first + j + kLanes * c, sizeof x);
            std::memcpy(&y, second + j + kLanes * c, sizeof y);
            std::memcpy(&z, rest + j + kLanes * c, sizeof z);
            cost(x - a, y - b, total);
            total += z;
            least[c] = total < least[c] ? total : least[c];  // NaN, which may occur in the padding, is ignored
        }
    }
    for (std::size_t c = 1; c < kChains; ++c) least[0] = least[c] < least[0] ? least[c] : least[0];
    for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) least[0][lane] = std::min(least[0][lane], least[0][lane + half]);
    }
    return least[0][0];
}

using Doubles = double __attribute__((vector_size(32)));
using Floats = float __attribute__((vector_size(32)));

// The sum is positive for a run that holds rows.
constexpr auto kGiniCost = [](const auto& x, const auto& y, auto& total) {
    const auto product = x * y;
    total = (product + product + product + product) / (x + y);
};

constexpr auto kSqrtCost = [](const auto& x, const auto& y, auto& total) {
    const auto product = x * y;
    constexpr std::size_t kLanes = sizeof(product) / sizeof(product[0]);
    for (std::size_t lane = 0; lane < kLanes; ++lane) total[lane] = std::sqrt(product[lane]);
    total += total;
};

POLYTOMY_MULTIVERSION double least_gini(const double* first, const double* second, double a, double b,
                                        const double* rest, std::size_t n) {
    return fused_least<Doubles>(first, second, a, b, rest, n, kGiniCost);
}

POLYTOMY_MULTIVERSION float least_gini(const float* first, const float* second, float a, float b, const float* rest,
                                       std::size_t n) {
    return fused_least<Floats>(first, second, a, b, rest, n, kGiniCost);
}

POLYTOMY_MULTIVERSION double least_sqrt(const double* first, const double* second, double a, double b,
                                        const double* rest, std::size_t n) {
    return fused_least<Doubles>(first, second, a, b, rest, n, kSqrtCost);
}

POLYTOMY_MULTIVERSION float least_sqrt(const float* first, const float* second, float a, float b, const float* rest,
                                       std::size_t n) {
    return fused_least<Floats>(first, second, a, b, rest, n, kSqrtCost);
}

// Rounding the prefix sums to 24 bits moves a count of a run by at most 2^-24; F moves by at most four times as much for
// gini, and by 2^-24 sqrt(b/a) for sqrt. Arithmetic adds a few units in the last place. Twice the sum, to be safe.
constexpr double kSingle = 0x1p-24;

class Gini final : public Index {
 public:
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                double* out) const override {
        if (classes == 2) {
            gini_of_two(counts, counts + stride, n, out);
            return;
        }
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0.0;
            for (std::size_t c = 0; c < classes; ++c) sum += counts[c * stride + i];
            double cross = 0.0;
            for (std::size_t c = 0; c < classes; ++c) {
                const double x = counts[c * stride + i];
                cross += x * (sum - x);
            }
            out[i] = 2.0 * cross / (sum > 0.0 ? sum : 1.0);
        }
    }
    [[nodiscard]] bool fused() const noexcept override { return true; }
    [[nodiscard]] double least_total(const double* first, const double* second, double first_start, double second_start,
                                     const double* rest, std::size_t n) const override {
        return least_gini(first, second, first_start, second_start, rest, n);
    }
    [[nodiscard]] float least_total(const float* first, const float* second, float first_start, float second_start,
                                    const float* rest, std::size_t n) const override {
        return least_gini(first, second, first_start, second_start, rest, n);
    }
    [[nodiscard]] double single_precision_error(double) const noexcept override { return 24.0 * kSingle; }
};

class Sqrt final : public Index {
 public:
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                double* out) const override {
        if (classes == 2) {
            sqrt_of_two(counts, counts + stride, n, out);
            return;
        }
        for (std::size_t i = 0; i < n; ++i) {
            double before = 0.0;
            double pairs = 0.0;
            for (std::size_t c = 0; c < classes; ++c) {
                const double root = std::sqrt(counts[c * stride + i]);
                pairs += before * root;
                before += root;
            }
            out[i] = 2.0 * pairs;
        }
    }
    [[nodiscard]] bool fused() const noexcept override { return true; }
    [[nodiscard]] double least_total(const double* first, const double* second, double first_start, double second_start,
                                     const double* rest, std::size_t n) const override {
        return least_sqrt(first, second, first_start, second_start, rest, n);
    }
    [[nodiscard]] float least_total(const float* first, const float* second, float first_start, float second_start,
                                    const float* rest, std::size_t n) const override {
        return least_sqrt(first, second, first_start, second_start, rest, n);
    }
    [[nodiscard]] double single_precision_error(double smallest) const noexcept override { return (16.0 + 4.0 / std::sqrt(smallest)) * kSingle; }
};

class Entropy final : public Index {
 public:
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                double* out) const override {
        constexpr double kPerNat = 1.4426950408889634074;  // log2(e)
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0.0;
            for (std::size_t c = 0; c < classes; ++c) sum += counts[c * stride + i];
            double nats = 0.0;
            for (std::size_t c = 0; c < classes; ++c) {
                const double x = counts[c * stride + i];
                if (x <= 0.0) continue;
                // If nearly all rows are of one class, the ratio rounds to 1; log1p keeps the difference.
                nats += x * (2.0 * x > sum ? std::log1p((sum - x) / x) : std::log(sum / x));
            }
            out[i] = nats * kPerNat;
        }
    }
};

class Error final : public Index {
 public:
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                double* out) const override {
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0.0;
            double most = 0.0;
            for (std::size_t c = 0; c < classes; ++c) {
                sum += counts[c * stride + i];
                most = std::max(most, counts[c * stride + i]);
            }
            out[i] = 2.0 * (sum - most);
        }
    }
    [[nodiscard]] bool strict() const noexcept override { return false; }
};

// The sum of the sqrt index over pairs of components: Z of a confidence-rated partition, class by class.
class Pairs final : public Index {
 public:
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                double* out) const override {
        std::fill(out, out + n, 0.0);
        for (std::size_t c = 0; c + 1 < classes; c += 2) {
            add_sqrt_of_two(counts + c * stride, counts + (c + 1) * stride, n, out);
        }
    }
    [[nodiscard]] bool strict() const noexcept override { return false; }  // pairs do not interact
};

}  // namespace

const Index& builtin_index(IndexKind kind) {
    static const Gini gini;
    static const Sqrt sqrt;
    static const Entropy entropy;
    static const Error error;
    static const Pairs pairs;
    switch (kind) {
        case IndexKind::sqrt: return sqrt;
        case IndexKind::entropy: return entropy;
        case IndexKind::error: return error;
        case IndexKind::pairs: return pairs;
        default: return gini;
    }
}

}  // namespace polytomy
