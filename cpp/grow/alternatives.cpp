// cpp/grow/alternatives.cpp: see alternatives.hpp.
#include "grow/alternatives.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"

namespace polytomy {
namespace {

std::vector<std::int32_t> all_columns(const CodedTable& table) {
    std::vector<std::int32_t> columns(table.n_columns());
    std::iota(columns.begin(), columns.end(), 0);
    return columns;
}

// The position of each node when a node comes before its descendants, and these before its next sibling.
std::vector<std::int32_t> depth_first_positions(const TreeShape& tree) {
    std::vector<std::int32_t> position(tree.child_start.size() - 1, -1);
    std::vector<std::int32_t> pending{0};
    for (std::int32_t next = 0; !pending.empty(); ++next) {
        const auto node = static_cast<std::size_t>(pending.back());
        pending.pop_back();
        position[node] = next;
        for (std::int64_t c = tree.child_start[node + 1] - 1; c >= tree.child_start[node]; --c) {
            pending.push_back(tree.child[static_cast<std::size_t>(c)]);
        }
    }
    return position;
}

// The number of rows of each node; children have larger numbers than their parents.
std::vector<std::size_t> rows_of_nodes(const TreeShape& tree, std::span<const std::int32_t> leaf_of_row) {
    std::vector<std::size_t> rows(tree.child_start.size() - 1, 0);
    for (const std::int32_t leaf : leaf_of_row) ++rows[static_cast<std::size_t>(leaf)];
    for (std::size_t v = rows.size(); v-- > 0;) {
        for (std::int64_t c = tree.child_start[v]; c < tree.child_start[v + 1]; ++c) {
            rows[v] += rows[static_cast<std::size_t>(tree.child[static_cast<std::size_t>(c)])];
        }
    }
    return rows;
}

PoolSettings pool_settings(const CodedTable& table, const Target& target) {
    const std::size_t small = 2 * table.n_codes() / std::max<std::size_t>(1, table.n_columns());
    return {target.classes, target.units != nullptr, true, small, false, default_pool_memory(table)};
}

}  // namespace

Alternatives::Alternatives(const CodedTable& table, const Target& target, std::vector<Family> families,
                           const GrowthRules& rules, const TreeShape& tree, std::span<const std::int32_t> leaf_of_row)
    : table_(table), rules_(rules), tree_(tree), families_(std::move(families)), every_column_(all_columns(table)),
      rows_(table, target, every_column_, rules.threads), total_(rows_.total()),
      chooser_(rules_, families_, total_, table.rows, table.most_codes(), 0.0), pool_(table, rows_, pool_settings(table, target), table.rows),
      position_(depth_first_positions(tree)), in_source_(position_.size(), -1), counts_(position_.size()),
      n_rows_(rows_of_nodes(tree, leaf_of_row)) {
    position_of_row_.reserve(leaf_of_row.size());
    for (const std::int32_t leaf : leaf_of_row) position_of_row_.push_back(position_[static_cast<std::size_t>(leaf)]);
    for (std::size_t v = 0; v < n_rows_.size(); ++v) {
        if (n_rows_[v] > 0) order_.push_back(static_cast<std::int32_t>(v));
    }
    std::stable_sort(order_.begin(), order_.end(), [this](std::int32_t a, std::int32_t b) {
        return n_rows_[static_cast<std::size_t>(a)] > n_rows_[static_cast<std::size_t>(b)];
    });
    in_source_[0] = 0;
    counts_[0] = total_;
}

std::int32_t Alternatives::next() {
    if (node_ >= 0) split(node_);
    node_ = next_ < order_.size() ? order_[next_++] : -1;
    return node_;
}

// Give the rows of a node that has been visited to its children.
void Alternatives::split(std::int32_t node) {
    const auto at = static_cast<std::size_t>(node);
    const auto children = tree_.child.subspan(static_cast<std::size_t>(tree_.child_start[at]),
                                              static_cast<std::size_t>(tree_.child_start[at + 1] - tree_.child_start[at]));
    if (children.empty()) {
        pool_.release(in_source_[at]);
        return;
    }
    std::vector<std::int32_t> first;
    for (const std::int32_t child : children) first.push_back(position_[static_cast<std::size_t>(child)]);
    Move move{.node = in_source_[at]};
    move.sizes.resize(children.size());
    for (const Row row : rows_.members(in_source_[at])) {
        const auto after = std::upper_bound(first.begin(), first.end(), position_of_row_[row]);
        move.branch_of_row.push_back(static_cast<Branch>(after - first.begin() - 1));
    }
    const std::int32_t next = pool_.n_nodes();
    std::vector<Move> moves;
    moves.push_back(std::move(move));
    const Children held = std::move(pool_.move(std::move(moves)).front());
    const std::size_t classes = total_.size();
    for (std::size_t b = 0; b < children.size(); ++b) {
        const auto child = static_cast<std::size_t>(children[b]);
        in_source_[child] = next + static_cast<std::int32_t>(b);
        const auto begin = held.counts.begin() + static_cast<std::ptrdiff_t>(b * classes);
        counts_[child].assign(begin, begin + static_cast<std::ptrdiff_t>(classes));
        if (held.rows[b] == 0) pool_.release(in_source_[child]);
    }
    counts_[at] = {};
}

std::vector<Option> Alternatives::options() {
    const auto at = static_cast<std::size_t>(node_);
    const double node_impurity = impurity();
    if (node_impurity <= 0.0 || n_rows_[at] < 2) return {};
    const NodeHistograms node = pool_.histograms(in_source_[at]);
    const auto rows = static_cast<std::int64_t>(n_rows_[at]);
    const auto most = rules_.max_leaves ? *rules_.max_leaves : static_cast<std::int64_t>(table_.rows);
    const MenuRequest request{node_impurity, 0.0, 1, std::min(rows, std::max(rules_.max_arity, most))};
    const int threads = rules_.index->parallel() ? worth(table_.n_codes(), 2000, rules_.threads) : 1;
    std::vector<std::vector<Option>> found =
        options_by_column(node, chooser_.settings(), request, table_.n_columns(), threads);
    std::vector<Option> all;
    for (std::vector<Option>& options : found) {
        std::erase_if(options, [](const Option& option) { return option.gain <= 0.0; });
        std::move(options.begin(), options.end(), std::back_inserter(all));
    }
    return all;
}

std::vector<Weight> Alternatives::column_counts(std::size_t column) {
    const NodeHistograms node = pool_.histograms(in_source_[static_cast<std::size_t>(node_)]);
    const std::size_t classes = total_.size();
    const auto n_codes = static_cast<std::size_t>(table_.code_start[column + 1] - table_.code_start[column]);
    std::vector<Weight> counts(n_codes * classes, 0);
    for (std::size_t place = 0; place < node.view.n_codes(column); ++place) {
        const std::uint32_t code = node.code(static_cast<std::int32_t>(column), static_cast<std::uint32_t>(place));
        std::copy_n(node.view.counts_of(column, place), classes, counts.begin() + static_cast<std::ptrdiff_t>(code * classes));
    }
    return counts;
}

}  // namespace polytomy
