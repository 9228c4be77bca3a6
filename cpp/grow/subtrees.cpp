// cpp/grow/subtrees.cpp: see subtrees.hpp.
#include "grow/subtrees.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "base/cancellation.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kMostRows = 512;
constexpr std::size_t kMostClasses = 32;
constexpr std::size_t kWord = 64;
constexpr std::size_t kFewCodes = 4096;  // of a column: those present are listed by bits, otherwise by sorting
constexpr std::size_t kFewRows = 16;     // of a node: sorted by insertion, otherwise counted by code
constexpr auto kNone = std::numeric_limits<std::uint16_t>::max();

}  // namespace

int compare(const FoundNode& a, const FoundNode& b) noexcept {
    if (a.column != b.column) return a.column < b.column ? -1 : 1;
    // As lists: the code left of the cut, if there is one, and the branch of missing cells.
    const bool a_cut = a.left != FoundNode::kNoCut;
    const bool b_cut = b.left != FoundNode::kNoCut;
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
    if (node.left != FoundNode::kNoCut) {
        option.first.push_back(static_cast<std::uint32_t>(node.left));
        option.second.push_back(node.right);
    }
    return option;
}

bool SubtreeSearch::serves(std::span<const Family> families, const GrowthRules& rules, std::size_t classes) {
    if (rules.max_leaves || rules.max_arity > 2 || rules.price || rules.branch_price || rules.batch > 1) return false;
    if (rules.subtree && *rules.subtree == 0) return false;
    if (rules.procedure == ProcedureKind::gain_ratio || classes > kMostClasses) return false;
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
    return n_used == 1;
}

SubtreeSearch::SubtreeSearch(const CodedTable& table, std::span<const Family> families, const GrowthRules& rules,
                             std::size_t classes)
    : table_(table), index_(rules.index), is_gini_of_two_(classes == 2 && rules.index == &builtin_index(IndexKind::gini)),
      classes_(classes), most_rows_(rules.subtree ? std::min<std::size_t>(static_cast<std::size_t>(*rules.subtree), kNone - 1) : kMostRows),
      draw_(columns_of(families), rules.columns_per_node), all_columns_(columns_of(families)) {
    for (std::size_t f = 0; f < families.size(); ++f) {
        if (!families[f].columns.empty()) rank_ = static_cast<std::int32_t>(f);
    }
    most_rows_ = std::min(most_rows_, table.rows);
    const std::size_t n_columns = table.n_columns();
    std::size_t most_codes = most_rows_;
    for (const CodeColumn& column : table.columns) most_codes = std::max<std::size_t>(most_codes, std::min<std::size_t>(column.n_codes, kFewCodes));
    order_.resize(most_rows_);
    scratch_.resize(most_rows_);
    copied_.resize(n_columns, 0);
    codes_.resize(n_columns * most_rows_);
    code_list_.resize(n_columns * most_rows_);
    missing_code_.resize(n_columns);
    n_codes_.resize(n_columns);
    seen_.resize(most_codes / kWord + 1, 0);
    place_.resize(most_codes + 1);
    item_.resize(all_columns_.size() * (most_rows_ + 1));
    cost_.resize(item_.size());
    const std::size_t stride = most_rows_ + 1;
    prefix_.resize(classes_ * stride);
    batch_.resize(classes_ * stride);
    rows_prefix_.resize(stride);
    before_.resize(stride);
    after_.resize(stride);
    histogram_.resize((classes_ + 1) * stride, 0.0);
    total_.resize(classes_);
    missing_.resize(classes_);
    child_counts_.resize(2 * classes_);
}

void SubtreeSearch::clear() noexcept {
    nodes_.clear();
    counts_.clear();
    row_list_.clear();
}

std::optional<std::int32_t> SubtreeSearch::find(const Root& root, std::span<const Row> members, const LocalRows& source,
                                                Chooser& chooser) {
    n_rows_ = members.size();
    if (!copy_target(members, source)) return std::nullopt;
    poll(64 * n_rows_);
    ++subtree_;
    cells_ = source.cells();
    rows_ = members;
    const Query query = chooser.settings().query;
    min_rows_ = static_cast<double>(query.min_rows);
    min_weight_ = static_cast<double>(query.min_weight);
    is_limited_ = query.min_rows > 1 || query.min_weight > 0;
    price_ = chooser.price(2);
    std::iota(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(n_rows_), LocalCode{0});
    const auto first = static_cast<std::int32_t>(nodes_.size());
    const std::vector<double> counts(root.counts.begin(), root.counts.end());
    add_node({first, root.depth, 0, n_rows_, root.key, chooser.value(root.counts)}, counts.data(),
             root.residue != nullptr ? *root.residue : Residue{}, chooser);
    while (!waiting_.empty()) {
        const Waiting next = waiting_.back();
        waiting_.pop_back();
        split(next, chooser);
    }
    for (std::size_t i = 0; i < n_rows_; ++i) row_list_.push_back(members[order_[i]]);
    return first;
}

