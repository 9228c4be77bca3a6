// cpp/grow/growth.hpp: the growth loop.
//
//     T = one leaf
//     while leaves(T) < s:
//         leaf   = the heaviest leaf: the largest impurity F(c)      (or, steepest: the leaf of the best option)
//         option = the acceptable option with the largest gain / price(k)
//         T      = T with the leaf replaced by the option
//
// src/polytomy/reference is the same loop in plain NumPy, and the one to read first; the tests compare whole runs. Here
// histograms come from a row source in batches, and leaves are searched only when their turn comes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "grow/frontier.hpp"
#include "grow/histogram_pool.hpp"
#include "grow/leaf_choice.hpp"
#include "grow/least_score.hpp"
#include "grow/node_menu.hpp"
#include "grow/plan.hpp"
#include "grow/rules.hpp"
#include "grow/subtrees.hpp"
#include "grow/value_order.hpp"

namespace polytomy {

struct Expansion {
    std::int32_t leaf;
    std::int32_t split;  // see Growth::option
    double impurity;     // F of the leaf
    double binary_gain;  // of its best binary option; NaN if it had none
    std::int64_t leaves_before;
    std::int32_t first_child;
    Branch default_branch;
};

struct Retirement {
    std::int32_t leaf;
    Reason reason;
    std::int64_t leaves;  // of the tree at that time
};

// All nodes of the tree; counts are units of each class, node by node.
struct GrownNodes {
    std::vector<Weight> counts;
    std::vector<Residue> residues;  // of nodes that were neither planned nor found with a subtree; empty if the target has none
    std::vector<std::int64_t> rows;
    std::vector<std::int32_t> parent, depth;

    // Without giving up memory.
    void clear() noexcept {
        counts.clear();
        residues.clear();
        rows.clear();
        parent.clear();
        depth.clear();
    }
};

// The sample as a run sees it: counts of the whole, and the source of everything else.
struct GrowthSample {
    CodedTable table;
    RowSource* source;
    std::vector<Weight> root;  // class counts
    bool weighted;             // rows have weights
};

class Growth {
 public:
    // The memory that the sample refers to must outlive the run.
    Growth(GrowthSample sample, std::vector<Family> families, const GrowthRules& rules);
    Growth(const Growth&) = delete;  // parts of it point at others
    Growth& operator=(const Growth&) = delete;

    // Start another tree with a new target on the same codes, on some of the rows or all of them, with another seed of
    // random draws; for local rows only. Rules that are fractions of the weight refer to `weight`; by default that of
    // the rows.
    void restart(const Target& target, StartRows rows = {}, std::uint64_t seed = 0, std::optional<Weight> weight = {});

    // The options of the root on single columns (see Chooser::by_column); before the first step, without a plan.
    [[nodiscard]] std::vector<Option> root_options();
    // Split the root by a given option, instead of the first step. Every branch must hold rows.
    void split_root(Option option);

    // Plan the splits ahead until the deadline, if that is worthwhile. Returns true while there is more to plan.
    bool prepare(Deadline deadline);
    // Split one leaf. Returns false if the budget is spent or no leaf can be split. Everything must be prepared.
    bool step();

    [[nodiscard]] const std::vector<Expansion>& expansions() const noexcept { return expansions_; }
    // The option of an expansion; the other two are quicker. If it was found with a subtree, `found_split` returns the node
    // whose split it is, otherwise null, and `chosen_option` may be called.
    [[nodiscard]] Option option(const Expansion& of) const { return of.split >= 0 ? chosen_option(of) : subtrees_->option(*found_split(of)); }
    [[nodiscard]] const Option& chosen_option(const Expansion& of) const noexcept { return options_[static_cast<std::size_t>(of.split)]; }
    [[nodiscard]] const FoundNode* found_split(const Expansion& of) const noexcept { return of.split >= 0 ? nullptr : &subtrees_->at(~of.split); }
    [[nodiscard]] const std::vector<Retirement>& retirements() const noexcept { return retirements_; }
    [[nodiscard]] const GrownNodes& nodes() const noexcept { return nodes_; }
    [[nodiscard]] const CodedTable& table() const noexcept { return sample_.table; }
    [[nodiscard]] std::size_t classes() const noexcept { return sample_.root.size(); }
    [[nodiscard]] Weight weight() const noexcept { return weight_; }
    [[nodiscard]] double root_impurity() const noexcept { return root_impurity_; }
    // Write the leaf of each row, as a node number; for local rows of a run that was not planned.
    void read_leaves(std::int32_t* leaf) const;
    [[nodiscard]] bool is_planned() const noexcept { return plan_.has_value(); }
    // Seconds spent counting and moving rows; 0 for a run that was planned.
    [[nodiscard]] double counting() const noexcept { return pool_ ? pool_->counting() : 0.0; }
    [[nodiscard]] double moving() const noexcept { return pool_ ? pool_->moving() : 0.0; }

