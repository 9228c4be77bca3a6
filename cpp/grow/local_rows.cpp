// cpp/grow/local_rows.cpp: see local_rows.hpp.
#include "grow/local_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"

namespace polytomy {
namespace {

// Rows are far apart if they are fewer than one in this many of the table's. Records and pairs together take growing 256
// leaves on 1,000,000 rows and 20 columns from 0.49 to 0.33 s of CPU time for numbers; records take it from 0.30 to 0.24 s for
// two classes. In 100,000 rows, whose columns stay in the second cache, they make a forest slower. Pairs inside the records
// take growing 144 leaves for numbers from 0.213 to 0.176 s: rows far apart are then in 1.5 cache lines instead of 2.3.
constexpr std::size_t kFarApart = 8;
constexpr std::size_t kGrain = 20000;      // rows that make a thread worthwhile, mostly far apart
constexpr std::size_t kFewColumns = 4;     // records do not pay for fewer
constexpr std::size_t kLarge = 4'000'000;  // cells; columns of smaller tables stay in the cache
// Neither copy takes more than 64 MB: the codes of larger tables may fill the memory, or lie in a file instead.
constexpr std::size_t kMostBytes = std::size_t{1} << 26;

}  // namespace

LocalRows::LocalRows(const CodedTable& table, const Target& target, std::span<const std::int32_t> which, int threads)
    : table_(table), target_(target), which_(which), threads_(threads), rows_(table.columns, table.rows, threads),
      compact_(table.columns, table.has_missing) {}

LocalRows::LocalRows(const LocalRows& whole, std::span<Row> part)
    : table_(whole.table_), target_(whole.target_), which_(whole.which_), threads_(1),
      rows_(table_.columns, part, 1), compact_(table_.columns, table_.has_missing), is_part_(true), records_(whole.records_) {
    if (records_ != nullptr) compact_.read_records(*records_);
}

void LocalRows::restart(const Target& target, StartRows rows) {
    target_ = target;
    target_.pairs = nullptr;
    if (own_records_) own_records_->forget_pairs();
    residues_.clear();
    rows_.restart(table_.rows, rows);
}

std::vector<Weight> LocalRows::total() {
    std::vector<Weight> counts(target_.classes, 0);
    each_layer(target_, [&](const Label* label, const Weight* units) {
        each_row([&](std::size_t row) { counts[label[row]] += units != nullptr ? units[row] : 1; });
    });
    return counts;
}

void LocalRows::count(std::span<const CountRequest> requests) {
    for (const CountRequest& request : requests) {
        const bool all = rows_.everything_in_order(request.first);
        const Row* members = all ? nullptr : rows_.members(request.first).data();
        std::size_t n = 0;
        for (std::int32_t v = request.first; v <= request.last; ++v) n += rows_.size(v);
        add(members, n, which_, request.counts, request.rows);
    }
}

void LocalRows::add(const Row* members, std::size_t n, std::span<const std::int32_t> columns, Weight* counts, Weight* rows) {
    if (members != nullptr) pair_up();
    const auto from = [&](std::span<const CodeColumn> cells, std::span<const std::int32_t> some, std::size_t stride) {
        Target target = target_;
        if (stride > 1) target.pairs_in_records = records_->pairs();
        accumulate(cells, some, members, n, target, table_.code_start.data(), counts, rows, threads_, stride);
    };
    if (members == nullptr || !uses_records(n, columns.size())) return from(table_.columns, columns, 1);
    const auto narrow = [this](std::int32_t j) { return is_narrow(table_.columns[static_cast<std::size_t>(j)]); };
    if (std::all_of(columns.begin(), columns.end(), narrow)) return from(records_->columns(), columns, records_->stride());
    std::vector<std::int32_t> parts(columns.begin(), columns.end());
    const auto wide = static_cast<std::size_t>(std::stable_partition(parts.begin(), parts.end(), narrow) - parts.begin());
    from(records_->columns(), std::span(parts).first(wide), records_->stride());
    from(table_.columns, std::span(parts).subspan(wide), 1);
}

// Rows in order are read column by column. Others are read from records once these have been copied, which happens when
// counting rows far apart has taken about as long as copying them all.
bool LocalRows::uses_records(std::size_t n_rows, std::size_t n_columns) {
    if (kFarApart * n_rows > table_.rows || n_columns < kFewColumns) return false;
    if (records_ != nullptr) return true;
    far_apart_ += n_rows * n_columns;
    if (4 * far_apart_ >= table_.rows * which_.size()) expect_small_nodes();
    return records_ != nullptr;
}

void LocalRows::expect_small_nodes() {
    const auto narrow = [this](std::int32_t j) { return is_narrow(table_.columns[static_cast<std::size_t>(j)]); };
    const auto n_narrow = static_cast<std::size_t>(std::count_if(which_.begin(), which_.end(), narrow));
    const std::size_t cells = table_.rows * n_narrow;
    if (is_part_ || records_ != nullptr || n_narrow < kFewColumns || cells < kLarge || cells > kMostBytes) return;
    const bool has_room = cells + 2 * sizeof(Weight) * table_.rows <= kMostBytes;
    records_ = &own_records_.emplace(table_.columns, which_, has_room ? target_.pairs : nullptr, table_.rows, threads_);
    compact_.read_records(*records_);
}

// Put what each row adds to two counts side by side, before nodes are counted whose rows are not in order.
void LocalRows::pair_up() {
    if (is_part_ || target_.pairs != nullptr || target_.classes != 2 || target_.more.empty()) return;
    if (kFarApart * rows_.size(0) < table_.rows || 2 * sizeof(Weight) * table_.rows > kMostBytes) return;
    constexpr std::size_t kTile = 1 << 10;
    pairs_.resize(2 * table_.rows);
    Weight* const pairs = pairs_.data();
    parallel_blocks(table_.rows, worth(table_.rows, kGrain, threads_), [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; at += kTile) {
            const std::size_t last = std::min(at + kTile, end);
            std::fill(pairs + 2 * at, pairs + 2 * last, Weight{0});
            each_layer(target_, [&](const Label* label, const Weight* units) {
                for (std::size_t row = at; row < last; ++row) pairs[2 * row + label[row]] += units[row];
            });
        }
    });
    target_.pairs = pairs_.data();
}