// Copies what the rows count for. Returns false if a row counts for nothing: the search for splits passes over such rows.
bool SubtreeSearch::copy_target(std::span<const Row> members, const LocalRows& source) {
    const Target& target = source.target();
    row_counts_.assign(n_rows_ * classes_, 0.0);
    if (target.pairs != nullptr) {
        for (std::size_t i = 0; i < n_rows_; ++i) {
            row_counts_[2 * i] = static_cast<double>(target.pairs[2 * std::size_t{members[i]}]);
            row_counts_[2 * i + 1] = static_cast<double>(target.pairs[2 * std::size_t{members[i]} + 1]);
        }
    } else {
        each_layer(target, [&](const Label* label, const Weight* units) {
            for (std::size_t i = 0; i < n_rows_; ++i) {
                const Row row = members[i];
                row_counts_[i * classes_ + label[row]] += units != nullptr ? static_cast<double>(units[row]) : 1.0;
            }
        });
    }
    residue_.clear();
    target_value_.clear();
    for (std::size_t i = 0; target.residues && i < n_rows_; ++i) {
        residue_.push_back(target.residues->amount[members[i]]);
        target_value_.push_back(target.residues->value[members[i]]);
    }
    for (std::size_t i = 0; i < n_rows_; ++i) {
        const double* counts = row_counts_.data() + i * classes_;
        if (std::all_of(counts, counts + classes_, [](double w) { return w == 0.0; })) return false;
    }
    return true;
}

// Replaces the codes of a column by their ranks among those of the subtree's rows.
void SubtreeSearch::copy_column(std::int32_t column) {
    const auto j = static_cast<std::size_t>(column);
    const CodeColumn& cells = cells_.columns[j];
    const std::size_t stride = is_narrow(cells) ? cells_.stride : 1;
    LocalCode* const codes = codes_.data() + j * most_rows_;
    std::uint32_t* const list = code_list_.data() + j * most_rows_;
    std::size_t n_codes = 0;
    with_codes(cells, [&](const auto* cell) {
        if (cells.n_codes <= kFewCodes) {
            for (std::size_t i = 0; i < n_rows_; ++i) {
                const std::uint32_t code = cell[rows_[i] * stride];
                codes[i] = static_cast<LocalCode>(code);
                seen_[code / kWord] |= std::uint64_t{1} << (code % kWord);
            }
            for (std::size_t word = 0; word <= cells.n_codes / kWord; ++word) {
                for (std::uint64_t bits = seen_[word]; bits != 0; bits &= bits - 1) {
                    const auto code = static_cast<std::uint32_t>(word * kWord + static_cast<std::size_t>(std::countr_zero(bits)));
                    place_[code] = static_cast<std::uint32_t>(n_codes);
                    list[n_codes++] = code;
                }
                seen_[word] = 0;
            }
            for (std::size_t i = 0; i < n_rows_; ++i) codes[i] = static_cast<LocalCode>(place_[codes[i]]);
            return;
        }
        for (std::size_t i = 0; i < n_rows_; ++i) list[i] = cell[rows_[i] * stride];
        std::sort(list, list + n_rows_);
        n_codes = static_cast<std::size_t>(std::unique(list, list + n_rows_) - list);
        for (std::size_t i = 0; i < n_rows_; ++i) {
            codes[i] = static_cast<LocalCode>(std::lower_bound(list, list + n_codes, cell[rows_[i] * stride]) - list);
        }
    });
    const bool has_missing = table_.has_missing[j] != 0 && list[n_codes - 1] + 1 == cells.n_codes;
    missing_code_[j] = has_missing ? static_cast<LocalCode>(n_codes - 1) : kNone;
    n_codes_[j] = n_codes;
    copied_[j] = subtree_;
}

