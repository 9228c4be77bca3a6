// cpp/search/runs_ordered.cpp: runs whose values go in one direction.
//
// The value of a run is the mean rank of its classes. Two runs are compared directly. For more, pooling neighbours that are
// in the wrong order, until none are, gives blocks; the best partition of rows of two classes into runs in order never cuts
// inside a block (Haiminen, Gionis and Laasonen 2008), and any runs of whole blocks are in order. So the search is the
// usual one, with blocks as items. If the values must also lie within a range, or if there are more classes, the best
// partition may cut inside a block, and is not looked for there.
//
// Missing rows have no place in the order. They may be a run of their own, or join one of two runs if these are in order.
#include "search/runs.hpp"

namespace polytomy {

double RunSearch::rank_sum(std::size_t from, std::size_t end) const noexcept {
    double sum = 0.0;
    for (std::size_t c = 0; c < values_.ranks.size(); ++c) {
        sum += values_.ranks[c] * (prefix_[c * stride_ + end] - prefix_[c * stride_ + from]);
    }
    return sum;
}

double RunSearch::weight_of(std::size_t from, std::size_t end) const noexcept {
    double sum = 0.0;
    for (std::size_t c = 0; c < classes_; ++c) sum += prefix_[c * stride_ + end] - prefix_[c * stride_ + from];
    return sum;
}

double RunSearch::missing_rank_sum() const noexcept {
    double sum = 0.0;
    for (std::size_t c = 0; c < values_.ranks.size(); ++c) sum += values_.ranks[c] * missing_[c];
    return sum;
}

// Whether the run from..end-1 may be one of two runs, with or without the missing rows. More than two are in order if they
// consist of whole blocks; then the missing rows may not join one.
bool RunSearch::in_order(std::size_t from, std::size_t end, bool with_missing) const noexcept {
    if (!two_runs_) return !with_missing;
    if (from == 0 && end == n_) return !with_missing;  // the missing rows are the other run
    if (from != 0 && end != n_) return false;
    const bool is_first = from == 0;
    const double sum = rank_sum(from, end) + (with_missing ? missing_rank_sum() : 0.0);
    const double weight = weight_of(from, end) + (with_missing ? missing_weight_ : 0.0);
    double other_sum = is_first ? rank_sum(end, n_) : rank_sum(0, from);
    double other_weight = is_first ? weight_of(end, n_) : weight_of(0, from);
    if (missing_present_ && !with_missing) {  // then they join the other run
        other_sum += missing_rank_sum();
        other_weight += missing_weight_;
    }
    const double rise = is_first ? other_sum * weight - sum * other_weight : sum * other_weight - other_sum * weight;
    return rise * direction_ >= 0.0;
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
