// cpp/search/runs.hpp: the best partition of an ordered list of items into k consecutive runs, for every k.
//
// Items are the codes a node holds, in the order of a number or of a category's class share. The rows
// without a value ("missing") may join any run or stand alone; they are placed together with the cuts: the
// dynamic program carries one bit, placed or not. `gain_bounds` bounds the gain of every k, which is what
// lets a caller skip the program.
#pragma once

#include <cstdint>
#include <vector>

#include "search/index.hpp"
#include "base/types.hpp"

namespace polytomy {

// A k-way option: run r holds items ends[r-1] .. ends[r]-1. A last end equal to the number of items says
// that the missing rows stand alone as the last run.
struct Runs {
    double gain = -kInfinity;
    std::vector<std::uint32_t> ends;  // k - 1 of them, ascending
    Branch missing = kUnseen;         // the run of the missing rows; kUnseen when there are none
};

class RunSearch {
 public:
    RunSearch(const Index& index, std::size_t classes, Weight min_rows, double node_value, Weight min_weight = 0);

    void clear(std::size_t capacity);
    void add_item(const Weight* counts, Weight rows);
    // Add those of n codes that have rows, and list them. Weights without rows (null) are rows themselves.
    void add_codes(const Weight* counts, const Weight* rows, std::size_t n, std::vector<std::uint32_t>& present);
    void set_missing(const Weight* counts, Weight rows);

    [[nodiscard]] std::size_t size() const noexcept { return n_; }
    // Upper bounds on the gain of k = 2..max_arity runs, at index k - 2; they do not fall with k.
    [[nodiscard]] std::vector<double> gain_bounds(int max_arity);
    [[nodiscard]] Runs best_binary();
    // Leave out the cuts that no best option of three runs or more needs; see runs_screen.cpp.
    void drop_useless_cuts();
    // Whether gain - cut_price * cuts <= limit for every partition of three runs or more (of two, if there are missing
    // rows, which may stand alone). If so, no option of three branches or more can win.
    [[nodiscard]] bool only_binary_can_win(double cut_price, double limit);
    // Options of arity 2..max_arity, gain -inf where there is none.
    // `monge`: the items are sorted by class share, so that the best first cut moves right with the start
    // and each level takes O(n log n) instead of O(n^2).
    [[nodiscard]] std::vector<Runs> best_runs(int max_arity, bool monge);

 private:
    static constexpr auto kNoRow = static_cast<std::size_t>(-1);
    using Level = std::vector<double>;  // least cost of the items from i on, by i

    [[nodiscard]] bool is_fused() const noexcept { return classes_ == 2 && index_.fused(); }
    [[nodiscard]] bool single_precision_suffices(double cut_price, std::size_t cuts, double most);
    [[nodiscard]] double least_cost(double cut_price, std::size_t cuts);
    [[nodiscard]] std::vector<double> suffix_values();
    [[nodiscard]] double least_run(std::size_t from, std::size_t first, std::size_t last, const double* rest);
    [[nodiscard]] double least_cost_of_blocks(double cut_price, std::size_t cuts, std::size_t block);
    void tighten(std::size_t block, const std::vector<double>& item_value, std::vector<double>& bounds);
    [[nodiscard]] std::vector<double> item_values();
    [[nodiscard]] double missing_value();
    void run_values(std::size_t from, std::size_t first, std::size_t last, bool with_missing, double* out);
    void costs(std::size_t from, std::size_t first, std::size_t last, bool with_missing, double* out);
    void load_row(std::size_t from);
    void last_runs();
    void fill(std::size_t from, int k);
    void fill_monge(int k, std::size_t first, std::size_t last, std::size_t low, std::size_t high);
    [[nodiscard]] Runs trace(int k);
    [[nodiscard]] Branch place_missing(const Runs& runs, double limit);

    const Index& index_;
    std::size_t classes_;
    double min_rows_;    // a run with fewer rows, or less weight, costs infinitely much
    double min_weight_;
    double node_value_;
    std::size_t n_ = 0;
    std::size_t stride_ = 1;
    std::vector<std::uint32_t> cut_;  // where item i ended before cuts were dropped; empty: none were
    bool missing_present_ = false;
    double missing_rows_ = 0.0;
    double missing_weight_ = 0.0;
    std::vector<double> prefix_;        // class-major: prefix_[c * stride_ + i] = weight of items < i
    std::vector<double> rows_prefix_, weight_prefix_;
    std::vector<double> missing_;
    std::vector<double> batch_;         // class-major scratch for one call of the index
    std::vector<double> plain_, joined_;  // cost of the run row_..j-1, without and with the missing rows
    std::size_t row_ = kNoRow;            // the start those costs are for; kNoRow when they are scratch
    std::vector<Level> done_, open_;    // by k: missing placed already (or none), missing yet to place
};

}  // namespace polytomy
