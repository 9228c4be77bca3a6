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

std::size_t whole_lanes(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Lanes are compared like scalars; the compiler does not vectorise minima of floats by itself.
using Lanes = float __attribute__((vector_size(sizeof(float) * kLanes)));
using Flags = std::int32_t __attribute__((vector_size(sizeof(Lanes))));

POLYTOMY_INLINE void load_lanes(Lanes& lanes, const float* values) { std::memcpy(&lanes, values, sizeof lanes); }

POLYTOMY_INLINE void store_lanes(const Lanes& lanes, float* values) { std::memcpy(values, &lanes, sizeof lanes); }

POLYTOMY_INLINE void lower_to(Lanes& least, const Lanes& lanes) { least = lanes < least ? lanes : least; }

POLYTOMY_INLINE void raise_to(Lanes& most, const Lanes& lanes) { most = lanes > most ? lanes : most; }

POLYTOMY_INLINE float least_of(const Lanes& lanes) {
    float least = lanes[0];
    for (std::size_t k = 1; k < kLanes; ++k) least = lanes[k] < least ? lanes[k] : least;
    return least;
}

POLYTOMY_INLINE bool any_of(const Flags& flags) {
    std::uint64_t words[sizeof flags / sizeof(std::uint64_t)];
    std::memcpy(words, &flags, sizeof flags);
    return (words[0] | words[1] | words[2] | words[3]) != 0;
}

// The places of cuts in single precision, and the least and the largest `across` of windows of 1, 2, 4, ... cuts, by the first of
// them. Arrays have room for whole vectors behind the last cut, where `across` stays the same and `along` is infinite: so
// nothing is found there. (Single elements at the end would take too long.)
class CutPlaces {
 public:
    CutPlaces(float* memory, std::size_t n) noexcept : along_(memory), across_(memory + 2 * room(n)), room_(room(n)) {}
    // The number of elements for n cuts.
    [[nodiscard]] static std::size_t size(std::size_t n) noexcept {
        return (4 + 2 * static_cast<std::size_t>(std::bit_width(n) + 1)) * room(n);
    }
    [[nodiscard]] float* along() const noexcept { return along_; }
    [[nodiscard]] float* low(std::size_t level) const noexcept { return across_ + (level == 0 ? 0 : 2 * level - 1) * room_; }
    [[nodiscard]] float* high(std::size_t level) const noexcept { return across_ + 2 * level * room_; }

 private:
    [[nodiscard]] static std::size_t room(std::size_t n) noexcept { return whole_lanes(n) + kLanes; }
    float *along_, *across_;
    std::size_t room_;
};

// The runs to be found: between cuts with the sums a[i] and b[i] of both classes up to them. A run deviates if the square of its
// difference in `across` exceeds both its difference in `along` and `least`. Rounding may make a run seem nearer by `margin`, and
// longer by `shift`.
struct RunMarks {
    const double *a, *b;
    std::size_t n;  // cuts
    float across[2], along[2];
    float margin, shift, least;
    std::uint32_t* found;    // for each start, the classes of lengths of which a run may deviate, as bits
    std::uint32_t* vectors;  // scratch
};

// Finds the windows of the next level.
POLYTOMY_INLINE void widen(const CutPlaces& cuts, std::size_t level, std::size_t n) {
    const std::size_t width = std::size_t{1} << level, whole = whole_lanes(n);
    const std::size_t inner = width < kLanes ? whole : whole > width ? whole - width : 0;
    const float *from_low = cuts.low(level), *from_high = cuts.high(level);
    float *low = cuts.low(level + 1), *high = cuts.high(level + 1);
    Lanes least, most, next;
    std::size_t i = 0;
    for (; i < inner; i += kLanes) {
        load_lanes(least, from_low + i);
        load_lanes(next, from_low + i + width);
        lower_to(least, next);
        store_lanes(least, low + i);
        load_lanes(most, from_high + i);
        load_lanes(next, from_high + i + width);
        raise_to(most, next);
        store_lanes(most, high + i);
    }
    for (; i < whole + kLanes; i += kLanes) {  // these windows end with the last cut
        load_lanes(least, from_low + i);
        store_lanes(least, low + i);
        load_lanes(most, from_high + i);
        store_lanes(most, high + i);
    }
}

// Sets the bits of the runs that deviate, perhaps of others too, and returns whether there are any. Eight starts at a time are first
// tested for all four classes of an octave together; few need more. All is one function, since a column has about a hundred
// cuts: calls, and single elements at the ends of loops, would take as long as the tests.
POLYTOMY_MULTIVERSION bool mark_runs(const RunMarks& marks, const CutPlaces& cuts) {
    static_assert(kPerOctave == 4);
    const std::size_t n = marks.n, whole = whole_lanes(n);
    float* __restrict const x = cuts.low(0);
    float* __restrict const t = cuts.along();
    {
        const double *const a = marks.a, *const b = marks.b;
        const float across_a = marks.across[0], across_b = marks.across[1], along_a = marks.along[0], along_b = marks.along[1];
        for (std::size_t i = 0; i < whole; ++i) {
            const auto first = static_cast<float>(a[i]), second = static_cast<float>(b[i]);
            x[i] = across_a * first + across_b * second;
            t[i] = along_a * first + along_b * second;
        }
    }
    std::fill(x + n, x + whole + kLanes, x[n - 1]);
    std::fill(t + n, t + 2 * (whole + kLanes), std::numeric_limits<float>::infinity());
    std::fill(marks.found, marks.found + whole, 0U);
    Lanes least, most, lanes;
    load_lanes(least, x);
    most = least;
    for (std::size_t i = kLanes; i < whole; i += kLanes) {
        load_lanes(lanes, x + i);
        lower_to(least, lanes);
        raise_to(most, lanes);
    }
    const double range = -double{least_of(-most)} - double{least_of(least)};
    const double farthest = range * (1.0 + 0x1p-20) + 2.0 * double{marks.margin};
    if (farthest * farthest <= double{marks.least}) return false;

    Lanes low_start, high_start, start;  // of runs: `across` less and plus the margin, and `along`
    const Lanes none = Lanes{} + std::numeric_limits<float>::infinity();
    Lanes nearest = none;  // the least difference in `along`
    const auto load_start = [&](std::size_t i) {
        load_lanes(high_start, x + i);
        low_start = high_start - marks.margin;
        high_start += marks.margin;
        load_lanes(start, t + i);
        start += marks.shift;
    };
    const auto test = [&](const float* low, const float* high, std::size_t end, Flags& deviates) {
        Lanes up, down, apart;
        load_lanes(up, high + end);
        load_lanes(down, low + end);
        load_lanes(apart, t + end);
        up -= low_start;
        down = high_start - down;
        raise_to(up, down);
        apart -= start;
        lower_to(nearest, apart);
        raise_to(apart, Lanes{} + marks.least);
        deviates = up * up > apart;
    };
    // Whether even the farthest distance is too short for runs `times` as long as those tested last.
    const auto weigh_too_much = [&](double times) {
        return farthest * farthest <= times * double{least_of(nearest)} * (1.0 - 0x1p-20);
    };
    Flags any{}, deviates, here, before;
    const auto mark = [&](std::size_t i) {
        any |= here;
        std::memcpy(&before, marks.found + i, sizeof before);
        before |= here;
        std::memcpy(marks.found + i, &before, sizeof before);
    };
    Lanes of_three = none;
    for (std::size_t i = 0; i + 1 < n; i += kLanes) {
        load_start(i);
        test(x, x, i + 1, deviates);
        here = deviates & 2;
        test(x, x, i + 2, deviates);
        here |= deviates & 4;
        nearest = of_three;
        test(x, x, i + 3, deviates);
        here |= deviates & 8;
        of_three = nearest;
        mark(i);
    }
    nearest = of_three;
    std::size_t level = 0;
    for (std::size_t c = kPerOctave; shortest_of(c) < n; c += kPerOctave) {
        const std::size_t first = shortest_of(c), width = width_of(c);
        if (weigh_too_much(c == kPerOctave ? 1.0 : 2.0)) break;
        const auto fine = static_cast<std::size_t>(std::countr_zero(width)), coarse = fine + 2;
        for (; level < coarse; ++level) widen(cuts, level, n);
        const float *low = cuts.low(coarse), *high = cuts.high(coarse);
        std::size_t listed = 0;
        nearest = none;
        for (std::size_t i = 0; i + first < n; i += kLanes) {
            load_start(i);
            test(low, high, i + first, deviates);
            marks.vectors[listed] = static_cast<std::uint32_t>(i);
            listed += any_of(deviates) ? 1 : 0;
        }
        const Lanes of_octave = nearest;
        low = cuts.low(fine);
        high = cuts.high(fine);
        for (std::size_t v = 0; v < listed; ++v) {
            const std::size_t i = marks.vectors[v];
            load_start(i);
            here = Flags{};
            for (std::size_t k = 0; k < kPerOctave; ++k) {
                test(low, high, i + first + k * width, deviates);
                here |= deviates & static_cast<std::int32_t>(1U << (c + k));
            }
            mark(i);
        }
        nearest = of_octave;
    }
    return any_of(any);
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

}  // namespace

// Sets found_[i - 1], for each cut i, to the classes of lengths of which a run from there may deviate by more than the
// limit, as bits. The counts are multiplied by `scale`, so that they add up to 1. Returns whether there is any.
bool RunSearch::find_deviating_runs(const DeviationTest& test, double scale) {
    const std::size_t n = n_ - 1;  // cuts; cut i is at index i - 1
    if (places_.size() < CutPlaces::size(n)) places_.resize(CutPlaces::size(n));
    if (found_.size() < whole_lanes(n)) found_.resize(whole_lanes(n));
    if (vectors_.size() < found_.size()) vectors_.resize(found_.size());
    const double* a = prefix_.data() + 1;
    const double* b = a + stride_;
    // An operation is off by at most 2^-24 of its result. A place is a sum of two products of rounded numbers, off by 2^-22 of
    // the largest value, and no difference exceeds twice that value: 2^-20 of it covers the operations of a difference, and
    // 2^-20 of the factor those of the comparison.
    const double factor = test.factor * (1.0 - 0x1p-20);
    const double shift = test.shift * (1.0 + 0x1p-20);
    const double across[2] = {scale * test.across[0], scale * test.across[1]};
    const double along[2] = {scale * factor * test.along[0], scale * factor * test.along[1]};
    const double widest = std::abs(across[0]) * a[n] + std::abs(across[1]) * b[n];
    const double longest = along[0] * a[n] + along[1] * b[n];
    // Too small a number would be rounded to one of few digits; 0 is safe.
    const auto to_float = [](double value) { return value < double{std::numeric_limits<float>::min()} ? 0.0F : static_cast<float>(value); };
    const RunMarks marks{a, b, n, {static_cast<float>(across[0]), static_cast<float>(across[1])},
                         {to_float(along[0]), to_float(along[1])}, static_cast<float>(widest * 0x1p-20),
                         static_cast<float>((longest * 0x1p-20 + shift) * (1.0 + 0x1p-20)),
                         static_cast<float>((factor * test.least - shift) * (1.0 - 0x1p-20)), found_.data(), vectors_.data()};
    return mark_runs(marks, CutPlaces(places_.data(), n));
}

// Returns the minimum of F(items from..j-1) + rest_[j] over the runs found from there, and perhaps others.
double RunSearch::least_deviating_run(std::size_t from) {
    double least = kInfinity;
    std::size_t seen = from + 1;
    each_range(found_[from - 1], [&](std::size_t shortest, std::size_t behind) {
        const std::size_t last = std::min(n_, from + behind);
        if (last <= seen) return;
        const std::size_t first = std::max(seen, from + shortest);
        seen = std::min(n_, std::max(last, first + kFewRuns));  // these take no longer
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
// at most the price of a cut. With half of it or less, every such run loses half a price, so that the bound is nearly as sharp. If
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
    const bool has_sides = sides_of_ == n_;
    if (has_sides) {
        std::copy_n(sides_.data() + stride_, n_ - 1, rest_.data() + 1);
    } else {
        suffix_values(rest_.data());
    }
    std::fill(rest_.begin() + static_cast<std::ptrdiff_t>(n_), rest_.end(), kInfinity);
    std::fill(further_.begin() + static_cast<std::ptrdiff_t>(n_), further_.end(), kInfinity);
    const auto finish = [&](std::size_t first, std::size_t last) {
        if (first >= last) return;
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
    const double* const behind = cuts == 2 ? further_.data() : rest_.data();
    return (has_sides ? least_cost_of_two(sides_.data(), behind + 1, n_ - 1) : least_run(0, 1, n_, behind)) - rounding;
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
    if (sides_of_ == n_) {
        std::copy_n(sides_.data(), n_ - 1, before_.data() + 1);
    } else {
        run_values(0, 1, n_, false, before_.data());
    }
    const double enough = most + static_cast<double>(n_ + kPadding) * 0x1p-48 * node_value_ + kTies * kTie * node_value_;
    double lowest = kInfinity;  // of the cost up to a cut, with its price, less the tangent value, over the cuts before
    kept_.clear();
    for (std::size_t from = 1; from < n_; ++from) {
        const double tangent = test.tangent[0] * a[from] + test.tangent[1] * b[from];
        before_[from] = std::min(before_[from], lowest + tangent - limit);
        if (before_[from] + rest_[from] >= enough) continue;  // no partition that is looked for has this cut
        kept_.push_back(static_cast<std::uint32_t>(from));
        lowest = std::min(lowest, cut_price + before_[from] - tangent);
        each_range(found_[from - 1], [&](std::size_t shortest, std::size_t behind) {
            const std::size_t first = from + shortest;
            const std::size_t last = std::min(n_, from + behind);
            if (first >= last) return;
            run_values(from, first, last, false, plain_.data());
            lower(plain_.data() + first, cut_price + before_[from], last - first, before_.data() + first);
        });
    }
    kept_.push_back(static_cast<std::uint32_t>(n_));
    keep_cuts();
}

}  // namespace polytomy
