// cpp/search/runs_deviation.cpp: a lower bound on the cost of partitions, from the few runs that differ from their node.
//
// F of a run is its tangent value less its deviation (index.hpp), and the tangent values of all runs add up to F of the
// node. So only runs that deviate by more than a limit need their F; for all others, the tangent value less the limit is a
// lower bound. In most columns such runs are rare, and a test without division finds them.
// For 3,000 x 20 normal columns, boosting with trees of 31 leaves, the bound excludes 98% of the columns that cannot win
// with three or more branches.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
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

// Calls visit(first, last) for the lengths first..last-1 of neighbouring classes, given as bits. Longer ranges take fewer calls.
template <class Visit>
void each_range(std::uint32_t classes, Visit&& visit) {
    while (classes != 0) {
        const auto begin = static_cast<std::size_t>(std::countr_zero(classes));
        const auto end = begin + static_cast<std::size_t>(std::countr_one(classes >> begin));
        visit(shortest_of(begin), shortest_of(end));
        if (end >= 32) return;
        classes &= ~std::uint32_t{0} << end;
    }
}

constexpr double kTies = 4.0;   // options within a tie of one that wins are kept

constexpr std::size_t kLanes = 8;
constexpr std::size_t kMostItems = kPerOctave << (32 / kPerOctave - 1);  // the shortest run of a class 32

// Sets a bit in found[i] if a run from cut i to one of the cuts i + length, ... may deviate by more than the limit, for the
// four lengths of an octave: first, first + width, ... A run deviates if the square of its difference in `across` exceeds
// both its difference in `along` and `least`; low and high are the least and the largest `across` of `width` cuts, by the
// first of them, and far_along is `along` of the ends. All are rounded such that no run is missed. The arrays must be
// readable up to 2 (n + kLanes) for n cuts, and far_along infinite behind the last cut, so that nothing is
// found there: single elements at the end would take too long. Returns all bits set.
POLYTOMY_MULTIVERSION std::uint32_t flag_starts(const float* across, const float* along, const float* low, const float* high,
                                       const float* far_along, float least, std::size_t first, std::size_t width,
                                       std::size_t n, std::uint32_t bits, std::uint32_t* found) {
    const std::size_t whole = (n + kLanes - 1) / kLanes * kLanes;
    const auto test = [=](std::size_t i, std::size_t k) {
        const std::size_t end = i + first + k * width;
        const float up = high[end] - across[i];
        const float down = across[i] - low[end];
        const float far = up > down ? up : down;
        const float apart = far_along[end] - along[i];
        return far * far > (apart > least ? apart : least) ? bits & (0x11111111U << k) : 0U;
    };
    static_assert(kPerOctave == 4);
    std::uint32_t any = 0;
    for (std::size_t i = 0; i < whole; ++i) {
        const std::uint32_t here = test(i, 0) | test(i, 1) | test(i, 2) | test(i, 3);
        found[i] |= here;
        any |= here;
    }
    return any;
}

// Lanes are compared like scalars; the compiler does not vectorise minima of floats by itself.
using Lanes = float __attribute__((vector_size(sizeof(float) * kLanes)));

POLYTOMY_INLINE void load_lanes(Lanes& lanes, const float* values) { std::memcpy(&lanes, values, sizeof lanes); }

POLYTOMY_INLINE float least_of(const Lanes& lanes) {
    float least = lanes[0];
    for (std::size_t k = 1; k < kLanes; ++k) least = lanes[k] < least ? lanes[k] : least;
    return least;
}

// Returns the largest difference of two of n values.
POLYTOMY_MULTIVERSION float range_of(const float* values, std::size_t n) {
    Lanes low = Lanes{} + values[0], minus_high = -low, lanes;
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        load_lanes(lanes, values + i);
        low = lanes < low ? lanes : low;
        minus_high = -lanes < minus_high ? -lanes : minus_high;
    }
    float least = least_of(low), most = -least_of(minus_high);
    for (; i < n; ++i) {
        least = std::min(least, values[i]);
        most = std::max(most, values[i]);
    }
    return most - least;
}

