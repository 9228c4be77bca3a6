// cpp/search/runs.hpp: the best partition of an ordered list of items into k consecutive runs, for every k.
//
// Items are the codes at a node, ordered as numbers or by the class shares of categories. The rows with a missing cell
// ("missing rows") may join any run or be a run of their own. They are placed together with the cuts: the dynamic
// program carries one bit, placed or not. With `gain_bounds`, a caller can often skip the program.
//
// The counts of the items are kept class by class, as running sums over the items. With more than kManyClasses classes, only
// counts that are not 0 are kept, if the index can use them (runs_sparse.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "search/index.hpp"
#include "search/menu.hpp"

namespace polytomy {

// A k-way option: run r has the items ends[r-1] .. ends[r]-1. If the last end is the number of items, the missing rows
// are the last run.
struct Runs {
    double gain = -kInfinity;
    std::vector<std::uint32_t> ends;  // k - 1 of them, ascending
    Branch missing = kUnseen;         // the run of the missing rows; kUnseen without missing rows
};

// The ranges of the values of two runs, by the number of items of the first one.
struct CutLimits {
    struct Side {
        std::vector<double> low, high;
        [[nodiscard]] bool admit(std::size_t cut, double sum, double weight) const noexcept {
            return sum >= low[cut] * weight && sum <= high[cut] * weight;
        }
    };
    Side first, last;
};

class RunSearch {
 public:
    static constexpr std::size_t kManyClasses = 256;
    RunSearch(const Index& index, std::size_t classes, Weight min_rows, double node_value, Weight min_weight = 0,
              const ValueLimits& values = {});

    // Search another node with the same index and classes, in the same memory.
    void restart(Weight min_rows, double node_value, Weight min_weight, const ValueLimits& values) noexcept;
    void clear(std::size_t capacity);
    void add_item(const Weight* counts, Weight rows);
    // Adds those of n codes that have a weight. If `rows` is null, the counts are row counts.
    void add_codes(const Weight* counts, const Weight* rows, std::size_t n);
    void set_missing(const Weight* counts, Weight rows);
    // What clear() and add_codes() set, if the items are plain and of two classes.
    struct Items {
        std::vector<double> prefix, sides;
        std::size_t n = 0, stride = 0, sides_of = 0;
        bool all_mixed = false;
    };
    // Exchanges the items, of the same node, for others, or for none.
    void swap_items(Items& items);
    // From now on, the values of the runs must not decrease (direction 1) or not increase (-1); see runs_ordered.cpp.
    void keep_order(int direction) noexcept;
    // The values of two runs of the items, without missing rows, must lie within these ranges instead of that of the limits.
    // They must outlive the search of these items, and hold until cuts are dropped.
    void limit_cuts(const CutLimits& limits) noexcept;

    [[nodiscard]] std::size_t classes() const noexcept { return classes_; }
    [[nodiscard]] std::size_t size() const noexcept { return n_; }
    // Whether every partition of the items is an option: there are no missing rows, and no limits on runs.
    [[nodiscard]] bool is_plain() const noexcept { return !missing_present_ && !is_limited() && direction_ == 0; }
    // Returns upper bounds on the gain of k = 2..max_arity runs, at index k - 2; they do not decrease with k.
    [[nodiscard]] std::vector<double> gain_bounds(int max_arity);
    // Returns whether any of these bounds for three or more runs exceeds what is needed, which is at the same index. Most
    // answers take a part of the time.
    [[nodiscard]] bool may_gain(std::span<const double> needed);
    [[nodiscard]] Runs best_binary();
    // Whether limits on values allow these runs of the items, of which none has been dropped.
    [[nodiscard]] bool admits(const Runs& runs, const ValueLimits& limits, int direction) const noexcept;
    // The gain of best_binary(), or -inf. Sets `side_deviation` to the largest deviation of a first run plus
    // that of a last run, over all cuts, or to infinity; see runs_deviation.cpp.
    [[nodiscard]] double best_binary_gain(double* side_deviation = nullptr);
    // Drops cuts until about `most` items of similar weight are left.
    void coarsen(std::size_t most);
    // Drops cuts that no best option of three or more runs needs, or that are not looked at; see runs_screen.cpp and
    // runs_ordered.cpp. In a direction, it must come before best_runs().
    void drop_useless_cuts();
    // Returns whether gain - cut_price * cuts <= limit for every partition into three or more runs (two or more if there
    // are missing rows, which may be a run of their own). If so, no option with three or more branches can win. If not,
    // cuts that are in no such partition above the limit may have been dropped. `side_deviation` is that of best_binary_gain().
    [[nodiscard]] bool only_binary_can_win(double cut_price, double limit, double side_deviation = kInfinity);
    // The gain and the number of runs of a partition that gains more than its cuts cost, if the call before was
    // only_binary_can_win() and returned false. The items must be plain.
    struct PricedRuns {
        double gain;
        int arity;
    };
    [[nodiscard]] PricedRuns priced_runs();
    // Returns the best options of arity 2..max_arity; the gain is -inf if there is none.
    // `monge`: the items are sorted by class share, so that the best first cut moves right with the start
    // and each level takes O(n log n) instead of O(n^2).
    [[nodiscard]] std::vector<Runs> best_runs(int max_arity, bool monge);
    // The same if the values of neighbouring runs must be apart, and in a direction unless it is 0; see runs_apart.cpp. For
    // three and more runs, more than kApartItems items are reduced to about that many.
    static constexpr std::size_t kApartItems = 64;
    [[nodiscard]] std::vector<Runs> best_apart(int max_arity, int direction);

