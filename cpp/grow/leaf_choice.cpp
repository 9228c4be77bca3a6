// cpp/grow/leaf_choice.cpp: see leaf_choice.hpp.
#include "grow/leaf_choice.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace polytomy {

Chooser::Chooser(const GrowthRules& rules, std::span<const Family> families, std::span<const Weight> root,
                 std::size_t rows, std::int64_t most_codes)
    : rules_(&rules), families_(families),
      has_own_(std::any_of(families.begin(), families.end(), [](const Family& f) { return f.own != nullptr; })),
      procedure_(rules.procedure, rules.max_leaves, rules.gamma, rules.price) {
    const auto most = std::min(static_cast<std::int64_t>(rows), most_codes);
    const std::int64_t widest = std::max<std::int64_t>(2, std::min(rules.max_arity, most));
    for (std::int64_t k = 2; k <= widest; ++k) prices_.push_back(procedure_.price(k));
    // The searches compare with the best binary gain, so their prices are relative to that of two branches.
    const double binary = prices_.front();
    for (double& price : prices_) price = binary > 0.0 ? price / binary : price;
    query_.index = rules.index;
    query_.min_rows = rules.min_samples_leaf;
    query_.threads = rules.threads;
    restart(root);
}

void Chooser::restart(std::span<const Weight> root) {
    const auto weight = static_cast<double>(std::accumulate(root.begin(), root.end(), Weight{0}));
    query_.min_weight = static_cast<Weight>(std::ceil(rules_->min_weight_fraction_leaf * weight * (1.0 - kTie)));
    least_gain_ = rules_->min_gain * weight;
}

double Chooser::impurity(std::span<const Weight> counts) const {
    const auto present = std::count_if(counts.begin(), counts.end(), [](Weight w) { return w != 0; });
    if (present <= 1) return 0.0;
    const std::vector<double> vector(counts.begin(), counts.end());
    double value = 0.0;
    query_.index->values(vector.data(), 1, 1, vector.size(), &value);
    return value;
}

std::optional<Reason> Chooser::limit(std::int64_t depth, std::int64_t rows) const noexcept {
    if (rules_->max_depth && depth >= *rules_->max_depth) return Reason::max_depth;
    const std::int64_t fewest = std::max(rules_->min_samples_split, 2 * rules_->min_samples_leaf);
    if (rows < fewest) return Reason::too_few_rows;
    return std::nullopt;
}

void Chooser::search(Leaf& leaf, const NodeHistograms& node, std::span<const Row> members, std::int64_t rows,
                     std::int64_t leaves) {
    const MenuRequest request{leaf.impurity, procedure_.largest(leaves, rows), members};
    leaf.menu = best_of_each_arity(find_options(node, settings(), request), leaf.impurity);
    for (Option& option : leaf.menu) complete(option, node);
    if (!leaf.menu.empty() && leaf.menu.front().arity == 2) leaf.binary_gain = leaf.menu.front().gain;
    leaf.searched = true;
}

// The acceptable option with the best score; on a tie, the smaller arity.
std::optional<Reason> Chooser::pick(Leaf& leaf, std::int64_t leaves) {
    double most = -kInfinity;
    std::vector<double> score(leaf.menu.size(), -kInfinity);
    for (std::size_t i = 0; i < leaf.menu.size(); ++i) {
        const Option& option = leaf.menu[i];
        if (!procedure_.acceptable(option.arity, leaves)) continue;
        score[i] = option.gain / procedure_.price(option.arity);
        most = std::max(most, score[i]);
    }
    if (most == -kInfinity) return Reason::no_option;
    const double enough = most - kTie * leaf.impurity;
    const auto first = std::find_if(score.begin(), score.end(), [enough](double s) { return s >= enough; });
    leaf.choice = static_cast<std::size_t>(first - score.begin());
    leaf.score = *first;
    if (!rules_->max_leaves && leaf.menu.size() > 1) {  // without a budget the choice is final
        Option only = std::move(leaf.menu[leaf.choice]);
        leaf.menu.clear();
        leaf.menu.push_back(std::move(only));
        leaf.menu.shrink_to_fit();
        leaf.choice = 0;
    }
    if (leaf.chosen().gain < least_gain_) return Reason::min_gain;
    return std::nullopt;
}

}  // namespace polytomy