const SubtreeSearch::LocalCode* SubtreeSearch::codes_of(std::int32_t column) {
    const auto j = static_cast<std::size_t>(column);
    if (copied_[j] != subtree_) copy_column(column);
    return codes_.data() + j * most_rows_;
}

// Adds a node to the list, and to those that wait to be split unless it is pure or too small.
void SubtreeSearch::add_node(const Waiting& waiting, const double* counts, const Residue& residue, const Chooser& chooser) {
    FoundNode& node = nodes_.emplace_back();
    for (std::size_t c = 0; c < classes_; ++c) counts_.push_back(static_cast<Weight>(counts[c]));
    node.impurity = chooser.impurity(waiting.value, residue_.empty() ? nullptr : &residue);
    node.first_row = static_cast<std::uint32_t>(row_list_.size() + waiting.begin);
    node.n_rows = static_cast<std::uint32_t>(waiting.n);
    if (node.impurity <= 0.0) return;
    node.reason = chooser.limit(waiting.depth, static_cast<std::int64_t>(waiting.n));
    if (!node.reason) waiting_.push_back(waiting);
}

void SubtreeSearch::split(const Waiting& waiting, const Chooser& chooser) {
    const std::optional<Cut> cut = best_cut(waiting);
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
    const std::size_t left = partition(waiting, *cut);
    const std::size_t sizes[2] = {left, waiting.n - left};
    double* const counts = child_counts_.data();
    const std::span<const Weight> whole = this->counts(waiting.node);
    std::fill_n(counts, classes_, 0.0);
    for (std::size_t i = waiting.begin; i < waiting.begin + left; ++i) {
        const double* row = row_counts_.data() + order_[i] * classes_;
        for (std::size_t c = 0; c < classes_; ++c) counts[c] += row[c];
    }
    for (std::size_t c = 0; c < classes_; ++c) counts[classes_ + c] = static_cast<double>(whole[c]) - counts[c];
    std::size_t begin = waiting.begin;
    for (std::size_t b = 0; b < 2; begin += sizes[b++]) {
        const double* held = counts + b * classes_;
        add_node({static_cast<std::int32_t>(nodes_.size()), waiting.depth + 1, begin, sizes[b], child_key(waiting.key, b), value(held)},
                 held, residue_of(begin, sizes[b]), chooser);
    }
}

Residue SubtreeSearch::residue_of(std::size_t begin, std::size_t n) const noexcept {
    Residue all;
    if (residue_.empty()) return all;
    const double first = target_value_[order_[begin]];
    for (std::size_t i = begin; i < begin + n; ++i) {
        all.amount += residue_[order_[i]];
        all.alike &= target_value_[order_[i]] == first;
    }
    return all;
}

// F of counts; 0 if only one class is present.
double SubtreeSearch::value(const double* counts) const {
    if (std::count_if(counts, counts + classes_, [](double w) { return w != 0.0; }) <= 1) return 0.0;
    double value = 0.0;
    if (is_gini_of_two_) return 4.0 * counts[0] * counts[1] / (counts[0] + counts[1]);
    index_->values(counts, 1, 1, classes_, &value);
    return value;
}

std::size_t SubtreeSearch::partition(const Waiting& node, const Cut& cut) {
    const LocalCode* const codes = codes_of(cut.column);
    const LocalCode missing = missing_code_[static_cast<std::size_t>(cut.column)];
    const bool has_cut = cut.left != FoundNode::kNoCut;
    std::size_t left = node.begin, right = 0;
    for (std::size_t i = node.begin; i < node.begin + node.n; ++i) {
        const LocalCode row = order_[i];
        const bool goes_left = codes[row] == missing ? cut.missing == 0 : !has_cut || codes[row] <= cut.last_left;
        scratch_[right] = row;
        order_[left] = row;
        left += goes_left ? 1 : 0;
        right += goes_left ? 0 : 1;
    }
    std::copy_n(scratch_.begin(), right, order_.begin() + static_cast<std::ptrdiff_t>(left));
    return left - node.begin;
}

