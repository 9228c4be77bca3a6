// cpp/grow/compact_histograms.cpp: see compact_histograms.hpp.
#include "grow/compact_histograms.hpp"

#include <algorithm>
#include <bit>

#include "base/cancellation.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kWord = 64;
constexpr std::size_t kFew = kWord * kWord;  // codes whose bits are looked through word by word

std::size_t words(std::size_t bits) { return bits / kWord + 1; }

// Visit the bits that are set, ascending, and clear them.
template <class Visit>
void take_bits(std::uint64_t& word, std::size_t first, Visit&& visit) {
    while (word != 0) {
        visit(first + static_cast<std::size_t>(std::countr_zero(word)));
        word &= word - 1;
    }
}

}  // namespace

CompactHistograms::CompactHistograms(std::span<const CodeColumn> columns, std::span<const std::uint8_t> has_missing)
    : columns_(columns), has_missing_(has_missing), code_start_(columns.size() + 1, 0) {
    std::size_t most = 0;
    for (const CodeColumn& column : columns) most = std::max<std::size_t>(most, column.n_codes);
    seen_.resize(words(most), 0);
    seen_words_.resize(words(seen_.size()), 0);
    place_.resize(most);
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
    if (!weighted_) {
        for (std::size_t i = 0; i < n; ++i) ++counts[place_[cell_[i]] * classes_ + label_[i]];
        return;
    }
    rows_.resize(codes_.size(), 0);
    if (paired_) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = place_[cell_[i]];
            counts[2 * at] += units_[2 * i];
            counts[2 * at + 1] += units_[2 * i + 1];
            rows_[first + at] += 1;
        }
        return;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t at = place_[cell_[i]];
        counts[at * classes_ + label_[i]] += units_[i];
        rows_[first + at] += 1;
    }
    for (std::size_t l = 1; l < layers_; ++l) {
        const Label* label = label_.data() + l * n;
        const Weight* units = units_.data() + l * n;
        for (std::size_t i = 0; i < n; ++i) counts[place_[cell_[i]] * classes_ + label[i]] += units[i];
    }
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
                              bool classes_present) {
    classes_ = target.classes;
    weighted_ = target.units != nullptr;
    codes_.clear();
    counts_.clear();
    rows_.clear();
    varied_.clear();
    const std::size_t n = members.size();
    layers_ = 1 + target.more.size();
    poll(4 * n * layers_ * which.size());
    cell_.resize(n);
    paired_ = target.pairs != nullptr && !classes_present;
    label_.resize(paired_ ? 0 : layers_ * n);
    units_.resize(paired_ ? 2 * n : weighted_ ? layers_ * n : 0);
    for (std::size_t i = 0; paired_ && i < n; ++i) std::copy_n(target.pairs + 2 * std::size_t{members[i]}, 2, units_.data() + 2 * i);
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
        with_codes(columns_[j], [&](const auto* cells) { count_column(cells, j, members, following); });
    }
    code_start_.back() = static_cast<std::int64_t>(codes_.size());
}

Histograms CompactHistograms::view() const noexcept {
    return {counts_.data(), weighted_ ? rows_.data() : nullptr, code_start_.data(), has_missing_.data(), classes_, codes_.data()};
}

}  // namespace polytomy