std::vector<std::vector<Residue>> LocalRows::move(std::vector<Move>&& moves) {
    std::vector<std::vector<Residue>> residues;
    for (Move& move : moves) {
        const std::int32_t node = move.node;
        const std::int32_t first = move.first_child;
        const std::size_t branches = move.sizes.size();
        if (target_.residues && residues_.empty()) residues_.push_back(*total_residue());
        rows_.split(std::move(move));
        if (target_.residues) residues.push_back(child_residues(node, first, branches));
    }
    return residues;
}

void LocalRows::count_columns(std::int32_t node, std::span<const std::int32_t> columns, Weight* counts, Weight* rows) {
    const Row* members = rows_.everything_in_order(node) ? nullptr : rows_.members(node).data();
    add(members, rows_.size(node), columns, counts, rows);
}

const CompactHistograms& LocalRows::compact(std::int32_t node, const DrawnColumns& drawn, bool classes_present, bool with_rows) {
    pair_up();
    compact_.count(drawn.value_or(which_), rows_.members(node), target_, classes_present, with_rows);
    return compact_;
}

void LocalRows::add_children(const Move& move, std::span<Weight> counts, std::span<std::int64_t> rows) {
    const std::span<const Row> members = rows_.members(move.node);
    const auto add = [&](const auto& branch_of) {
        if (target_.pairs != nullptr) {
            for (std::size_t i = 0; i < members.size(); ++i) {
                const Row row = members[i];
                const auto b = static_cast<std::size_t>(branch_of(i, row));
                counts[2 * b] += target_.pairs[2 * std::size_t{row}];
                counts[2 * b + 1] += target_.pairs[2 * std::size_t{row} + 1];
                ++rows[b];
            }
            return;
        }
        std::int64_t one = 1;  // rows are counted with the first layer
        each_layer(target_, [&](const Label* label, const Weight* units) {
            for (std::size_t i = 0; i < members.size(); ++i) {
                const Row row = members[i];
                const auto b = static_cast<std::size_t>(branch_of(i, row));
                counts[b * target_.classes + label[row]] += units != nullptr ? units[row] : 1;
                rows[b] += one;
            }
            one = 0;
        });
    };
    if (move.column < 0) {
        add([&](std::size_t i, Row) { return move.branch_of_row[i]; });
        return;
    }
    const Branch* branch = move.branch_of_code.data();
    with_codes(table_.columns[static_cast<std::size_t>(move.column)],
               [&](const auto* codes) { add([=](std::size_t, Row row) { return branch[codes[row]]; }); });
}

