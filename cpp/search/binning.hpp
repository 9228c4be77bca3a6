// cpp/search/binning.hpp: the best partition of an ordered list of items into bins whose rates follow a trend.
//
// Items are the codes of a column in order, a bin is a run of consecutive items, and the rate of a bin is the share of
// one class. Unlike the runs of runs.hpp, a bin constrains the one after it: rates must rise or fall, by some amount. So
// the dynamic program keeps the last bin as its state. With n items it takes O(n^2 log n) operations once and O(n^2) for
// each number of bins, and its result is the best for any additive cost, also with minimum sizes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "search/index.hpp"

namespace polytomy {

// How rates go from bin to bin. A peak is a rise (or nothing) and then a fall, a valley the opposite.
enum class Trend : int { any = 0, ascending = 1, descending = 2, peak = 3, valley = 4 };

struct BinRules {
    std::size_t max_bins = 2;
    Weight min_rows = 1;          // of a bin, unless it is the only one
    Weight min_weight = 0;        // likewise
    double min_difference = 0.0;  // between the rates of neighbouring bins
    int rate_class = -1;          // the class whose share is the rate; -1 if there are no rates, and then no trend
};

// The cost is the sum of F over the bins, of which bin r has the items ends[r-1] .. ends[r]-1. The last end is the number
// of items.
struct Bins {
    double cost = kInfinity;
    std::vector<std::uint32_t> ends;
};

// The information value of a bin, negated, so that the least cost is the largest value:
// F(b, a) = -(a/A - b/B) ln((a/A) / (b/B)) for a of A events and b of B other rows. If a or b is 0, `smoothing` > 0 adds
// smoothing / min(A, B) to both fractions inside the logarithm; without smoothing such a bin costs infinitely much.
class InformationValue final : public Index {
 public:
    InformationValue(double others, double events, double smoothing);
    void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes,
                double* out) const override;

 private:
    double others_, events_, added_;
};

class BinSearch {
 public:
    BinSearch(const Index& index, std::size_t classes, const BinRules& rules);

    // Sets the items, with counts[i * classes + c] and rows[i]; there must be fewer than 65,536. Memory is used again.
    void load(std::span<const Weight> counts, std::span<const Weight> rows);
    // Returns the bins of least cost; of those that cost the same, the fewest. There is always one: a single bin.
    [[nodiscard]] Bins best(Trend trend);

 private:
    using Place = std::uint16_t;
    using Level = std::vector<double>;  // by last bin: the least cost of the items up to its end
    struct Move {
        std::size_t from, to;  // phases: before and after the turn of a peak or valley
        bool rises;
    };

    // Bin i..j-1 is at position first(j) + i: bins that end together lie together.
    static constexpr std::size_t first(std::size_t end) noexcept { return end * (end - 1) / 2; }
    // The position of the minima over the bins that end at `end`, of which there are one more than bins.
    static constexpr std::size_t minima(std::size_t end) noexcept { return end * (end + 1) / 2; }
    static std::vector<Move> moves_of(Trend trend);
    void find_costs(std::span<const Weight> counts, std::span<const Weight> rows);
    void sort_by_rate();
    void count_predecessors();
    void find_minima(const Level& before, bool rises);
    void extend(const Level& before, bool rises, Level& after);
    [[nodiscard]] Bins trace(const std::vector<Move>& moves, std::size_t bins, std::size_t phase, double cost) const;

    const Index& index_;
    std::size_t classes_;
    BinRules rules_;
    std::size_t n_ = 0;
    double whole_ = kInfinity;              // the cost of a single bin
    std::vector<double> cost_, rate_;       // of each bin; the cost is infinite if the bin is too small
    std::vector<Place> by_rate_;            // starts of the bins that end together, those of finite cost, by rate
    std::vector<Place> n_ending_;           // how many these are, for each end
    std::vector<Place> below_, above_;      // for each bin: predecessors with a rate low enough to rise, high enough to fall
    std::vector<double> minima_;            // least cost of the first 0, 1, ... predecessors by rate
    std::vector<std::vector<Level>> level_; // by phase and number of bins - 1
};

}  // namespace polytomy
