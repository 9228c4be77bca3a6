// cpp/search/index.cpp: the built-in index functions.
//
// Each formula avoids the cancellation of its textbook form (n - sum c^2/n, (sum sqrt c)^2 - n): values are accurate to
// a few units in the last place even for a node with millions of rows of one class and a single row of another.
#include "search/index.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

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

// With more classes, blocks of items are evaluated class by class, so that the loops over items are vectorised and memory
// is read in its order.
constexpr std::size_t kBlockOfItems = 64;

POLYTOMY_MULTIVERSION void gini_of_many(const double* counts, std::size_t stride, std::size_t n, std::size_t classes, double* out) {
    double sum[kBlockOfItems] = {};
    double cross[kBlockOfItems] = {};
    for (std::size_t c = 0; c < classes; ++c) {
        for (std::size_t i = 0; i < n; ++i) sum[i] += counts[c * stride + i];
    }
    for (std::size_t c = 0; c < classes; ++c) {
        for (std::size_t i = 0; i < n; ++i) {
            const double x = counts[c * stride + i];
            cross[i] += x * (sum[i] - x);
        }
    }
    for (std::size_t i = 0; i < n; ++i) out[i] = 2.0 * cross[i] / (sum[i] > 0.0 ? sum[i] : 1.0);
}

POLYTOMY_MULTIVERSION void sqrt_of_many(const double* counts, std::size_t stride, std::size_t n, std::size_t classes, double* out) {
    double before[kBlockOfItems] = {};
    double pairs[kBlockOfItems] = {};
    for (std::size_t c = 0; c < classes; ++c) {
        for (std::size_t i = 0; i < n; ++i) {
            const double root = std::sqrt(counts[c * stride + i]);
            pairs[i] += before[i] * root;
            before[i] += root;
        }
    }
    for (std::size_t i = 0; i < n; ++i) out[i] = 2.0 * pairs[i];
}

using Doubles = double __attribute__((vector_size(32)));

POLYTOMY_INLINE double least_lane(const Doubles& x) { return std::min(std::min(x[0], x[1]), std::min(x[2], x[3])); }

// The least of cost(first[j] - a, second[j] - b) + rest[j], in several chains of vectors: a single chain would be bound by latency.
template <class Cost>
POLYTOMY_INLINE double fused_least(const double* first, const double* second, double a, double b, const double* rest,
                                   std::size_t n, Cost cost) {
    constexpr std::size_t kLanes = sizeof(Doubles) / sizeof(double);
    constexpr std::size_t kChains = kPadding / kLanes;
    Doubles least[kChains];
    for (Doubles& m : least) m = kInfinity - Doubles{};
    const auto take = [&](std::size_t j, Doubles& m) {
        Doubles x, y, z, total;
        std::memcpy(&x, first + j, sizeof x);
        std::memcpy(&y, second + j, sizeof y);
        std::memcpy(&z, rest + j, sizeof z);
        cost(x - a, y - b, total);
        total += z;
        m = total < m ? total : m;  // NaN, which may occur in the padding, is ignored
    };
    if (n <= kFewRuns) {  // most often
        for (std::size_t c = 0; c < kFewRuns / kLanes; ++c) take(kLanes * c, least[c]);
    } else {
        for (std::size_t j = 0; j < n; j += kPadding) {
            for (std::size_t c = 0; c < kChains; ++c) take(j + kLanes * c, least[c]);
        }
        least[0] = least[2] < least[0] ? least[2] : least[0];
        least[1] = least[3] < least[1] ? least[3] : least[1];
    }
    static_assert(kChains == 4 && kFewRuns == 2 * kLanes);
    least[0] = least[1] < least[0] ? least[1] : least[0];
    return least_lane(least[0]);
}

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
    return fused_least(first, second, a, b, rest, n, kGiniCost);
}

POLYTOMY_MULTIVERSION double least_sqrt(const double* first, const double* second, double a, double b,
                                        const double* rest, std::size_t n) {
    return fused_least(first, second, a, b, rest, n, kSqrtCost);
}

