// cpp/grow/growth.cpp: see growth.hpp.
#include "grow/growth.hpp"

#include <algorithm>
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
// listing those present. For 100,000 x 20 normal columns of 255 codes, grown until pure by one thread, a limit of 0 rows
// took 0.78 s (binary 0.46), of 255 0.58 (0.27), of 512 0.55 (0.26), of 1,024 0.55 (0.28).
std::size_t small_rows(const CodedTable& table, const GrowthRules& rules) {
    if (rules.small) return static_cast<std::size_t>(*rules.small);
    return 2 * static_cast<std::size_t>(table.code_start.back()) / std::max<std::size_t>(1, table.columns.size());
}

// Up to how many rows subtrees are planned by single threads; 0 where there should be no plan: with a budget, or with
// nothing for a second thread to do.
std::int64_t apart_rows(const CodedTable& table, const GrowthRules& rules) {
    constexpr std::size_t kWorth = 4000;   // rows
    constexpr std::int64_t kShares = 4;    // of a thread
    constexpr std::int64_t kMost = 50000;  // rows: about half a second, for which nobody hears of an interrupt
    if (rules.max_leaves) return 0;
    if (rules.apart) return *rules.apart;
    if (rules.threads < 2 || table.rows < kWorth) return 0;
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(table.rows) / (kShares * rules.threads), 1, kMost);
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
    : families_(std::move(families)), which_(asked_about(families_)), rules_(rules),
      source_{table, target, which_, small_rows(table, rules)}, root_(total_counts(table, target)),
      weight_(std::accumulate(root_.begin(), root_.end(), Weight{0})), decider_(rules, families_, root_, table.rows),
      root_value_(decider_.value(root_)), frontier_(kTie * root_value_, Before{this}) {
    if (const std::int64_t apart = apart_rows(table, rules); apart > 0) {
        plan_.emplace(source_, decider_, root_, apart, rules.threads);
    } else {
        stats_.emplace(source_, rules.threads);
    }
}

bool Growth::prepare(Deadline deadline) { return plan_ && plan_->go_on(deadline); }

void Growth::begin() {
    begun_ = true;
    if (plan_) places_.push_back(plan_->root());
    add_node(-1, root_, static_cast<std::int64_t>(source_.table.rows));
    add_leaf(0);
}

bool Growth::step() {
    if (!begun_) begin();
    const std::optional<std::int32_t> leaf = next_leaf();
    if (leaf) expand(*leaf);
    return leaf.has_value();
}

bool Growth::is_full() const noexcept { return rules_.max_leaves && n_leaves_ >= *rules_.max_leaves; }

// The leaf to split, its choice made for the tree's size as it is now.
std::optional<std::int32_t> Growth::next_leaf() {
    while (!frontier_.empty() && !is_full()) {
        const std::int32_t node = frontier_.pop();
        const bool current = decider_.is_current(leaf_at(node), n_leaves_);
        if (!choose(node)) continue;
        if (!rules_.steepest || current) return node;
        push(node);  // a growing tree made its option too large; its next best waits
    }
    return std::nullopt;
}

// Choose the leaf's option, or retire the leaf for a reason.
bool Growth::choose(std::int32_t node) {
    const auto at = static_cast<std::size_t>(node);
    std::optional<Reason> reason;
    if (!plan_) {
        const auto collect = [&] { return stats_->collect(node); };
        reason = decider_.choose(leaf_at(node), nodes_.depth[at], nodes_.rows[at], n_leaves_, collect);
    } else if (leaf_at(node).choice == Leaf::kNone) {
        PlannedNode& planned = plan_->at(places_[at]);
        leaf_at(node) = std::move(planned.leaf);
        reason = planned.reason;
    }
    if (!reason) return true;
    retirements_.push_back({node, *reason, n_leaves_});
    let_go(node);
    return false;
}

// Replace the leaf by its option; its children join the frontier.
void Growth::expand(std::int32_t node) {
    const std::size_t classes = source_.target.classes;
    Leaf& leaf = leaf_at(node);
    Option& option = leaf.menu[leaf.choice];
    const Children children = children_of(node, option);
    const auto first = static_cast<std::int32_t>(nodes_.rows.size());
    expansions_.push_back({node, std::move(option), leaf.value, leaf.binary_gain, n_leaves_, first,
                           heaviest(children, classes)});
    leaves_[static_cast<std::size_t>(node)].reset();
    const std::size_t arity = children.rows.size();
    n_leaves_ += static_cast<std::int64_t>(arity) - 1;
    for (std::size_t b = 0; b < arity; ++b) {
        add_node(node, std::span(children.counts).subspan(b * classes, classes), children.rows[b]);
    }
    for (std::size_t b = 0; b < arity; ++b) add_leaf(first + static_cast<std::int32_t>(b));
}

Children Growth::children_of(std::int32_t node, const Option& option) {
    if (!plan_) {
        return stats_->scatter(node, static_cast<std::size_t>(option.column), branch_of_code(option, source_.table),
                               static_cast<std::size_t>(option.arity));
    }
    Children children;
    const Plan::Place parent = places_[static_cast<std::size_t>(node)];
    for (std::int32_t b = 0; b < option.arity; ++b) {
        places_.push_back(plan_->child(parent, b));
        const std::span<const Weight> counts = plan_->counts(places_.back());
        children.counts.insert(children.counts.end(), counts.begin(), counts.end());
        children.rows.push_back(plan_->at(places_.back()).rows);
    }
    return children;
}

void Growth::add_node(std::int32_t parent, std::span<const Weight> counts, std::int64_t rows) {
    nodes_.counts.insert(nodes_.counts.end(), counts.begin(), counts.end());
    nodes_.rows.push_back(rows);
    nodes_.parent.push_back(parent);
    nodes_.depth.push_back(parent < 0 ? 0 : nodes_.depth[static_cast<std::size_t>(parent)] + 1);
    leaves_.emplace_back();
}

// Put a leaf on the frontier, unless it is pure or the budget is spent.
void Growth::add_leaf(std::int32_t node) {
    const std::size_t classes = source_.target.classes;
    const auto counts = std::span(nodes_.counts).subspan(static_cast<std::size_t>(node) * classes, classes);
    const double value = is_full() ? 0.0 : decider_.value(counts);
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
    frontier_.push(rules_.steepest ? leaf.score : leaf.value, node);
}

void Growth::let_go(std::int32_t node) {
    leaves_[static_cast<std::size_t>(node)].reset();
    if (stats_) stats_->release(node);
}

bool Growth::Before::operator()(std::int32_t a, std::int32_t b) const noexcept {
    if (run->rules_.steepest) {
        const int order = compare(run->leaf_at(a).chosen(), run->leaf_at(b).chosen());
        if (order != 0) return order < 0;
    }
    return a < b;
}

}  // namespace polytomy
