// cpp/optimal/search.hpp: bounds on the cost of the best binary tree with at most k leaves, by branch and bound.
//
// `prove(k, goal)` raises the lower bound of all rows with k leaves to `goal`, or finds the least cost below it. A split into
// two parts costs at least what both parts cost with k leaves between them. Four things keep this fast:
//   - The bounds of a subset are stored, and found again if other splits lead to it.
//   - Costs of one and two leaves are exact: one pass over the rows in the order of each column, for both parts of a split.
//   - Neighbouring cuts of a column differ in a few rows. Moving rows into a part cannot lower its cost, and moving them out
//     lowers it by at most their worth. So one cut whose bound lies above the goal rules out its neighbours, the more the
//     lower the goal: weak bounds are cheap, and the goal is raised in steps.
//   - Cutting rows into parts never raises a cost (costs are superadditive), so a partial grouping of categories has a bound.
// Costs are integers, and no result depends on the time except for how far the bounds have come.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "optimal/bounds.hpp"
#include "optimal/subset.hpp"

namespace polytomy {

class OptimalSearch {
 public:
    static constexpr std::size_t kAnyDepth = ~std::size_t{0};

    OptimalSearch(SearchRows rows, std::size_t max_leaves, std::size_t max_depth = kAnyDepth,
                  std::size_t max_bytes = std::size_t{1} << 28);

    // Raises lower(k) to `goal`, or until it equals upper(k). Returns false if neither was reached: `may_continue`, which is
    // called every few milliseconds, returned false, or a column has too many categories. Bounds found so far remain.
    bool prove(std::size_t k, Weight goal, const std::function<bool()>& may_continue);

    [[nodiscard]] Weight lower(std::size_t k) const noexcept { return root_bounds_.lower(k); }
    [[nodiscard]] Weight upper(std::size_t k) const noexcept { return root_bounds_.upper(k); }
    [[nodiscard]] std::size_t n_subsets() const noexcept { return memory_.size(); }

 private:
    // One side of a split; its rows are copied only if they must be searched.
    struct Part {
        SetKey key;
        CostBounds bounds;
        std::optional<Subset> rows;
        std::size_t size = 0;
    };
    // What a search at one subset is for, and what it has found.
    struct Task {
        const Subset& rows;
        const CostBounds& bounds;  // of the rows
        std::size_t leaves;
        std::size_t depth;  // at most this many splits on a path
        Weight goal;
        Weight best;        // the least cost of a known tree
        Weight least;       // the least bound of the splits searched

        [[nodiscard]] Weight target() const noexcept { return goal < best ? goal : best; }
        void found(Weight bound) noexcept { least = bound < least ? bound : least; }
    };
    struct Cuts;
    struct Probe;
    struct Grouping;

    void search(const Subset& rows, CostBounds& bounds, std::size_t k, Weight goal, std::size_t depth);
    void search_cuts(Task& task, std::size_t column, bool missing_first);
    void search_between(Task& task, const Cuts& cuts, const Probe& low, const Probe& high);
    [[nodiscard]] Probe probe(Task& task, const Cuts& cuts, std::size_t at, const Probe& low, const Probe& high);
    void search_groups(Task& task, std::size_t column);
    void assign(Task& task, Grouping& grouping, std::size_t next);

    // Raises the bounds of two parts with `first` and `second` leaves until their sum reaches the task's target, and returns
    // the sum. `mark` sets side_ for the rows of the task.
    template <class Mark>
    Weight divide(Task& task, Part (&parts)[2], std::size_t first, std::size_t second, Mark&& mark);

    [[nodiscard]] std::size_t most_leaves(std::size_t depth) const noexcept;
    [[nodiscard]] SetKey key_at(SetKey key, std::size_t depth) const noexcept;
    void settle_two_leaves(const Subset& rows, CostBounds& bounds);
    void work(std::size_t steps);

    SearchRows rows_;
    std::size_t max_depth_;
    Subset root_;
    CostBounds root_bounds_;
    BoundsMemory memory_;
    std::vector<std::uint8_t> side_;
    std::vector<double> scratch_;
    std::function<bool()> may_continue_;
    std::size_t steps_ = 0;
    bool stopped_ = false;
};

}  // namespace polytomy