// The first column with the largest gain, and its first cut with that gain, both up to ties.
std::optional<SubtreeSearch::Cut> SubtreeSearch::best_cut(const Waiting& node) {
    tolerance_ = kTie * node.value;
    DrawnColumns drawn = draw_.first(node.key);
    if (node.n == 2 && !is_limited_) return best_cut_of_two(node, drawn ? *drawn : std::span<const std::int32_t>(all_columns_));
    if (classes_ == 2) gather<2>(node);
    else gather<0>(node);
    columns_.clear();
    for (const std::int32_t column : drawn ? *drawn : std::span<const std::int32_t>(all_columns_)) add_column(column, node);
    while (columns_.empty() && drawn && !(drawn = draw_.next())->empty()) add_column(drawn->front(), node);
    if (columns_.empty()) return std::nullopt;
    const auto gain_of = [&](const ColumnCuts& cuts) {
        const double gain = node.value - cuts.least;
        return gain > tolerance_ ? gain : 0.0;
    };
    double most = -kInfinity;
    for (const ColumnCuts& cuts : columns_) most = std::max(most, gain_of(cuts));
    std::size_t i = 0;
    while (gain_of(columns_[i]) < most - tolerance_) ++i;
    return cut_of(columns_[i], node);
}

// Two rows are divided by any column in which they differ, with the same gain.
std::optional<SubtreeSearch::Cut> SubtreeSearch::best_cut_of_two(const Waiting& node, std::span<const std::int32_t> columns) {
    const LocalCode one = order_[node.begin], two = order_[node.begin + 1];
    const auto differ = [&](std::int32_t column) {
        const LocalCode* codes = codes_of(column);
        return codes[one] != codes[two];
    };
    const auto found = std::find_if(columns.begin(), columns.end(), differ);
    std::int32_t column = found == columns.end() ? -1 : *found;
    while (column < 0) {
        const DrawnColumns next = draw_.next();
        if (next->empty()) return std::nullopt;
        if (differ(next->front())) column = next->front();
    }
    const auto j = static_cast<std::size_t>(column);
    const LocalCode* const codes = codes_of(column);
    const auto [low, high] = std::minmax(codes[one], codes[two]);
    const double cost = value(row_counts_.data() + one * classes_) + value(row_counts_.data() + two * classes_);
    const double gain = node.value - cost;
    Cut cut{column, low, FoundNode::kNoCut, FoundNode::kNoCut, kUnseen, gain > tolerance_ ? gain : 0.0};
    if (high == missing_code_[j]) {
        cut.missing = 1;
    } else {
        cut.left = static_cast<std::int32_t>(code_list_[j * most_rows_ + low]);
        cut.right = static_cast<std::int32_t>(code_list_[j * most_rows_ + high]);
    }
    return cut;
}

template <std::size_t Classes>
void SubtreeSearch::gather(const Waiting& node) {
    const std::size_t classes = Classes == 0 ? classes_ : Classes;
    node_counts_.resize(node.n * classes);
    double* out = node_counts_.data();
    std::fill(total_.begin(), total_.end(), 0.0);
    for (std::size_t i = node.begin; i < node.begin + node.n; ++i) {
        const double* row = row_counts_.data() + order_[i] * classes;
        for (std::size_t c = 0; c < classes; ++c) {
            *out++ = row[c];
            total_[c] += row[c];
        }
    }
}

// Adds the cuts of a column, if it has any.
void SubtreeSearch::add_column(std::int32_t column, const Waiting& node) {
    const LocalCode* const codes = codes_of(column);
    const auto j = static_cast<std::size_t>(column);
    if (n_codes_[j] < 2) return;
    ColumnCuts cuts{column, columns_.size() * (most_rows_ + 1), 0, kInfinity, false};
    if (classes_ == 2) list_items<2>(codes, node, cuts.first);
    else list_items<0>(codes, node, cuts.first);
    if (n_items_ < 2) return;
    cuts.has_missing = item_[cuts.first + n_items_ - 1] == missing_code_[j];
    if (cuts.has_missing) price_cuts_with_missing(cuts);
    else price_cuts(cuts);
    if (cuts.least < kInfinity) columns_.push_back(cuts);
}

template <std::size_t Classes>
void SubtreeSearch::list_items(const LocalCode* codes, const Waiting& node, std::size_t first) {
    if (node.n <= kFewRows) list_few_items<Classes>(codes, node, first);
    else list_many_items<Classes>(codes, node, first);
}

