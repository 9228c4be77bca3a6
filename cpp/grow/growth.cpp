// cpp/grow/growth.cpp: see growth.hpp.
#include "grow/growth.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "search/groups.hpp"
#include "search/runs.hpp"

namespace polytomy {
namespace {

// A node is small if its rows are few compared with the codes of a column: then visiting every code costs more than
// listing those present. For 100,000 x 20 normal columns of 255 codes, grown until pure by one thread, a limit of 0 rows
// took 0.78 s (binary 0.46), of 255 0.58 (0.27), of 512 0.55 (0.26), of 1,024 0.55 (0.28).
// If compact histograms list the classes present, they are smaller as long as a node has fewer rows than there are classes.
std::size_t small_rows(const CodedTable& table, const GrowthRules& rules, std::size_t classes, bool classes_present) {
    if (rules.small) return static_cast<std::size_t>(*rules.small);
    const std::size_t few = 2 * table.n_codes() / std::max<std::size_t>(1, table.n_columns());
    return classes_present ? std::max(few, classes / 2) : few;
}

// The search can do without classes that a node lacks if they neither change the index nor have ranks.
bool lists_classes(const GrowthRules& rules, std::size_t classes) {
    return classes > RunSearch::kManyClasses && rules.ranks.empty() && rules.index->running(1) != nullptr;
}

// Without weights the counts are numbers of rows. With weights, the search needs the rows of each code for a minimum number
// of rows per child, and for packing very many categories of more than two classes. Not counting them saves a third.
bool needs_rows(const GrowthSample& sample, std::span<const Family> families, const GrowthRules& rules) {
    if (rules.min_samples_leaf > 1 || sample.source->local() == nullptr) return true;
    const auto start = sample.table.code_start;
    const auto packed = [&](std::int32_t j) {
        const auto at = static_cast<std::size_t>(j);
        return start[at + 1] - start[at] > static_cast<std::int64_t>(kPacked);
    };
    return sample.root.size() > 2 && std::any_of(families.begin(), families.end(), [&](const Family& family) {
        return family.kind == FamilyKind::groups && std::any_of(family.columns.begin(), family.columns.end(), packed);
    });
}

// If each node draws fewer than half of the columns, counting these alone takes less time than counting all columns of
// all children but the largest, which is what subtraction needs.
bool counts_drawn(const GrowthSample& sample, std::span<const Family> families, const GrowthRules& rules) {
    if (!rules.columns_per_node || sample.source->local() == nullptr) return false;
    return 2 * static_cast<std::size_t>(*rules.columns_per_node) < columns_of(families).size();
}

// Up to how many rows subtrees are planned by single threads. 0 means no plan: with a budget, if there is nothing for a
// second thread to do, if values are limited by other nodes, or if a callback of the user must stay on the calling thread.
std::int64_t apart_rows(const GrowthSample& sample, std::span<const Family> families, const GrowthRules& rules) {
    constexpr std::size_t kWorth = 4000;   // rows
    constexpr std::int64_t kShares = 4;    // per thread
    constexpr std::int64_t kMost = 50000;  // rows: about half a second, the longest delay before an interrupt is seen
    const bool own = std::any_of(families.begin(), families.end(), [](const Family& f) { return f.own != nullptr; });
    if (rules.max_leaves || own || rules.price || !rules.directions.empty() || !rules.index->parallel() || sample.source->local() == nullptr) return 0;
    if (rules.apart) return *rules.apart;
    if (rules.threads < 2 || sample.table.rows < kWorth) return 0;
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(sample.table.rows) / (kShares * rules.threads), 1, kMost);
}

// For the histograms of leaves that are asked for ahead of need: asking twice would cost a round trip.
constexpr std::size_t kAheadMemory = std::size_t{256} << 20;

// The most branches that an option can have: splits by all values have as many as there are codes.
std::int64_t widest_option(const CodedTable& table, std::span<const Family> families, const GrowthRules& rules) {
    std::int64_t widest = std::max<std::int64_t>(2, rules.max_arity);
    for (const Family& family : families) {
        if (family.kind != FamilyKind::values) continue;
        for (const std::int32_t j : family.columns) {
            const auto at = static_cast<std::size_t>(j);
            widest = std::max(widest, table.code_start[at + 1] - table.code_start[at]);
        }
    }
    return widest;
}

// The first child with the largest weight, up to ties; for two children see first_is_heavier.
Branch heaviest(const Children& children, std::size_t classes) {
    std::vector<double> weight;
    for (std::size_t b = 0; b < children.rows.size(); ++b) {
        const Weight* counts = children.counts.data() + b * classes;
        weight.push_back(static_cast<double>(std::accumulate(counts, counts + classes, Weight{0})));
    }
    const double most = *std::max_element(weight.begin(), weight.end());
    const double enough = most - kTie * std::accumulate(weight.begin(), weight.end(), 0.0);
    const auto first = std::find_if(weight.begin(), weight.end(), [&](double w) { return w >= enough; });
    return static_cast<Branch>(first - weight.begin());
}

}  // namespace