// Returns the minimum of far_along[i] - along[i].
POLYTOMY_MULTIVERSION float least_apart(const float* far_along, const float* along, std::size_t n) {
    Lanes least = Lanes{} + std::numeric_limits<float>::infinity(), end, begin;
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        load_lanes(end, far_along + i);
        load_lanes(begin, along + i);
        least = end - begin < least ? end - begin : least;
    }
    float apart = least_of(least);
    for (; i < n; ++i) apart = std::min(apart, far_along[i] - along[i]);
    return apart;
}

// Doubles the width of windows whose extremes are known; those that reach the end stay as they are.
POLYTOMY_MULTIVERSION void widen(float* low, float* high, std::size_t width, std::size_t n) {
    for (std::size_t i = 0; i + width < n; ++i) {
        low[i] = low[i + width] < low[i] ? low[i + width] : low[i];
        high[i] = high[i + width] > high[i] ? high[i + width] : high[i];
    }
}

// Lowers out[i] to values[i] + shift.
POLYTOMY_MULTIVERSION void lower(const double* values, double shift, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) {
        const double value = shift + values[i];
        out[i] = value < out[i] ? value : out[i];
    }
}

// Sets tangent[i] to the tangent value of the items up to cut i, and priced[i] to that plus the cost of those behind it and the
// price of the cut.
POLYTOMY_MULTIVERSION void price_cuts(const double* a, const double* b, const double* tangent, const double* rest, double cut_price,
                                      std::size_t n, double* value, double* priced) {
    const double of_a = tangent[0], of_b = tangent[1];
    for (std::size_t i = 0; i < n; ++i) {
        value[i] = of_a * a[i] + of_b * b[i];
        priced[i] = cut_price + (value[i] + rest[i]);
    }
}

// Sets rest and further to the least costs behind n cuts of which no run deviates by more than the limit; see bounded_cost().
POLYTOMY_MULTIVERSION void finish_cuts(const double* tangent, const double* lowest, double cut_price, double limit, std::size_t n,
                                       double* rest, double* further) {
    for (std::size_t i = 0; i < n; ++i) {
        const double cut = lowest[i] - limit - tangent[i];
        further[i] = cut_price + cut;
        rest[i] = cut_price + (cut < rest[i] ? cut : rest[i]);
    }
}

// What flag_starts() reads, for each cut.
struct CutPlaces {
    float *across, *along, *low, *high, *far_along;
};

// Sets the places of n cuts from the sums of both classes up to them. Extremes are moved outwards by `margin`, and ends back by
// `shift`.
POLYTOMY_MULTIVERSION void project(const double* a, const double* b, const double* across, const double* along, std::size_t n,
                                   float margin, float shift, CutPlaces out) {
    for (std::size_t i = 0; i < n; ++i) {
        const auto x = static_cast<float>(across[0] * a[i] + across[1] * b[i]);
        const auto t = static_cast<float>(along[0] * a[i] + along[1] * b[i]);
        out.across[i] = x;
        out.along[i] = t;
        out.low[i] = x - margin;
        out.high[i] = x + margin;
        out.far_along[i] = t - shift;
    }
}

}  // namespace

