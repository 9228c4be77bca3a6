// cpp/grow/subtree_cuts.cpp: see subtree_cuts.hpp.
#include "grow/subtree_cuts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/multiversion.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kWord = 64;
constexpr std::size_t kFewRows = 16;  // of a node: sorted by insertion, otherwise counted by code

std::size_t most_drawn(std::size_t columns, std::optional<std::int64_t> per_node) {
    return per_node ? std::min(columns, static_cast<std::size_t>(*per_node)) : columns;
}

// Writes the costs of n cuts of a node with the counts a and b, given the counts left of each cut, and returns the least one.
// Costs are compared four at a time: one after the other, each comparison would wait for the one before.
POLYTOMY_MULTIVERSION double gini_costs(const double* first, const double* second, double a, double b, std::size_t n, double* cost) {
    using Four = double __attribute__((vector_size(32)));
    Four least = {kInfinity, kInfinity, kInfinity, kInfinity};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        Four x, y;
        std::memcpy(&x, first + i, sizeof x);
        std::memcpy(&y, second + i, sizeof y);
        const Four here = 4.0 * x * y / (x + y) + 4.0 * (a - x) * (b - y) / ((a - x) + (b - y));
        std::memcpy(cost + i, &here, sizeof here);
        least = here < least ? here : least;
    }
    double best = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
    for (; i < n; ++i) {
        const double x = first[i], y = second[i];
        cost[i] = 4.0 * x * y / (x + y) + 4.0 * (a - x) * (b - y) / ((a - x) + (b - y));
        best = std::min(best, cost[i]);
    }
    return best;
}

}  // namespace

SubtreeCuts::SubtreeCuts(SubtreeRows& rows, std::vector<std::int32_t> columns, std::optional<std::int64_t> columns_per_node,
                         std::size_t most_rows, const Index& index)
    : rows_(rows), index_(index), classes_(rows.classes()), stride_(most_rows + 1),
      is_gini_of_two_(classes_ == 2 && &index == &builtin_index(IndexKind::gini)), all_columns_(std::move(columns)),
      draw_(all_columns_, columns_per_node), total_(classes_), item_(most_drawn(all_columns_.size(), columns_per_node) * stride_),
      cost_(item_.size()), prefix_(classes_ * stride_), rows_prefix_(stride_), batch_(prefix_.size()), batch_value_(stride_),
      histogram_((classes_ + 1) * stride_, 0.0), missing_(classes_), rest_(classes_), seen_(stride_ / kWord + 1, 0),
      left_cost_(stride_), right_cost_(stride_) {}

void SubtreeCuts::restart(const Query& query) noexcept {
    min_rows_ = static_cast<double>(query.min_rows);
    min_weight_ = static_cast<double>(query.min_weight);
    is_limited_ = query.min_rows > 1 || query.min_weight > 0;
}

double SubtreeCuts::value(const double* counts) const {
    if (is_gini_of_two_) return counts[0] > 0.0 && counts[1] > 0.0 ? 4.0 * counts[0] * counts[1] / (counts[0] + counts[1]) : 0.0;
    if (std::count_if(counts, counts + classes_, [](double w) { return w != 0.0; }) <= 1) return 0.0;
    double value = 0.0;
    index_.values(counts, 1, 1, classes_, &value);
    return value;
}

// A gain within the tie tolerance of zero is zero.
double SubtreeCuts::gain_of(const Node& node, double cost) const noexcept {
    const double gain = node.value - cost;
    return gain > tolerance_ ? gain : 0.0;
}

std::optional<SubtreeCut> SubtreeCuts::best(const Node& node) {
    tolerance_ = kTie * node.value;
    DrawnColumns drawn = draw_.first(node.key);
    const std::span<const std::int32_t> first = drawn ? *drawn : std::span<const std::int32_t>(all_columns_);
    if (node.n == 2 && !is_limited_) return best_of_two(node, first);
    gather(node);
    columns_.clear();
    for (const std::int32_t column : first) add_column(column, node);
    while (columns_.empty() && !(drawn = draw_.next())->empty()) add_column(drawn->front(), node);
    if (columns_.empty()) return std::nullopt;
    double most = -kInfinity;
    for (const ColumnCuts& cuts : columns_) most = std::max(most, gain_of(node, cuts.least));
    const auto enough = [&](const ColumnCuts& cuts) { return gain_of(node, cuts.least) >= most - tolerance_; };
    return cut_of(*std::find_if(columns_.begin(), columns_.end(), enough), node);
}

