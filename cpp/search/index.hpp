// cpp/search/index.hpp: index functions on count vectors, F(c) = |c| I(c/|c|), evaluated in batches.
#pragma once

#include <cstddef>
#include <memory>

#include "search/running_value.hpp"

namespace polytomy {

// `pairs` treats components in pairs, as AdaBoost.MH does: the weight for and the weight against each class.
// `poisson` is for two components, y and 1 - y of numbers scaled to [0, 1]. The last two are for density trees: the
// components are the weight of the rows and the length (or volume) of what holds them.
enum class IndexKind : int {
    sqrt = 0, gini = 1, entropy = 2, error = 3, pairs = 4, poisson = 5, likelihood = 6, squared_density = 7
};

inline constexpr std::size_t kPadding = 16;
inline constexpr std::size_t kFewRuns = 8;  // up to which least_total() takes as long

// F is concave and of degree 1, so it lies below its tangent at a node: F(c) <= tangent . c, with equality if the class
// shares of c are the node's. The difference is the deviation of c. It exceeds a limit if and only if
//     (across . c)^2 > factor * max(along . c, least) - shift,
// which takes neither a division nor a root, and holds for a range of c if it holds for the largest |across . c| and the
// smallest along . c.
struct DeviationTest {
    double tangent[2];
    double across[2];
    double along[2];
    double factor;
    double least;
    double shift;
};

// The least cost of two runs, and the largest deviations of a first and of a last run, over all cuts.
struct SplitCosts {
    double least;
    double first, last;
};

// One virtual call evaluates a whole batch, so that kernels need not be compiled again for each index.
class Index {
 public:
    virtual ~Index() = default;
    // Sets out[i] to F of item i, whose weight of class c is counts[c * stride + i].
    virtual void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                        double* out) const = 0;
    // Sets out[c] to the derivative of F by the weight of class c at one vector of counts: F(x) <= out . x for every x,
    // with equality at the counts. If the derivative of a class grows without bound as its weight goes to 0, a weight
    // below `least` > 0 counts as `least` there. The base class takes differences of values().
    virtual void gradient(const double* counts, std::size_t classes, double least, double* out) const;
    // F of a vector to which classes are added; null if the index cannot do that.
    [[nodiscard]] virtual std::unique_ptr<RunningValue> running(std::size_t) const { return nullptr; }
    // Whether least_total(), least_split(), split_costs() and deviation_test() are available.
    [[nodiscard]] virtual bool fused() const noexcept { return false; }
    // The least of F(c_j - start) + rest[j] for j in 0..n-1 and two classes, where c_j = (first[j], second[j]): the cost
    // of a run that ends at j plus that of what follows it. All three arrays must be readable for kPadding more elements,
    // and `rest` infinite there, so that whole vectors can be read: most runs are short, and single elements at the end
    // would take longer than the rest.
    [[nodiscard]] virtual double least_total(const double*, const double*, double, double, const double*,
                                             std::size_t) const {
        return 0.0;
    }
    // The least of F(c_j) + F(c - c_j) for j in 0..n-1 and two classes, where c_j = (first[j], second[j]), with the bits
    // of values().
    [[nodiscard]] virtual double least_split(const double*, const double*, double, double, std::size_t) const {
        return 0.0;
    }
    // The same, and the deviations of both runs from the node, given its tangent. The costs of both are written to the last two
    // arguments, which have room for kPadding more.
    [[nodiscard]] virtual SplitCosts split_costs(const double*, const double*, double, double, std::size_t, const double*, double*,
                                                 double*) const {
        return {0.0, 0.0, 0.0};
    }
    // The test for runs that deviate by more than `limit` from a node with counts (first, second), both positive.
    [[nodiscard]] virtual DeviationTest deviation_test(double, double, double) const { return {}; }
    // Is F strictly concave, along rays aside? Then a best cut never lies between neighbours of one and the same class.
    [[nodiscard]] virtual bool strict() const noexcept { return true; }
    // Whether a run without rows may be a child: an empty part of the range has a length, but a class without rows nothing.
    [[nodiscard]] virtual bool empty_runs() const noexcept { return false; }
    // Whether several threads may call values() at the same time and it does not throw.
    [[nodiscard]] virtual bool parallel() const noexcept { return true; }
};

const Index& builtin_index(IndexKind kind);

}  // namespace polytomy