 private:
    struct Before {
        const Growth* run;
        bool operator()(std::int32_t a, std::int32_t b) const noexcept;
    };
    // The children of a split whose rows have been moved; `first` is their number in the row source.
    struct Moved {
        Children children;
        std::int32_t first;
    };
    // A child of a leaf whose rows have been moved: a leaf of the tree, once that one is split. It was searched for a tree
    // of `leaves` leaves.
    struct Ahead {
        Leaf leaf;
        std::int32_t depth;
        std::int64_t rows;
        std::int64_t leaves;
    };
    // A leaf of the tree, or one ahead of it, with its number in the row source, and how many leaves the tree will
    // presumably have when it is split.
    struct Candidate {
        std::int32_t in_source;
        const Leaf* leaf;
        std::int32_t depth;
        std::int64_t leaves;
    };

    [[nodiscard]] Leaf& leaf_at(std::int32_t node) const noexcept { return *leaves_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] std::int32_t& in_source(std::int32_t node) noexcept { return in_source_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] bool is_full() const noexcept;
    [[nodiscard]] PoolSettings pool_settings() const;
    [[nodiscard]] std::size_t root_rows() const noexcept;
    [[nodiscard]] std::vector<Weight> total();
    [[nodiscard]] std::vector<Weight> total_of(const Histograms& node) const;
    void begin();
    [[nodiscard]] std::optional<std::int32_t> next_leaf();
    void choose_again();
    void raise_least_score();
    [[nodiscard]] bool choose(std::int32_t node);
    [[nodiscard]] bool narrow_range(std::int32_t node);
    void expand(std::int32_t node);
    [[nodiscard]] Children children_of(std::int32_t node, const Option& option);
    void move_ahead(std::int32_t node);
    [[nodiscard]] bool looks_ahead() const noexcept;
    [[nodiscard]] std::vector<Candidate> likely_splits(std::int32_t node);
    void look_ahead(const Candidate& parent, const Moved& moved, std::size_t child);
    void search(std::span<const std::int32_t> ahead);
    [[nodiscard]] std::optional<Leaf> found_ahead(std::int32_t node);
    void forget_children(std::int32_t in_source);
    void search_ahead(std::int32_t node);
    void forget_move(std::int32_t node);
    [[nodiscard]] bool worth_searching(const Children& children, std::size_t child, std::int64_t depth) const;
    void add_node(std::int32_t parent, std::span<const Weight> counts, const Residue* residue, std::int64_t rows,
                  std::int32_t in_source);
    void add_root();
    [[nodiscard]] Leaf unsearched(std::int32_t node, std::uint64_t key) const;
    void add_leaf(std::int32_t node, std::uint64_t key, const AskedColumns& asked, ValueRange range);
    [[nodiscard]] bool is_found(std::int32_t node) const noexcept { return subtrees_ && in_subtree_[static_cast<std::size_t>(node)] >= 0; }
    [[nodiscard]] const FoundNode& found(std::int32_t node) const noexcept { return subtrees_->at(in_subtree_[static_cast<std::size_t>(node)]); }
    void find_subtree(std::int32_t node, std::uint64_t key);
    void add_found(std::int32_t node);
    bool retire_found(std::int32_t node);
    void expand_found(std::int32_t node, std::int32_t first_child);
    [[nodiscard]] int compare_options(std::int32_t a, std::int32_t b) const noexcept;
    void read_found_leaves(std::int32_t* leaf) const;
    void push(std::int32_t node);
    void discard(std::int32_t node);

    GrowthRules rules_;
    std::vector<Family> families_;
    GrowthSample sample_;
    Weight weight_;
    Chooser chooser_;
    double root_impurity_;
    std::optional<Plan> plan_;          // either a plan, and the position of each node in it,
    std::vector<Plan::Place> places_;
    std::optional<HistogramPool> pool_;  // or a pool, and the number of each node in the row source
    std::vector<std::int32_t> in_source_;  // -1 if it is inside a subtree that was found at once
    std::optional<SubtreeSearch> subtrees_;
    std::vector<std::int32_t> in_subtree_;  // the position of each node in the list of found nodes, or -1
    std::map<std::int32_t, Moved> moved_;  // leaves whose rows have been moved already, by number in the row source
    std::map<std::int32_t, Ahead> ahead_;  // their children, if these have been searched already
    std::int64_t widest_option_ = 0;       // no option of any node has more branches
    std::optional<ValueOrder> order_;      // of nodes by number, if columns have directions and the tree is not too large
    bool begun_ = false;
    GrownNodes nodes_;
    std::vector<std::unique_ptr<Leaf>> leaves_;  // by node; null if it is split, pure or retired
    std::int64_t n_leaves_ = 1;
    Frontier<Before> frontier_;
    std::int32_t children_found_ = 0;  // of the leaf to split: the first one's position in the list of found nodes, or 0
    std::int64_t widest_ = 0;  // the largest arity of the options on the frontier, or more
    LeastScore least_score_;
    std::vector<Expansion> expansions_;
    std::vector<Option> options_;  // of the expansions, except those of subtrees that were found at once
    std::vector<Retirement> retirements_;
};

}  // namespace polytomy
