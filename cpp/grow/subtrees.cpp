// cpp/grow/subtrees.cpp: see subtrees.hpp.
#include "grow/subtrees.hpp"

#include <algorithm>

#include "base/cancellation.hpp"

namespace polytomy {
namespace {

// For 100,000 x 20 normal columns, five trees of a regression forest without a limit took 2.06 s with no subtree found at
// once, 0.68 s with 128 rows, 0.67 with 512 and 0.66 with 1,024; of a classification forest, 0.48, 0.28, 0.25 and 0.25 s.
constexpr std::size_t kMostRows = 512;
constexpr std::size_t kMostCells = std::size_t{1} << 20;  // that are copied at a time, of few rows of many columns
// If a node draws one column in 20, copying columns takes as long as it saves (400 columns); in 44, 1.1 times (2,000).
constexpr std::size_t kMostColumns = 32;  // for each that a node draws

std::size_t most_rows_of(const CodedTable& table, const GrowthRules& rules) {
    const std::size_t wanted = rules.subtree ? static_cast<std::size_t>(*rules.subtree) : kMostRows;
    const std::size_t fitting = std::min<std::size_t>(kMostCells / std::max<std::size_t>(1, table.n_columns()), SubtreeRows::kNone - 1);
    return std::min({wanted, fitting, table.rows});
}

}  // namespace

int compare(const FoundNode& a, const FoundNode& b) noexcept {
    if (a.column != b.column) return a.column < b.column ? -1 : 1;
    // As lists: the code left of the cut, if there is one, and the branch of missing cells.
    const bool a_cut = a.left != kNoCut;
    const bool b_cut = b.left != kNoCut;
    const std::int32_t first = a_cut ? a.left : a.missing;
    const std::int32_t other = b_cut ? b.left : b.missing;
    if (first != other) return first < other ? -1 : 1;
    if (a_cut != b_cut) return a_cut ? 1 : -1;
    if (!a_cut || a.missing == b.missing) return 0;
    return a.missing < b.missing ? -1 : 1;
}

Option SubtreeSearch::option(const FoundNode& node) const {
    Option option;
    option.arity = 2;
    option.gain = node.gain;
    option.column = node.column;
    option.rank = rank_;
    option.missing = node.missing;
    if (node.left != kNoCut) {
        option.first.push_back(static_cast<std::uint32_t>(node.left));
        option.second.push_back(node.right);
    }
    return option;
}

bool SubtreeSearch::serves(std::span<const Family> families, const GrowthRules& rules, std::size_t classes) {
    if (rules.max_leaves || rules.max_arity > 2 || rules.price || rules.branch_price || rules.batch > 1) return false;
    if (rules.subtree && *rules.subtree == 0) return false;
    if (rules.procedure == ProcedureKind::gain_ratio || classes > SubtreeCuts::kMostClasses) return false;
    if (!rules.directions.empty() || rules.min_difference > 0.0 || rules.min_child_share > 0.0) return false;
    if (!rules.first_columns.empty() || !rules.after_columns.empty() || !rules.column_costs.empty()) return false;
    if (!rules.index->parallel() || rules.index->empty_runs()) return false;
    std::size_t n_used = 0;
    for (const Family& family : families) {
        if (family.own != nullptr) return false;
        if (family.columns.empty()) continue;
        if (family.kind != FamilyKind::intervals) return false;
        ++n_used;
    }
    const auto drawn = static_cast<std::size_t>(rules.columns_per_node.value_or(1));
    return n_used == 1 && (!rules.columns_per_node || columns_of(families).size() <= kMostColumns * drawn);
}

SubtreeSearch::SubtreeSearch(const CodedTable& table, std::span<const Family> families, const GrowthRules& rules,
                             std::size_t classes)
    : classes_(classes), most_rows_(most_rows_of(table, rules)), rows_(table, classes, most_rows_),
      cuts_(rows_, columns_of(families), rules.columns_per_node, most_rows_, *rules.index), child_counts_(2 * classes) {
    while (families[static_cast<std::size_t>(rank_)].columns.empty()) ++rank_;
}

void SubtreeSearch::clear() noexcept {
    nodes_.clear();
    counts_.clear();
    row_list_.clear();
}

std::optional<std::int32_t> SubtreeSearch::find(const Root& root, std::span<const Row> members, const LocalRows& source,
                                                Chooser& chooser) {
    const std::size_t n = members.size();
    if (!rows_.restart(members, source)) return std::nullopt;
    waiting_.clear();  // a search may have ended with an error
    poll(256 * n);
    cuts_.restart(chooser.settings().query);
    price_ = chooser.price(2);
    const auto first = static_cast<std::int32_t>(nodes_.size());
    const std::vector<double> counts(root.counts.begin(), root.counts.end());
    add_node({first, root.depth, {0, n, root.key, cuts_.value(counts.data())}}, counts.data(),
             root.residue != nullptr ? *root.residue : Residue{}, chooser);
    while (!waiting_.empty()) {
        const Waiting next = waiting_.back();
        waiting_.pop_back();
        split(next, chooser);
    }
    for (std::size_t i = 0; i < n; ++i) row_list_.push_back(rows_.member(i));
    return first;
}

// Adds a node to the list, and to those that wait to be split unless it is pure or too small.
void SubtreeSearch::add_node(const Waiting& waiting, const double* counts, const Residue& residue, const Chooser& chooser) {
    const auto [begin, n, key, value] = waiting.rows;
    FoundNode& node = nodes_.emplace_back();
    for (std::size_t c = 0; c < classes_; ++c) counts_.push_back(static_cast<Weight>(counts[c]));
    node.impurity = chooser.impurity(value, rows_.has_residues() ? &residue : nullptr);
    node.first_row = static_cast<std::uint32_t>(row_list_.size() + begin);
    node.n_rows = static_cast<std::uint32_t>(n);
    if (node.impurity <= 0.0) return;
    node.reason = chooser.limit(waiting.depth, static_cast<std::int64_t>(n));
    if (!node.reason) waiting_.push_back(waiting);
}

void SubtreeSearch::split(const Waiting& waiting, const Chooser& chooser) {
    const auto [begin, n, key, whole_value] = waiting.rows;
    const std::optional<SubtreeCut> cut = cuts_.best(waiting.rows);
    FoundNode& node = nodes_[static_cast<std::size_t>(waiting.node)];
    if (!cut || cut->gain < chooser.least_gain()) {
        node.reason = cut ? Reason::min_gain : Reason::no_option;
        return;
    }
    node.gain = cut->gain;
    node.column = cut->column;
    node.left = cut->left;
    node.right = cut->right;
    node.missing = static_cast<std::int8_t>(cut->missing);
    node.first_child = static_cast<std::int32_t>(nodes_.size());
    const std::size_t n_left = partition(waiting.rows, *cut);
    double* const left = child_counts_.data();
    double* const right = left + classes_;
    std::fill_n(left, classes_, 0.0);
    for (std::size_t i = begin; i < begin + n_left; ++i) {
        const double* row = rows_.counts(rows_.order()[i]);
        for (std::size_t c = 0; c < classes_; ++c) left[c] += row[c];
    }
    const std::span<const Weight> whole = counts(waiting.node);
    for (std::size_t c = 0; c < classes_; ++c) right[c] = static_cast<double>(whole[c]) - left[c];
    const auto add_child = [&](std::size_t b, std::size_t first, std::size_t size, const double* held) {
        const SubtreeCuts::Node child{first, size, child_key(waiting.rows.key, b), cuts_.value(held)};
        add_node({static_cast<std::int32_t>(nodes_.size()), waiting.depth + 1, child}, held, rows_.residue(first, size), chooser);
    };
    add_child(0, begin, n_left, left);
    add_child(1, begin + n_left, n - n_left, right);
}

std::size_t SubtreeSearch::partition(const SubtreeCuts::Node& node, const SubtreeCut& cut) {
    using Number = SubtreeRows::Number;
    const SubtreeRows::Column column = rows_.column(cut.column);
    if (cut.missing == kUnseen) {
        return rows_.partition(node.begin, node.n, [&](Number row) { return column.rank[row] <= cut.last_left; });
    }
    return rows_.partition(node.begin, node.n, [&](Number row) {
        if (column.rank[row] == column.missing) return cut.missing == 0;
        return cut.left == kNoCut || column.rank[row] <= cut.last_left;
    });
}

}  // namespace polytomy
