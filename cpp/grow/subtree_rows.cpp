// cpp/grow/subtree_rows.cpp: see subtree_rows.hpp.
#include "grow/subtree_rows.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace polytomy {
namespace {

constexpr std::size_t kWord = 64;
constexpr std::size_t kFewCodes = 4096;  // of a column: those present are listed by bits, otherwise by sorting

}  // namespace

SubtreeRows::SubtreeRows(const CodedTable& table, std::size_t classes, std::size_t most_rows)
    : has_missing_(table.has_missing), classes_(classes), most_rows_(most_rows), order_(most_rows), scratch_(most_rows),
      copied_(table.n_columns(), 0), ranks_(table.n_columns() * most_rows), codes_(table.n_columns() * most_rows),
      n_ranks_(table.n_columns(), 0), missing_(table.n_columns(), kNone), seen_(kFewCodes / kWord + 1, 0), rank_of_code_(kFewCodes) {}

bool SubtreeRows::restart(std::span<const Row> members, const LocalRows& source) {
    const Target& target = source.target();
    const std::size_t n = members.size();
    ++restarts_;
    cells_ = source.cells();
    members_ = members;
    std::iota(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(n), Number{0});
    counts_.assign(n * classes_, 0.0);
    if (target.pairs != nullptr) {
        for (std::size_t i = 0; i < n; ++i) {
            counts_[2 * i] = static_cast<double>(target.pairs[2 * std::size_t{members[i]}]);
            counts_[2 * i + 1] = static_cast<double>(target.pairs[2 * std::size_t{members[i]} + 1]);
        }
    } else {
        each_layer(target, [&](const Label* label, const Weight* units) {
            for (std::size_t i = 0; i < n; ++i) {
                const Row row = members[i];
                counts_[i * classes_ + label[row]] += units != nullptr ? static_cast<double>(units[row]) : 1.0;
            }
        });
    }
    residues_.resize(target.residues ? n : 0);
    values_.resize(residues_.size());
    for (std::size_t i = 0; i < residues_.size(); ++i) {
        residues_[i] = target.residues->amount[members[i]];
        values_[i] = target.residues->value[members[i]];
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double* held = counts_.data() + i * classes_;
        if (std::all_of(held, held + classes_, [](double w) { return w == 0.0; })) return false;
    }
    return true;
}

Residue SubtreeRows::residue(std::size_t begin, std::size_t n) const noexcept {
    Residue all;
    if (residues_.empty()) return all;
    const double first = values_[order_[begin]];
    for (std::size_t i = begin; i < begin + n; ++i) {
        all.amount += residues_[order_[i]];
        all.alike &= values_[order_[i]] == first;
    }
    return all;
}

template <class Code>
std::size_t SubtreeRows::rank_by_bits(const Code* cells, std::size_t stride, std::size_t n_codes, Number* ranks, std::uint32_t* codes) {
    for (std::size_t i = 0; i < size(); ++i) {
        const std::uint32_t code = cells[members_[i] * stride];
        ranks[i] = static_cast<Number>(code);  // for now
        seen_[code / kWord] |= std::uint64_t{1} << (code % kWord);
    }
    std::size_t n = 0;
    for (std::size_t word = 0; word <= n_codes / kWord; ++word) {
        for (std::uint64_t bits = seen_[word]; bits != 0; bits &= bits - 1) {
            const std::size_t code = word * kWord + static_cast<std::size_t>(std::countr_zero(bits));
            rank_of_code_[code] = static_cast<Number>(n);
            codes[n++] = static_cast<std::uint32_t>(code);
        }
        seen_[word] = 0;
    }
    for (std::size_t i = 0; i < size(); ++i) ranks[i] = rank_of_code_[ranks[i]];
    return n;
}

template <class Code>
std::size_t SubtreeRows::rank_by_sorting(const Code* cells, std::size_t stride, Number* ranks, std::uint32_t* codes) const {
    for (std::size_t i = 0; i < size(); ++i) codes[i] = cells[members_[i] * stride];
    std::sort(codes, codes + size());
    std::uint32_t* const end = std::unique(codes, codes + size());
    for (std::size_t i = 0; i < size(); ++i) {
        ranks[i] = static_cast<Number>(std::lower_bound(codes, end, cells[members_[i] * stride]) - codes);
    }
    return static_cast<std::size_t>(end - codes);
}

void SubtreeRows::copy_column(std::size_t column) {
    const CodeColumn& from = cells_.columns[column];
    const std::size_t stride = is_narrow(from) ? cells_.stride : 1;
    Number* const ranks = ranks_.data() + column * most_rows_;
    std::uint32_t* const codes = codes_.data() + column * most_rows_;
    std::size_t n = 0;
    with_codes(from, [&](const auto* cells) {
        n = from.n_codes <= kFewCodes ? rank_by_bits(cells, stride, from.n_codes, ranks, codes)
                                      : rank_by_sorting(cells, stride, ranks, codes);
    });
    const bool has_missing = has_missing_[column] != 0 && codes[n - 1] + 1 == from.n_codes;
    missing_[column] = has_missing ? static_cast<Number>(n - 1) : kNone;
    n_ranks_[column] = n;
    copied_[column] = restarts_;
}

}  // namespace polytomy
