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

#include "base/multiversion.hpp"
#include "search/runs.hpp"

namespace polytomy {
namespace {

// The sums of ranks and the weights of runs of two classes that begin at one item, given their ends (sign 1), or that end
// at one item, given their starts (sign -1). All sums are whole numbers, so that the order of additions does not matter.
struct RunSums {
    const double* first;  // running sums of the two classes
    const double* second;
    double first_rank, second_rank;
    double sign, rank, weight;

    RunSums(const double* prefix, std::size_t stride, std::span<const double> ranks, double sign_, std::size_t at,
            double more_ranks, double more_weight)
        : first(prefix), second(prefix + stride), first_rank(ranks[0]), second_rank(ranks[1]), sign(sign_), rank(0.0),
          weight(0.0) {
        rank = more_ranks - rank_sum(at);
        weight = more_weight - weight_sum(at);
    }
    [[nodiscard]] double rank_sum(std::size_t j) const noexcept {
        return sign * (first_rank * first[j] + second_rank * second[j]) + rank;
    }
    [[nodiscard]] double weight_sum(std::size_t j) const noexcept { return sign * (first[j] + second[j]) + weight; }
};

// Makes the costs of runs infinite whose values lie outside a range.
POLYTOMY_MULTIVERSION void refuse_outside(const RunSums& run, double low, double high, std::size_t begin, std::size_t end,
                                          double* out) {
    for (std::size_t j = begin; j < end; ++j) {
        const double sum = run.rank_sum(j);
        const double weight = run.weight_sum(j);
        out[j] = ((sum >= low * weight) & (sum <= high * weight)) != 0 ? out[j] : kInfinity;
    }
}

// The same, with a range for each cut.
POLYTOMY_MULTIVERSION void refuse_outside(const RunSums& run, const double* low, const double* high, std::size_t begin,
                                          std::size_t end, double* out) {
    for (std::size_t j = begin; j < end; ++j) {
        const double sum = run.rank_sum(j);
        const double weight = run.weight_sum(j);
        out[j] = ((sum >= low[j] * weight) & (sum <= high[j] * weight)) != 0 ? out[j] : kInfinity;
    }
}

// Makes the costs of runs infinite that are not in order with the other one of two. `ranks` and `weight` are those of both.
POLYTOMY_MULTIVERSION void refuse_disorder(const RunSums& run, double ranks, double weight, double direction,
                                           std::size_t begin, std::size_t end, double* out) {
    for (std::size_t j = begin; j < end; ++j) {
        const double sum = run.rank_sum(j);
        const double own = run.weight_sum(j);
        out[j] = ((ranks - sum) * own - sum * (weight - own)) * direction >= 0.0 ? out[j] : kInfinity;
    }
}

}  // namespace

// Makes the costs of the runs from..j-1 infinite, for j in first..last-1, whose values lie outside the range.
void RunSearch::keep_in_range(std::size_t from, std::size_t first, std::size_t last, bool with_missing, double* out) const noexcept {
    const double more_ranks = with_missing ? missing_rank_sum() : 0.0;
    const double more_weight = with_missing ? missing_weight_ : 0.0;
    const CutLimits* cuts = two_runs_ ? cut_limits_ : nullptr;
    if (classes_ == 2) {
        const RunSums run(prefix_.data(), stride_, values_.ranks, 1.0, from, more_ranks, more_weight);
        if (cuts == nullptr) return refuse_outside(run, values_.low, values_.high, first, last, out);
        return refuse_outside(run, cuts->first.low.data(), cuts->first.high.data(), first, std::min(last, n_), out);
    }
    for (std::size_t j = first; j < (cuts == nullptr ? last : std::min(last, n_)); ++j) {
        const double sum = rank_sum(from, j) + more_ranks, weight = weight_of(from, j) + more_weight;
        const bool fits = cuts == nullptr ? values_.admit(sum, weight) : cuts->first.admit(j, sum, weight);
        if (!fits) out[j] = kInfinity;
    }
}

// The same for the runs i..n-1, i in 0..n, whose costs are out[i].
void RunSearch::keep_last_in_range(bool with_missing, double* out) const noexcept {
    const double more_ranks = with_missing ? missing_rank_sum() : 0.0;
    const double more_weight = with_missing ? missing_weight_ : 0.0;
    const CutLimits* cuts = two_runs_ ? cut_limits_ : nullptr;
    if (classes_ == 2) {
        const RunSums run(prefix_.data(), stride_, values_.ranks, -1.0, n_, more_ranks, more_weight);
        if (cuts == nullptr) return refuse_outside(run, values_.low, values_.high, 0, n_ + 1, out);
        return refuse_outside(run, cuts->last.low.data(), cuts->last.high.data(), 1, n_, out);
    }
    for (std::size_t i = cuts == nullptr ? 0 : 1; i < (cuts == nullptr ? n_ + 1 : n_); ++i) {
        const double sum = rank_sum(i, n_) + more_ranks, weight = weight_of(i, n_) + more_weight;
        const bool fits = cuts == nullptr ? values_.admit(sum, weight) : cuts->last.admit(i, sum, weight);
        if (!fits) out[i] = kInfinity;
    }
}

// Makes the costs of the runs from..j-1 infinite, for j in first..last-1, that may not be one of two runs, with or without
// the missing rows. More than two are in order if they consist of whole blocks; then the missing rows may not join one.
void RunSearch::keep_in_order(std::size_t from, std::size_t first, std::size_t last, bool with_missing, double* out) const noexcept {
    if (!two_runs_) {
        if (with_missing) std::fill(out + first, out + last, kInfinity);
        return;
    }
    const PairTest test = pair_test(with_missing);
    if (from == 0 && classes_ == 2) {
        const RunSums run(prefix_.data(), stride_, values_.ranks, 1.0, 0, test.more_ranks, test.more_weight);
        refuse_disorder(run, test.ranks, test.weight, direction_, first, std::min(last, n_), out);
        first = std::max(first, n_);
    }
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
    if (two_runs_ && classes_ == 2) {
        const RunSums run(prefix_.data(), stride_, values_.ranks, -1.0, n_, test.more_ranks, test.more_weight);
        return refuse_disorder(run, test.ranks, test.weight, -direction_, 1, std::max<std::size_t>(n_, 1), out);
    }
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

void RunSearch::limit_cuts(const CutLimits& limits) noexcept {
    cut_limits_ = &limits;
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
    pooled_.resize(n_);
    std::size_t blocks = 0;
    for (std::size_t i = 0; i < n_; ++i) {
        Block last{rank_sum(i, i + 1), weight_of(i, i + 1), static_cast<std::uint32_t>(i + 1)};
        for (; blocks > 0; --blocks) {
            const Block& before = pooled_[blocks - 1];
            if ((before.sum * last.weight - last.sum * before.weight) * direction_ <= 0.0) break;
            last = {before.sum + last.sum, before.weight + last.weight, last.end};
        }
        pooled_[blocks++] = last;
    }
    kept_.clear();
    for (std::size_t b = 0; b < blocks; ++b) kept_.push_back(pooled_[b].end);
    if (n_ > 0) keep_cuts();
}

}  // namespace polytomy