Growth::Growth(GrowthSample sample, std::vector<Family> families, const GrowthRules& rules)
    : rules_(rules), families_(std::move(families)), sample_(std::move(sample)),
      weight_(std::accumulate(sample_.root.begin(), sample_.root.end(), Weight{0})),
      chooser_(rules_, families_, sample_.root, sample_.table.rows, sample_.table.most_codes(), sample_.source->residue_unit()),
      root_impurity_(0.0), frontier_(0.0, Before{this}) {
    if (sample_.source->local() != nullptr && SubtreeSearch::serves(families_, rules_, classes())) {
        subtrees_.emplace(sample_.table, families_, rules_, classes());
    }
    add_root();
    widest_option_ = widest_option(sample_.table, families_, rules_);
    const PoolSettings settings = pool_settings();
    if (const std::int64_t apart = apart_rows(sample_, families_, rules_); apart > 0) {
        subtrees_.reset();
        plan_.emplace(sample_.table, *sample_.source->local(), settings, chooser_, sample_.root, unsearched(0, root_key(rules_.seed)), apart,
                      rules_.threads);
    } else {
        pool_.emplace(sample_.table, *sample_.source, settings, root_rows());
    }
}

std::size_t Growth::root_rows() const noexcept {
    LocalRows* local = sample_.source->local();
    return local != nullptr ? local->n_rows() : sample_.table.rows;
}

// Start the tree: one leaf with all rows.
void Growth::add_root() {
    const std::optional<Residue> residue = sample_.source->total_residue();
    add_node(-1, sample_.root, residue ? &*residue : nullptr, static_cast<std::int64_t>(root_rows()), 0);
    root_impurity_ = unsearched(0, 0).impurity;
    chooser_.set_root(root_impurity_, static_cast<double>(weight_));
    frontier_ = Frontier<Before>(kTie * root_impurity_, Before{this});
}

Leaf Growth::unsearched(std::int32_t node, std::uint64_t key) const {
    const auto at = static_cast<std::size_t>(node);
    const auto counts = std::span(nodes_.counts).subspan(at * classes(), classes());
    Leaf leaf = chooser_.leaf_of(counts, nodes_.residues.empty() ? nullptr : &nodes_.residues[at]);
    leaf.key = key;
    return leaf;
}

PoolSettings Growth::pool_settings() const {
    std::size_t memory = default_pool_memory(sample_.table);
    if (looks_ahead()) memory = std::max(memory, kAheadMemory);
    const bool classes_present = lists_classes(rules_, classes());
    return {classes(), sample_.weighted, needs_rows(sample_, families_, rules_),
            small_rows(sample_.table, rules_, classes(), classes_present), counts_drawn(sample_, families_, rules_), memory,
            classes_present};
}

void Growth::restart(const Target& target, StartRows rows, std::uint64_t seed, std::optional<Weight> weight) {
    sample_.source->local()->restart(target, rows);
    rules_.seed = seed;
    if (const bool weighted = target.units != nullptr; weighted != sample_.weighted) {
        sample_.weighted = weighted;
        pool_.emplace(sample_.table, *sample_.source, pool_settings(), root_rows());
    } else {
        pool_->restart(root_rows());
    }
    sample_.root = total();
    weight_ = std::accumulate(sample_.root.begin(), sample_.root.end(), Weight{0});
    chooser_.restart(sample_.root, sample_.source->residue_unit(), weight);
    begun_ = false;
    children_found_ = 0;
    nodes_.clear();
    in_source_.clear();
    in_subtree_.clear();
    if (subtrees_) subtrees_->clear();
    moved_.clear();
    ahead_.clear();
    leaves_.clear();
    n_leaves_ = 1;
    expansions_.clear();
    options_.clear();
    retirements_.clear();
    least_score_.restart();
    chooser_.set_least_score(least_score_.score());
    add_root();
}