// Two rows are divided by any column in which they differ, with the same gain. Nearly half of the nodes have two rows.
std::optional<SubtreeCut> SubtreeCuts::best_of_two(const Node& node, std::span<const std::int32_t> columns) {
    const Number one = rows_.order()[node.begin], two = rows_.order()[node.begin + 1];
    const auto differ = [&](std::int32_t column) {
        const Number* rank = rows_.column(column).rank;
        return rank[one] != rank[two];
    };
    auto found = std::find_if(columns.begin(), columns.end(), differ);
    while (found == columns.end()) {
        columns = *draw_.next();
        if (columns.empty()) return std::nullopt;
        found = std::find_if(columns.begin(), columns.end(), differ);
    }
    const Column column = rows_.column(*found);
    const auto [low, high] = std::minmax(column.rank[one], column.rank[two]);
    SubtreeCut cut{*found, low};
    cut.gain = gain_of(node, value(rows_.counts(one)) + value(rows_.counts(two)));
    if (high == column.missing) {
        cut.missing = 1;
    } else {
        cut.left = static_cast<std::int32_t>(column.code[low]);
        cut.right = static_cast<std::int32_t>(column.code[high]);
    }
    return cut;
}

void SubtreeCuts::gather(const Node& node) {
    counts_.resize(node.n * classes_);
    std::fill(total_.begin(), total_.end(), 0.0);
    double* out = counts_.data();
    for (std::size_t i = node.begin; i < node.begin + node.n; ++i) {
        const double* row = rows_.counts(rows_.order()[i]);
        for (std::size_t c = 0; c < classes_; ++c) total_[c] += *out++ = row[c];
    }
}

// Adds the cuts of a column, if it has any.
void SubtreeCuts::add_column(std::int32_t column, const Node& node) {
    const Column cells = rows_.column(column);
    if (cells.n_ranks < 2) return;
    ColumnCuts cuts{column, columns_.size() * stride_, 0, kInfinity, false};
    list_items(cells, node, cuts.first);
    if (n_items_ < 2) return;
    cuts.has_missing = item_[cuts.first + n_items_ - 1] == cells.missing;
    if (cuts.has_missing) price_with_missing(cuts);
    else price(cuts);
    if (cuts.least < kInfinity) columns_.push_back(cuts);
}

// Lists the ranks present at the node, and sums over them.
void SubtreeCuts::list_items(const Column& column, const Node& node, std::size_t first) {
    Number* const item = item_.data() + first;
    if (classes_ == 2) n_items_ = node.n <= kFewRows ? sort_rows<2>(column, node, item) : count_rows<2>(column, node, item);
    else n_items_ = node.n <= kFewRows ? sort_rows<0>(column, node, item) : count_rows<0>(column, node, item);
}

// 0 classes: as many as there are.
template <std::size_t Classes>
std::size_t SubtreeCuts::sort_rows(const Column& column, const Node& node, Number* item) {
    const std::size_t classes = Classes == 0 ? classes_ : Classes;
    const Number* const order = rows_.order() + node.begin;
    std::uint32_t key[kFewRows];  // the rank, and the place of the row at the node
    for (std::size_t i = 0; i < node.n; ++i) {
        const std::uint32_t next = std::uint32_t{column.rank[order[i]]} << 16 | static_cast<std::uint32_t>(i);
        std::size_t at = i;
        for (; at > 0 && key[at - 1] > next; --at) key[at] = key[at - 1];
        key[at] = next;
    }
    double sums[Classes == 0 ? kMostClasses : Classes] = {};
    std::size_t n = 0;
    for (std::size_t i = 0; i < node.n; ++i) {
        const double* row = counts_.data() + (key[i] & 0xFFFF) * classes;
        const auto rank = static_cast<Number>(key[i] >> 16);
        n += i > 0 && rank != item[n] ? 1 : 0;  // otherwise the sums up to this item are overwritten
        item[n] = rank;
        for (std::size_t c = 0; c < classes; ++c) prefix_[c * stride_ + n] = sums[c] += row[c];
        rows_prefix_[n] = static_cast<double>(i + 1);
    }
    return n + 1;
}

template <std::size_t Classes>
std::size_t SubtreeCuts::count_rows(const Column& column, const Node& node, Number* item) {
    const std::size_t classes = Classes == 0 ? classes_ : Classes;
    const Number* const order = rows_.order() + node.begin;
    const double* row = counts_.data();
    for (std::size_t i = 0; i < node.n; ++i, row += classes) {
        const Number rank = column.rank[order[i]];
        seen_[rank / kWord] |= std::uint64_t{1} << (rank % kWord);
        double* counts = histogram_.data() + rank * (classes + 1);
        for (std::size_t c = 0; c < classes; ++c) counts[c] += row[c];
        counts[classes] += 1.0;
    }
    double sums[(Classes == 0 ? kMostClasses : Classes) + 1] = {};
    std::size_t n = 0;
    for (std::size_t word = 0; word <= column.n_ranks / kWord; ++word) {
        for (std::uint64_t bits = seen_[word]; bits != 0; bits &= bits - 1) {
            const std::size_t rank = word * kWord + static_cast<std::size_t>(std::countr_zero(bits));
            double* counts = histogram_.data() + rank * (classes + 1);
            item[n] = static_cast<Number>(rank);
            for (std::size_t c = 0; c < classes; ++c) prefix_[c * stride_ + n] = sums[c] += counts[c];
            rows_prefix_[n] = sums[classes] += counts[classes];
            std::fill_n(counts, classes + 1, 0.0);
            ++n;
        }
        seen_[word] = 0;
    }
    return n;
}

