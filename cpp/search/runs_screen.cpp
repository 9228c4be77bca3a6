// cpp/search/runs_screen.cpp: exact tests that reduce or avoid the quadratic search for three or more runs.
#include <algorithm>
#include <limits>

#include "base/cancellation.hpp"
#include "base/multiversion.hpp"
#include "search/runs.hpp"

namespace polytomy {
namespace {

// Returns whether two neighbouring items of n lack the same class.
POLYTOMY_MULTIVERSION bool has_repeats(const double* a, const double* b, std::size_t n) {
    std::int64_t repeats = 0;
    for (std::size_t i = 2; i <= n; ++i) repeats += a[i] == a[i - 2] || b[i] == b[i - 2] ? 1 : 0;
    return repeats > 0;
}

}  // namespace

// If a cut moves through neighbours of one class, the sum of F over its two sides is strictly concave in the number of
// items passed, so the best place is at one of their ends; if it meets another cut there, one run fewer gains as much and
// costs less. (These are Fayyad and Irani's boundary points, for any arity. With two runs, a cut without gain may still be
// taken, and a run with a minimum number of rows or weight may end anywhere: then all cuts stay.)
// For 100,000 x 20 normal columns grown until pure, this and the screen below reduced the search from 1.29 s to 0.67 s.
void RunSearch::drop_useless_cuts() {
    if (direction_ != 0) pool_items();
    if (!index_.strict() || is_limited() || n_ == 0) return;
    if (classes_ == 2) return drop_repeats_of_two();
    const bool many = classes_ > 3;
    // The only class of an item; `classes_` if it has several.
    const auto only_class = [&](std::size_t item) {
        if (is_sparse()) return sparse_only_class(item);
        std::size_t only = classes_;
        std::size_t present = 0;
        for (std::size_t c = 0; c < classes_; ++c) {
            const double* prefix = prefix_.data() + c * stride_ + item;
            const bool here = prefix[1] != prefix[0];
            present += here ? 1 : 0;
            only = here ? c : only;
            if (many && present > 1) break;  // three are done sooner without a branch
        }
        return present == 1 ? only : classes_;
    };
    kept_.resize(n_);  // where the new items end
    std::size_t kept = 0;
    std::size_t before = only_class(0);
    for (std::size_t item = 1; item < n_; ++item) {
        const std::size_t here = only_class(item);
        kept_[kept] = static_cast<std::uint32_t>(item);
        kept += here == classes_ || here != before ? 1 : 0;
        before = here;
    }
    kept_[kept++] = static_cast<std::uint32_t>(n_);
    kept_.resize(kept);
    keep_cuts();
}

// The same for two classes, in one pass without branches: two neighbours lack the same class if its sum stays the same.
// With logitboost, most columns have no item that lacks one, which is known since they were added.
void RunSearch::drop_repeats_of_two() {
    double* a = prefix_.data();
    double* b = a + stride_;
    if (all_mixed_ || !has_repeats(a, b, n_)) return;
    kept_.resize(n_);
    std::size_t kept = 0;
    const auto keep = [&](std::size_t end) {
        kept_[kept] = static_cast<std::uint32_t>(end);
        a[kept + 1] = a[end];
        b[kept + 1] = b[end];
    };
    for (std::size_t end = 1; end < n_; ++end) {
        const bool repeats = (a[end - 1] == a[end + 1]) | (b[end - 1] == b[end + 1]);  // kept < end: both are as they were
        keep(end);
        kept += repeats ? 0 : 1;
    }
    keep(n_);
    kept_.resize(kept + 1);
    n_ = kept_.size();
    row_ = kNoRow;
    cut_limits_ = nullptr;
    name_cuts();
}

// Merges the items between the cuts in kept_, whose last one is the end of the items.
void RunSearch::keep_cuts() {
    if (kept_.size() == n_) return;
    merge_items(kept_);
    name_cuts();
}

// Remembers where the items in kept_ ended before cuts were dropped.
void RunSearch::name_cuts() {
    for (std::uint32_t& end : kept_) end = cut_.empty() ? end : cut_[end - 1];
    std::swap(cut_, kept_);
}

// Merges the items between the ends given, in place.
void RunSearch::merge_items(const std::vector<std::uint32_t>& ends) {
    for (std::size_t i = 0; i < ends.size(); ++i) {  // ends[i] > i, so no value is overwritten before it is read
        for (std::size_t c = 0; c < classes_ && !is_sparse(); ++c) prefix_[c * stride_ + i + 1] = prefix_[c * stride_ + ends[i]];
        if (is_sparse()) entry_start_[i + 1] = entry_start_[ends[i]];
    }
    for (std::size_t i = 0; i < ends.size() && (is_limited() || is_sparse()); ++i) {
        rows_prefix_[i + 1] = rows_prefix_[ends[i]];
        weight_prefix_[i + 1] = weight_prefix_[ends[i]];
    }
    n_ = ends.size();
    row_ = kNoRow;
    cut_limits_ = nullptr;  // they are of the cuts before
}

// The gain less a price for every cut does not depend on the number of runs otherwise, so one pass over the starts finds
// its maximum, while the search itself takes one pass for each number of runs. The missing rows are separated at no cost,
// because refining never loses gain. Bounds are tried first, at a fraction of the cost. For two classes, two thirds of the
// columns have no run that deviates enough from the node (runs_deviation.cpp), and most others too few of them; blocks of
// items exclude further columns of large nodes.
bool RunSearch::only_binary_can_win(double cut_price, double limit, double side_deviation) {
    constexpr std::size_t kBlocks = 32;
    constexpr double kLimit = 0.42;  // of the price of a cut; see bounded_cost(). 0.35 and 0.5 take up to 1.04 of the time, 0.6 about 1.1
    const std::size_t few = is_fused() ? 6 : 3;  // items per block; with fewer, what follows is as fast
    const std::size_t cuts = missing_present_ ? 1 : 2;
    if (n_ <= cuts) return true;
    const double most = node_value_ - missing_value() - limit;
    if (side_deviation < kInfinity && cuts == 2) {
        const double enough = sufficient_limit(cut_price, most, side_deviation);
        if (enough > kLimit * cut_price && bounded_cost(cut_price, cuts, enough, kInfinity) >= most) return true;
    }
    for (std::size_t blocks = kBlocks; blocks * few < n_; blocks *= 4) {
        if (least_cost_of_blocks(cut_price, cuts, (n_ + blocks - 1) / blocks) >= most) return true;
    }
    if (is_fused()) {
        const double low = kLimit * cut_price;
        const double bound = bounded_cost(cut_price, cuts, low, -kInfinity);
        if (bound >= most) return true;
        if (bound > -kInfinity) drop_losing_cuts(cut_price, low, most);
        if (n_ <= cuts) return true;
    }
    return least_cost(cut_price, cuts) >= most;
}

// Sets out[i] to F of the items from i on.
void RunSearch::suffix_values(double* out) {
    if (is_sparse()) return sparse_suffix_values(n_ - 1, false, out);
    for (std::size_t c = 0; c < classes_; ++c) {
        const double* prefix = prefix_.data() + c * stride_;
        for (std::size_t i = 0; i < n_; ++i) batch_[c * stride_ + i] = prefix[n_] - prefix[i];
    }
    index_.values(batch_.data(), stride_, n_, classes_, out);
}

// The least cost of a partition with at least `cuts` (1 or 2) cuts, each cut priced. rest_[j] is the least cost of the
// items from j on, and the price of the cut before them, if no more cuts are required; further_[j] if one more is. Before
// its turn, rest_[j] is F of these items.
double RunSearch::least_cost(double cut_price, std::size_t cuts) {
    rest_.assign(n_ + 1 + kPadding, kInfinity);
    further_.assign(n_ + 1 + kPadding, kInfinity);
    suffix_values(rest_.data());
    row_ = kNoRow;
    constexpr std::size_t kBetweenPolls = 64;
    for (std::size_t from = n_ - 1; from > 0; --from) {
        if (from % kBetweenPolls == 0) poll(kBetweenPolls * n_);
        const double cut = least_run(from, from + 1, n_, rest_.data());
        further_[from] = cut_price + cut;
        rest_[from] = cut_price + std::min(cut, rest_[from]);
    }
    return least_run(0, 1, n_, cuts == 2 ? further_.data() : rest_.data());
}

// Follows the minima of least_cost() from the left. At first, one more cut is required.
RunSearch::PricedRuns RunSearch::priced_runs() {
    double cost = 0.0;
    int arity = 0;
    const double* rest = further_.data();
    for (std::size_t from = 0; from < n_; ++arity) {
        run_values(from, from + 1, n_ + 1, false, plain_.data());
        std::size_t end = arity < 2 ? from + 1 : n_;
        double least = arity < 2 ? kInfinity : plain_[n_];
        for (std::size_t j = from + 1; j < n_; ++j) {
            if (plain_[j] + rest[j] >= least) continue;
            least = plain_[j] + rest[j];
            end = j;
        }
        cost += plain_[end];
        from = end;
        rest = rest_.data();
    }
    row_ = kNoRow;
    return {node_value_ - cost, arity};
}

// Returns the minimum of F(items from..j-1) + rest[j] over j in first..last-1.
double RunSearch::least_run(std::size_t from, std::size_t first, std::size_t last, const double* rest) {
    if (first >= last) return kInfinity;
    if (is_fused()) {
        const double* a = prefix_.data();
        const double* b = a + stride_;
        return index_.least_total(a + first, b + first, a[from], b[from], rest + first, last - first);
    }
    run_values(from, first, last, false, plain_.data());
    double best = kInfinity;
    for (std::size_t j = first; j < last; ++j) best = std::min(best, plain_[j] + rest[j]);
    return best;
}

// Returns a lower bound on the same cost, from blocks of consecutive items. If every block that a partition cuts inside is
// cut at both ends and down to its items, the cost does not increase. What remains are cuts between blocks, and blocks
// that are cut inside, once or more often, at a known cost.
double RunSearch::least_cost_of_blocks(double cut_price, std::size_t cuts, std::size_t block) {
    const std::size_t blocks = (n_ + block - 1) / block;
    const auto end_of = [&](std::size_t b) { return std::min(n_, b * block); };
    const std::vector<double>& item = item_values();
    std::vector<double> inside(blocks, 0.0);
    double finest = node_value_;
    for (std::size_t b = 0; b < blocks; ++b) {
        for (std::size_t i = end_of(b); i < end_of(b + 1); ++i) inside[b] += item[i];
        finest -= inside[b];
    }
    // If the mean block gains more than half the price by being cut down to its items, the bound is too low to help.
    if (finest > 0.5 * cut_price * static_cast<double>(blocks)) return -kInfinity;
    const std::size_t stride = blocks + 1 + kPadding;
    const std::size_t dense = is_sparse() ? 0 : classes_;
    std::vector<double> ends(dense * stride, 0.0), counts(dense * blocks), cost(blocks);
    for (std::size_t c = 0; c < dense; ++c) {
        for (std::size_t b = 0; b <= blocks; ++b) ends[c * stride + b] = prefix_[c * stride_ + end_of(b)];
    }
    // For each number of cuts that are still required (0, 1 or 2): the least cost from a block on if a run starts there,
    // and if a run ends before it.
    std::vector<double> start[3], stop[3];
    for (std::size_t e = 0; e < 3; ++e) {
        start[e].assign(stride, kInfinity);
        stop[e].assign(stride, kInfinity);
    }
    start[0][blocks] = stop[0][blocks] = 0.0;
    const auto fewer = [](std::size_t e, std::size_t by) { return e > by ? e - by : 0; };
    for (std::size_t b = blocks; b-- > 0;) {
        const std::size_t n = blocks - b;
        poll(n * dense);
        for (std::size_t c = 0; c < dense && !is_fused(); ++c) {
            const double* end = ends.data() + c * stride;
            for (std::size_t j = 0; j < n; ++j) counts[c * blocks + j] = end[b + 1 + j] - end[b];
        }
        if (is_sparse()) {
            begin_sparse(false);
            for (std::size_t j = 0; j < n; ++j) {
                add_sparse(end_of(b + j), end_of(b + j + 1));
                cost[j] = running_->value();
            }
        } else if (!is_fused()) {
            index_.values(counts.data(), blocks, n, classes_, cost.data());
        }
        const auto least_run_from = [&](const double* after) {
            const double* first = ends.data() + b;
            const double* second = first + stride;
            if (is_fused()) return index_.least_total(first + 1, second + 1, *first, *second, after, n);
            double least = kInfinity;
            for (std::size_t j = 0; j < n; ++j) least = std::min(least, cost[j] + after[j]);
            return least;
        };
        for (std::size_t e = 0; e <= cuts; ++e) {
            const double run = least_run_from(stop[e].data() + b + 1);
            const double cut_inside = inside[b] + std::min(cut_price + start[fewer(e, 1)][b + 1],
                                                           2.0 * cut_price + start[fewer(e, 2)][b + 1]);
            start[e][b] = std::min(run, cut_inside);
            stop[e][b] = cut_inside;
        }
        for (std::size_t e = 0; e <= cuts; ++e) stop[e][b] = std::min(stop[e][b], cut_price + start[fewer(e, 1)][b]);
    }
    return start[cuts][0];
}

// F of each item. The result is overwritten by the next call.
std::vector<double>& RunSearch::item_values() {
    item_value_.resize(n_);
    if (is_sparse()) {
        sparse_block_values(1, item_value_.data());
        return item_value_;
    }
    for (std::size_t c = 0; c < classes_; ++c) {
        const double* prefix = prefix_.data() + c * stride_;
        for (std::size_t i = 0; i < n_; ++i) batch_[c * stride_ + i] = prefix[i + 1] - prefix[i];
    }
    index_.values(batch_.data(), stride_, n_, classes_, item_value_.data());
    return item_value_;
}

double RunSearch::missing_value() {
    double value = 0.0;
    if (!missing_present_) return value;
    if (is_sparse()) {
        begin_sparse(true);
        return running_->value();
    }
    for (std::size_t c = 0; c < classes_; ++c) batch_[c * stride_] = missing_[c];
    index_.values(batch_.data(), stride_, 1, classes_, &value);
    return value;
}

}  // namespace polytomy