 private:
    static constexpr auto kNoRow = static_cast<std::size_t>(-1);
    using Level = std::vector<double>;  // least cost of the items from i on, for each i

    void reserve();
    [[nodiscard]] bool is_limited() const noexcept { return min_rows_ > 1.0 || min_weight_ > 0.0 || values_.bind() || values_.apart > 0.0; }
    // The ranks of the items from..end-1, added up, their weight, and the ranks of the missing rows.
    [[nodiscard]] double rank_sum(std::size_t from, std::size_t end) const noexcept {
        if (is_sparse()) return values_.ranks.empty() ? 0.0 : sparse_rank_sum(values_.ranks, from, end);
        double sum = 0.0;
        for (std::size_t c = 0; c < values_.ranks.size(); ++c) {
            sum += values_.ranks[c] * (prefix_[c * stride_ + end] - prefix_[c * stride_ + from]);
        }
        return sum;
    }
    [[nodiscard]] double weight_of(std::size_t from, std::size_t end) const noexcept {
        if (is_sparse()) return weight_prefix_[end] - weight_prefix_[from];
        double sum = 0.0;
        for (std::size_t c = 0; c < classes_; ++c) sum += prefix_[c * stride_ + end] - prefix_[c * stride_ + from];
        return sum;
    }
    [[nodiscard]] double missing_rank_sum() const noexcept {
        double sum = 0.0;
        for (std::size_t c = 0; c < values_.ranks.size(); ++c) sum += values_.ranks[c] * missing_[c];
        return sum;
    }
    // Whether a run and the other one of two are in order, given its sum of ranks and its weight without the missing rows,
    // and the direction from it to the other.
    struct PairTest {
        double ranks, weight;  // of all rows
        double more_ranks, more_weight;  // of the missing rows that the run holds
        bool operator()(double run_ranks, double run_weight, int direction) const noexcept {
            const double sum = run_ranks + more_ranks;
            const double own = run_weight + more_weight;
            return ((ranks - sum) * own - sum * (weight - own)) * direction >= 0.0;
        }
    };
    [[nodiscard]] PairTest pair_test(bool with_missing) const noexcept;
    void keep_last_in_range(bool with_missing, double* out) const noexcept;
    void keep_in_range(std::size_t from, std::size_t first, std::size_t last, bool with_missing, double* out) const noexcept;
    void keep_last_in_order(bool with_missing, double* out) const noexcept;
    void keep_in_order(std::size_t from, std::size_t first, std::size_t last, bool with_missing, double* out) const noexcept;
    [[nodiscard]] Runs best_two_apart(int direction);
    void pool_items();
    void keep_cuts();
    void name_cuts();
    void drop_repeats_of_two();
    [[nodiscard]] bool is_sparse() const noexcept { return running_ != nullptr; }
    [[nodiscard]] std::span<const ClassCount> counts_of(std::size_t from, std::size_t end) const noexcept;
    void add_sparse(std::size_t from, std::size_t end);
    void begin_sparse(bool with_missing);
    void add_sparse_item(const Weight* counts);
    void sparse_run_values(std::size_t from, std::size_t first, std::size_t last, bool with_missing, double* out);
    void sparse_suffix_values(std::size_t last, bool with_missing, double* out);
    void sparse_block_values(std::size_t block, double* out);
    [[nodiscard]] double sparse_rank_sum(std::span<const double> ranks, std::size_t from, std::size_t end) const noexcept;
    [[nodiscard]] std::size_t sparse_only_class(std::size_t item) const noexcept;
    [[nodiscard]] bool is_fused() const noexcept { return classes_ == 2 && index_.fused(); }
    [[nodiscard]] bool find_deviating_runs(const DeviationTest& test, double scale);
    [[nodiscard]] double least_deviating_run(std::size_t from);
    [[nodiscard]] double sufficient_limit(double cut_price, double most, double side_deviation) const noexcept;
    [[nodiscard]] double bounded_cost(double cut_price, std::size_t cuts, double limit, double if_none);
    [[nodiscard]] static double least_cost_of_two(const double* front, const double* behind, std::size_t n);
    void drop_losing_cuts(double cut_price, double limit, double most);
    void merge_items(const std::vector<std::uint32_t>& ends);
    [[nodiscard]] double least_cost(double cut_price, std::size_t cuts);
    void suffix_values(double* out);
    [[nodiscard]] double least_run(std::size_t from, std::size_t first, std::size_t last, const double* rest);
    [[nodiscard]] double least_cost_of_blocks(double cut_price, std::size_t cuts, std::size_t block);
    [[nodiscard]] std::size_t block_length(double cuts) const noexcept;
    [[nodiscard]] double refine_blocks(std::size_t block);
    void tighten(double gain, std::vector<double>& bounds);
    std::vector<double>& item_values();
    [[nodiscard]] double missing_value();
    void run_values(std::size_t from, std::size_t first, std::size_t last, bool with_missing, double* out);
    void costs(std::size_t from, std::size_t first, std::size_t last, bool with_missing, double* out);
    void load_row(std::size_t from);
    void last_runs();
    void fill(std::size_t from, int k);
    [[nodiscard]] double binary_cost();
    [[nodiscard]] double gain_of(double cost) const noexcept;
    void fill_monge(int k, std::size_t first, std::size_t last, std::size_t low, std::size_t high);
    [[nodiscard]] Runs trace(int k);
    [[nodiscard]] Branch place_missing(const Runs& runs, double limit);

