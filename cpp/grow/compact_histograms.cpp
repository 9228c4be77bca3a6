// cpp/grow/compact_histograms.cpp: see compact_histograms.hpp.
#include "grow/compact_histograms.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/cancellation.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kWord = 64;
constexpr std::size_t kFew = kWord * kWord;  // codes whose bits are looked through word by word
constexpr std::size_t kNarrow = 256;         // codes of a column of one byte

std::size_t words(std::size_t bits) { return bits / kWord + 1; }

// Visit the bits that are set, ascending, and clear them.
template <class Visit>
void take_bits(std::uint64_t& word, std::size_t first, Visit&& visit) {
    while (word != 0) {
        visit(first + static_cast<std::size_t>(std::countr_zero(word)));
        word &= word - 1;
    }
}

// Returns the bits of 64 flags of one byte, each 0 or 1.
std::uint64_t bits_of(const std::uint8_t* flags) {
    std::uint64_t bits = 0;
    for (std::size_t byte = 0; byte < kWord / 8; ++byte) {
        std::uint64_t eight;
        std::memcpy(&eight, flags + 8 * byte, sizeof eight);
        if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
        bits |= ((eight * 0x0102040810204080) >> 56) << (8 * byte);
    }
    return bits;
}

}  // namespace

CompactHistograms::CompactHistograms(std::span<const CodeColumn> columns, std::span<const std::uint8_t> has_missing)
    : columns_(columns), has_missing_(has_missing), code_start_(columns.size() + 1, 0) {
    std::size_t most = 0;
    for (const CodeColumn& column : columns) most = std::max<std::size_t>(most, column.n_codes);
    seen_.resize(words(most), 0);
    seen_words_.resize(words(seen_.size()), 0);
    place_.resize(most);
    is_present_.resize(kNarrow, 0);
    pair_sums_.resize(2 * kNarrow, 0);
    row_sums_.resize(kNarrow, 0);
}

// Two levels of bits if there are many codes: listing thirty rows of a column with a million categories then visits some
// 250 words instead of 16,000.
void CompactHistograms::list_codes(std::size_t n_codes) {
    const std::size_t first = codes_.size();
    const auto take_word = [&](std::size_t word) {
        take_bits(seen_[word], word * kWord, [&](std::size_t code) {
            place_[code] = static_cast<std::uint32_t>(codes_.size() - first);
            codes_.push_back(static_cast<std::uint32_t>(code));
        });
    };
    if (n_codes <= kFew) {
        for (std::size_t word = 0; word < words(n_codes); ++word) take_word(word);
        return;
    }
    for (std::size_t top = 0; top < words(words(n_codes)); ++top) take_bits(seen_words_[top], top * kWord, take_word);
}

template <class Code>
void CompactHistograms::count_column(const Code* cells, std::size_t column, std::span<const Row> members,
                                     const CodeColumn& next) {
    const std::size_t n = members.size();
    const bool many = columns_[column].n_codes > kFew;
    // Each of a few rows among many is in a cache line of its own: prefetch the next column's.
    const auto* ahead = static_cast<const std::byte*>(next.data);
    const std::size_t step = static_cast<std::size_t>(next.width) * stride_of(next);
    const std::size_t stride = stride_of(columns_[column]);
    for (std::size_t i = 0; i < n; ++i) {
        __builtin_prefetch(ahead + members[i] * step);
        const std::uint32_t code = cells[members[i] * stride];
        cell_[i] = code;
        const std::size_t word = code / kWord;
        seen_[word] |= std::uint64_t{1} << (code % kWord);
        if (many) seen_words_[word / kWord] |= std::uint64_t{1} << (word % kWord);
    }
    const std::size_t first = codes_.size();
    list_codes(columns_[column].n_codes);
    if (codes_.size() > first + 1) varied_.push_back(static_cast<std::int32_t>(column));
    // The last code of a column with missing cells is theirs, even if the node has none.
    const std::uint32_t last = columns_[column].n_codes - 1;
    if (has_missing_[column] != 0 && (codes_.size() == first || codes_.back() != last)) codes_.push_back(last);
    counts_.resize(codes_.size() * classes_, 0);
    Weight* counts = counts_.data() + first * classes_;
    if (!weighted_ && !paired_) {
        for (std::size_t i = 0; i < n; ++i) ++counts[place_[cell_[i]] * classes_ + label_[i]];
        return;
    }
    if (with_rows_) {
        rows_.resize(codes_.size(), 0);
        for (std::size_t i = 0; i < n; ++i) rows_[first + place_[cell_[i]]] += 1;
    }
    if (paired_) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = place_[cell_[i]];
            counts[2 * at] += units_[2 * i];
            counts[2 * at + 1] += units_[2 * i + 1];
        }
        return;
    }
    for (std::size_t i = 0; i < n; ++i) counts[place_[cell_[i]] * classes_ + label_[i]] += units_[i];
    for (std::size_t l = 1; l < layers_; ++l) {
        const Label* label = label_.data() + l * n;
        const Weight* units = units_.data() + l * n;
        for (std::size_t i = 0; i < n; ++i) counts[place_[cell_[i]] * classes_ + label[i]] += units[i];
    }
}

