// cpp/grow/growth.hpp: the growth loop for runs that need no Python.
//
// The same loop as src/polytomy/grow/grower.py, which is the one to read; for built-in families and indices, and rows
// of one class each. Both come to the same tree and the same record, bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "grow/leaf_choice.hpp"
#include "grow/frontier.hpp"
#include "grow/node_stats.hpp"
#include "grow/node_menu.hpp"
#include "grow/plan.hpp"
#include "grow/rules.hpp"

namespace polytomy {

struct Expanded {
    std::int32_t leaf;
    Option option;
    double value;        // F of the leaf
    double binary_gain;  // of its best binary option; NaN where it had none
    std::int64_t leaves_before;
    std::int32_t first_child;
    Branch default_branch;
};

struct Retired {
    std::int32_t leaf;
    Reason reason;
    std::int64_t leaves;
};

// Of every node; counts are units of each class, node by node.
struct GrownNodes {
    std::vector<Weight> counts;
    std::vector<std::int64_t> rows;
    std::vector<std::int32_t> parent, depth;
};

class Growth {
 public:
    // The memory that the table and the target view must outlive the run.
    Growth(const CodedTable& table, const Target& target, std::vector<Family> families, const GrowthRules& rules);
    Growth(const Growth&) = delete;  // parts of it point at others
    Growth& operator=(const Growth&) = delete;

    // Prepare the steps until then, where that is worth it; true while there is more to prepare.
    bool prepare(Deadline deadline);
    // Split one leaf; false when the budget is spent or no leaf can be split. Everything must be prepared.
    bool step();

    [[nodiscard]] const std::vector<Expanded>& expansions() const noexcept { return expansions_; }
    [[nodiscard]] const std::vector<Retired>& retirements() const noexcept { return retirements_; }
    [[nodiscard]] const GrownNodes& nodes() const noexcept { return nodes_; }
    [[nodiscard]] const CodedTable& table() const noexcept { return source_.table; }
    [[nodiscard]] Weight weight() const noexcept { return weight_; }
    [[nodiscard]] double root_value() const noexcept { return root_value_; }
    // Seconds spent in counting and in moving rows; 0 where subtrees were planned side by side.
    [[nodiscard]] double counting() const noexcept { return stats_ ? stats_->counting() : 0.0; }
    [[nodiscard]] double moving() const noexcept { return stats_ ? stats_->moving() : 0.0; }

 private:
    struct Before {
        const Growth* run;
        bool operator()(std::int32_t a, std::int32_t b) const noexcept;
    };

    [[nodiscard]] Leaf& leaf_at(std::int32_t node) const noexcept { return *leaves_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] bool is_full() const noexcept;
    void begin();
    [[nodiscard]] std::optional<std::int32_t> next_leaf();
    [[nodiscard]] bool choose(std::int32_t node);
    void expand(std::int32_t node);
    [[nodiscard]] Children children_of(std::int32_t node, const Option& option);
    void add_node(std::int32_t parent, std::span<const Weight> counts, std::int64_t rows);
    void add_leaf(std::int32_t node);
    void push(std::int32_t node);
    void let_go(std::int32_t node);

    std::vector<Family> families_;
    std::vector<std::int32_t> which_;
    GrowthRules rules_;
    StatsSource source_;
    std::vector<Weight> root_;
    Weight weight_;
    Decider decider_;
    double root_value_;
    std::optional<Plan> plan_;        // either this, and where each node is found in it
    std::vector<Plan::Place> places_;
    std::optional<NodeStats> stats_;  // or this
    bool begun_ = false;
    GrownNodes nodes_;
    std::vector<std::unique_ptr<Leaf>> leaves_;  // by node; null where it is split, pure or given up
    std::int64_t n_leaves_ = 1;
    Frontier<Before> frontier_;
    std::vector<Expanded> expansions_;
    std::vector<Retired> retirements_;
};

}  // namespace polytomy
