// cpp/grow/rules.hpp: the rules of a run, and why a leaf may have to stay one.
#pragma once

#include <cstdint>
#include <optional>

#include "search/index.hpp"
#include "grow/procedure.hpp"

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
    std::optional<std::int64_t> apart;  // rows up to which subtrees are planned apart (plan.hpp); 0: no plan
};

enum class Reason : std::int8_t { max_depth = 0, too_few_rows = 1, no_option = 2, min_gain = 3 };

}  // namespace polytomy
