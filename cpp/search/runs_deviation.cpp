// cpp/search/runs_deviation.cpp: a lower bound on the cost of partitions, from the few runs that differ from their node.
//
// F of a run is its tangent value less its deviation (index.hpp), and the tangent values of all runs add up to F of the
// node. So only runs that deviate by more than a limit need their F; for all others, the tangent value less the limit is a
// lower bound. In most columns such runs are rare, and a test without division finds them.
// For 3,000 x 20 normal columns, boosting with trees of 31 leaves, the bound excludes 98% of the columns that cannot win
// with three or more branches, and it reduced the time of growing from 6.9 to 5.5 ms a tree.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/multiversion.hpp"
#include "search/runs.hpp"

namespace polytomy {
namespace {

// The lengths of runs, in items, are divided into classes: 1, 2, ..., 7 by themselves, then four to an octave: 8-9, 10-11,
// ..., 16-19, and so on. A run is tested together with the others of its class and start.
constexpr std::size_t kPerOctave = 4;

std::size_t shortest_of(std::size_t length_class) {
    if (length_class < 2 * kPerOctave) return length_class;
    return (kPerOctave + length_class % kPerOctave) << (length_class / kPerOctave - 1);
}

std::size_t width_of(std::size_t length_class) { return shortest_of(length_class + 1) - shortest_of(length_class); }

constexpr std::size_t kLanes = 8;
constexpr std::size_t kMostItems = kPerOctave << (32 / kPerOctave - 1);  // the shortest run of a class 32

// A test in single precision that finds every run that deviates by more than the limit, in spite of rounding.
struct RoundedTest {
    float factor, least, shift;
    float across_error, along_error;
};

// Sets a bit in found[i] if a run from cut i to one of the cuts i + length, ... may deviate by more than the limit; low and
// high are the least and the largest `across` of these cuts, by the first of them. The arrays must be readable for kLanes
// more elements, and `along` infinite there, so that nothing is found: single elements at the end would take too long.
POLYTOMY_MULTIVERSION void flag_starts(const float* across, const float* along, const float* low, const float* high,
                                       std::size_t length, std::size_t n, const RoundedTest& test, std::uint32_t bit,
                                       std::uint32_t* found) {
    const RoundedTest by = test;
    const std::size_t whole = (n + kLanes - 1) / kLanes * kLanes;
    for (std::size_t i = 0; i < whole; ++i) {
        const float up = high[i + length] - across[i];
        const float down = across[i] - low[i + length];
        const float far = (up > down ? up : down) + by.across_error;
        const float apart = along[i + length] - along[i] - by.along_error;
        const float needed = by.factor * (apart > by.least ? apart : by.least) - by.shift;
        found[i] |= far * far > needed ? bit : 0U;
    }
}

// Doubles the width of windows whose extremes are known; those that reach the end stay as they are.
POLYTOMY_MULTIVERSION void widen(float* low, float* high, std::size_t width, std::size_t n) {
    for (std::size_t i = 0; i + width < n; ++i) {
        low[i] = low[i + width] < low[i] ? low[i + width] : low[i];
        high[i] = high[i + width] > high[i] ? high[i + width] : high[i];
    }
}

}  // namespace

// Sets found_[i - 1], for each cut i, to the classes of lengths of which a run from there may deviate by more than the
// limit, as bits. The counts are multiplied by `scale`, so that they add up to 1.
void RunSearch::find_deviating_runs(const DeviationTest& test, double scale) {
    const std::size_t n = n_ - 1;  // cuts; cut i is at index i - 1
    across_.resize(n + kLanes);
    along_.resize(n + kLanes);
    found_.assign(n + kLanes, 0);
    const double* a = prefix_.data() + 1;
    const double* b = a + stride_;
    double widest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double across = scale * (test.across[0] * a[i] + test.across[1] * b[i]);
        widest = std::max(widest, std::abs(across));
        across_[i] = static_cast<float>(across);
        along_[i] = static_cast<float>(scale * (test.along[0] * a[i] + test.along[1] * b[i]));
    }
    std::fill_n(across_.begin() + static_cast<std::ptrdiff_t>(n), kLanes, 0.0F);
    std::fill_n(along_.begin() + static_cast<std::ptrdiff_t>(n), kLanes, std::numeric_limits<float>::infinity());
    // An operation is off by at most 2^-24 of its result, and no result exceeds twice the largest value: 2^-21 of that
    // value covers the three operations of a difference, and 2^-20 of the factor those of the comparison.
    const auto less = [](double x) { return static_cast<float>(x * (1.0 - 0x1p-20)); };
    const RoundedTest rounded{less(test.factor), less(test.least), static_cast<float>(test.shift * (1.0 + 0x1p-20)),
                              static_cast<float>(widest * 0x1p-21), along_[n - 1] * 0x1p-21F};
    low_ = across_;
    high_ = across_;
    std::size_t width = 1;
    for (std::size_t c = 1; shortest_of(c) < n; ++c) {
        if (width_of(c) > width) {
            widen(low_.data(), high_.data(), width, n);
            width = width_of(c);
        }
        const std::size_t length = shortest_of(c);
        flag_starts(across_.data(), along_.data(), low_.data(), high_.data(), length, n - length, rounded,
                    std::uint32_t{1} << c, found_.data());
    }
}

