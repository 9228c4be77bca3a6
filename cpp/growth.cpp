// cpp/growth.cpp: see growth.hpp.
#include "growth.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace polytomy {
namespace {

// The columns any family asks about, ascending.
std::vector<std::int32_t> asked_about(const std::vector<Family>& families) {
    std::vector<std::int32_t> columns;
    for (const Family& family : families) columns.insert(columns.end(), family.columns.begin(), family.columns.end());
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
}

// A node is small where its rows are few beside the codes of a column: then looking at every code costs more than
// listing those present.
std::size_t small_rows(const CodedTable& table, const GrowthRules& rules) {
    constexpr std::size_t kShare = 1;
    if (rules.small) return static_cast<std::size_t>(*rules.small);
    const auto codes = static_cast<std::size_t>(table.code_start.back());
    return kShare * codes / std::max<std::size_t>(1, table.columns.size());
}

// The first child whose weight is the largest, ties within the tolerance.
Branch heaviest(const Children& children, std::size_t classes) {
    std::vector<double> weight;
    for (std::size_t b = 0; b < children.rows.size(); ++b) {
        const Weight* counts = children.counts.data() + b * classes;
        weight.push_back(static_cast<double>(std::accumulate(counts, counts + classes, Weight{0})));
    }
    const double most = *std::max_element(weight.begin(), weight.end());
    const double lightest = most - kTie * std::accumulate(weight.begin(), weight.end(), 0.0);
    const auto first = std::find_if(weight.begin(), weight.end(), [&](double w) { return w >= lightest; });
    return static_cast<Branch>(first - weight.begin());
}

}  // namespace

Growth::Growth(const CodedTable& table, const Target& target, std::vector<Family> families, const GrowthRules& rules)
    : table_(table), classes_(target.classes), families_(std::move(families)), rules_(rules),
      index_(builtin_index(rules.index)), procedure_(rules.procedure, rules.max_leaves, rules.gamma),
      stats_(table, target, asked_about(families_), small_rows(table, rules), rules.threads) {
    const std::vector<Weight> counts = stats_.root_counts();
    weight_ = std::accumulate(counts.begin(), counts.end(), Weight{0});
    root_value_ = value_of(counts.data());
    const auto rows = static_cast<std::int64_t>(table.rows);
    const std::int64_t widest = std::max<std::int64_t>(2, std::min(rules.max_arity, rows));
    for (std::int64_t k = 2; k <= widest; ++k) prices_.push_back(procedure_.price(k));
    asking_.families = families_;
    asking_.prices = prices_;
    asking_.query.index = &index_;
    asking_.query.min_rows = rules.min_samples_leaf;
    asking_.query.threads = rules.threads;
    const double share = rules.min_weight_fraction_leaf * static_cast<double>(weight_) * (1.0 - kTie);
    asking_.query.min_weight = static_cast<Weight>(std::ceil(share));
    frontier_.emplace(kTie * root_value_, Before{this});
    add_node(-1, counts.data(), rows);
    add_leaf(0);
}

bool Growth::step() {
    const std::optional<std::int32_t> leaf = next_leaf();
    if (leaf) expand(*leaf);
    return leaf.has_value();
}

bool Growth::is_full() const noexcept { return rules_.max_leaves && n_leaves_ >= *rules_.max_leaves; }

double Growth::value_of(const Weight* counts) const {
    std::vector<double> vector(counts, counts + classes_);
    double value = 0.0;
    index_.values(vector.data(), 1, 1, classes_, &value);
    return value;
}

// The leaf to split, its choice made for the tree's size as it is now.
std::optional<std::int32_t> Growth::next_leaf() {
    while (!frontier_->empty() && !is_full()) {
        const std::int32_t node = frontier_->pop();
        const bool fresh = leaf_at(node).choice == kNone;
        const bool stale = !fresh && !procedure_.acceptable(leaf_at(node).menu[leaf_at(node).choice].arity, n_leaves_);
        if (!choose(node)) continue;
        if (!rules_.steepest || !stale) return node;
        push(node);  // a growing tree made its option too large; its next best waits
    }
    return std::nullopt;
}

// Choose the leaf's option, or retire the leaf for a reason.
bool Growth::choose(std::int32_t node) {
    Leaf& leaf = leaf_at(node);
    if (leaf.choice != kNone && procedure_.acceptable(leaf.menu[leaf.choice].arity, n_leaves_)) return true;
    leaf.choice = kNone;
    std::optional<Reason> reason = limit(node);
    if (!reason) {
        if (!leaf.looked_at) look_at(node, leaf);
        pick(leaf);
        if (leaf.choice == kNone) {
            reason = Reason::no_option;
        } else if (leaf.menu[leaf.choice].gain < rules_.min_gain * static_cast<double>(weight_)) {
            reason = Reason::min_gain;
        }
    }
    if (!reason) return true;
    retirements_.push_back({node, *reason, n_leaves_});
    let_go(node);
    return false;
}