// The class counts of all rows. Any column's histogram adds up to them, and the search needs the root's anyway.
std::vector<Weight> Growth::total() {
    const bool is_counted = !columns_of(families_).empty() && !pool_->is_small(0) && !pool_->counts_drawn();
    return is_counted ? total_of(pool_->histograms(0).view) : sample_.source->local()->total();
}

// The counts of a node, which those of any column add up to.
std::vector<Weight> Growth::total_of(const Histograms& node) const {
    const auto column = static_cast<std::size_t>(columns_of(families_).front());
    std::vector<Weight> counts(classes(), 0);
    for (std::size_t code = 0; code < node.n_codes(column); ++code) {
        for (std::size_t c = 0; c < counts.size(); ++c) counts[c] += node.counts_of(column, code)[c];
    }
    return counts;
}

bool Growth::prepare(Deadline deadline) { return plan_ && plan_->advance(deadline); }

void Growth::begin() {
    begun_ = true;
    order_.reset();
    if (!rules_.directions.empty()) {
        order_.emplace(sample_.table, rules_.directions);
        order_->add_root(chooser_.mean_ranks(sample_.root).front());
    }
    if (plan_) places_.push_back(plan_->root());
    add_leaf(0, root_key(rules_.seed), nullptr, {});
}

std::vector<Option> Growth::root_options() {
    Leaf leaf = unsearched(0, root_key(rules_.seed));
    if (leaf.impurity <= 0.0 || chooser_.limit(0, nodes_.rows[0])) return {};
    return chooser_.by_column(leaf, pool_->histograms(in_source(0)), nodes_.rows[0], sample_.table.n_columns());
}

void Growth::split_root(Option option) {
    const std::vector<Branch> branch = branch_of_code(option, sample_.table);
    std::vector<std::int64_t> held(static_cast<std::size_t>(option.arity), 0);
    with_codes(sample_.table.columns[static_cast<std::size_t>(option.column)], [&](const auto* codes) {
        for (const Row row : sample_.source->local()->members(in_source(0))) {
            const Branch b = branch[codes[row]];
            if (b < 0 || b >= option.arity) throw std::invalid_argument("split_root: a row without a branch");
            ++held[static_cast<std::size_t>(b)];
        }
    });
    if (std::find(held.begin(), held.end(), 0) != held.end()) throw std::invalid_argument("split_root: an empty branch");
    begun_ = true;
    leaves_.front() = std::make_unique<Leaf>(unsearched(0, root_key(rules_.seed)));
    Leaf& leaf = *leaves_.front();
    leaf.searched = true;
    leaf.menu.push_back(std::move(option));
    leaf.choice = 0;
    expand(0);
}

bool Growth::step() {
    if (!begun_) begin();
    const std::optional<std::int32_t> leaf = next_leaf();
    if (leaf) expand(*leaf);
    return leaf.has_value();
}

bool Growth::is_full() const noexcept { return rules_.max_leaves && n_leaves_ >= *rules_.max_leaves; }

// The leaf to split, with its option chosen for the tree's current size.
std::optional<std::int32_t> Growth::next_leaf() {
    choose_again();
    while (!frontier_.empty() && !is_full()) {
        const std::int32_t node = frontier_.pop();
        children_found_ = frontier_.note();
        if (children_found_ > 0) {
            subtrees_->prefetch(frontier_.next_note());
            return node;
        }
        if (is_found(node)) {
            retire_found(node);
            continue;
        }
        const bool current = !narrow_range(node) && chooser_.is_current(leaf_at(node), n_leaves_);
        if (!current) forget_move(node);
        if (!rules_.steepest) search_ahead(node);
        if (!choose(node)) continue;
        if (!rules_.steepest || current) return node;
        push(node);  // the growing tree made its option too wide; its next best one waits
    }
    return std::nullopt;
}

