// cpp/search/runs_trace.cpp: recovers the best cuts from the finished dynamic program of runs.cpp.
#include <algorithm>

#include "search/runs.hpp"

namespace polytomy {

// Returns the k-way option with the lowest cuts among those within the tie tolerance of the best.
Runs RunSearch::trace(int k) {
    const bool has_missing = missing_present_;
    const double best = (has_missing ? open_ : done_)[static_cast<std::size_t>(k)][0];
    if (!(best < kInfinity)) return {};
    const double limit = best + kTie * node_value_;
    Runs runs;
    double placed = has_missing ? kInfinity : 0.0;   // cost so far if the missing rows are placed or absent
    double waiting = has_missing ? 0.0 : kInfinity;  // cost so far if the missing rows are not yet placed
    std::size_t from = 0;
    for (int rest = k - 1; rest > 0; --rest) {
        const Level& done = done_[static_cast<std::size_t>(rest)];
        const Level& open = open_[static_cast<std::size_t>(rest)];
        load_row(from);
        std::size_t end = from + 1;
        double least = kInfinity;
        for (std::size_t j = from + 1; j <= n_ && least > limit; ++j) {
            double total = placed + plain_[j] + done[j];
            if (has_missing) {
                total = std::min(total, std::min(waiting + joined_[j] + done[j], waiting + plain_[j] + open[j]));
            }
            if (total < least) {
                least = total;
                end = j;
            }
        }
        if (has_missing) {
            placed = std::min(placed + plain_[end], waiting + joined_[end]);
            waiting += plain_[end];
        } else {
            placed += plain_[end];
        }
        runs.ends.push_back(static_cast<std::uint32_t>(end));
        from = end;
    }
    runs.gain = gain_of(best);
    if (has_missing) runs.missing = place_missing(runs, limit);
    for (std::uint32_t& end : runs.ends) {
        if (!cut_.empty()) end = cut_[end - 1];
    }
    return runs;
}

// Returns the first run that the missing rows may join at a cost of at most `limit`.
Branch RunSearch::place_missing(const Runs& runs, double limit) {
    const auto k = runs.ends.size() + 1;
    if (runs.ends.back() == n_) return static_cast<Branch>(k - 1);
    row_ = kNoRow;
    std::vector<double> plain(k), joined(k);
    double total = 0.0;
    for (std::size_t r = 0; r < k; ++r) {
        const std::size_t from = r == 0 ? 0 : runs.ends[r - 1];
        const std::size_t end = r + 1 == k ? n_ : runs.ends[r];
        costs(from, end, end + 1, false, plain_.data());
        costs(from, end, end + 1, true, joined_.data());
        plain[r] = plain_[end];
        joined[r] = joined_[end];
    }
    std::size_t best = 0;
    double least = kInfinity;
    for (std::size_t r = 0; r < k && least > limit; ++r) {
        total = joined[r];
        for (std::size_t q = 0; q < k; ++q) {
            if (q != r) total += plain[q];
        }
        if (total < least) {
            least = total;
            best = r;
        }
    }
    return static_cast<Branch>(best);
}

}  // namespace polytomy