    const Index& index_;
    std::size_t classes_;
    double min_rows_;    // a run with fewer rows, or less weight, costs infinitely much
    double min_weight_;
    double node_value_;
    ValueLimits values_;
    int direction_ = 0;      // of the values of the runs
    bool two_runs_ = true;   // the costs are for two runs
    std::size_t n_ = 0;
    std::size_t stride_ = 1;
    bool all_mixed_ = false;  // whether each item is known to have both of two classes
    std::vector<std::uint32_t> cut_;  // where item i ended before cuts were dropped; empty if none were
    bool missing_present_ = false;
    double missing_rows_ = 0.0;
    double missing_weight_ = 0.0;
    std::vector<double> prefix_;        // class-major: prefix_[c * stride_ + i] = weight of items < i
    std::unique_ptr<RunningValue> running_;  // if the counts are sparse: of the run being evaluated; then no prefix_
    std::vector<ClassCount> entries_, missing_entries_;  // item by item
    std::vector<std::size_t> entry_start_;               // of each item
    std::vector<double> rows_prefix_, weight_prefix_;  // add_codes() leaves them out unless the runs are limited
    std::vector<double> missing_;
    std::vector<double> sides_;         // F of the items before each cut and, from stride_ on, of those behind it
    std::size_t sides_of_ = 0;          // the number of items for which it is; another number than theirs: for others
    std::vector<double> batch_;         // class-major scratch for one call of the index
    std::vector<double> item_value_, inside_, bounds_;  // of items, blocks and arities; see gain_bounds()
    std::vector<double> plain_, joined_;  // cost of the run row_..j-1, without and with the missing rows
    std::size_t row_ = kNoRow;            // the start of these costs; kNoRow if they are not valid
    std::vector<float> places_;  // of the cuts; see runs_deviation.cpp
    std::vector<std::uint32_t> found_, vectors_;
    std::vector<double> rest_, further_, before_, tangent_, lowest_;  // of the screen; see least_cost()
    std::vector<std::uint32_t> kept_;   // cuts; see keep_cuts()
    const CutLimits* cut_limits_ = nullptr;  // see limit_cuts()
    struct Block {
        double sum, weight;  // of ranks and rows
        std::uint32_t end;
    };
    std::vector<Block> pooled_;         // scratch of pool_items()
    std::vector<Level> done_, open_;    // by k: missing rows placed (or absent), and not yet placed
};

// The memory of searches at many small nodes, where allocating it takes as long as the search. A copy is empty, so that
// every thread has its own.
class SearchTools {
 public:
    SearchTools() = default;
    SearchTools(const SearchTools&) noexcept {}
    SearchTools& operator=(const SearchTools&) = delete;
    ~SearchTools() = default;

    // Without limits on values, and with them.
    [[nodiscard]] RunSearch& runs(const Query& query, std::size_t classes) { return ready(runs_, query, classes, {}); }
    [[nodiscard]] RunSearch& limited_runs(const Query& query, std::size_t classes) {
        return ready(limited_, query, classes, query.values);
    }
    // The items of each of n columns, to be searched again.
    [[nodiscard]] std::span<RunSearch::Items> items(std::size_t n) {
        if (items_.size() < n) items_.resize(n);
        return {items_.data(), n};
    }

 private:
    [[nodiscard]] static RunSearch& ready(std::optional<RunSearch>& search, const Query& query, std::size_t classes,
                                          const ValueLimits& values) {
        if (!search || search->classes() != classes) search.emplace(*query.index, classes, query.min_rows, query.node_value, query.min_weight);
        search->restart(query.min_rows, query.node_value, query.min_weight, values);
        return *search;
    }

    std::optional<RunSearch> runs_, limited_;
    std::vector<RunSearch::Items> items_;
};

}  // namespace polytomy
