// cpp/search/runs_sparse.cpp: values of runs if there are many classes, from the counts that are not 0.
//
// A node of 200,000 rows has at most as many counts that are not 0, while 255 items of 65,536 classes have 17 million.
#include "base/cancellation.hpp"
#include "search/runs.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kWork = 8;  // of adding a count, in nanoseconds

}  // namespace

std::span<const ClassCount> RunSearch::counts_of(std::size_t from, std::size_t end) const noexcept {
    return {entries_.data() + entry_start_[from], entry_start_[end] - entry_start_[from]};
}

void RunSearch::add_sparse(std::size_t from, std::size_t end) {
    const std::span<const ClassCount> counts = counts_of(from, end);
    poll(kWork * (counts.size() + 1));
    running_->add(counts);
}

void RunSearch::begin_sparse(bool with_missing) {
    running_->clear();
    if (with_missing) running_->add(missing_entries_);
}

void RunSearch::add_sparse_item(const Weight* counts) {
    for (std::size_t c = 0; c < classes_; ++c) {
        if (counts[c] != 0) entries_.push_back({static_cast<std::uint32_t>(c), static_cast<double>(counts[c])});
    }
    entry_start_.push_back(entries_.size());
}

// Sets out[j] to F of the run from..j-1, for j in first..last-1.
void RunSearch::sparse_run_values(std::size_t from, std::size_t first, std::size_t last, bool with_missing, double* out) {
    begin_sparse(with_missing);
    std::size_t added = from;
    for (std::size_t j = first; j < last; ++j) {
        add_sparse(added, j);
        added = j;
        out[j] = running_->value();
    }
}

// Sets out[i] to F of the items from i on, for i in 0..last.
void RunSearch::sparse_suffix_values(std::size_t last, bool with_missing, double* out) {
    begin_sparse(with_missing);
    std::size_t added = n_;
    for (std::size_t i = last + 1; i-- > 0;) {
        add_sparse(i, added);
        added = i;
        out[i] = running_->value();
    }
}

// Sets out[b] to F of the items of block b, for blocks of `block` items.
void RunSearch::sparse_block_values(std::size_t block, double* out) {
    for (std::size_t b = 0; b * block < n_; ++b) {
        begin_sparse(false);
        add_sparse(b * block, std::min(n_, (b + 1) * block));
        out[b] = running_->value();
    }
}

double RunSearch::sparse_rank_sum(std::span<const double> ranks, std::size_t from, std::size_t end) const noexcept {
    double sum = 0.0;
    for (const auto& [c, count] : counts_of(from, end)) sum += ranks[c] * count;
    return sum;
}

// The only class of an item; `classes_` if it has several.
std::size_t RunSearch::sparse_only_class(std::size_t item) const noexcept {
    const std::span<const ClassCount> counts = counts_of(item, item + 1);
    for (const ClassCount& entry : counts) {
        if (entry.of != counts.front().of) return classes_;
    }
    return counts.empty() ? classes_ : counts.front().of;
}

}  // namespace polytomy