// Sets found_[i - 1], for each cut i, to the classes of lengths of which a run from there may deviate by more than the
// limit, as bits. The counts are multiplied by `scale`, so that they add up to 1. Returns whether there is any.
bool RunSearch::find_deviating_runs(const DeviationTest& test, double scale) {
    const std::size_t n = n_ - 1;  // cuts; cut i is at index i - 1
    const std::size_t padded = 2 * (n + kLanes);
    for (std::vector<float>* values : {&across_, &along_, &low_, &high_, &far_along_}) values->resize(padded);
    found_.assign(n + kLanes, 0);
    const double* a = prefix_.data() + 1;
    const double* b = a + stride_;
    // An operation is off by at most 2^-24 of its result, and no result exceeds twice the largest value: 2^-21 of that
    // value covers the operations of a difference, and 2^-20 of the factor those of the comparison.
    const double factor = test.factor * (1.0 - 0x1p-20);
    const double shift = test.shift * (1.0 + 0x1p-20);
    const double across[2] = {scale * test.across[0], scale * test.across[1]};
    const double along[2] = {scale * factor * test.along[0], scale * factor * test.along[1]};
    const auto margin = static_cast<float>((std::abs(across[0]) * a[n] + std::abs(across[1]) * b[n]) * 0x1p-21);
    const double longest = along[0] * a[n] + along[1] * b[n];
    project(a, b, across, along, n, margin, static_cast<float>((longest * 0x1p-21 + shift) * (1.0 + 0x1p-20)),
            {across_.data(), along_.data(), low_.data(), high_.data(), far_along_.data()});
    std::fill(far_along_.begin() + static_cast<std::ptrdiff_t>(n), far_along_.end(), std::numeric_limits<float>::infinity());
    const auto least = static_cast<float>((factor * test.least - shift) * (1.0 - 0x1p-20));
    const double farthest = range_of(across_.data(), n) * (1.0 + 0x1p-20) + 2.0 * margin;
    if (farthest * farthest <= least) return false;
    std::size_t width = 1;
    std::uint32_t any = 0;
    for (std::size_t c = 0; shortest_of(c) < n; c += kPerOctave) {
        const std::size_t first = shortest_of(c);
        // If runs of this length weigh too much for the farthest distance, so do longer ones.
        if (farthest * farthest <= least_apart(far_along_.data() + first, along_.data(), n - first)) break;
        if (width_of(c) > width) {
            widen(low_.data(), high_.data(), width, n);
            width = width_of(c);
        }
        const std::uint32_t octave = (c == 0 ? 0xeU : 0xfU) << c;  // a run has at least one item
        any |= flag_starts(across_.data(), along_.data(), low_.data(), high_.data(), far_along_.data(), least, first, width,
                           n - first, octave, found_.data());
    }
    return any != 0;
}

// Returns the minimum of F(items from..j-1) + rest_[j] over the runs found from there, and perhaps others.
double RunSearch::least_deviating_run(std::size_t from) {
    double least = kInfinity;
    std::size_t seen = from + 1;
    each_range(found_[from - 1], [&](std::size_t shortest, std::size_t behind) {
        const std::size_t last = std::min(n_, from + behind);
        if (last <= seen) return;
        const std::size_t first = std::max(seen, from + shortest);
        seen = std::min(n_, std::max(last, first + kPadding));  // whole vectors take no longer
        least = std::min(least, least_run(from, first, seen, rest_.data()));
    });
    return least;
}

// The largest limit for which nothing that costs less than `most` is left if no run between two cuts deviates by more: of k
// runs, the first and the last deviate by at most `side_deviation` together, the k - 2 others by the limit, and there are
// k - 1 cuts to pay. Nothing is gained by a limit above the price of a cut.
double RunSearch::sufficient_limit(double cut_price, double most, double side_deviation) const noexcept {
    const double slack = static_cast<double>(n_ + kPadding) * 0x1p-47 * node_value_;
    return std::min(cut_price, node_value_ - side_deviation + 2.0 * cut_price - most - slack);
}

