// cpp/search/runs.cpp: see runs.hpp.
#include "search/runs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "base/cancellation.hpp"
#include "base/multiversion.hpp"

namespace polytomy {
namespace {

// Returns the minimum of a[j] + b[j]. Four independent chains of vectors are used, because in a single one each minimum
// would have to wait for the one before. (The compiler does not vectorise a minimum of doubles by itself, hence its vector
// types; lanes are compared like scalars.)
POLYTOMY_MULTIVERSION double least_sum(const double* a, const double* b, std::size_t n) {
    using Four = double __attribute__((vector_size(32)));
    constexpr std::size_t kChains = 4;
    Four least[kChains];
    for (Four& m : least) m = Four{kInfinity, kInfinity, kInfinity, kInfinity};
    std::size_t j = 0;
    for (; j + 4 * kChains <= n; j += 4 * kChains) {
        for (std::size_t c = 0; c < kChains; ++c) {
            Four x, y;
            std::memcpy(&x, a + j + 4 * c, sizeof x);
            std::memcpy(&y, b + j + 4 * c, sizeof y);
            const Four sum = x + y;
            least[c] = sum < least[c] ? sum : least[c];
        }
    }
    for (std::size_t c = 1; c < kChains; ++c) least[0] = least[c] < least[0] ? least[c] : least[0];
    double best = std::min(std::min(least[0][0], least[0][1]), std::min(least[0][2], least[0][3]));
    for (; j < n; ++j) best = std::min(best, a[j] + b[j]);
    return best;
}

POLYTOMY_MULTIVERSION void subtract(const double* from, double shift, std::size_t n, double* out) {
    for (std::size_t j = 0; j < n; ++j) out[j] = from[j] - shift;
}

POLYTOMY_MULTIVERSION void subtract_from(double shift, const double* from, std::size_t n, double* out) {
    for (std::size_t j = 0; j < n; ++j) out[j] = shift - from[j];
}

struct AddedPairs {
    std::size_t n;     // pairs with a weight
    bool is_exact;     // whether the sums are right; if not, they exceed 2^52
    bool has_lacking;  // whether a pair, perhaps one without weight, lacks one of its counts
};

// Sets first[i] and second[i] to the running sums of those of n pairs of counts that have a weight, starting with (a, b). There
// must be room for all. Up to 2^52, the bits of 2^52 plus a whole number are those of 2^52 plus the number, which is faster
// than a conversion.
AddedPairs add_pairs(const Weight* counts, std::size_t n, Weight a, Weight b, double* first, double* second) {
    using Pair = Weight __attribute__((vector_size(16)));
    using Doubles = double __attribute__((vector_size(16)));
    constexpr double kShift = 0x1p52;
    constexpr auto kBits = std::bit_cast<Weight>(kShift);
    Pair sum{kBits + a, kBits + b}, lacking{};
    std::size_t at = 0;
    for (std::size_t v = 0; v < n; ++v) {  // a pair without weight is overwritten by the next one: faster than a branch
        Pair pair;
        std::memcpy(&pair, counts + 2 * v, sizeof pair);
        sum += pair;
        lacking |= pair - 1;  // negative for 0
        const Doubles sums = std::bit_cast<Doubles>(sum) - kShift;
        first[at] = sums[0];
        second[at] = sums[1];
        at += (pair[0] | pair[1]) != 0 ? 1 : 0;
    }
    constexpr Weight kMost = Weight{1} << 52;
    return {at, sum[0] - kBits <= kMost && sum[1] - kBits <= kMost, (lacking[0] | lacking[1]) < 0};
}

struct Least {
    double rows, no_rows, weight;  // running sums at the end of a run: fewest rows, those of a run without any, least weight
};

// Makes the costs of runs that are too small infinite.
POLYTOMY_MULTIVERSION void refuse_small(const double* rows, const double* weight, Least least, std::size_t first,
                                        std::size_t last, double* out) {
    for (std::size_t j = first; j < last; ++j) {
        const bool is_small = ((rows[j] < least.rows) & (rows[j] != least.no_rows)) | (weight[j] < least.weight);
        out[j] = is_small ? kInfinity : out[j];
    }
}

}  // namespace

RunSearch::RunSearch(const Index& index, std::size_t classes, Weight min_rows, double node_value, Weight min_weight,
                     const ValueLimits& values)
    : index_(index), classes_(classes), min_rows_(static_cast<double>(min_rows)),
      min_weight_(static_cast<double>(min_weight)), node_value_(node_value), values_(values),
      running_(classes > kManyClasses ? index.running(classes) : nullptr) {}

void RunSearch::restart(Weight min_rows, double node_value, Weight min_weight, const ValueLimits& values) noexcept {
    values_ = values;
    cut_limits_ = nullptr;
    min_rows_ = static_cast<double>(min_rows);
    min_weight_ = static_cast<double>(min_weight);
    node_value_ = node_value;
    n_ = 0;
    row_ = kNoRow;
}

void RunSearch::clear(std::size_t capacity) {
    n_ = 0;
    row_ = kNoRow;
    stride_ = capacity + 1 + kPadding;
    all_mixed_ = false;
    sides_of_ = 0;
    cut_.clear();
    direction_ = 0;
    cut_limits_ = nullptr;
    missing_present_ = false;
    reserve();
    for (std::size_t c = 0; c < classes_ && !is_sparse(); ++c) prefix_[c * stride_] = 0.0;
    entries_.clear();
    entry_start_.assign(1, 0);
    rows_prefix_[0] = 0.0;
    weight_prefix_[0] = 0.0;
}

// Makes room for items in all arrays with an element for each.
void RunSearch::reserve() {
    if (prefix_.size() < classes_ * stride_ && !is_sparse()) prefix_.resize(classes_ * stride_);
    if (batch_.size() < prefix_.size()) batch_.resize(prefix_.size());
    if (plain_.size() >= stride_) return;
    for (std::vector<double>* values : {&rows_prefix_, &weight_prefix_, &plain_, &joined_}) values->resize(stride_);
}

void RunSearch::swap_items(Items& items) {
    std::swap(prefix_, items.prefix);
    std::swap(n_, items.n);
    std::swap(all_mixed_, items.all_mixed);
    std::swap(sides_, items.sides);
    std::swap(sides_of_, items.sides_of);
    std::swap(stride_, items.stride);
    cut_.clear();
    direction_ = 0;
    cut_limits_ = nullptr;
    missing_present_ = false;
    row_ = kNoRow;
    reserve();
}

void RunSearch::add_item(const Weight* counts, Weight rows) {
    row_ = kNoRow;
    all_mixed_ = false;
    double weight = 0.0;
    if (is_sparse()) {
        add_sparse_item(counts);
        for (const ClassCount& entry : counts_of(n_, n_ + 1)) weight += entry.count;
    }
    for (std::size_t c = 0; c < classes_ && !is_sparse(); ++c) {
        weight += static_cast<double>(counts[c]);
        prefix_[c * stride_ + n_ + 1] = prefix_[c * stride_ + n_] + static_cast<double>(counts[c]);
    }
    weight_prefix_[n_ + 1] = weight_prefix_[n_] + weight;
    rows_prefix_[n_ + 1] = rows_prefix_[n_] + static_cast<double>(rows);
    ++n_;
}

void RunSearch::add_codes(const Weight* counts, const Weight* rows, std::size_t n) {
    row_ = kNoRow;
    all_mixed_ = false;
    if (classes_ != 2) {
        for (std::size_t v = 0; v < n; ++v, counts += classes_) {
            const Weight weight = std::accumulate(counts, counts + classes_, Weight{0});
            if (weight != 0) add_item(counts, rows != nullptr ? rows[v] : weight);
        }
        return;
    }
    // Two classes are the most frequent case: the running sums stay in registers, as integers, which are added faster.
    double* const first = prefix_.data();
    double* const second = first + stride_;
    auto a = static_cast<Weight>(first[n_]);
    auto b = static_cast<Weight>(second[n_]);
    std::size_t at = n_;
    if (is_limited()) {
        auto held = static_cast<Weight>(rows_prefix_[n_]);
        for (std::size_t v = 0; v < n; ++v) {
            const Weight x = counts[2 * v];
            const Weight y = counts[2 * v + 1];
            if (x + y == 0) continue;
            first[++at] = static_cast<double>(a += x);
            second[at] = static_cast<double>(b += y);
            weight_prefix_[at] = static_cast<double>(a + b);
            rows_prefix_[at] = static_cast<double>(held += rows != nullptr ? rows[v] : x + y);
        }
        n_ = at;
        return;
    }
    const AddedPairs added = add_pairs(counts, n, a, b, first + n_ + 1, second + n_ + 1);
    if (added.is_exact) {
        all_mixed_ = n_ == 0 && !added.has_lacking;
        n_ += added.n;
        return;
    }
    for (std::size_t v = 0; v < n; ++v) {
        const Weight x = counts[2 * v];
        const Weight y = counts[2 * v + 1];
        first[at + 1] = static_cast<double>(a += x);
        second[at + 1] = static_cast<double>(b += y);
        at += x + y != 0 ? 1 : 0;
    }
    n_ = at;
}

void RunSearch::set_missing(const Weight* counts, Weight rows) {
    row_ = kNoRow;
    missing_.resize(classes_);
    missing_weight_ = 0.0;
    for (std::size_t c = 0; c < classes_; ++c) {
        missing_[c] = static_cast<double>(counts[c]);
        missing_weight_ += missing_[c];
    }
    missing_entries_.clear();
    for (std::size_t c = 0; c < classes_ && is_sparse(); ++c) {
        if (counts[c] != 0) missing_entries_.push_back({static_cast<std::uint32_t>(c), missing_[c]});
    }
    missing_rows_ = static_cast<double>(rows);
    missing_present_ = rows > 0 || (index_.empty_runs() && missing_weight_ > 0.0);
}

// Sets out[j] to F of the run of items from..j-1, for j in first..last-1.
void RunSearch::run_values(std::size_t from, std::size_t first, std::size_t last, bool with_missing, double* out) {
    if (is_sparse()) return sparse_run_values(from, first, last, with_missing, out);
    const std::size_t n = last - first;
    poll(4 * n * classes_);
    for (std::size_t c = 0; c < classes_; ++c) {
        const double* prefix = prefix_.data() + c * stride_;
        const double before = prefix[from] - (with_missing ? missing_[c] : 0.0);  // whole numbers: exact
        subtract(prefix + first, before, n, batch_.data() + c * stride_);
    }
    index_.values(batch_.data(), stride_, n, classes_, out + first);
}

// The same, but infinite if the run has too few rows or too little weight.
void RunSearch::costs(std::size_t from, std::size_t first, std::size_t last, bool with_missing, double* out) {
    run_values(from, first, last, with_missing, out);
    if (direction_ != 0) keep_in_order(from, first, last, with_missing, out);
    if (!is_limited()) return;
    const double fewest = rows_prefix_[from] + min_rows_ - (with_missing ? missing_rows_ : 0.0);
    const double lightest = weight_prefix_[from] + min_weight_ - (with_missing ? missing_weight_ : 0.0);
    const double none = index_.empty_runs() ? fewest - min_rows_ : -kInfinity;
    refuse_small(rows_prefix_.data(), weight_prefix_.data(), {fewest, none, lightest}, first, last, out);
    if (values_.bind()) keep_in_range(from, first, last, with_missing, out);
}

void RunSearch::load_row(std::size_t from) {
    if (row_ == from) return;
    row_ = from;
    costs(from, from + 1, n_ + 1, false, plain_.data());
    if (missing_present_) costs(from, from + 1, n_ + 1, true, joined_.data());
}

// Level 1: all items from i on are one run.
void RunSearch::last_runs() {
    done_.resize(std::max<std::size_t>(2, done_.size()));
    open_.resize(std::max<std::size_t>(2, open_.size()));
    done_[1].resize(stride_);
    open_[1].resize(missing_present_ ? stride_ : 0);
    for (const bool with_missing : {false, true}) {
        if (with_missing && !missing_present_) break;
        Level& level = with_missing ? open_[1] : done_[1];
        for (std::size_t c = 0; c < classes_ && !is_sparse(); ++c) {
            const double* prefix = prefix_.data() + c * stride_;
            const double extra = with_missing ? missing_[c] : 0.0;
            subtract_from(prefix[n_] + extra, prefix, n_ + 1, batch_.data() + c * stride_);  // whole numbers: exact
        }
        if (is_sparse()) {
            sparse_suffix_values(n_, with_missing, level.data());
        } else {
            index_.values(batch_.data(), stride_, n_ + 1, classes_, level.data());
        }
        if (direction_ != 0) keep_last_in_order(with_missing, level.data());
        if (!is_limited()) {  // then only a run without rows is too small
            if (!with_missing) level[n_] = kInfinity;
            continue;
        }
        for (std::size_t i = 0; i <= n_; ++i) {
            const double rows = rows_prefix_[n_] - rows_prefix_[i] + (with_missing ? missing_rows_ : 0.0);
            const double weight = weight_prefix_[n_] - weight_prefix_[i] + (with_missing ? missing_weight_ : 0.0);
            const bool too_few = rows < min_rows_ && !(rows == 0.0 && index_.empty_runs() && i < n_);
            if (too_few || weight < min_weight_ || (rows == 0.0 && !index_.empty_runs())) level[i] = kInfinity;
        }
        if (values_.bind()) keep_last_in_range(with_missing, level.data());
    }
}

double RunSearch::least_cost_of_two(const double* front, const double* behind, std::size_t n) { return least_sum(front, behind, n); }

// Level k at `from`, given level k-1 further right and the row of costs.
void RunSearch::fill(std::size_t from, int k) {
    const auto level = static_cast<std::size_t>(k);
    const std::size_t first = from + 1;
    const std::size_t n = n_ + 1 - first;
    const double* plain = plain_.data() + first;
    done_[level][from] = least_sum(plain, done_[level - 1].data() + first, n);
    if (!missing_present_) return;
    open_[level][from] = std::min(least_sum(plain, open_[level - 1].data() + first, n),
                                  least_sum(joined_.data() + first, done_[level - 1].data() + first, n));
}

// The least cost of two runs, and the levels that trace() reads.
double RunSearch::binary_cost() {
    two_runs_ = true;
    row_ = kNoRow;
    last_runs();
    done_.resize(std::max<std::size_t>(3, done_.size()));
    open_.resize(std::max<std::size_t>(3, open_.size()));
    done_[2].resize(stride_);  // only the first is used
    open_[2].resize(missing_present_ ? stride_ : 0);
    if (n_ == 0) return kInfinity;
    load_row(0);
    fill(0, 2);
    return (missing_present_ ? open_ : done_)[2][0];
}

double RunSearch::best_binary_gain(double* side_deviation) {
    double cost = kInfinity;
    if (side_deviation != nullptr) *side_deviation = kInfinity;
    if (is_fused() && !missing_present_ && !is_limited() && direction_ == 0) {
        const double* first = prefix_.data() + 1;
        const double a = n_ > 0 ? first[n_ - 1] : 0.0;
        const double b = n_ > 0 ? first[stride_ + n_ - 1] : 0.0;
        if (n_ > 2 && side_deviation != nullptr && a > 0.0 && b > 0.0) {
            if (sides_.size() < 2 * stride_) sides_.resize(2 * stride_);
            sides_of_ = n_;
            const DeviationTest test = index_.deviation_test(a, b, 1.0);
            const SplitCosts costs =
                index_.split_costs(first, first + stride_, a, b, n_ - 1, test.tangent, sides_.data(), sides_.data() + stride_);
            cost = costs.least;
            *side_deviation = costs.first + costs.last;
        } else if (n_ > 1) {
            cost = index_.least_split(first, first + stride_, a, b, n_ - 1);
        }
    } else {
        cost = binary_cost();
    }
    return cost < kInfinity ? gain_of(cost) : -kInfinity;
}

Runs RunSearch::best_binary() { return binary_cost() < kInfinity ? trace(2) : Runs{}; }

// A gain within the tie tolerance of zero is zero.
double RunSearch::gain_of(double cost) const noexcept {
    const double gain = node_value_ - cost;
    return gain > kTie * node_value_ ? gain : 0.0;
}

std::vector<Runs> RunSearch::best_runs(int max_arity, bool monge) {
    // There are no more runs than items, so larger arities have no option.
    const int widest = std::min(max_arity, static_cast<int>(n_) + (missing_present_ ? 1 : 0));
    const auto levels = static_cast<std::size_t>(std::max(widest, 2)) + 1;
    two_runs_ = false;
    row_ = kNoRow;
    last_runs();
    done_.resize(std::max(levels, done_.size()));
    open_.resize(std::max(levels, open_.size()));
    for (std::size_t k = 2; k < levels; ++k) {
        done_[k].assign(stride_, kInfinity);
        open_[k].assign(missing_present_ ? stride_ : 0, kInfinity);
    }
    if (monge && !missing_present_) {
        for (int k = 2; k < widest; ++k) fill_monge(k, 1, n_, 1, n_ + 1);
    } else if (widest > 2) {
        for (std::size_t from = n_ - 1; from > 0; --from) {
            load_row(from);
            poll((n_ - from) * static_cast<std::size_t>(widest));
            for (int k = 2; k < widest; ++k) fill(from, k);
        }
    }
    std::vector<Runs> options;
    if (n_ > 0) load_row(0);
    for (int k = 2; k <= widest; ++k) fill(0, k);
    for (int k = 2; k <= widest; ++k) options.push_back(trace(k));
    options.resize(static_cast<std::size_t>(std::max(max_arity, 2)) - 1);
    return options;
}

// Level k for starts first..last-1; their best first ends lie in low..high-1.
void RunSearch::fill_monge(int k, std::size_t first, std::size_t last, std::size_t low, std::size_t high) {
    if (first >= last) return;
    row_ = kNoRow;
    const auto level = static_cast<std::size_t>(k);
    const std::size_t middle = first + (last - first) / 2;
    std::size_t best = 0;
    double least = kInfinity;
    const std::size_t begin = std::max(middle + 1, low);
    if (begin < high) costs(middle, begin, high, false, plain_.data());
    for (std::size_t j = begin; j < high; ++j) {
        const double cost = plain_[j] + done_[level - 1][j];
        if (cost < least) {
            least = cost;
            best = j;
        }
    }
    done_[level][middle] = least;
    const bool found = least < kInfinity;
    fill_monge(k, first, middle, low, found ? best + 1 : high);
    fill_monge(k, middle + 1, last, found ? best : low, high);
}

}  // namespace polytomy