// Calls take(x, y, j) for all pairs first[j], second[j], as vectors from index j on; some more than once. If there are fewer
// than a vector has, it is filled with one of them.
template <class Take>
POLYTOMY_INLINE void each_pair(const double* first, const double* second, std::size_t n, Take take) {
    constexpr std::size_t kLanes = sizeof(Doubles) / sizeof(double);
    Doubles x, y;
    const auto take_at = [&](std::size_t j) {
        std::memcpy(&x, first + j, sizeof x);
        std::memcpy(&y, second + j, sizeof y);
        take(x, y, j);
    };
    for (std::size_t j = 0; j + kLanes <= n; j += kLanes) take_at(j);
    if (n >= kLanes) {
        if (n % kLanes != 0) take_at(n - kLanes);  // some once more
    } else {
        for (std::size_t j = 0; j < n; ++j) take(first[j] - Doubles{}, second[j] - Doubles{}, j);
    }
}

// The least of value(first[j], second[j]) + value(a - first[j], b - second[j]).
template <class Value>
POLYTOMY_INLINE double fused_split(const double* first, const double* second, double a, double b, std::size_t n,
                                   Value value) {
    Doubles least = kInfinity - Doubles{};
    each_pair(first, second, n, [&](const Doubles& x, const Doubles& y, std::size_t) {
        Doubles before, after;
        value(x, y, before);
        value(a - x, b - y, after);
        before += after;
        least = before < least ? before : least;
    });
    return least_lane(least);
}

// The same, with the deviations of both sides; what they cost is written to `front` and `behind`.
template <class Value>
POLYTOMY_INLINE SplitCosts fused_split_costs(const double* first, const double* second, double a, double b, std::size_t n,
                                             const double* tangent, double* front, double* behind, Value value) {
    Doubles least = kInfinity - Doubles{}, least_first = least, least_last = least;
    const double u = tangent[0], v = tangent[1];
    each_pair(first, second, n, [&](const Doubles& x, const Doubles& y, std::size_t j) {
        const Doubles rest_x = a - x, rest_y = b - y;
        Doubles before, after;
        value(x, y, before);
        value(rest_x, rest_y, after);
        std::memcpy(front + j, &before, sizeof before);
        std::memcpy(behind + j, &after, sizeof after);
        const Doubles sum = before + after;
        least = sum < least ? sum : least;
        before -= u * x + v * y;
        after -= u * rest_x + v * rest_y;
        least_first = before < least_first ? before : least_first;
        least_last = after < least_last ? after : least_last;
    });
    return {least_lane(least), -least_lane(least_first), -least_lane(least_last)};
}

constexpr auto kGiniOfTwo = [](const Doubles& x, const Doubles& y, Doubles& out) {
    const Doubles sum = x + y;
    out = 4.0 * x * y / (sum > 0.0 ? sum : 1.0 - Doubles{});
};

POLYTOMY_MULTIVERSION double least_gini_split(const double* first, const double* second, double a, double b,
                                              std::size_t n) {
    return fused_split(first, second, a, b, n, kGiniOfTwo);
}

POLYTOMY_MULTIVERSION SplitCosts gini_split_costs(const double* first, const double* second, double a, double b, std::size_t n,
                                                  const double* tangent, double* front, double* behind) {
    return fused_split_costs(first, second, a, b, n, tangent, front, behind, kGiniOfTwo);
}

POLYTOMY_MULTIVERSION SplitCosts sqrt_split_costs(const double* first, const double* second, double a, double b, std::size_t n,
                                                  const double* tangent, double* front, double* behind) {
    return fused_split_costs(first, second, a, b, n, tangent, front, behind, kSqrtCost);
}

POLYTOMY_MULTIVERSION double least_sqrt_split(const double* first, const double* second, double a, double b,
                                              std::size_t n) {
    return fused_split(first, second, a, b, n, kSqrtCost);
}

double total(const double* counts, std::size_t classes) {
    double sum = 0.0;
    for (std::size_t c = 0; c < classes; ++c) sum += counts[c];
    return sum;
}