// Returns the minimum of F(items from..j-1) + rest_[j] over the runs found from there, and perhaps others.
double RunSearch::least_deviating_run(std::size_t from) {
    double least = kInfinity;
    std::size_t seen = from + 1;
    for (std::uint32_t classes = found_[from - 1]; classes != 0; classes &= classes - 1) {
        const auto c = static_cast<std::size_t>(std::countr_zero(classes));
        const std::size_t last = std::min(n_, from + shortest_of(c + 1));
        if (last <= seen) continue;
        const std::size_t first = std::max(seen, from + shortest_of(c));
        seen = std::min(n_, std::max(last, first + kPadding));  // whole vectors take no longer
        least = std::min(least, least_run(from, first, seen, rest_.data()));
    }
    return least;
}

// Returns a lower bound on least_cost() for two classes and a fused index. The recursion is the same, except that a run
// between two cuts that deviates by no more than the limit gets its tangent value less the limit as its cost. With half
// the price of a cut as the limit, every such run loses half a price, so that the bound is nearly as sharp.
double RunSearch::bounded_cost(double cut_price, std::size_t cuts) {
    const double* a = prefix_.data();
    const double* b = a + stride_;
    if (n_ > kMostItems || a[n_] <= 0.0 || b[n_] <= 0.0 || cut_price <= 0.0) return -kInfinity;
    const double limit = 0.5 * cut_price;
    const double scale = 1.0 / (a[n_] + b[n_]);
    const DeviationTest test = index_.deviation_test(a[n_], b[n_], limit * scale);
    find_deviating_runs(test, scale);
    rest_.resize(n_ + 1 + kPadding);
    further_.resize(n_ + 1 + kPadding);
    suffix_values(rest_.data());
    std::fill(rest_.begin() + static_cast<std::ptrdiff_t>(n_), rest_.end(), kInfinity);
    std::fill(further_.begin() + static_cast<std::ptrdiff_t>(n_), further_.end(), kInfinity);
    double lowest = kInfinity;  // of tangent value + rest, over the cuts behind
    for (std::size_t from = n_ - 1; from > 0; --from) {
        const double tangent = test.tangent[0] * a[from] + test.tangent[1] * b[from];
        double cut = lowest - tangent - limit;
        if (found_[from - 1] != 0) cut = std::min(cut, least_deviating_run(from));
        further_[from] = cut_price + cut;
        rest_[from] = cut_price + std::min(cut, rest_[from]);
        lowest = std::min(lowest, tangent + rest_[from]);
    }
    // The sums of up to n tangent values are rounded, too.
    const double rounding = static_cast<double>(n_ + kPadding) * 0x1p-48 * node_value_;
    return least_run(0, 1, n_, cuts == 2 ? further_.data() : rest_.data()) - rounding;
}

}  // namespace polytomy