// Sorts the rows by their codes.
template <std::size_t Classes>
void SubtreeSearch::list_few_items(const LocalCode* codes, const Waiting& node, std::size_t first) {
    const std::size_t classes = Classes == 0 ? classes_ : Classes;
    const std::size_t stride = most_rows_ + 1;
    std::uint32_t key[kFewRows];  // the code, and the number of the row at the node
    for (std::size_t i = 0; i < node.n; ++i) {
        const std::uint32_t next = std::uint32_t{codes[order_[node.begin + i]]} << 16 | static_cast<std::uint32_t>(i);
        std::size_t at = i;
        for (; at > 0 && key[at - 1] > next; --at) key[at] = key[at - 1];
        key[at] = next;
    }
    LocalCode* const item = item_.data() + first;
    double sums[kMostClasses] = {};
    std::size_t n = 0;
    for (std::size_t i = 0; i < node.n; ++i) {
        const double* row = node_counts_.data() + (key[i] & 0xFFFF) * classes;
        const auto code = static_cast<LocalCode>(key[i] >> 16);
        n += i > 0 && code != item[n] ? 1 : 0;  // otherwise the sums of the item are overwritten
        item[n] = code;
        for (std::size_t c = 0; c < classes; ++c) prefix_[c * stride + n] = sums[c] += row[c];
        rows_prefix_[n] = static_cast<double>(i + 1);
    }
    n_items_ = n + 1;
}

// Counts the rows by their codes.
template <std::size_t Classes>
void SubtreeSearch::list_many_items(const LocalCode* codes, const Waiting& node, std::size_t first) {
    const std::size_t classes = Classes == 0 ? classes_ : Classes;
    const std::size_t stride = most_rows_ + 1;
    const double* row = node_counts_.data();
    for (std::size_t i = 0; i < node.n; ++i, row += classes) {
        const LocalCode code = codes[order_[node.begin + i]];
        seen_[code / kWord] |= std::uint64_t{1} << (code % kWord);
        double* counts = histogram_.data() + code * (classes + 1);
        for (std::size_t c = 0; c < classes; ++c) counts[c] += row[c];
        counts[classes] += 1.0;
    }
    LocalCode* const item = item_.data() + first;
    double sums[kMostClasses + 1] = {};
    std::size_t n = 0;
    for (std::size_t word = 0; word <= n_rows_ / kWord; ++word) {
        for (std::uint64_t bits = seen_[word]; bits != 0; bits &= bits - 1) {
            const std::size_t code = word * kWord + static_cast<std::size_t>(std::countr_zero(bits));
            double* counts = histogram_.data() + code * (classes + 1);
            item[n] = static_cast<LocalCode>(code);
            for (std::size_t c = 0; c < classes; ++c) prefix_[c * stride + n] = sums[c] += counts[c];
            rows_prefix_[n] = sums[classes] += counts[classes];
            std::fill_n(counts, classes + 1, 0.0);
            ++n;
        }
        seen_[word] = 0;
    }
    n_items_ = n;
}

void SubtreeSearch::values(const double* counts, std::size_t n, double* out) const {
    index_->values(counts, most_rows_ + 1, n, classes_, out);
}

double SubtreeSearch::weight_before(std::size_t item) const noexcept {
    double weight = 0.0;
    for (std::size_t c = 0; c < classes_; ++c) weight += prefix_[c * (most_rows_ + 1) + item];
    return weight;
}

void SubtreeSearch::price_cuts(ColumnCuts& cuts) {
    const std::size_t stride = most_rows_ + 1;
    const std::size_t n = cuts.n = n_items_ - 1;
    double* const cost = cost_.data() + cuts.first;
    if (is_gini_of_two_) {
        const double* first = prefix_.data();
        const double* second = first + stride;
        const double a = total_[0], b = total_[1];
        for (std::size_t i = 0; i < n; ++i) {
            const double x = first[i], y = second[i];
            cost[i] = 4.0 * x * y / (x + y) + 4.0 * (a - x) * (b - y) / ((a - x) + (b - y));
        }
    } else {
        values(prefix_.data(), n, before_.data());
        for (std::size_t c = 0; c < classes_; ++c) {
            for (std::size_t i = 0; i < n; ++i) batch_[c * stride + i] = total_[c] - prefix_[c * stride + i];
        }
        values(batch_.data(), n, after_.data());
        for (std::size_t i = 0; i < n; ++i) cost[i] = before_[i] + after_[i];
    }
    if (is_limited_) {
        const double rows = rows_prefix_[n], weight = weight_before(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double here = weight_before(i);
            if (is_too_small(rows_prefix_[i], here) || is_too_small(rows - rows_prefix_[i], weight - here)) cost[i] = kInfinity;
        }
    }
    for (std::size_t i = 0; i < n; ++i) cuts.least = std::min(cuts.least, cost[i]);
}

