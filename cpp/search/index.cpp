// cpp/search/index.cpp: the built-in index functions.
//
// Each formula avoids the cancellation of its textbook form (n - sum c^2/n, (sum sqrt c)^2 - n): the
// values are good to a few units in the last place also for a node of millions of rows with one stray.
#include "search/index.hpp"

#include <algorithm>
#include <cmath>

#include "base/multiversion.hpp"

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
                // Near certainty the ratio rounds to 1; log1p keeps what is left of it.
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

// The sum over pairs of components of what sqrt makes of two: Z of a confidence-rated partition, class by class.
class Pairs final : public Index {
 public:
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                double* out) const override {
        std::fill(out, out + n, 0.0);
        for (std::size_t c = 0; c + 1 < classes; c += 2) {
            add_sqrt_of_two(counts + c * stride, counts + (c + 1) * stride, n, out);
        }
    }
    [[nodiscard]] bool strict() const noexcept override { return false; }  // one pair does not feel another
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