double SubtreeCuts::weight_up_to(std::size_t item) const noexcept {
    double weight = 0.0;
    for (std::size_t c = 0; c < classes_; ++c) weight += prefix_[c * stride_ + item];
    return weight;
}

// Adds F(to + sign * c) to each sum, where c are the counts up to item 0, 1, ..., n - 1.
void SubtreeCuts::add_values(double sign, std::span<const double> to, std::size_t n, std::span<double> sums) {
    for (std::size_t c = 0; c < classes_; ++c) {
        for (std::size_t i = 0; i < n; ++i) batch_[c * stride_ + i] = to[c] + sign * prefix_[c * stride_ + i];
    }
    index_.values(batch_.data(), stride_, n, classes_, batch_value_.data());
    for (std::size_t i = 0; i < n; ++i) sums[i] += batch_value_[i];
}

void SubtreeCuts::price(ColumnCuts& cuts) {
    const std::size_t n = cuts.n = n_items_ - 1;
    double* const cost = cost_.data() + cuts.first;
    if (is_gini_of_two_) {
        cuts.least = gini_costs(prefix_.data(), prefix_.data() + stride_, total_[0], total_[1], n, cost);
        if (!is_limited_) return;
        cuts.least = kInfinity;
    } else {
        index_.values(prefix_.data(), stride_, n, classes_, cost);
        add_values(-1.0, total_, n, {cost, n});
    }
    if (is_limited_) {
        const double rows = rows_prefix_[n], weight = weight_up_to(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double here = weight_up_to(i);
            if (is_too_small(rows_prefix_[i], here) || is_too_small(rows - rows_prefix_[i], weight - here)) cost[i] = kInfinity;
        }
    }
    for (std::size_t i = 0; i < n; ++i) cuts.least = std::min(cuts.least, cost[i]);
}

// The missing cells are the last item. They join either side of a cut or, at the last cut, are alone on the right.
void SubtreeCuts::price_with_missing(ColumnCuts& cuts) {
    const std::size_t n = cuts.n = n_items_ - 1;
    for (std::size_t c = 0; c < classes_; ++c) {
        missing_[c] = prefix_[c * stride_ + n] - prefix_[c * stride_ + n - 1];
        rest_[c] = total_[c] - missing_[c];
    }
    index_.values(prefix_.data(), stride_, n, classes_, right_cost_.data());
    add_values(-1.0, total_, n, right_cost_);
    std::fill_n(left_cost_.begin(), n, 0.0);
    add_values(1.0, missing_, n, left_cost_);
    add_values(-1.0, rest_, n, left_cost_);
    left_cost_[n - 1] = kInfinity;
    const double rows = rows_prefix_[n], weight = weight_up_to(n);
    const double more_rows = rows - rows_prefix_[n - 1], more_weight = weight - weight_up_to(n - 1);
    for (std::size_t i = 0; i < n && is_limited_; ++i) {
        const double left_rows = rows_prefix_[i], left_weight = weight_up_to(i);
        const auto is_refused = [&](double r, double w) { return is_too_small(r, w) || is_too_small(rows - r, weight - w); };
        if (is_refused(left_rows, left_weight)) right_cost_[i] = kInfinity;
        if (is_refused(left_rows + more_rows, left_weight + more_weight)) left_cost_[i] = kInfinity;
    }
    for (std::size_t i = 0; i < n; ++i) {
        cost_[cuts.first + i] = std::min(left_cost_[i], right_cost_[i]);
        cuts.least = std::min(cuts.least, cost_[cuts.first + i]);
    }
}

SubtreeCut SubtreeCuts::cut_of(const ColumnCuts& cuts, const Node& node) {
    const double limit = cuts.least + tolerance_;
    const double* cost = cost_.data() + cuts.first;
    const auto at = static_cast<std::size_t>(std::find_if(cost, cost + cuts.n, [&](double c) { return c <= limit; }) - cost);
    const Number* item = item_.data() + cuts.first + at;
    const Column column = rows_.column(cuts.column);
    SubtreeCut cut{cuts.column, item[0]};
    cut.gain = gain_of(node, cuts.least);
    if (!cuts.has_missing || at + 1 < cuts.n) {
        cut.left = static_cast<std::int32_t>(column.code[item[0]]);
        cut.right = static_cast<std::int32_t>(column.code[item[1]]);
    }
    if (!cuts.has_missing) return cut;
    // Other columns came after this one: once more, to know on which side the missing cells are. They go left on a tie.
    ColumnCuts again = cuts;
    list_items(column, node, cuts.first);
    price_with_missing(again);
    const bool is_left = left_cost_[at] <= limit || left_cost_[at] <= right_cost_[at];
    cut.missing = cut.left != kNoCut && is_left ? 0 : 1;
    return cut;
}

}  // namespace polytomy
