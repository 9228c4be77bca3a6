// cpp/grow/leaf_choice.cpp: see leaf_choice.hpp.
#include "grow/leaf_choice.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "search/groups.hpp"

namespace polytomy {
namespace {

std::size_t n_present(std::span<const Weight> counts) {
    return static_cast<std::size_t>(std::count_if(counts.begin(), counts.end(), [](Weight w) { return w != 0; }));
}

}  // namespace

Chooser::Chooser(const GrowthRules& rules, std::span<const Family> families, std::span<const Weight> root,
                 std::size_t rows, std::int64_t most_codes, double residue_unit)
    : rules_(&rules), families_(families),
      has_own_(std::any_of(families.begin(), families.end(), [](const Family& f) { return f.own != nullptr; })),
      procedure_(rules.procedure, rules.max_leaves, rules.gamma, rules.price),
      draw_(columns_of(families), rules.columns_per_node), path_(rules, columns_of(families)) {
    const auto most = std::min(static_cast<std::int64_t>(rows), most_codes);
    const std::int64_t widest = std::max<std::int64_t>(2, std::min(rules.max_arity, most));
    for (std::int64_t k = 2; k <= widest; ++k) prices_.push_back(procedure_.price(k));
    // The searches compare with the best binary gain, so their prices are relative to that of two branches.
    const double binary = prices_.front();
    for (double& price : prices_) price = binary > 0.0 ? price / binary : price;
    // At a branch price, wider options need the gain of the best binary one, plus that price for every further branch.
    if (rules_->branch_price) std::fill(prices_.begin(), prices_.end(), 1.0);
    query_.index = rules.index;
    query_.min_rows = rules.min_samples_leaf;
    query_.threads = rules.threads;
    query_.values.ranks = rules.ranks;
    query_.values.directions = rules.directions;
    query_.values.apart = rules.min_difference;
    restart(root, residue_unit);
}

void Chooser::restart(std::span<const Weight> root, double residue_unit, std::optional<Weight> whole) {
    residue_unit_ = residue_unit;
    const auto weight = static_cast<double>(whole ? *whole : std::accumulate(root.begin(), root.end(), Weight{0}));
    query_.min_weight = static_cast<Weight>(std::ceil(rules_->min_weight_fraction_leaf * weight * (1.0 - kTie)));
    least_gain_ = rules_->min_gain * weight;
    branch_price_ = rules_->branch_price.value_or(0.0) * weight;
}

Leaf Chooser::leaf_of(std::span<const Weight> counts, const Residue* residue) const {
    Leaf leaf;
    leaf.value = value(counts);
    leaf.impurity = impurity(counts, residue);
    leaf.classes = n_present(counts);
    leaf.weight = static_cast<double>(std::accumulate(counts.begin(), counts.end(), Weight{0}));
    return leaf;
}

double Chooser::value(std::span<const Weight> counts) const {
    if (n_present(counts) <= 1) return 0.0;
    const std::vector<double> vector(counts.begin(), counts.end());
    double value = 0.0;
    query_.index->values(vector.data(), 1, 1, vector.size(), &value);
    return value;
}

double Chooser::impurity(std::span<const Weight> counts, const Residue* residue) const { return impurity(value(counts), residue); }

// Rows that are nearly alike may have a difference of rounding errors, but a node that is not pure must not look so.
double Chooser::impurity(double whole, const Residue* residue) const noexcept {
    if (residue == nullptr) return whole;
    if (residue->alike) return 0.0;
    return std::max(whole - static_cast<double>(residue->amount) * residue_unit_, kTie * kTie * whole);
}

std::optional<Reason> Chooser::limit(std::int64_t depth, std::int64_t rows) const noexcept {
    if (rules_->max_depth && depth >= *rules_->max_depth) return Reason::max_depth;
    const std::int64_t fewest = std::max(rules_->min_samples_split, 2 * rules_->min_samples_leaf);
    if (rows < fewest) return Reason::too_few_rows;
    return std::nullopt;
}

double Chooser::charge(const Leaf& leaf) const noexcept {
    return rules_->charge_groups ? charge_per_log(leaf.impurity, leaf.weight * rules_->cases_per_unit, leaf.classes) : 0.0;
}

// The run's branch price, but at least kEvidence times what a branch gains on average if the column is unrelated to the
// class: n (C - 1) gain / F(node) is then about chi-square, with C - 1 degrees of freedom for each branch.
double Chooser::branch_price(const Leaf& leaf) const noexcept {
    if (!rules_->branch_price) return 0.0;
    return std::max(branch_price_, kEvidence * leaf.impurity / (leaf.weight * rules_->cases_per_unit));
}

MenuRequest Chooser::request(const Leaf& leaf, std::int64_t rows, std::int64_t leaves) {
    // Gain ratios are compared with the mean gain of all columns, which must not depend on the budget.
    const std::int64_t largest = by_ratio() ? rows : procedure_.largest(leaves, rows);
    return {leaf.value, charge(leaf), static_cast<int>(leaf.classes) - 1, largest};
}

// The best option of each arity by gain ratio, of the best options of each column by gain.
void Chooser::search_by_ratio(Leaf& leaf, const NodeHistograms& node, const MenuRequest& wanted) {
    const std::vector<std::int32_t> columns = columns_of(families_);
    const std::size_t n_columns = columns.empty() ? 0 : static_cast<std::size_t>(columns.back()) + 1;
    std::size_t codes = 0;
    for (const std::int32_t j : columns) codes += node.view.n_codes(static_cast<std::size_t>(j));
    const int threads = rules_->index->parallel() ? worth(codes, 2000, query_.threads) : 1;
    std::vector<Option> options;
    const MenuSettings here = settings_at(leaf);
    for (std::vector<Option>& found : options_by_column(node, here, wanted, n_columns, threads)) {
        std::move(found.begin(), found.end(), std::back_inserter(options));
    }
    for (const Option& option : options) {
        if (option.arity == 2) leaf.binary_gain = std::fmax(leaf.binary_gain, option.gain);
    }
    rank_by_ratio(options, node, leaf.value, leaf.weight * rules_->cases_per_unit);
    leaf.menu = best_of_each_arity(std::move(options), leaf.value, [](const Option& o) noexcept { return o.merit; });
    add_children(leaf, node);
    drop_losses(leaf);
    leaf.searched = true;
}

// The search settings of a leaf: what its children's values and weights must be.
MenuSettings Chooser::settings_at(const Leaf& leaf) const {
    MenuSettings here = settings();
    here.query.values.low = leaf.range.low;
    here.query.values.high = leaf.range.high;
    here.query.values.range = &leaf.range;
    if (rules_->min_child_share > 0.0) {
        const auto least = static_cast<Weight>(std::ceil(rules_->min_child_share * leaf.weight * (1.0 - kTie)));
        here.query.min_weight = std::max(here.query.min_weight, least);
    }
    return here;
}

// If columns have directions, a leaf that waits must be compared with other nodes again.
void Chooser::add_children(Leaf& leaf, const NodeHistograms& node) const {
    if (query_.values.directions.empty()) return;
    for (Option& option : leaf.menu) add_child_sums(option, node, query_.values.ranks);
}

// If no pruning by prices follows, nothing could undo a split whose column costs more than it gains.
void Chooser::drop_losses(Leaf& leaf) const {
    if (rules_->column_costs.empty() || !rules_->refuse_losses) return;
    std::erase_if(leaf.menu, [](const Option& option) { return option.charge > 0.0 && worth_of(option) < 0.0; });
}

// If the price of k branches is k - 1, two branches are acceptable as long as any are, and their score is what they are worth.
// If values must be apart, a leaf may have three branches but no two.
bool Chooser::keeps_scores() const noexcept {
    const bool is_per_leaf = rules_->procedure == ProcedureKind::per_leaf || rules_->procedure == ProcedureKind::priced;
    return is_per_leaf && rules_->steepest && rules_->max_leaves && !rules_->branch_price && !rules_->price &&
           rules_->column_costs.empty() && rules_->min_gain <= 0.0 && rules_->min_difference <= 0.0 && rules_->directions.empty() &&
           !path_.matters();
}

// At other prices than k - 1, options become too wide so often that searching leaves again takes longer than it saves: a tree of
// 64 leaves on 3,000 rows took 1.25 times as long with `hatano`, and 1.05 times on 100,000 rows at a branch price.
bool Chooser::needs_winner_only() const noexcept {
    return query_.threads <= 1 && rules_->procedure == ProcedureKind::per_leaf && !rules_->branch_price && !rules_->price &&
           rules_->directions.empty() && !path_.matters();
}

void Chooser::search(Leaf& leaf, const NodeHistograms& node, const Scope& scope, std::int64_t rows,
                     std::int64_t leaves) {
    MenuRequest wanted = request(leaf, rows, leaves);
    wanted.columns = scope.columns;
    wanted.own = scope.own;
    wanted.rows = scope.members;
    const std::vector<double> charges = path_.costs(leaf.asked, root_impurity_per_weight_ * leaf.weight);
    wanted.column_charges = charges;
    leaf.binary_gain = std::numeric_limits<double>::quiet_NaN();
    if (by_ratio()) return search_by_ratio(leaf, node, wanted);
    MenuSettings here = settings_at(leaf);
    here.query.tools = &tools_;
    here.query.branch_price = leaf.branch_price = branch_price(leaf);
    here.query.only_winner = needs_winner_only();
    FoundOptions found = find_options(node, here, wanted);
    leaf.menu = best_of_each_arity(std::move(found.options), leaf.value);
    for (Option& option : leaf.menu) complete(option, node);
    add_children(leaf, node);
    drop_losses(leaf);
    if (!leaf.menu.empty() && leaf.menu.front().arity == 2) {
        // An option with more gain may have lost because of its charge.
        const bool is_charged = wanted.charge > 0.0 || !wanted.column_charges.empty();
        leaf.binary_gain = is_charged ? found.binary_gain : leaf.menu.front().gain;
    }
    // Where ranges were left out, there is a binary one.
    leaf.of_winner = here.query.only_winner && !leaf.menu.empty() && leaf.menu.front().arity == 2;
    leaf.searched = true;
}

std::vector<double> Chooser::mean_ranks(std::span<const Weight> counts) const {
    const std::span<const double> ranks = query_.values.ranks;
    std::vector<double> means;
    for (std::size_t at = 0; at < counts.size(); at += ranks.size()) {
        double sum = 0.0, weight = 0.0;
        for (std::size_t c = 0; c < ranks.size(); ++c) {
            const auto count = static_cast<double>(counts[at + c]);
            sum += ranks[c] * count;
            weight += count;
        }
        means.push_back(sum / weight);
    }
    return means;
}

std::vector<Option> Chooser::by_column(Leaf& leaf, const NodeHistograms& node, std::int64_t rows, std::size_t columns) {
    MenuSettings here = settings_at(leaf);
    here.query.branch_price = leaf.branch_price = branch_price(leaf);
    const int threads = rules_->index->parallel() ? worth(columns, 2, rules_->threads) : 1;
    std::vector<Option> found;
    for (std::vector<Option>& menu : options_by_column(node, here, request(leaf, rows, 1), columns, threads)) {
        std::erase_if(menu, [this](const Option& option) { return option.gain < least_gain_; });
        const std::size_t best = choice(leaf, menu, 1);
        if (best == Leaf::kNone) continue;
        if (best > 0 && menu.front().arity == 2) found.push_back(menu.front());
        found.push_back(std::move(menu[best]));
    }
    if (path_.matters()) keep_on_path(leaf, found);
    std::stable_sort(found.begin(), found.end(),
                     [&](const Option& a, const Option& b) { return value(leaf, a) > value(leaf, b); });
    return found;
}

// Drops options on columns that may not be asked at a leaf, and all others if one on a column that comes first gains.
void Chooser::keep_on_path(const Leaf& leaf, std::vector<Option>& options) const {
    const std::vector<std::int32_t> allowed = path_.allowed(leaf.asked);
    const std::vector<std::int32_t> first = path_.first(leaf.asked, allowed);
    const auto is_first = [&](const Option& o) { return o.gain > 0.0 && std::binary_search(first.begin(), first.end(), o.column); };
    std::erase_if(options, [&](const Option& o) { return !std::binary_search(allowed.begin(), allowed.end(), o.column); });
    if (std::any_of(options.begin(), options.end(), is_first)) std::erase_if(options, [&](const Option& o) { return !is_first(o); });
}

// What leaves are compared by in steepest order: the worth divided by the price of the arity, unless it is negative.
double Chooser::score(const Option& option) {
    const double worth = worth_of(option);
    return worth > 0.0 ? worth / procedure_.price(option.arity) : worth;
}

// What the options of a leaf are compared by: the score or, at a branch price, the worth less that price for each branch.
double Chooser::value(const Leaf& leaf, const Option& option) {
    if (by_ratio()) return option.merit;
    return rules_->branch_price ? worth_of(option) - leaf.branch_price * (option.arity - 1) : score(option);
}

// The position of the acceptable option with the best value; on a tie, the smaller arity. kNone if no option is acceptable.
std::size_t Chooser::choice(const Leaf& leaf, std::span<const Option> menu, std::int64_t leaves) {
    double most = -kInfinity;
    std::vector<double> values(menu.size(), -kInfinity);
    for (std::size_t i = 0; i < menu.size(); ++i) {
        if (!procedure_.acceptable(menu[i].arity, leaves)) continue;
        values[i] = value(leaf, menu[i]);
        most = std::max(most, values[i]);
    }
    if (most == -kInfinity) return Leaf::kNone;
    const double enough = most - kTie * leaf.value;
    const auto first = std::find_if(values.begin(), values.end(), [enough](double v) { return v >= enough; });
    return static_cast<std::size_t>(first - values.begin());
}

std::optional<Reason> Chooser::pick(Leaf& leaf, std::int64_t leaves) {
    leaf.choice = choice(leaf, leaf.menu, leaves);
    if (leaf.choice == Leaf::kNone) return Reason::no_option;
    leaf.score = score(leaf.chosen());
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
