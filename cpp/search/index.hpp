// cpp/search/index.hpp: index functions on count vectors, F(c) = |c| I(c/|c|), evaluated in batches.
#pragma once

#include <cstddef>

namespace polytomy {

// `pairs` treats components in pairs, as AdaBoost.MH does: the weight for and the weight against each class.
enum class IndexKind : int { sqrt = 0, gini = 1, entropy = 2, error = 3, pairs = 4 };

inline constexpr std::size_t kPadding = 16;

// One virtual call evaluates a whole batch, so that kernels need not be compiled again for each index.
class Index {
 public:
    virtual ~Index() = default;
    // Sets out[i] to F of item i, whose weight of class c is counts[c * stride + i].
    virtual void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                        double* out) const = 0;
    // Whether least_total() is available.
    [[nodiscard]] virtual bool fused() const noexcept { return false; }
    // The least of F(c_j - start) + rest[j] for j in 0..n-1 and two classes, where c_j = (first[j], second[j]): the cost
    // of a run that ends at j plus that of what follows it. All three arrays must be readable for kPadding more elements,
    // and `rest` infinite there, so that whole vectors can be read: most runs are short, and single elements at the end
    // would take longer than the rest.
    [[nodiscard]] virtual double least_total(const double*, const double*, double, double, const double*,
                                             std::size_t) const {
        return 0.0;
    }
    // The same in single precision, three times as fast, for counts that add up to 1.
    [[nodiscard]] virtual float least_total(const float*, const float*, float, float, const float*, std::size_t) const {
        return 0.0F;
    }
    // How far single precision can be off for each run, if every count of an item is 0 or at least `smallest`.
    [[nodiscard]] virtual double single_precision_error(double) const noexcept { return 0.0; }
    // Is F strictly concave, along rays aside? Then a best cut never lies between neighbours of one and the same class.
    [[nodiscard]] virtual bool strict() const noexcept { return true; }
    // Whether several threads may call values() at the same time and it does not throw.
    [[nodiscard]] virtual bool parallel() const noexcept { return true; }
};

const Index& builtin_index(IndexKind kind);

}  // namespace polytomy