// Other nodes may have narrowed the range for the values of a leaf's children since it was searched. If an option is outside
// now, all are dropped; returns whether they were. Options that stay allowed stay the best ones.
bool Growth::narrow_range(std::int32_t node) {
    if (!order_) return false;
    Leaf& leaf = leaf_at(node);
    if (leaf.searched && leaf.nodes_compared == order_->n_nodes()) return false;
    leaf.range = order_->range(node);
    leaf.nodes_compared = order_->n_nodes();
    const auto stays = [&](const Option& option) { return is_within(option, leaf.range); };
    if (!leaf.searched || std::all_of(leaf.menu.begin(), leaf.menu.end(), stays)) return false;
    leaf.searched = false;
    leaf.menu.clear();
    leaf.choice = Leaf::kNone;
    return true;
}

// By gain / price, a leaf whose option has become too wide can only fall behind, so it may wait until its turn comes. At a
// branch price, and by gain ratio, the option is chosen by another value than the score, and the next may have a better one.
void Growth::choose_again() {
    if (is_full()) return;  // no leaf is due any more, so none is given up
    const bool by_ratio = rules_.procedure == ProcedureKind::gain_ratio;
    if (!rules_.branch_price && !by_ratio) return;
    if (!rules_.max_leaves || *rules_.max_leaves - n_leaves_ + 1 >= widest_) return;
    std::vector<std::int32_t> leaves;
    while (!frontier_.empty()) leaves.push_back(frontier_.pop());
    widest_ = 0;
    for (const std::int32_t node : leaves) {
        if (!chooser_.is_current(leaf_at(node), n_leaves_)) {
            forget_move(node);
            if (!choose(node)) continue;
        }
        push(node);
    }
}

void Growth::raise_least_score() {
    if (!chooser_.keeps_scores() || is_full()) return;
    const auto needed = static_cast<std::size_t>(*rules_.max_leaves - n_leaves_);
    least_score_.raise(needed, frontier_.size(), kTie * root_impurity_, [&](auto&& visit) {
        frontier_.each([&](std::int32_t node) { visit(leaves_[static_cast<std::size_t>(node)].get()); });
    });
    chooser_.set_least_score(least_score_.score());
}

// Choose the leaf's option, or retire the leaf for a reason.
bool Growth::choose(std::int32_t node) {
    const auto at = static_cast<std::size_t>(node);
    std::optional<Reason> reason;
    if (!plan_) {
        const auto histograms = [&](const DrawnColumns& drawn) {
            const NodeHistograms found = pool_->histograms(in_source(node), drawn);
            if (!sample_.source->additive()) {
                Leaf& leaf = leaf_at(node);
                leaf.value = leaf.impurity = chooser_.value(total_of(found.view));
            }
            return found;
        };
        const auto members = [&] { return std::span<const Row>(sample_.source->local()->members(in_source(node))); };
        reason = chooser_.choose(leaf_at(node), nodes_.depth[at], nodes_.rows[at], n_leaves_, histograms, members);
    } else if (leaf_at(node).choice == Leaf::kNone) {
        PlannedNode& planned = plan_->at(places_[at]);
        leaf_at(node) = std::move(planned.leaf);
        reason = planned.reason;
    }
    if (!reason) return true;
    retirements_.push_back({node, *reason, n_leaves_});
    discard(node);
    return false;
}

// Replace the leaf by its option; its children join the frontier.
void Growth::expand(std::int32_t node) {
    if (children_found_ > 0) return expand_found(node, children_found_);
    Leaf& leaf = leaf_at(node);
    Option& option = leaf.menu[leaf.choice];
    const Children children = children_of(node, option);
    const auto first = static_cast<std::int32_t>(nodes_.rows.size()) - option.arity;
    const std::int32_t arity = option.arity;
    const std::uint64_t key = leaf.key;
    const AskedColumns asked = chooser_.asked_below(leaf, option);
    const Branch default_branch = heaviest(children, classes());
    if (order_) order_->add_children(node, option, default_branch, chooser_.mean_ranks(children.counts));
    expansions_.push_back({node, static_cast<std::int32_t>(options_.size()), leaf.impurity, leaf.binary_gain, n_leaves_, first, default_branch});
    options_.push_back(std::move(option));
    leaves_[static_cast<std::size_t>(node)].reset();
    n_leaves_ += arity - 1;
    for (std::int32_t b = 0; b < arity; ++b) {
        const auto at = static_cast<std::size_t>(b);
        add_leaf(first + b, child_key(key, at), asked, order_ ? order_->range(first + b) : ValueRange{});
    }
}