class Gini final : public Index {
 public:
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                double* out) const override {
        if (classes == 2) {
            gini_of_two(counts, counts + stride, n, out);
            return;
        }
        for (std::size_t i = 0; i < n; i += kBlockOfItems) {
            gini_of_many(counts + i, stride, std::min(kBlockOfItems, n - i), classes, out + i);
        }
    }
    [[nodiscard]] std::unique_ptr<RunningValue> running(std::size_t classes) const override {
        return std::make_unique<RunningValueOf<RunningGini>>(classes);
    }
    void gradient(const double* counts, std::size_t classes, double, double* out) const override {
        const double sum = total(counts, classes);
        double cross = 0.0;
        for (std::size_t c = 0; c < classes; ++c) cross += counts[c] / sum * ((sum - counts[c]) / sum);
        for (std::size_t c = 0; c < classes; ++c) out[c] = 2.0 * (2.0 * ((sum - counts[c]) / sum) - cross);
    }
    [[nodiscard]] bool fused() const noexcept override { return true; }
    [[nodiscard]] double least_total(const double* first, const double* second, double first_start, double second_start,
                                     const double* rest, std::size_t n) const override {
        return least_gini(first, second, first_start, second_start, rest, n);
    }
    [[nodiscard]] double least_split(const double* first, const double* second, double all_first, double all_second,
                                     std::size_t n) const override {
        return least_gini_split(first, second, all_first, all_second, n);
    }
    [[nodiscard]] SplitCosts split_costs(const double* first, const double* second, double all_first, double all_second,
                                         std::size_t n, const double* tangent, double* front, double* behind) const override {
        return gini_split_costs(first, second, all_first, all_second, n, tangent, front, behind);
    }
    // The deviation of (x, y) from a node (a, b) with n = a + b is 4 (b x - a y)^2 / (n^2 (x + y)).
    [[nodiscard]] DeviationTest deviation_test(double a, double b, double limit) const override {
        const double p = a / (a + b);
        const double q = b / (a + b);
        return {{4.0 * q * q, 4.0 * p * p}, {2.0 * q, -2.0 * p}, {1.0, 1.0}, limit, 0.0, 0.0};
    }
};

class Sqrt final : public Index {
 public:
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                double* out) const override {
        if (classes == 2) {
            sqrt_of_two(counts, counts + stride, n, out);
            return;
        }
        for (std::size_t i = 0; i < n; i += kBlockOfItems) {
            sqrt_of_many(counts + i, stride, std::min(kBlockOfItems, n - i), classes, out + i);
        }
    }
    [[nodiscard]] std::unique_ptr<RunningValue> running(std::size_t classes) const override {
        return std::make_unique<RunningValueOf<RunningSqrt>>(classes);
    }
    void gradient(const double* counts, std::size_t classes, double least, double* out) const override {
        double roots = 0.0;
        for (std::size_t c = 0; c < classes; ++c) roots += std::sqrt(counts[c]);
        for (std::size_t c = 0; c < classes; ++c) {
            const double own = std::sqrt(counts[c]);
            out[c] = counts[c] < least ? roots / std::sqrt(least) - 1.0 : (roots - own) / own;
        }
    }
    [[nodiscard]] bool fused() const noexcept override { return true; }
    [[nodiscard]] double least_total(const double* first, const double* second, double first_start, double second_start,
                                     const double* rest, std::size_t n) const override {
        return least_sqrt(first, second, first_start, second_start, rest, n);
    }
    [[nodiscard]] double least_split(const double* first, const double* second, double all_first, double all_second,
                                     std::size_t n) const override {
        return least_sqrt_split(first, second, all_first, all_second, n);
    }
    [[nodiscard]] SplitCosts split_costs(const double* first, const double* second, double all_first, double all_second,
                                         std::size_t n, const double* tangent, double* front, double* behind) const override {
        return sqrt_split_costs(first, second, all_first, all_second, n, tangent, front, behind);
    }
    // With u = x sqrt(b/a) and v = y sqrt(a/b), it is u + v - 2 sqrt(u v). That exceeds the limit if u + v > limit and
    // (u + v - limit)^2 > 4 u v = (u + v)^2 - (u - v)^2.
    [[nodiscard]] DeviationTest deviation_test(double a, double b, double limit) const override {
        const double u = std::sqrt(b / a);
        const double v = std::sqrt(a / b);
        return {{u, v}, {u, -v}, {u, v}, 2.0 * limit, limit, limit * limit};
    }
};