// The same for a column of one byte and pairs of counts, in one pass over the rows: all codes of the column are counted, and
// those present are copied.
template <bool with_rows>
void CompactHistograms::count_pairs(const std::uint8_t* cells, std::size_t column, std::span<const Row> members,
                                    const CodeColumn& next) {
    using Pair = Weight __attribute__((vector_size(16)));
    const std::size_t n = members.size();
    const auto* ahead = static_cast<const std::byte*>(next.data);
    const std::size_t step = static_cast<std::size_t>(next.width) * stride_of(next);
    const std::size_t stride = stride_;
    std::uint8_t* const is_present = is_present_.data();
    Weight* const sums = pair_sums_.data();
    Weight* const row_sums = row_sums_.data();
    const Weight* units = units_.data();
    for (std::size_t i = 0; i < n; ++i, units += 2) {
        __builtin_prefetch(ahead + members[i] * step);
        const std::size_t code = cells[members[i] * stride];
        is_present[code] = 1;
        Pair own, sum;
        std::memcpy(&own, units, sizeof own);
        std::memcpy(&sum, sums + 2 * code, sizeof sum);
        sum += own;
        std::memcpy(sums + 2 * code, &sum, sizeof sum);
        if (with_rows) row_sums[code] += 1;
    }
    const std::size_t n_codes = columns_[column].n_codes;
    const std::size_t first = codes_.size();
    const std::size_t most = first + std::min(n, n_codes) + 1;
    codes_.resize(most);
    counts_.resize(2 * most);
    if (with_rows) rows_.resize(most);
    std::size_t at = first;
    std::uint32_t* const codes = codes_.data();
    Weight* const counts = counts_.data();
    Weight* const rows = rows_.data();
    const auto take = [=, &at](std::size_t code) {
        codes[at] = static_cast<std::uint32_t>(code);
        std::memcpy(counts + 2 * at, sums + 2 * code, sizeof(Pair));
        std::memset(sums + 2 * code, 0, sizeof(Pair));
        if (with_rows) rows[at] = std::exchange(row_sums[code], 0);
        ++at;
    };
    for (std::size_t begin = 0; begin < n_codes; begin += kWord) {
        std::uint64_t bits = bits_of(is_present + begin);
        take_bits(bits, begin, take);
    }
    std::memset(is_present, 0, kNarrow);
    if (at > first + 1) varied_.push_back(static_cast<std::int32_t>(column));
    if (has_missing_[column] != 0 && (at == first || codes_[at - 1] != n_codes - 1)) take(n_codes - 1);
    codes_.resize(at);
    counts_.resize(2 * at);
    if (with_rows) rows_.resize(at);
}

// What each row adds to both of two counts.
void CompactHistograms::gather_pairs(std::span<const Row> members, const Target& target) {
    const std::size_t n = members.size();
    units_.resize(2 * n);
    Weight* const units = units_.data();
    if (target.pairs != nullptr) {
        for (std::size_t i = 0; i < n; ++i) std::memcpy(units + 2 * i, target.pairs + 2 * std::size_t{members[i]}, 2 * sizeof(Weight));
        return;
    }
    std::fill_n(units, 2 * n, Weight{0});
    each_layer(target, [&](const Label* label, const Weight* weight) {
        for (std::size_t i = 0; i < n; ++i) units[2 * i + label[members[i]]] += weight == nullptr ? 1 : weight[members[i]];
    });
}

// Replaces the labels by numbers of the classes present.
void CompactHistograms::number_classes(std::size_t classes) {
    present_.assign(label_.begin(), label_.end());
    std::sort(present_.begin(), present_.end());
    present_.erase(std::unique(present_.begin(), present_.end()), present_.end());
    number_.resize(classes);
    for (std::size_t i = 0; i < present_.size(); ++i) number_[present_[i]] = static_cast<Label>(i);
    for (Label& label : label_) label = number_[label];
    classes_ = present_.size();
}

void CompactHistograms::count(std::span<const std::int32_t> which, std::span<const Row> members, const Target& target,
                              bool classes_present, bool with_rows) {
    classes_ = target.classes;
    weighted_ = target.units != nullptr;
    with_rows_ = weighted_ && with_rows;
    codes_.clear();
    counts_.clear();
    rows_.clear();
    varied_.clear();
    const std::size_t n = members.size();
    layers_ = 1 + target.more.size();
    poll(4 * n * layers_ * which.size());
    cell_.resize(n);
    paired_ = classes_ == 2 && !classes_present;
    if (paired_) gather_pairs(members, target);
    label_.resize(paired_ ? 0 : layers_ * n);
    if (!paired_) units_.resize(weighted_ ? layers_ * n : 0);
    std::size_t layer = 0;
    const auto gather = [&](const Label* label, const Weight* units) {
        Label* labels = label_.data() + layer * n;
        for (std::size_t i = 0; i < n; ++i) labels[i] = label[members[i]];
        if (weighted_) {
            Weight* weights = units_.data() + layer * n;
            for (std::size_t i = 0; i < n; ++i) weights[i] = units[members[i]];
        }
        ++layer;
    };
    if (!paired_) each_layer(target, gather);
    if (classes_present) number_classes(target.classes);
    std::size_t next = 0;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        code_start_[j] = static_cast<std::int64_t>(codes_.size());
        if (next == which.size() || static_cast<std::size_t>(which[next]) != j) continue;
        ++next;
        const CodeColumn& following = columns_[static_cast<std::size_t>(next < which.size() ? which[next] : which[0])];
        with_codes(columns_[j], [&]<class Code>(const Code* cells) {
            if constexpr (sizeof(Code) == 1) {
                if (paired_) return with_rows_ ? count_pairs<true>(cells, j, members, following) : count_pairs<false>(cells, j, members, following);
            }
            count_column(cells, j, members, following);
        });
    }
    code_start_.back() = static_cast<std::int64_t>(codes_.size());
}

Histograms CompactHistograms::view() const noexcept {
    return {counts_.data(), with_rows_ ? rows_.data() : nullptr, code_start_.data(), has_missing_.data(), classes_, codes_.data()};
}

}  // namespace polytomy