// The cells that are missing are the last item. They join either side of a cut, or are a branch of their own.
void SubtreeSearch::price_cuts_with_missing(ColumnCuts& cuts) {
    const std::size_t stride = most_rows_ + 1;
    const std::size_t n = cuts.n = n_items_ - 1;
    double* const cost = cost_.data() + cuts.first;
    left_cost_.resize(n);
    right_cost_.resize(n);
    for (std::size_t c = 0; c < classes_; ++c) missing_[c] = prefix_[c * stride + n] - prefix_[c * stride + n - 1];
    const auto add = [&](double sign, auto&& base, std::vector<double>& out, std::vector<double>& with, const double* known) {
        for (std::size_t c = 0; c < classes_; ++c) {
            for (std::size_t i = 0; i < n; ++i) batch_[c * stride + i] = base(c) + sign * prefix_[c * stride + i];
        }
        values(batch_.data(), n, with.data());
        for (std::size_t i = 0; i < n; ++i) out[i] = known[i] + with[i];
    };
    values(prefix_.data(), n, before_.data());
    add(-1.0, [&](std::size_t c) { return total_[c]; }, right_cost_, after_, before_.data());
    // F of what follows a cut, without the missing rows, and of what precedes it, with them.
    for (std::size_t c = 0; c < classes_; ++c) {
        for (std::size_t i = 0; i < n; ++i) batch_[c * stride + i] = (total_[c] - missing_[c]) - prefix_[c * stride + i];
    }
    values(batch_.data(), n, after_.data());
    std::vector<double>& joined = before_;
    const std::vector<double> rest(after_.begin(), after_.begin() + static_cast<std::ptrdiff_t>(n));
    add(1.0, [&](std::size_t c) { return missing_[c]; }, left_cost_, joined, rest.data());
    const double rows = rows_prefix_[n], weight = weight_before(n);
    const double missing_rows = rows - rows_prefix_[n - 1], missing_weight = weight - weight_before(n - 1);
    left_cost_[n - 1] = kInfinity;  // nothing would be left on the right
    for (std::size_t i = 0; i < n && is_limited_; ++i) {
        const double r = rows_prefix_[i], w = weight_before(i);
        if (is_too_small(r, w) || is_too_small(rows - r, weight - w)) right_cost_[i] = kInfinity;
        if (is_too_small(r + missing_rows, w + missing_weight) ||
            is_too_small(rows - r - missing_rows, weight - w - missing_weight)) {
            left_cost_[i] = kInfinity;
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        cost[i] = std::min(left_cost_[i], right_cost_[i]);
        cuts.least = std::min(cuts.least, cost[i]);
    }
}

SubtreeSearch::Cut SubtreeSearch::cut_of(const ColumnCuts& cuts, const Waiting& node) {
    const double limit = cuts.least + tolerance_;
    const double* cost = cost_.data() + cuts.first;
    const auto at = static_cast<std::size_t>(std::find_if(cost, cost + cuts.n, [&](double c) { return c <= limit; }) - cost);
    const double gain = node.value - cuts.least;
    const LocalCode* item = item_.data() + cuts.first + at;
    const std::uint32_t* list = code_list_.data() + static_cast<std::size_t>(cuts.column) * most_rows_;
    Cut cut{cuts.column, item[0], FoundNode::kNoCut, FoundNode::kNoCut, kUnseen, gain > tolerance_ ? gain : 0.0};
    const bool missing_alone = cuts.has_missing && at + 1 == cuts.n;
    if (!missing_alone) {
        cut.left = static_cast<std::int32_t>(list[item[0]]);
        cut.right = static_cast<std::int32_t>(list[item[1]]);
    }
    if (cuts.has_missing) {
        ColumnCuts again = cuts;
        if (classes_ == 2) list_items<2>(codes_of(cuts.column), node, cuts.first);
        else list_items<0>(codes_of(cuts.column), node, cuts.first);
        price_cuts_with_missing(again);
        const bool left = left_cost_[at] <= limit || !(right_cost_[at] < left_cost_[at]);
        cut.missing = missing_alone || !left ? 1 : 0;
    }
    return cut;
}

}  // namespace polytomy
