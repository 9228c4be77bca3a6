// cpp/grow/local_rows.cpp: see local_rows.hpp.
#include "grow/local_rows.hpp"

#include <utility>

#include "base/parallel.hpp"

namespace polytomy {
namespace {

// The residues of the groups that rows are given to, one row after the other.
class ResidueSums {
 public:
    ResidueSums(const RowResidues& residues, std::size_t groups) : residues_(residues), sums_(groups) {}

    void add(std::size_t group, std::size_t row) noexcept {
        Sum& sum = sums_[group];
        const double value = residues_.value[row];
        if (!sum.seen) {
            sum.seen = true;
            sum.first = value;
        }
        sum.amount += residues_.amount[row];
        sum.alike &= value == sum.first;
    }
    void add(const ResidueSums& others) noexcept {
        for (std::size_t g = 0; g < sums_.size(); ++g) {
            const Sum& other = others.sums_[g];
            Sum& sum = sums_[g];
            if (!other.seen) continue;
            const bool alike = other.alike && (!sum.seen || (sum.alike && sum.first == other.first));
            sum = {sum.amount + other.amount, other.first, true, alike};
        }
    }
    [[nodiscard]] std::vector<Residue> residues() const {
        std::vector<Residue> all;
        for (const Sum& sum : sums_) all.push_back({sum.amount, sum.alike});
        return all;
    }

 private:
    struct Sum {
        Weight amount = 0;
        double first = 0.0;
        bool seen = false;
        bool alike = true;
    };
    RowResidues residues_;
    std::vector<Sum> sums_;
};

}  // namespace

LocalRows::LocalRows(const CodedTable& table, const Target& target, std::span<const std::int32_t> which, int threads)
    : table_(table), target_(target), which_(which), threads_(threads), rows_(table.columns, table.rows, threads),
      compact_(table.columns, table.has_missing) {}

LocalRows::LocalRows(const LocalRows& whole, std::span<Row> part)
    : table_(whole.table_), target_(whole.target_), which_(whole.which_), threads_(1),
      rows_(table_.columns, part, 1), compact_(table_.columns, table_.has_missing) {}

void LocalRows::restart(const Target& target, StartRows rows) {
    target_ = target;
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
        accumulate(table_.columns, which_, members, n, target_, table_.code_start.data(), request.counts, request.rows,
                   threads_);
    }
}

std::vector<std::vector<Residue>> LocalRows::move(std::vector<Move>&& moves) {
    std::vector<std::vector<Residue>> residues;
    for (Move& move : moves) {
        if (target_.residues) residues.push_back(child_residues(move));
        rows_.split(std::move(move));
    }
    return residues;
}

void LocalRows::count_columns(std::int32_t node, std::span<const std::int32_t> columns, Weight* counts, Weight* rows) {
    const Row* members = rows_.everything_in_order(node) ? nullptr : rows_.members(node).data();
    accumulate(table_.columns, columns, members, rows_.size(node), target_, table_.code_start.data(), counts, rows,
               threads_);
}

const CompactHistograms& LocalRows::compact(std::int32_t node, const DrawnColumns& drawn, bool classes_present) {
    compact_.count(drawn.value_or(which_), rows_.members(node), target_, classes_present);
    return compact_;
}

void LocalRows::add_children(const Move& move, std::span<Weight> counts, std::span<std::int64_t> rows) {
    const std::span<const Row> members = rows_.members(move.node);
    const auto add = [&](const auto& branch_of) {
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

std::vector<Residue> LocalRows::child_residues(const Move& move) {
    const std::size_t branches = move.sizes.size();
    constexpr std::size_t kGrain = 1 << 16;  // rows
    const bool in_order = rows_.everything_in_order(move.node);
    const std::span<const Row> members = in_order ? std::span<const Row>{} : rows_.members(move.node);
    const std::size_t n = in_order ? table_.rows : members.size();
    const int threads = worth(n, kGrain, threads_);
    std::vector<ResidueSums> sums(static_cast<std::size_t>(threads), ResidueSums(*target_.residues, branches));
    const auto add = [&](const auto& branch_of) {
        parallel_blocks(n, threads, [&](std::size_t block, std::size_t begin, std::size_t end) {
            ResidueSums own(*target_.residues, branches);
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t row = in_order ? i : members[i];
                own.add(static_cast<std::size_t>(branch_of(i, row)), row);
            }
            sums[block] = std::move(own);
        });
    };
    if (move.column < 0) {
        add([&](std::size_t i, std::size_t) { return move.branch_of_row[i]; });
    } else {
        const Branch* branch = move.branch_of_code.data();
        with_codes(table_.columns[static_cast<std::size_t>(move.column)],
                   [&](const auto* codes) { add([=](std::size_t, std::size_t row) { return branch[codes[row]]; }); });
    }
    for (std::size_t block = 1; block < sums.size(); ++block) sums[0].add(sums[block]);
    return sums[0].residues();
}

std::optional<Residue> LocalRows::total_residue() {
    if (!target_.residues) return std::nullopt;
    ResidueSums sums(*target_.residues, 1);
    each_row([&](std::size_t row) { sums.add(0, row); });
    return sums.residues().front();
}

void LocalRows::add_child_rows(const Move& move, std::span<std::int64_t> rows) {
    if (move.column < 0) {
        for (const Branch b : move.branch_of_row) ++rows[static_cast<std::size_t>(b)];
        return;
    }
    const Branch* branch = move.branch_of_code.data();
    const bool in_order = rows_.everything_in_order(move.node);
    const std::span<const Row> members = in_order ? std::span<const Row>{} : rows_.members(move.node);
    with_codes(table_.columns[static_cast<std::size_t>(move.column)], [&](const auto* codes) {
        const auto add = [&](auto&& branch_at, std::size_t n) {
            if (rows.size() == 2) {  // the sum stays in a register
                std::int64_t right = 0;
                for (std::size_t i = 0; i < n; ++i) right += branch_at(i);
                rows[0] += static_cast<std::int64_t>(n) - right;
                rows[1] += right;
                return;
            }
            for (std::size_t i = 0; i < n; ++i) ++rows[static_cast<std::size_t>(branch_at(i))];
        };
        if (in_order) {
            add([=](std::size_t i) { return branch[codes[i]]; }, table_.rows);
        } else {
            add([=](std::size_t i) { return branch[codes[members[i]]]; }, members.size());
        }
    });
}

}  // namespace polytomy