// Add the children's nodes to the tree, and return what they hold.
Children Growth::children_of(std::int32_t node, const Option& option) {
    const auto add_nodes = [&](const Children& children, std::int32_t first_in_source) {
        for (std::size_t b = 0; b < children.rows.size(); ++b) {
            add_node(node, std::span(children.counts).subspan(b * classes(), classes()), children.residue(b),
                     children.rows[b], first_in_source + static_cast<std::int32_t>(b));
        }
    };
    Children children;
    if (!plan_) {
        if (!moved_.contains(in_source(node))) move_ahead(node);
        const auto found = moved_.find(in_source(node));
        children = std::move(found->second.children);
        add_nodes(children, found->second.first);
        moved_.erase(found);
        return children;
    }
    const Plan::Place parent = places_[static_cast<std::size_t>(node)];
    for (std::int32_t b = 0; b < option.arity; ++b) {
        places_.push_back(plan_->child(parent, b));
        const std::span<const Weight> counts = plan_->counts(places_.back());
        children.counts.insert(children.counts.end(), counts.begin(), counts.end());
        children.rows.push_back(plan_->at(places_.back()).rows);
    }
    add_nodes(children, 0);
    return children;
}

// Whether to search leaves before the tree has them. Each request to other rows than local ones costs a round trip; with
// searching ahead, a run takes about as many as the tree is deep. If values are limited, a leaf must know the nodes before it.
bool Growth::looks_ahead() const noexcept {
    return rules_.directions.empty() && rules_.batch > 1 && rules_.steepest && sample_.source->local() == nullptr && sample_.source->additive();
}

// The leaf that is about to be split and, in steepest order, others whose rows have not been moved and which the run will
// split if no leaf that is still unknown comes before them.
std::vector<Growth::Candidate> Growth::likely_splits(std::int32_t node) {
    const auto candidate = [this](std::int32_t v) {
        return Candidate{in_source(v), &leaf_at(v), nodes_.depth[static_cast<std::size_t>(v)], 0};
    };
    std::int64_t leaves = n_leaves_ + leaf_at(node).chosen().arity - 1;
    std::vector<Candidate> found{candidate(node)};
    found.front().leaves = leaves;
    if (rules_.batch <= 1 || !rules_.steepest) return found;
    std::vector<Candidate> queue;
    frontier_.each([&](std::int32_t other) {
        if (chooser_.is_current(leaf_at(other), n_leaves_)) queue.push_back(candidate(other));
    });
    const auto worse = [](const Candidate& a, const Candidate& b) { return a.leaf->score < b.leaf->score; };
    std::make_heap(queue.begin(), queue.end(), worse);
    while (!queue.empty() && found.size() < static_cast<std::size_t>(rules_.batch) &&
           (!rules_.max_leaves || leaves < *rules_.max_leaves)) {
        std::pop_heap(queue.begin(), queue.end(), worse);
        Candidate best = queue.back();
        queue.pop_back();
        best.leaves = leaves += best.leaf->chosen().arity - 1;
        const auto moved = moved_.find(best.in_source);
        if (moved == moved_.end()) {
            found.push_back(best);
            continue;
        }
        for (std::size_t b = 0; b < moved->second.children.rows.size(); ++b) {
            const auto child = ahead_.find(moved->second.first + static_cast<std::int32_t>(b));
            if (child == ahead_.end() || !chooser_.is_current(child->second.leaf, n_leaves_)) continue;
            queue.push_back({child->first, &child->second.leaf, child->second.depth, 0});
            std::push_heap(queue.begin(), queue.end(), worse);
        }
    }
    return found;
}

