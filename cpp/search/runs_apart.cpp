// cpp/search/runs_apart.cpp: runs whose neighbours differ in their values by at least a given amount.
//
// The value of a run is the mean rank of its classes. Whether a run may come next depends on the run before it, so the
// dynamic program is over runs, not over cuts: best(k, i, j) is the least cost of the items from i on as k runs, of which
// the first is i..j-1,
//     best(k, i, j) = cost(i, j) + min over l of best(k - 1, j, l), where the values of i..j-1 and j..l-1 are apart.
// That takes O(k n^3) steps, hence kApartItems. Two runs are compared directly. Missing rows join any run, or are one of their own, which
// has no neighbours; like in runs.cpp, one bit says whether they have been placed.
#include <algorithm>

#include "base/cancellation.hpp"
#include "search/runs.hpp"

namespace polytomy {
namespace {

// A run's value and cost, without and with the missing rows.
struct Piece {
    double sum[2], weight[2], cost[2];
};

// The least cost of what begins with a run: kPlain if the missing rows are placed or absent, kJoined if the run holds them,
// kWaiting if a later run does.
constexpr int kPlain = 0, kJoined = 1, kWaiting = 2;
struct Costs {
    double least[3] = {kInfinity, kInfinity, kInfinity};
};

}  // namespace

// Two runs. Of cuts within the tie tolerance the lowest is taken, and the missing rows join the first run that they may.
Runs RunSearch::best_two_apart(int direction) {
    Runs best;
    if (n_ == 0) return best;
    two_runs_ = true;
    last_runs();
    load_row(0);
    const double missing_rank = missing_present_ ? missing_rank_sum() : 0.0;
    const double whole_rank = rank_sum(0, n_), whole_weight = weight_of(0, n_);
    // The cost of a cut before item j if the missing rows, if any, join the first run or the second.
    const auto cost = [&](std::size_t j, bool first) {
        const double sum = rank_sum(0, j), weight = weight_of(0, j);
        const double left = missing_present_ && first ? joined_[j] : plain_[j];
        const double right = missing_present_ && !first ? open_[1][j] : done_[1][j];
        const double extra = missing_present_ ? missing_weight_ : 0.0;
        const bool fits = values_.admit_pair(sum + (first ? missing_rank : 0.0), weight + (first ? extra : 0.0),
                                             whole_rank - sum + (first ? 0.0 : missing_rank),
                                             whole_weight - weight + (first ? 0.0 : extra), direction);
        return fits ? left + right : kInfinity;
    };
    double least = missing_present_ ? plain_[n_] + open_[1][n_] : kInfinity;  // the missing rows alone have no neighbour
    for (std::size_t j = 1; j < n_; ++j) {
        least = std::min(least, cost(j, true));
        if (missing_present_) least = std::min(least, cost(j, false));
    }
    if (!(least < kInfinity)) return best;
    best.gain = gain_of(least);
    const double limit = least + kTie * node_value_;
    for (std::size_t j = 1; j < n_ && best.ends.empty(); ++j) {
        for (const bool first : {true, false}) {
            if (cost(j, first) > limit || (!first && !missing_present_)) continue;
            best.ends = {static_cast<std::uint32_t>(j)};
            if (missing_present_) best.missing = first ? 0 : 1;
            break;
        }
    }
    if (best.ends.empty()) {
        best.ends = {static_cast<std::uint32_t>(n_)};
        best.missing = 1;
    }
    for (std::uint32_t& end : best.ends) end = cut_.empty() ? end : cut_[end - 1];
    return best;
}

std::vector<Runs> RunSearch::best_apart(int max_arity, int direction) {
    direction_ = 0;
    row_ = kNoRow;
    if (max_arity <= 2) return {best_two_apart(direction)};
    two_runs_ = false;
    coarsen(kApartItems);
    const std::size_t n = n_;
    std::vector<Runs> options(static_cast<std::size_t>(max_arity) - 1);
    if (n == 0) return options;
    const auto most = static_cast<std::size_t>(std::min(max_arity, static_cast<int>(n) + (missing_present_ ? 1 : 0)));
    const std::size_t width = n + 1;
    std::vector<Piece> pieces(width * width);
    const auto piece = [&](std::size_t i, std::size_t j) -> Piece& { return pieces[i * width + j]; };
    const auto measure = [&](std::size_t i, std::size_t j) {
        Piece& p = piece(i, j);
        for (const bool joined : {false, true}) {
            const bool exists = !joined || missing_present_;
            p.sum[joined] = rank_sum(i, j) + (joined && exists ? missing_rank_sum() : 0.0);
            p.weight[joined] = weight_of(i, j) + (joined && exists ? missing_weight_ : 0.0);
            p.cost[joined] = exists ? (joined ? joined_ : plain_)[j] : kInfinity;
        }
    };
    for (std::size_t i = 0; i < n; ++i) {
        load_row(i);
        for (std::size_t j = i + 1; j <= n; ++j) measure(i, j);
    }
    row_ = kNoRow;
    const auto are_apart = [&](const Piece& a, bool a_joined, const Piece& b, bool b_joined) {
        return values_.admit_pair(a.sum[a_joined], a.weight[a_joined], b.sum[b_joined], b.weight[b_joined], direction);
    };
    // The least cost of `first` and what follows it, if `state` says where the missing rows are.
    const auto follow = [&](const Piece& first, int state, std::size_t from, const std::vector<Costs>& rest) {
        const bool joined = state == kJoined;
        double least = kInfinity;
        for (std::size_t l = from + 1; l <= n; ++l) {
            const Piece& next = piece(from, l);
            const Costs& after = rest[from * width + l];
            if (state != kWaiting) {
                if (are_apart(first, joined, next, false)) least = std::min(least, after.least[kPlain]);
                continue;
            }
            if (are_apart(first, false, next, true)) least = std::min(least, after.least[kJoined]);
            if (are_apart(first, false, next, false)) least = std::min(least, after.least[kWaiting]);
        }
        return first.cost[joined] + least;
    };
    std::vector<std::vector<Costs>> levels(most + 1);
    levels[1].resize(width * width);
    for (std::size_t i = 0; i < n; ++i) {
        levels[1][i * width + n] = {{piece(i, n).cost[0], piece(i, n).cost[1], kInfinity}};
    }
    for (std::size_t k = 2; k <= most; ++k) {
        levels[k].resize(width * width);
        for (std::size_t i = 0; i < (k == most ? std::size_t{1} : n); ++i) {
            poll(3 * n * n);
            for (std::size_t j = i + 1; j < n; ++j) {
                for (const int state : {kPlain, kJoined, kWaiting}) {
                    if (state != kPlain && !missing_present_) continue;
                    levels[k][i * width + j].least[state] = follow(piece(i, j), state, j, levels[k - 1]);
                }
            }
        }
    }
    double missing_alone = kInfinity;
    if (missing_present_) {
        const bool fits = missing_rows_ >= min_rows_ && missing_weight_ >= min_weight_ && values_.admit(missing_rank_sum(), missing_weight_);
        missing_alone = fits ? missing_value() : kInfinity;
    }
    // The first run of the best partition into k runs, given the run before; the lowest cut on a tie.
    const auto begin = [&](std::size_t k, std::size_t from, const Piece* before, bool before_joined, bool placed, double limit) {
        std::pair<std::size_t, int> found{0, kPlain};
        double least = kInfinity;
        for (std::size_t j = from + 1; j <= n && least > limit; ++j) {
            for (const int state : {kJoined, kWaiting, kPlain}) {
                if ((state == kPlain) != placed) continue;
                const double cost = levels[k][from * width + j].least[state];
                const bool fits = before == nullptr || are_apart(*before, before_joined, piece(from, j), state == kJoined);
                if (!fits || !(cost < least)) continue;
                least = cost;
                found = {j, state};
            }
        }
        return std::pair{least, found};
    };
    for (std::size_t k = 2; k <= most; ++k) {
        const double joined = begin(k, 0, nullptr, false, !missing_present_, -kInfinity).first;
        const bool may_alone = missing_present_ && k - 1 <= n;
        const double alone = may_alone ? missing_alone + begin(k - 1, 0, nullptr, false, true, -kInfinity).first : kInfinity;
        const double best = std::min(joined, alone);
        if (!(best < kInfinity)) continue;
        Runs& runs = options[k - 2];
        runs.gain = gain_of(best);
        const double slack = kTie * node_value_;
        const bool is_alone = joined > best + slack;
        bool placed = is_alone || !missing_present_;
        double left = best + slack - (is_alone ? missing_alone : 0.0);
        const Piece* before = nullptr;
        bool before_joined = false;
        std::size_t from = 0;
        for (std::size_t rest = is_alone ? k - 1 : k; rest > 0; --rest) {
            const auto [j, state] = begin(rest, from, before, before_joined, placed, left).second;
            if (state == kJoined) runs.missing = static_cast<Branch>(runs.ends.size());
            before = &piece(from, j);
            before_joined = state == kJoined;
            placed = placed || state == kJoined;
            left -= before->cost[before_joined];
            if (j < n || (is_alone && rest == 1)) runs.ends.push_back(static_cast<std::uint32_t>(j));
            from = j;
        }
        if (is_alone) runs.missing = static_cast<Branch>(k - 1);
        for (std::uint32_t& end : runs.ends) {
            if (!cut_.empty()) end = cut_[end - 1];
        }
    }
    return options;
}

}  // namespace polytomy
