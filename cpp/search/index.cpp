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

// The least of cost(first[j] - a, second[j] - b) + rest[j], in four chains of vectors: one would wait for itself.
template <class Cost>
POLYTOMY_INLINE double fused_least(const double* first, const double* second, double a, double b, const double* rest,
                                   std::size_t n, Cost cost) {
    using Four = double __attribute__((vector_size(32)));
    constexpr std::size_t kChains = 4;
    Four least[kChains];
    for (Four& m : least) m = Four{kInfinity, kInfinity, kInfinity, kInfinity};
    static_assert(4 * kChains == kPadding);
    for (std::size_t j = 0; j < n; j += kPadding) {
        for (std::size_t c = 0; c < kChains; ++c) {
            Four x, y, z, total;
            std::memcpy(&x, first + j + 4 * c, sizeof x);
            std::memcpy(&y, second + j + 4 * c, sizeof y);
            std::memcpy(&z, rest + j + 4 * c, sizeof z);
            cost(x - a, y - b, total);
            total += z;
            least[c] = total < least[c] ? total : least[c];  // NaN, which may occur in the padding, is ignored
        }
    }
    double best = kInfinity;
    for (const Four& m : least) {
        for (int lane = 0; lane < 4; ++lane) best = std::min(best, m[lane]);
    }
    return best;
}

// The sum is at least 1 for a run that holds rows; an empty one costs 0.
POLYTOMY_MULTIVERSION double least_gini(const double* first, const double* second, double a, double b,
                                        const double* rest, std::size_t n) {
    return fused_least(first, second, a, b, rest, n, [](const auto& x, const auto& y, auto& total) {
        const auto sum = x + y;
        total = 4.0 * x * y / (sum > 0.0 ? sum : sum + 1.0);
    });
}

POLYTOMY_MULTIVERSION double least_sqrt(const double* first, const double* second, double a, double b,
                                        const double* rest, std::size_t n) {
    return fused_least(first, second, a, b, rest, n, [](const auto& x, const auto& y, auto& total) {
        const auto product = x * y;
        for (int lane = 0; lane < 4; ++lane) total[lane] = 2.0 * std::sqrt(product[lane]);
    });
}

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
    [[nodiscard]] double least_total(const double* first, const double* second, double first_start, double second_start,
                                     const double* rest, std::size_t n) const override {
        return least_gini(first, second, first_start, second_start, rest, n);
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
    [[nodiscard]] double least_total(const double* first, const double* second, double first_start, double second_start,
                                     const double* rest, std::size_t n) const override {
        return least_sqrt(first, second, first_start, second_start, rest, n);
    }
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

double Index::least_total(const double* first, const double* second, double first_start, double second_start,
                          const double* rest, std::size_t n) const {
    std::vector<double> counts(2 * n), cost(n);
    for (std::size_t j = 0; j < n; ++j) {
        counts[j] = first[j] - first_start;
        counts[n + j] = second[j] - second_start;
    }
    values(counts.data(), n, n, 2, cost.data());
    double best = kInfinity;
    for (std::size_t j = 0; j < n; ++j) best = std::min(best, cost[j] + rest[j]);
    return best;
}

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