// The residues of the children of a split. That of the largest is what the others leave over.
std::vector<Residue> LocalRows::child_residues(std::int32_t node, std::int32_t first, std::size_t branches) {
    std::vector<Residue> children(branches);
    const auto child = [first](std::size_t b) { return first + static_cast<std::int32_t>(b); };
    std::size_t largest = 0;
    for (std::size_t b = 1; b < branches; ++b) largest = rows_.size(child(b)) > rows_.size(child(largest)) ? b : largest;
    Weight left = residues_[static_cast<std::size_t>(node)].amount;
    for (std::size_t b = 0; b < branches; ++b) {
        if (b == largest) continue;
        children[b] = residue_of(rows_.members(child(b)));
        left -= children[b].amount;
    }
    const std::span<const Row> rest = rows_.members(child(largest));
    const double* value = target_.residues->value;
    const auto differs = [&](Row row) { return value[row] != value[rest.front()]; };
    children[largest] = {left, std::none_of(rest.begin(), rest.end(), differs)};
    residues_.resize(std::max(residues_.size(), static_cast<std::size_t>(first) + branches));
    std::copy(children.begin(), children.end(), residues_.begin() + first);
    return children;
}

Residue LocalRows::residue_of(std::span<const Row> members) const {
    return residue_of(members.size(), [members](std::size_t i) { return std::size_t{members[i]}; });
}

// The residue of the rows row_at(0), row_at(1), ..., row_at(n - 1).
template <class RowAt>
Residue LocalRows::residue_of(std::size_t n, const RowAt& row_at) const {
    const int threads = worth(n, kGrain, threads_);
    const RowResidues& rows = *target_.residues;
    std::vector<Residue> parts(static_cast<std::size_t>(threads));
    parallel_blocks(n, threads, [&](std::size_t block, std::size_t begin, std::size_t end) {
        Residue part;
        for (std::size_t i = begin; i < end; ++i) part.amount += rows.amount[row_at(i)];
        for (std::size_t i = begin; i < end && part.alike; ++i) part.alike = rows.value[row_at(i)] == rows.value[row_at(0)];
        parts[block] = part;
    });
    for (const Residue& part : std::span(parts).subspan(1)) {
        parts[0].amount += part.amount;
        parts[0].alike &= part.alike;
    }
    return parts[0];
}

std::optional<Residue> LocalRows::total_residue() {
    if (!target_.residues) return std::nullopt;
    if (!rows_.everything_in_order(0)) return residue_of(rows_.members(0));
    return residue_of(table_.rows, [](std::size_t row) { return row; });
}

void LocalRows::add_child_rows(const Move& move, std::span<std::int64_t> rows) {
    if (move.column < 0) {
        for (const Branch b : move.branch_of_row) ++rows[static_cast<std::size_t>(b)];
        return;
    }
    // The residues of the children need their rows in any case.
    if (target_.residues) return rows_.permute_ahead(move, rows);
    const Branch* branch = move.branch_of_code.data();
    const bool in_order = rows_.everything_in_order(move.node);
    const std::span<const Row> members = in_order ? std::span<const Row>{} : rows_.members(move.node);
    with_codes(table_.columns[static_cast<std::size_t>(move.column)], [&](const auto* codes) {
        const auto add = [&](auto&& branch_at, std::size_t n) {
            const std::size_t k = rows.size();
            const int threads = worth(n, kGrain, threads_);
            std::vector<std::int64_t> held(static_cast<std::size_t>(threads) * k, 0);
            parallel_blocks(n, threads, [&](std::size_t block, std::size_t begin, std::size_t end) {
                std::int64_t* const own = held.data() + block * k;
                if (k == 2) {  // the sum stays in a register
                    std::int64_t right = 0;
                    for (std::size_t i = begin; i < end; ++i) right += branch_at(i);
                    own[0] = static_cast<std::int64_t>(end - begin) - right;
                    own[1] = right;
                    return;
                }
                for (std::size_t i = begin; i < end; ++i) ++own[static_cast<std::size_t>(branch_at(i))];
            });
            for (std::size_t i = 0; i < held.size(); ++i) rows[i % k] += held[i];
        };
        if (in_order) {
            add([=](std::size_t i) { return branch[codes[i]]; }, table_.rows);
        } else {
            add([=](std::size_t i) { return branch[codes[members[i]]]; }, members.size());
        }
    });
}

}  // namespace polytomy
