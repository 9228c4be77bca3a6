// cpp/growth.hpp: the growth loop for runs that need no Python.
//
// The same loop as src/polytomy/grow/grower.py, which is the one to read; for built-in families and indices, and rows
// of one class each. Both come to the same tree and the same record, bit for bit.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "frontier.hpp"
#include "index.hpp"
#include "node_stats.hpp"
#include "options.hpp"
#include "procedure.hpp"

namespace polytomy {

struct GrowthRules {
    ProcedureKind procedure = ProcedureKind::per_leaf;
    std::optional<std::int64_t> max_leaves;
    double gamma = 0.0;
    bool steepest = true;
    IndexKind index = IndexKind::gini;
    std::int64_t max_arity = 8;
    std::optional<std::int64_t> max_depth;
    std::int64_t min_samples_split = 2;
    std::int64_t min_samples_leaf = 1;
    double min_weight_fraction_leaf = 0.0;
    double min_gain = 0.0;
    int threads = 1;
    std::optional<std::int64_t> small;  // rows up to which a node's histograms are compact; by default, as measured
};

struct Expanded {
    std::int32_t leaf;
    Option option;
    double value;        // F of the leaf
    double binary_gain;  // of its best binary option; NaN where it had none
    std::int64_t leaves_before;
    std::int32_t first_child;
    Branch default_branch;
};

enum class Reason : std::int8_t { max_depth = 0, too_few_rows = 1, no_option = 2, min_gain = 3 };

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

    // Split one leaf; false when the budget is spent or no leaf can be split.
    bool step();

    [[nodiscard]] const std::vector<Expanded>& expansions() const noexcept { return expansions_; }
    [[nodiscard]] const std::vector<Retired>& retirements() const noexcept { return retirements_; }
    [[nodiscard]] const GrownNodes& nodes() const noexcept { return nodes_; }
    [[nodiscard]] const CodedTable& table() const noexcept { return table_; }
    [[nodiscard]] Weight weight() const noexcept { return weight_; }
    [[nodiscard]] double root_value() const noexcept { return root_value_; }

 private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    // A leaf that may yet be split.
    struct Leaf {
        double value = 0.0;
        bool looked_at = false;
        std::vector<Option> menu;
        double binary_gain = std::numeric_limits<double>::quiet_NaN();
        std::size_t choice = kNone;  // on the menu
        double score = 0.0;
    };
    struct Before {
        const Growth* run;
        bool operator()(std::int32_t a, std::int32_t b) const noexcept;
    };

    [[nodiscard]] Leaf& leaf_at(std::int32_t node) const noexcept { return *leaves_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] bool is_full() const noexcept;
    [[nodiscard]] double value_of(const Weight* counts) const;
    [[nodiscard]] std::optional<std::int32_t> next_leaf();
    [[nodiscard]] bool choose(std::int32_t node);
    void look_at(std::int32_t node, Leaf& leaf);
    void pick(Leaf& leaf);
    [[nodiscard]] std::optional<Reason> limit(std::int32_t node) const noexcept;
    void expand(std::int32_t node);
    void add_node(std::int32_t parent, const Weight* counts, std::int64_t rows);
    void add_leaf(std::int32_t node);
    void push(std::int32_t node);
    void let_go(std::int32_t node);

    CodedTable table_;
    std::size_t classes_;
    std::vector<Family> families_;
    GrowthRules rules_;
    const Index& index_;
    Procedure procedure_;
    NodeStats stats_;
    GrownNodes nodes_;
    std::vector<std::unique_ptr<Leaf>> leaves_;  // by node; null where it is split, pure or given up
    std::int64_t n_leaves_ = 1;
    Weight weight_ = 0;
    double root_value_ = 0.0;
    std::vector<double> prices_;
    Asking asking_{};
    std::optional<Frontier<Before>> frontier_;
    std::vector<Expanded> expansions_;
    std::vector<Retired> retirements_;
};

}  // namespace polytomy