// Returns a lower bound on least_cost() for two classes and a fused index. The recursion is the same, except that a run
// between two cuts that deviates by no more than the limit gets its tangent value less the limit as its cost. The limit is
// at most the price of a cut. With half of it, every such run loses half a price, so that the bound is nearly as sharp. If
// no run deviates by more, `if_none` is returned.
double RunSearch::bounded_cost(double cut_price, std::size_t cuts, double limit, double if_none) {
    const double* a = prefix_.data();
    const double* b = a + stride_;
    if (n_ > kMostItems || a[n_] <= 0.0 || b[n_] <= 0.0 || cut_price <= 0.0) return -kInfinity;
    const double scale = 1.0 / (a[n_] + b[n_]);
    const DeviationTest test = index_.deviation_test(a[n_], b[n_], limit * scale);
    const bool found = find_deviating_runs(test, scale);
    if (!found && if_none > -kInfinity) return if_none;
    rest_.resize(n_ + 1 + kPadding);
    further_.resize(n_ + 1 + kPadding);
    suffix_values(rest_.data());
    std::fill(rest_.begin() + static_cast<std::ptrdiff_t>(n_), rest_.end(), kInfinity);
    std::fill(further_.begin() + static_cast<std::ptrdiff_t>(n_), further_.end(), kInfinity);
    const auto finish = [&](std::size_t first, std::size_t last) {
        finish_cuts(tangent_.data() + first, lowest_.data() + first, cut_price, limit, last - first, rest_.data() + first, further_.data() + first);
    };
    tangent_.resize(n_);
    lowest_.resize(n_);
    price_cuts(a, b, test.tangent, rest_.data(), cut_price, n_, tangent_.data(), lowest_.data());
    double lowest = kInfinity;  // of tangent value + rest, over the cuts behind
    std::size_t open = n_;      // the cuts from..open-1 are not finished yet
    for (std::size_t from = n_ - 1; from > 0; --from) {
        const double priced = lowest_[from];
        lowest_[from] = lowest;
        // A run that does not deviate cannot lower the lowest, since its cut costs more than the limit. So the lowest need not
        // wait for the cuts without deviating runs, and these are finished together.
        if (found_[from - 1] == 0) {
            lowest = std::min(lowest, priced);
            continue;
        }
        finish(from + 1, open);
        open = from;
        const double cut = std::min(lowest - limit - tangent_[from], least_deviating_run(from));
        const double after = std::min(rest_[from], cut);
        further_[from] = cut_price + cut;
        rest_[from] = cut_price + after;
        lowest = std::min(lowest, cut_price + (tangent_[from] + after));
    }
    finish(1, open);
    // The sums of up to n tangent values are rounded, too.
    const double rounding = static_cast<double>(n_ + kPadding) * 0x1p-48 * node_value_;
    return least_run(0, 1, n_, cuts == 2 ? further_.data() : rest_.data()) - rounding;
}

// Drops the cuts that are in no partition with a cost below `most`, or within some ties of it, after bounded_cost(). What
// it found bounds the cost of the items behind each cut, rest_; the same recursion from the left bounds that of those
// before it. For 3,000 x 20 normal columns, boosting with trees of 31 leaves, a quarter of the cuts remain in the columns
// that bounded_cost() does not exclude.
void RunSearch::drop_losing_cuts(double cut_price, double limit, double most) {
    const double* a = prefix_.data();
    const double* b = a + stride_;
    const DeviationTest test = index_.deviation_test(a[n_], b[n_], limit / (a[n_] + b[n_]));
    before_.resize(n_ + 1);
    row_ = kNoRow;
    run_values(0, 1, n_, false, before_.data());
    const double enough = most + static_cast<double>(n_ + kPadding) * 0x1p-48 * node_value_ + kTies * kTie * node_value_;
    double lowest = kInfinity;  // of the cost up to a cut, with its price, less the tangent value, over the cuts before
    kept_.clear();
    for (std::size_t from = 1; from < n_; ++from) {
        const double tangent = test.tangent[0] * a[from] + test.tangent[1] * b[from];
        before_[from] = std::min(before_[from], lowest + tangent - limit);
        lowest = std::min(lowest, cut_price + before_[from] - tangent);
        each_range(found_[from - 1], [&](std::size_t shortest, std::size_t behind) {
            const std::size_t first = from + shortest;
            const std::size_t last = std::min(n_, from + behind);
            if (first >= last) return;
            run_values(from, first, last, false, plain_.data());
            lower(plain_.data() + first, cut_price + before_[from], last - first, before_.data() + first);
        });
        if (before_[from] + rest_[from] < enough) kept_.push_back(static_cast<std::uint32_t>(from));
    }
    kept_.push_back(static_cast<std::uint32_t>(n_));
    keep_cuts();
}

}  // namespace polytomy