class Entropy final : public Index {
 public:
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                double* out) const override {
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
    [[nodiscard]] std::unique_ptr<RunningValue> running(std::size_t classes) const override {
        return std::make_unique<RunningValueOf<RunningEntropy>>(classes);
    }
    void gradient(const double* counts, std::size_t classes, double least, double* out) const override {
        const double sum = total(counts, classes);
        for (std::size_t c = 0; c < classes; ++c) {
            const double x = std::max(counts[c], least);
            out[c] = kPerNat * (2.0 * x > sum ? std::log1p((sum - x) / x) : std::log(sum / x));
        }
    }

 private:
    static constexpr double kPerNat = 1.4426950408889634074;  // log2(e)
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
    [[nodiscard]] std::unique_ptr<RunningValue> running(std::size_t classes) const override {
        return std::make_unique<RunningValueOf<RunningError>>(classes);
    }
    void gradient(const double* counts, std::size_t classes, double, double* out) const override {
        std::fill(out, out + classes, 2.0);
        out[std::max_element(counts, counts + classes) - counts] = 0.0;
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

// -S ln(S/n) for the sum S of n numbers: up to terms that no split changes, half the Poisson deviance.
class Poisson final : public Index {
 public:
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t, double* out) const override {
        for (std::size_t i = 0; i < n; ++i) {
            const double sum = counts[i];
            const double rest = counts[stride + i];
            out[i] = sum > 0.0 ? sum * std::log1p(rest / sum) : 0.0;
        }
    }
    void gradient(const double* counts, std::size_t, double least, double* out) const override {
        const double sum = std::max(counts[0], least);
        out[0] = std::log1p(counts[1] / sum) - counts[1] / (sum + counts[1]);
        out[1] = counts[0] / (counts[0] + counts[1]);
    }
};

// For rows n in a length L: n (40 - ln(n/L)). A split gains what it adds to the log-likelihood, sum n ln(n/L). The linear
// term cancels from gains; it keeps the values positive for whole numbers n < 2^53 and L >= 1.
class Likelihood final : public Index {
 public:
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t, double* out) const override {
        const double* length = counts + stride;
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = counts[i] > 0.0 ? counts[i] * (40.0 + std::log(length[i] / counts[i])) : 0.0;
        }
    }
    [[nodiscard]] bool empty_runs() const noexcept override { return true; }
};

// For rows n in a volume V: n (2^22 - n/V). A split gains what it takes from the integrated squared error, sum n^2/V. The
// linear term cancels; values are positive up to 2^22 times the mean density of a table with as many units of both.
class SquaredDensity final : public Index {
 public:
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t, double* out) const override {
        const double* volume = counts + stride;
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = counts[i] > 0.0 ? counts[i] * (4194304.0 - counts[i] / volume[i]) : 0.0;
        }
    }
    [[nodiscard]] bool empty_runs() const noexcept override { return true; }
};

}  // namespace

void Index::gradient(const double* counts, std::size_t classes, double least, double* out) const {
    constexpr double kStep = 1e-5;  // of a weight; the error of a central difference is of the order of its square
    std::vector<double> moved(counts, counts + classes);
    for (std::size_t c = 0; c < classes; ++c) {
        const double centre = std::max(counts[c], least);
        double values_at[2];
        moved[c] = centre * (1.0 - kStep);
        values(moved.data(), 1, 1, classes, values_at);
        moved[c] = centre * (1.0 + kStep);
        values(moved.data(), 1, 1, classes, values_at + 1);
        out[c] = (values_at[1] - values_at[0]) / (2.0 * kStep * centre);
        moved[c] = counts[c];
    }
}

const Index& builtin_index(IndexKind kind) {
    static const Gini gini;
    static const Sqrt sqrt;
    static const Entropy entropy;
    static const Error error;
    static const Pairs pairs;
    static const Poisson poisson;
    static const Likelihood likelihood;
    static const SquaredDensity squared_density;
    switch (kind) {
        case IndexKind::sqrt: return sqrt;
        case IndexKind::entropy: return entropy;
        case IndexKind::error: return error;
        case IndexKind::pairs: return pairs;
        case IndexKind::poisson: return poisson;
        case IndexKind::likelihood: return likelihood;
        case IndexKind::squared_density: return squared_density;
        default: return gini;
    }
}

}  // namespace polytomy