// Move the rows of a leaf that is about to be split, in steepest order together with those of the leaves likely to be
// split next, and have the children counted in one request. Rows moved ahead in vain cost only time.
void Growth::move_ahead(std::int32_t node) {
    const std::vector<Candidate> nodes = likely_splits(node);
    std::vector<Move> moves;
    std::int32_t next = pool_->n_nodes();
    for (const Candidate& v : nodes) moves.push_back(to_move(v.leaf->chosen(), v.in_source, sample_.table));
    std::vector<Children> all = pool_->move(std::move(moves));
    std::vector<std::int32_t> wanted;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto arity = static_cast<std::int32_t>(all[i].rows.size());
        const bool last = i == 0 && rules_.max_leaves && n_leaves_ + arity - 1 >= *rules_.max_leaves;
        const Moved& moved = moved_.emplace(nodes[i].in_source, Moved{std::move(all[i]), next}).first->second;
        for (std::int32_t b = 0; b < arity && rules_.steepest && !last; ++b) {
            const auto at = static_cast<std::size_t>(b);
            if (!worth_searching(moved.children, at, nodes[i].depth + 1)) continue;
            wanted.push_back(next + b);
            if (looks_ahead()) look_ahead(nodes[i], moved, at);
        }
        next += arity;
    }
    if (wanted.size() > 1) pool_->prepare(wanted);
    if (looks_ahead()) search(wanted);
}

// Make a leaf of a child that the tree does not have yet.
void Growth::look_ahead(const Candidate& parent, const Moved& moved, std::size_t child) {
    const auto counts = std::span(moved.children.counts).subspan(child * classes(), classes());
    Ahead ahead{chooser_.leaf_of(counts, moved.children.residue(child)), parent.depth + 1, moved.children.rows[child],
                parent.leaves};
    ahead.leaf.key = child_key(parent.leaf->key, child);
    ahead.leaf.asked = chooser_.asked_below(*parent.leaf, parent.leaf->chosen());
    ahead_.emplace(moved.first + static_cast<std::int32_t>(child), std::move(ahead));
}

// Search leaves ahead of the tree, as far as their histograms are known.
void Growth::search(std::span<const std::int32_t> ahead) {
    for (const std::int32_t v : ahead) {
        if (!pool_->is_ready(v)) {
            ahead_.erase(v);
            continue;
        }
        Ahead& found = ahead_.at(v);
        const auto histograms = [&](const DrawnColumns& drawn) { return pool_->histograms(v, drawn); };
        const auto members = [] { return std::span<const Row>{}; };
        const auto reason = chooser_.choose(found.leaf, found.depth, found.rows, found.leaves, histograms, members);
        if (reason) found.leaf.choice = Leaf::kNone;  // the leaf is given up when the tree has it
    }
}

// The leaf of a new node, if it was searched ahead for a tree in which the same arities were acceptable.
std::optional<Leaf> Growth::found_ahead(std::int32_t node) {
    const auto found = ahead_.find(in_source(node));
    if (found == ahead_.end()) return std::nullopt;
    Ahead ahead = std::move(found->second);
    ahead_.erase(found);
    const std::int64_t cap = std::min(ahead.rows, widest_option_);
    if (chooser_.largest(ahead.leaves, cap) == chooser_.largest(n_leaves_, cap)) return std::move(ahead.leaf);
    forget_children(in_source(node));
    return std::nullopt;
}

// In heaviest order: have a leaf counted together with the leaves likely to be searched next.
void Growth::search_ahead(std::int32_t node) {
    if (plan_ || rules_.batch <= 1 || leaf_at(node).searched || pool_->is_ready(in_source(node))) return;
    std::vector<std::int32_t> wanted{in_source(node)};
    frontier_.each_of_best(static_cast<std::size_t>(rules_.batch - 1), [&](std::int32_t other) {
        const auto at = static_cast<std::size_t>(other);
        const bool limited = chooser_.limit(nodes_.depth[at], nodes_.rows[at]).has_value();
        if (!limited && !leaf_at(other).searched) wanted.push_back(in_source(other));
    });
    pool_->prepare(wanted);
}

// The rows of a leaf were moved ahead for an option that is not acceptable any more.
void Growth::forget_move(std::int32_t node) {
    if (!moved_.contains(in_source(node))) return;
    forget_children(in_source(node));
    if (LocalRows* local = sample_.source->local()) local->undo_split(in_source(node));
}

