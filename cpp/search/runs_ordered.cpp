// cpp/search/runs_ordered.cpp: runs whose values go in one direction.
//
// The value of a run is the mean rank of its classes. Pooling neighbours that are in the wrong order, until none are, gives
// blocks; the best partition into runs in order never cuts inside a block (Haiminen, Gionis and Laasonen 2008), and any
// runs of whole blocks are in order. So the search is the usual one, with blocks as items. A bound on the values concerns
// only the first and the last run: the shortest runs at both ends that observe it become blocks, too.
//
// Missing rows have no place in the order. They may be a run of their own, or join one of two runs if both stay in order.
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

// Whether the run from..end-1 may have the missing rows: with two runs, if they are in order.
bool RunSearch::in_order_if_joined(std::size_t from, std::size_t end) const noexcept {
    if (!two_runs_ || (from != 0 && end != n_)) return false;
    const double sum = rank_sum(from, end) + missing_rank_sum();
    const double weight = weight_of(from, end) + missing_weight_;
    const bool is_first = from == 0;
    const double other_sum = is_first ? rank_sum(end, n_) : rank_sum(0, from);
    const double other_weight = is_first ? weight_of(end, n_) : weight_of(0, from);
    const double rise = is_first ? other_sum * weight - sum * other_weight : sum * other_weight - other_sum * weight;
    return rise * direction_ >= 0.0;
}

void RunSearch::keep_order(int direction) {
    struct Block {
        double sum, weight;
        std::uint32_t end;
    };
    direction_ = direction;
    row_ = kNoRow;
    if (n_ == 0) return;
    std::vector<Block> blocks;
    const auto merge = [&blocks](std::size_t i) {  // with the next one
        blocks[i].sum += blocks[i + 1].sum;
        blocks[i].weight += blocks[i + 1].weight;
        blocks[i].end = blocks[i + 1].end;
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    };
    for (std::size_t i = 0; i < n_; ++i) {
        blocks.push_back({rank_sum(i, i + 1), weight_of(i, i + 1), static_cast<std::uint32_t>(i + 1)});
        while (blocks.size() > 1) {
            const Block& before = blocks[blocks.size() - 2];
            const Block& last = blocks.back();
            if ((before.sum * last.weight - last.sum * before.weight) * direction <= 0.0) break;
            merge(blocks.size() - 2);
        }
    }
    const auto lies_outside = [&](const Block& block, bool at_the_low_end) {
        return at_the_low_end ? block.sum < values_.low * block.weight : block.sum > values_.high * block.weight;
    };
    while (blocks.size() > 1 && lies_outside(blocks.front(), direction > 0)) merge(0);
    while (blocks.size() > 1 && lies_outside(blocks.back(), direction < 0)) merge(blocks.size() - 2);
    kept_.clear();
    for (const Block& block : blocks) kept_.push_back(block.end);
    keep_cuts();
}

}  // namespace polytomy
