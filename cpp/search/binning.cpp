// cpp/search/binning.cpp: see binning.hpp.
#include "search/binning.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/cancellation.hpp"

namespace polytomy {

InformationValue::InformationValue(double others, double events, double smoothing)
    : others_(others), events_(events), added_(smoothing / std::min(others, events)) {}

void InformationValue::values(const double* counts, std::size_t stride, std::size_t n, std::size_t, double* out) const {
    for (std::size_t i = 0; i < n; ++i) {
        double b = counts[i] / others_;
        double a = counts[stride + i] / events_;
        const double difference = a - b;
        if (a == 0.0 || b == 0.0) {
            a += added_;
            b += added_;
        }
        out[i] = a > 0.0 && b > 0.0 ? -difference * std::log(a / b) : kInfinity;
    }
}

BinSearch::BinSearch(const Index& index, std::size_t classes, const BinRules& rules)
    : index_(index), classes_(classes), rules_(rules) {}

void BinSearch::load(std::span<const Weight> counts, std::span<const Weight> rows) {
    n_ = rows.size();
    whole_ = kInfinity;
    find_costs(counts, rows);
    sort_by_rate();
    count_predecessors();
    minima_.resize(minima(n_ + 1));
}

void BinSearch::find_costs(std::span<const Weight> counts, std::span<const Weight> rows) {
    const std::size_t stride = n_ + 1 + kPadding;
    std::vector<double> before(classes_ * stride, 0.0), inside(classes_ * stride, 0.0);
    std::vector<Weight> rows_before(n_ + 1, 0), weight_before(n_ + 1, 0);
    for (std::size_t i = 0; i < n_; ++i) {
        const Weight* item = counts.data() + i * classes_;
        for (std::size_t c = 0; c < classes_; ++c) {
            before[c * stride + i + 1] = before[c * stride + i] + static_cast<double>(item[c]);
        }
        rows_before[i + 1] = rows_before[i] + rows[i];
        weight_before[i + 1] = weight_before[i] + std::accumulate(item, item + classes_, Weight{0});
    }
    cost_.resize(first(n_ + 1));
    rate_.assign(cost_.size(), 0.0);
    const bool has_rates = rules_.rate_class >= 0;
    for (std::size_t end = 1; end <= n_; ++end) {
        poll(8 * end * classes_);
        double* const cost = cost_.data() + first(end);
        for (std::size_t c = 0; c < classes_; ++c) {
            const double* const sums = before.data() + c * stride;
            for (std::size_t i = 0; i < end; ++i) inside[c * stride + i] = sums[end] - sums[i];
        }
        index_.values(inside.data(), stride, end, classes_, cost);
        if (end == n_) whole_ = cost[0];
        for (std::size_t i = 0; i < end; ++i) {
            const Weight weight = weight_before[end] - weight_before[i];
            if (has_rates && weight > 0) {
                const double events = inside[static_cast<std::size_t>(rules_.rate_class) * stride + i];
                rate_[first(end) + i] = events / static_cast<double>(weight);
            }
            const bool is_small = rows_before[end] - rows_before[i] < rules_.min_rows || weight < rules_.min_weight;
            if (is_small) cost[i] = kInfinity;
        }
    }
}

void BinSearch::sort_by_rate() {
    by_rate_.resize(cost_.size());
    n_ending_.assign(n_ + 1, 0);
    for (std::size_t end = 1; end < n_; ++end) {
        poll(32 * end);
        Place* const starts = by_rate_.data() + first(end);
        const double* const cost = cost_.data() + first(end);
        const double* const rate = rate_.data() + first(end);
        Place found = 0;
        for (std::size_t i = 0; i < end; ++i) {
            if (cost[i] < kInfinity) starts[found++] = static_cast<Place>(i);
        }
        n_ending_[end] = found;
        std::sort(starts, starts + found, [rate](Place x, Place y) {
            return rate[x] != rate[y] ? rate[x] < rate[y] : x < y;
        });
    }
}

void BinSearch::count_predecessors() {
    below_.assign(cost_.size(), 0);
    above_.assign(cost_.size(), 0);
    std::vector<double> sorted(n_);
    for (std::size_t start = 1; start < n_; ++start) {
        poll(32 * (n_ - start));
        const double* const rate = rate_.data() + first(start);
        const Place* const starts = by_rate_.data() + first(start);
        const std::size_t n = n_ending_[start];
        for (std::size_t r = 0; r < n; ++r) sorted[r] = rate[starts[r]];
        const auto begin = sorted.begin();
        const auto end = begin + static_cast<std::ptrdiff_t>(n);
        for (std::size_t j = start + 1; j <= n_; ++j) {
            const std::size_t at = first(j) + start;
            below_[at] = static_cast<Place>(std::upper_bound(begin, end, rate_[at] - rules_.min_difference) - begin);
            above_[at] = static_cast<Place>(end - std::lower_bound(begin, end, rate_[at] + rules_.min_difference));
        }
    }
}

std::vector<BinSearch::Move> BinSearch::moves_of(Trend trend) {
    switch (trend) {
        case Trend::ascending: return {{0, 0, true}};
        case Trend::descending: return {{0, 0, false}};
        case Trend::peak: return {{0, 0, true}, {0, 1, false}, {1, 1, false}};
        case Trend::valley: return {{0, 0, false}, {0, 1, true}, {1, 1, true}};
        default: return {{0, 0, true}, {0, 0, false}};
    }
}

// Sets the least cost of the predecessors with the r lowest rates (the highest if rates fall), for every end and r.
void BinSearch::find_minima(const Level& before, bool rises) {
    for (std::size_t end = 1; end < n_; ++end) {
        double* const out = minima_.data() + minima(end);
        const double* const cost = before.data() + first(end);
        const Place* const starts = by_rate_.data() + first(end);
        const std::size_t n = n_ending_[end];
        double least = kInfinity;
        out[0] = least;
        for (std::size_t r = 0; r < n; ++r) {
            least = std::min(least, cost[starts[rises ? r : n - 1 - r]]);
            out[r + 1] = least;
        }
    }
}

// Adds one more bin to the partitions of `before`, by one move.
void BinSearch::extend(const Level& before, bool rises, Level& after) {
    find_minima(before, rises);
    const std::vector<Place>& n_allowed = rises ? below_ : above_;
    for (std::size_t end = 2; end <= n_; ++end) {
        poll(end);
        for (std::size_t start = 1; start < end; ++start) {
            const std::size_t at = first(end) + start;
            after[at] = std::min(after[at], cost_[at] + minima_[minima(start) + n_allowed[at]]);
        }
    }
}

Bins BinSearch::best(Trend trend) {
    if (n_ == 0) return {0.0, {}};
    const std::vector<Move> moves = moves_of(trend);
    const std::size_t phases = moves.back().to + 1;
    const std::size_t most = std::min(std::max<std::size_t>(rules_.max_bins, 1), n_);
    if (level_.size() < phases) level_.resize(phases);
    for (std::size_t phase = 0; phase < phases; ++phase) {
        if (level_[phase].size() < most) level_[phase].resize(most);
        for (std::size_t k = 0; k < most; ++k) level_[phase][k].assign(cost_.size(), kInfinity);
    }
    for (std::size_t end = 1; end <= n_; ++end) level_[0][0][first(end)] = cost_[first(end)];
    level_[0][0][first(n_)] = whole_;  // a single bin is allowed, however small

    // The least cost of each number of bins, and its phase.
    std::vector<std::pair<double, std::size_t>> least{{whole_, 0}};
    for (std::size_t bins = 2; bins <= most; ++bins) {
        for (const Move& move : moves) extend(level_[move.from][bins - 2], move.rises, level_[move.to][bins - 1]);
        std::pair<double, std::size_t> found{kInfinity, 0};
        for (std::size_t phase = 0; phase < phases; ++phase) {
            const double* const cost = level_[phase][bins - 1].data() + first(n_);
            found = std::min(found, {*std::min_element(cost, cost + n_), phase});
        }
        least.push_back(found);
    }
    double lowest = kInfinity;
    for (const auto& [cost, phase] : least) lowest = std::min(lowest, cost);
    if (lowest == kInfinity) return {kInfinity, {static_cast<std::uint32_t>(n_)}};
    const double scale = whole_ < kInfinity ? std::max(std::abs(whole_), std::abs(lowest)) : std::abs(lowest);
    std::size_t chosen = 0;
    while (least[chosen].first > lowest + kTie * scale) ++chosen;
    return trace(moves, chosen + 1, least[chosen].second, least[chosen].first);
}

// Returns the bins of a partition of the given cost; of several, that with the lowest last cut.
Bins BinSearch::trace(const std::vector<Move>& moves, std::size_t bins, std::size_t phase, double cost) const {
    Bins out{cost, std::vector<std::uint32_t>(bins)};
    std::size_t end = n_;
    const double* const last = level_[phase][bins - 1].data() + first(n_);
    std::size_t start = static_cast<std::size_t>(std::min_element(last, last + n_) - last);
    for (std::size_t k = bins; k > 0; --k) {
        out.ends[k - 1] = static_cast<std::uint32_t>(end);
        if (k == 1) break;
        const std::size_t at = first(end) + start;
        double least = kInfinity;
        std::size_t best_start = 0, best_phase = 0;
        for (const Move& move : moves) {
            if (move.to != phase) continue;
            const std::vector<double>& before = level_[move.from][k - 2];
            const std::size_t n = n_ending_[start];
            const std::size_t allowed = move.rises ? below_[at] : above_[at];
            for (std::size_t r = 0; r < allowed; ++r) {
                const std::size_t h = by_rate_[first(start) + (move.rises ? r : n - 1 - r)];
                const double value = before[first(start) + h];
                if (value < least || (value == least && least < kInfinity && h < best_start)) {
                    least = value;
                    best_start = h;
                    best_phase = move.from;
                }
            }
        }
        end = start;
        start = best_start;
        phase = best_phase;
    }
    return out;
}

}  // namespace polytomy