void Growth::look_at(std::int32_t node, Leaf& leaf) {
    const std::int64_t largest = procedure_.largest(n_leaves_, nodes_.rows[static_cast<std::size_t>(node)]);
    if (!families_.empty()) leaf.menu = ask_families(stats_.collect(node), asking_, leaf.value, largest);
    if (!leaf.menu.empty() && leaf.menu.front().arity == 2) leaf.binary_gain = leaf.menu.front().gain;
    leaf.looked_at = true;
}

// The acceptable option of the best score, the smaller arity on a tie.
void Growth::pick(Leaf& leaf) {
    double most = -kInfinity;
    std::vector<double> score(leaf.menu.size(), -kInfinity);
    for (std::size_t i = 0; i < leaf.menu.size(); ++i) {
        const Option& option = leaf.menu[i];
        if (!procedure_.acceptable(option.arity, n_leaves_)) continue;
        score[i] = option.gain / procedure_.price(option.arity);
        most = std::max(most, score[i]);
    }
    for (std::size_t i = 0; i < score.size(); ++i) {
        if (score[i] == -kInfinity || score[i] < most - kTie * leaf.value) continue;
        leaf.choice = i;
        leaf.score = score[i];
        break;
    }
    if (rules_.max_leaves || leaf.choice == kNone || leaf.menu.size() == 1) return;
    leaf.menu = {std::move(leaf.menu[leaf.choice])};  // without a budget the choice is never made again
    leaf.choice = 0;
}

// Why a leaf must not even be looked at.
std::optional<Reason> Growth::limit(std::int32_t node) const noexcept {
    const auto at = static_cast<std::size_t>(node);
    if (rules_.max_depth && nodes_.depth[at] >= *rules_.max_depth) return Reason::max_depth;
    const std::int64_t fewest = std::max(rules_.min_samples_split, 2 * rules_.min_samples_leaf);
    if (nodes_.rows[at] < fewest) return Reason::too_few_rows;
    return std::nullopt;
}

// Replace the leaf by its option; its children join the frontier.
void Growth::expand(std::int32_t node) {
    Leaf& leaf = leaf_at(node);
    Option& option = leaf.menu[leaf.choice];
    const auto column = static_cast<std::size_t>(option.column);
    const auto arity = static_cast<std::size_t>(option.arity);
    const auto n_codes = static_cast<std::size_t>(table_.code_start[column + 1] - table_.code_start[column]);
    std::vector<Branch> branch = branch_of_code(option, n_codes, table_.has_missing[column] != 0);
    const Children children = stats_.scatter(node, column, std::move(branch), arity);
    const auto first = static_cast<std::int32_t>(nodes_.rows.size());
    expansions_.push_back({node, std::move(option), leaf.value, leaf.binary_gain, n_leaves_, first,
                           heaviest(children, classes_)});
    leaves_[static_cast<std::size_t>(node)].reset();
    n_leaves_ += static_cast<std::int64_t>(arity) - 1;
    for (std::size_t b = 0; b < arity; ++b) add_node(node, children.counts.data() + b * classes_, children.rows[b]);
    for (std::size_t b = 0; b < arity; ++b) add_leaf(first + static_cast<std::int32_t>(b));
}

void Growth::add_node(std::int32_t parent, const Weight* counts, std::int64_t rows) {
    nodes_.counts.insert(nodes_.counts.end(), counts, counts + classes_);
    nodes_.rows.push_back(rows);
    nodes_.parent.push_back(parent);
    nodes_.depth.push_back(parent < 0 ? 0 : nodes_.depth[static_cast<std::size_t>(parent)] + 1);
    leaves_.emplace_back();
}

// Put a leaf on the frontier, unless it is pure or the budget is spent.
void Growth::add_leaf(std::int32_t node) {
    const Weight* counts = nodes_.counts.data() + static_cast<std::size_t>(node) * classes_;
    const auto present = std::count_if(counts, counts + classes_, [](Weight w) { return w != 0; });
    const double value = present <= 1 || is_full() ? 0.0 : value_of(counts);
    if (value <= 0.0) {
        let_go(node);
        return;
    }
    leaves_[static_cast<std::size_t>(node)] = std::make_unique<Leaf>();
    leaf_at(node).value = value;
    if (!rules_.steepest || choose(node)) push(node);
}

void Growth::push(std::int32_t node) {
    const Leaf& leaf = leaf_at(node);
    frontier_->push(rules_.steepest ? leaf.score : leaf.value, node);
}

void Growth::let_go(std::int32_t node) {
    leaves_[static_cast<std::size_t>(node)].reset();
    stats_.release(node);
}

bool Growth::Before::operator()(std::int32_t a, std::int32_t b) const noexcept {
    if (run->rules_.steepest) {
        const Leaf& first = run->leaf_at(a);
        const Leaf& second = run->leaf_at(b);
        const int order = compare(first.menu[first.choice], second.menu[second.choice]);
        if (order != 0) return order < 0;
    }
    return a < b;
}

}  // namespace polytomy
