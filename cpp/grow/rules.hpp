// cpp/grow/rules.hpp: the rules of a run, and the reasons for which a leaf stays a leaf.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "grow/procedure.hpp"
#include "search/index.hpp"

namespace polytomy {

struct GrowthRules {
    ProcedureKind procedure = ProcedureKind::per_leaf;
    std::optional<std::int64_t> max_leaves;
    double gamma = 0.0;
    bool steepest = true;  // the best option over all leaves, rather than that of the heaviest leaf
    const Index* index = &builtin_index(IndexKind::gini);
    std::int64_t max_arity = 8;
    std::optional<std::int64_t> max_depth;
    std::int64_t min_samples_split = 2;
    std::int64_t min_samples_leaf = 1;
    double min_weight_fraction_leaf = 0.0;
    double min_gain = 0.0;
    // With a branch price, the arity of a leaf's option is chosen by what each further branch adds: it must be at least this
    // gain per unit of weight. Otherwise it is chosen by gain / price(k).
    std::optional<double> branch_price;
    bool charge_groups = false;  // a grouping of categories must pay for its description
    double cases_per_unit = 1.0;  // of weight: chance is judged by cases, so that a weight of k counts like k rows
    std::optional<std::int64_t> columns_per_node;  // drawn at random (column_draw.hpp); none: all columns
    std::uint64_t seed = 0;                        // of the draws
    // A child's value is the mean rank of its classes. Directions (1, -1, or 0 for none) restrict the values along columns.
    std::vector<double> ranks;
    std::vector<std::int8_t> directions;
    double min_difference = 0.0;  // of the values of neighbouring children; needs ranks
    double min_child_share = 0.0;  // least weight of a child, as a share of its parent's
    // See column_path.hpp. Empty without such constraints; those by column have an entry for each.
    std::vector<std::int32_t> first_columns;               // ascending
    std::vector<std::vector<std::int32_t>> after_columns;  // by column: those of which one must be asked above
    std::vector<double> column_costs;  // by column: gain for asking about all rows, as a share of the root's impurity
    bool refuse_losses = true;         // whether splits that gain less than their column costs are refused
    int threads = 1;
    std::function<double(std::int64_t)> price;  // instead of the procedure's own; may be empty
    // The rest changes only the time, never the tree.
    std::optional<std::int64_t> small;  // rows up to which a node's histograms are compact; by default, as measured
    std::optional<std::int64_t> apart;  // rows up to which subtrees are planned apart (plan.hpp); 0: no plan
    std::optional<std::int64_t> subtree;  // rows up to which subtrees are found at once (subtrees.hpp); 0: never
    std::int64_t batch = 1;  // leaves to request from the row source at a time, ahead of need
};

enum class Reason : std::int8_t { max_depth = 0, too_few_rows = 1, no_option = 2, min_gain = 3 };

}  // namespace polytomy