void Growth::forget_children(std::int32_t in_source) {
    const auto found = moved_.find(in_source);
    if (found == moved_.end()) return;
    for (std::size_t b = 0; b < found->second.children.rows.size(); ++b) {
        const std::int32_t child = found->second.first + static_cast<std::int32_t>(b);
        forget_children(child);
        ahead_.erase(child);
        pool_->release(child);
    }
    moved_.erase(found);
}

bool Growth::worth_searching(const Children& children, std::size_t child, std::int64_t depth) const {
    const auto counts = std::span(children.counts).subspan(child * classes(), classes());
    return !chooser_.limit(depth, children.rows[child]) && chooser_.impurity(counts, children.residue(child)) > 0.0;
}

void Growth::add_node(std::int32_t parent, std::span<const Weight> counts, const Residue* residue, std::int64_t rows,
                      std::int32_t in_source) {
    nodes_.counts.insert(nodes_.counts.end(), counts.begin(), counts.end());
    if (residue != nullptr) {
        nodes_.residues.resize(nodes_.rows.size());  // nodes of subtrees have none
        nodes_.residues.push_back(*residue);
    }
    nodes_.rows.push_back(rows);
    nodes_.parent.push_back(parent);
    nodes_.depth.push_back(parent < 0 ? 0 : nodes_.depth[static_cast<std::size_t>(parent)] + 1);
    leaves_.emplace_back();
    in_source_.push_back(in_source);
    if (subtrees_) in_subtree_.push_back(-1);
}

// Put a leaf on the frontier, unless it is pure or the budget is spent.
void Growth::add_leaf(std::int32_t node, std::uint64_t key, const AskedColumns& asked, ValueRange range) {
    if (subtrees_) find_subtree(node, key);
    if (is_found(node)) return add_found(node);
    Leaf leaf;
    if (!is_full() && plan_) leaf.impurity = plan_->at(places_[static_cast<std::size_t>(node)]).leaf.impurity;
    if (!is_full() && !plan_) {
        std::optional<Leaf> ahead = found_ahead(node);
        leaf = ahead ? std::move(*ahead) : unsearched(node, key);
    }
    leaf.range = std::move(range);
    leaf.nodes_compared = order_ ? order_->n_nodes() : 0;
    leaf.asked = asked;
    if (leaf.impurity <= 0.0) {
        discard(node);
        return;
    }
    leaves_[static_cast<std::size_t>(node)] = std::make_unique<Leaf>(std::move(leaf));
    raise_least_score();
    if (!rules_.steepest || choose(node)) push(node);
}

void Growth::push(std::int32_t node) {
    const Leaf& leaf = leaf_at(node);
    if (rules_.steepest) widest_ = std::max<std::int64_t>(widest_, leaf.chosen().arity);
    frontier_.push(rules_.steepest ? leaf.score : leaf.impurity, node);
}

void Growth::discard(std::int32_t node) {
    leaves_[static_cast<std::size_t>(node)].reset();
    if (pool_) pool_->release(in_source(node));
}

void Growth::read_leaves(std::int32_t* leaf) const {
    std::vector<std::int32_t> name(static_cast<std::size_t>(pool_->n_nodes()), -1);
    for (std::size_t node = 0; node < in_source_.size(); ++node) {
        if (in_source_[node] >= 0) name[static_cast<std::size_t>(in_source_[node])] = static_cast<std::int32_t>(node);
    }
    // A leaf whose rows were moved ahead but which was not split: its rows keep its name.
    for (const auto& [split, moved] : moved_) {
        const std::int32_t node = name[static_cast<std::size_t>(split)];
        for (std::size_t b = 0; b < moved.children.rows.size(); ++b) name[static_cast<std::size_t>(moved.first) + b] = node;
    }
    sample_.source->local()->read_leaves(name, leaf);
    if (subtrees_) read_found_leaves(leaf);
}

bool Growth::Before::operator()(std::int32_t a, std::int32_t b) const noexcept {
    if (run->rules_.steepest) {
        const int order = run->compare_options(a, b);
        if (order != 0) return order < 0;
    }
    return a < b;
}

}  // namespace polytomy
