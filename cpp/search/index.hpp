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
    // Returns the minimum of F(c_j - start) + rest[j] over j in 0..n-1 for two classes, where c_j = (first[j], second[j]):
    // the cost of a run that ends at j plus the cost of the items after it. The most used indices have a fused version. All
    // three arrays must be readable for kPadding more elements, and `rest` must be infinite there, so that whole vectors
    // can be read: most runs are short, and reading single elements at the end would take longer than everything else.
    [[nodiscard]] virtual double least_total(const double* first, const double* second, double first_start,
                                             double second_start, const double* rest, std::size_t n) const;
    // Is F strictly concave, along rays aside? Then a best cut never lies between neighbours of one and the same class.
    [[nodiscard]] virtual bool strict() const noexcept { return true; }
    // Whether several threads may call values() at the same time and it does not throw.
    [[nodiscard]] virtual bool parallel() const noexcept { return true; }
};

const Index& builtin_index(IndexKind kind);

}  // namespace polytomy
