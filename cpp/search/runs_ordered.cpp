// cpp/search/runs_ordered.cpp: runs whose values go in one direction.
//
// The value of a run is the mean rank of its classes. Two runs are compared directly. For more, pooling neighbours that are
// in the wrong order, until none are, gives blocks; the best partition of rows of two classes into runs in order never cuts
// inside a block (Haiminen, Gionis and Laasonen 2008), and any runs of whole blocks are in order. So the search is the
// usual one, with blocks as items. If the values must also lie within a range, or if there are more classes, the best
// partition may cut inside a block, and is not looked for there.
//
// Missing rows have no place in the order. They may be a run of their own, or join one of two runs if these are in order.
#include <algorithm>

#include "search/runs.hpp"

namespace polytomy {

// Makes the costs of the runs from..j-1 infinite, for j in first..last-1, that may not be one of two runs, with or without
// the missing rows. More than two are in order if they consist of whole blocks; then the missing rows may not join one.
void RunSearch::keep_in_order(std::size_t from, std::size_t first, std::size_t last, bool with_missing, double* out) const noexcept {
    if (!two_runs_) {
        if (with_missing) std::fill(out + first, out + last, kInfinity);
        return;
    }
    const PairTest test = pair_test(with_missing);
    for (std::size_t j = first; j < last; ++j) {
        const bool is_whole = from == 0 && j == n_;  // the missing rows are the other run
        const bool fits = is_whole ? !with_missing
                                   : (from == 0 || j == n_) && test(rank_sum(from, j), weight_of(from, j), from == 0 ? direction_ : -direction_);
        if (!fits) out[j] = kInfinity;
    }
}

// The same for the runs i..n-1, i in 1..n-1, whose costs are out[i].
void RunSearch::keep_last_in_order(bool with_missing, double* out) const noexcept {
    const PairTest test = pair_test(with_missing);
    for (std::size_t i = 1; i < n_; ++i) {
        const bool fits = two_runs_ ? test(rank_sum(i, n_), weight_of(i, n_), -direction_) : !with_missing;
        if (!fits) out[i] = kInfinity;
    }
}

RunSearch::PairTest RunSearch::pair_test(bool with_missing) const noexcept {
    const double rank = missing_present_ ? missing_rank_sum() : 0.0;
    const double weight = missing_present_ ? missing_weight_ : 0.0;
    return {rank_sum(0, n_) + rank, weight_of(0, n_) + weight, with_missing ? rank : 0.0, with_missing ? weight : 0.0};
}

bool RunSearch::admits(const Runs& runs, const ValueLimits& limits, int direction) const noexcept {
    double before_sum = 0.0, before_weight = 0.0;
    std::size_t from = 0;
    for (std::size_t r = 0; r <= runs.ends.size() && from < n_; ++r) {
        const std::size_t end = r < runs.ends.size() ? runs.ends[r] : n_;
        const bool joined = missing_present_ && runs.missing == static_cast<Branch>(r);
        double sum = 0.0, weight = 0.0;
        if (is_sparse()) {
            sum = sparse_rank_sum(limits.ranks, from, end);
            for (std::size_t c = 0; c < classes_ && joined; ++c) sum += limits.ranks[c] * missing_[c];
            weight = weight_of(from, end) + (joined ? missing_weight_ : 0.0);
        }
        for (std::size_t c = 0; c < classes_ && !is_sparse(); ++c) {
            const double count = prefix_[c * stride_ + end] - prefix_[c * stride_ + from] + (joined ? missing_[c] : 0.0);
            sum += limits.ranks[c] * count;
            weight += count;
        }
        if (!limits.admit(sum, weight)) return false;
        if (r > 0 && !limits.admit_pair(before_sum, before_weight, sum, weight, direction)) return false;
        before_sum = sum;
        before_weight = weight;
        from = end;
    }
    if (!missing_present_ || runs.ends.empty() || runs.ends.back() != n_) return true;
    double sum = 0.0, weight = 0.0;  // the missing rows alone
    for (std::size_t c = 0; c < classes_; ++c) {
        sum += limits.ranks[c] * missing_[c];
        weight += missing_[c];
    }
    return limits.admit(sum, weight);
}

void RunSearch::keep_order(int direction) noexcept {
    direction_ = direction;
    row_ = kNoRow;
}

void RunSearch::coarsen(std::size_t most) {
    if (n_ <= most) return;
    const double share = weight_of(0, n_) / static_cast<double>(most);
    kept_.clear();
    for (std::size_t i = 1; i <= n_; ++i) {
        const bool is_full = weight_of(0, i) >= static_cast<double>(kept_.size() + 1) * share;
        if (is_full || i == n_) kept_.push_back(static_cast<std::uint32_t>(i));
    }
    keep_cuts();
}

void RunSearch::pool_items() {
    struct Block {
        double sum, weight;
        std::uint32_t end;
    };
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < n_; ++i) {
        blocks.push_back({rank_sum(i, i + 1), weight_of(i, i + 1), static_cast<std::uint32_t>(i + 1)});
        while (blocks.size() > 1) {
            Block& before = blocks[blocks.size() - 2];
            const Block& last = blocks.back();
            if ((before.sum * last.weight - last.sum * before.weight) * direction_ <= 0.0) break;
            before = {before.sum + last.sum, before.weight + last.weight, last.end};
            blocks.pop_back();
        }
    }
    kept_.clear();
    for (const Block& block : blocks) kept_.push_back(block.end);
    if (n_ > 0) keep_cuts();
}

}  // namespace polytomy
