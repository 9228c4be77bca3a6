// cpp/encode/cutter.hpp: finds the cuts of one long column in passes over blocks of rows.
//
// A sample shows whether the column may have few distinct values. If so, one pass collects them. Otherwise one pass
// counts the weight in the cells of a map, a second one keeps the values of the few cells in which a bin ends (and of
// the cell after each, whose smallest value begins the next bin), and only those are sorted. The sample affects the
// speed, never the result. The cells of the rows may be kept, for the second pass and for encoding: then neither reads more
// than the values whose cells do not decide. (For 1,000,000 x 20, bins and codes take 0.4 of the CPU time that they take if
// each pass finds the cells of all values.)
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "base/columns.hpp"
#include "base/types.hpp"
#include "encode/cell_map.hpp"
#include "encode/cuts.hpp"
#include "encode/quantiles.hpp"
#include "encode/radix.hpp"
#include "encode/row_cells.hpp"

namespace polytomy {

// A set of keys that stops at a limit: one key more, and it only records that it overflowed.
template <class Key>
class KeySet {
 public:
    explicit KeySet(std::size_t limit)
        : limit_(limit), mask_(std::bit_ceil(2 * limit + 2) - 1), shift_(64 - static_cast<int>(std::bit_width(mask_))), slot_(mask_ + 1),
          used_(mask_ + 1, 0) {}

    [[nodiscard]] bool overflowed() const noexcept { return overflowed_; }
    [[nodiscard]] const std::vector<Key>& keys() const noexcept { return keys_; }

    void insert(Key key) {
        if (overflowed_) return;
        // The uppermost bits of the product: all lower ones are zero for the keys of small whole numbers.
        auto at = static_cast<std::size_t>((std::uint64_t{key} * 0x9E3779B97F4A7C15U) >> shift_);
        while (used_[at] != 0) {
            if (slot_[at] == key) return;
            at = (at + 1) & mask_;
        }
        if (keys_.size() == limit_) {
            overflowed_ = true;
            return;
        }
        used_[at] = 1;
        slot_[at] = key;
        keys_.push_back(key);
    }

 private:
    std::size_t limit_;
    std::size_t mask_;
    int shift_;
    std::vector<Key> slot_;
    std::vector<std::uint8_t> used_;
    std::vector<Key> keys_;
    bool overflowed_ = false;
};

// The values that one thread found in the wanted cells, slot by slot. Their number is known in advance, so they need
// one allocation; growing one vector per slot would fragment the memory of ten million rows.
template <class Key>
struct KeptValues {
    std::vector<std::size_t> start, next;  // by slot
    std::vector<Key> keys;
    std::vector<Weight> units;

    KeptValues() = default;
    KeptValues(const std::vector<std::size_t>& wanted, const std::vector<std::uint32_t>& tallies, bool weighted)
        : start(wanted.size() + 1, 0) {
        for (std::size_t s = 0; s < wanted.size() && !tallies.empty(); ++s) start[s + 1] = tallies[wanted[s]];
        std::partial_sum(start.begin(), start.end(), start.begin());
        next = start;
        keys.resize(start.back());
        units.resize(weighted ? start.back() : 0);
    }
};

// The passes over one column, in blocks of at most RowList::kMost rows. `thread` says whose scratch memory to use; several
// threads may be in one pass.
class Cutter {
 public:
    virtual ~Cutter() = default;
    virtual void take_sample() = 0;
    [[nodiscard]] virtual bool may_have_few_values() const = 0;  // whether the column may have at most max_values values
    virtual void distinct(std::size_t thread, std::size_t begin, std::size_t end) = 0;
    virtual void after_distinct() = 0;
    // Where to keep the cells of the rows, if they are to be kept and the column has many values.
    virtual void keep_cells(const std::shared_ptr<LargeArray<std::uint16_t>>& memory, std::span<std::uint16_t> cells) = 0;
    // Copies the values of some rows of the block that starts at `begin`, for `count`, and for `keep` if `rereads`.
    virtual void read(std::size_t thread, std::size_t begin, std::size_t from, std::size_t to) = 0;
    virtual void count(std::size_t thread, std::size_t begin, std::size_t end) = 0;
    virtual void after_count() = 0;
    [[nodiscard]] virtual bool rereads() const = 0;
    virtual void keep(std::size_t thread, std::size_t begin, std::size_t end) = 0;
    // Whether the passes saw the same cells. If not, the caller changed some of them, and `finish` must not be called.
    [[nodiscard]] virtual bool agrees() const = 0;
    [[nodiscard]] virtual Cuts finish() = 0;
    // The cells of the rows, if they were to be kept and the column has many values; after `finish`.
    [[nodiscard]] virtual std::unique_ptr<RowCells> take_cells() = 0;
};

template <class T>
class TypedCutter final : public Cutter {
    using Key = KeyOf<T>;
    static constexpr std::uint16_t kSkip = 0xFFFF;  // not wanted; there are fewer cells than this

    struct Entry {
        Key key;
        Weight weight;
    };
    using Kept = KeptValues<Key>;
    // The values of a block and their cells.
    struct Scratch {
        std::vector<T> values;
        std::vector<std::uint16_t> cells;
    };

 public:
    TypedCutter(const ValueColumn& column, std::size_t rows, const Weight* units, BinLimits limits, std::size_t threads, bool keeps_cells)
        : column_(column), rows_(rows), units_(units), max_values_(limits.max_values), max_bins_(limits.max_bins), missing_(threads, 0),
          changed_(threads, 0), sets_(threads), tallies_(threads), weights_(threads), kept_(threads), scratch_(threads),
          row_cells_(keeps_cells ? std::make_unique<RowCells>() : nullptr) {}

    void take_sample() override {
        constexpr std::size_t kSample = 4096;
        std::vector<Key> sample;
        KeySet<Key> seen(max_values_);
        for (std::size_t i = 0; i < kSample; ++i) {
            const T value = load<T>(column_, static_cast<std::size_t>(rows_ / kSample * i + rows_ % kSample * i / kSample));
            if (is_missing(value)) continue;
            sample.push_back(to_key(value));
            seen.insert(sample.back());
        }
        few_ = !seen.overflowed();
        if (few_) {
            for (auto& set : sets_) set = std::make_unique<KeySet<Key>>(max_values_);
        }
        radix_sort(sample);
        if (sample.empty()) sample.push_back(0);
        map_ = CellMap<T>(sample, rows_);
    }

    [[nodiscard]] bool may_have_few_values() const override { return few_; }

    void distinct(std::size_t thread, std::size_t begin, std::size_t end) override {
        KeySet<Key>& set = *sets_[thread];
        if (set.overflowed()) return;
        each(begin, end, thread, [&](Key key, std::size_t) { set.insert(key); });
    }

    void after_distinct() override {
        for (std::size_t t = 1; few_ && t < sets_.size(); ++t) {
            for (const Key key : sets_[t]->keys()) sets_[0]->insert(key);
            if (sets_[t]->overflowed()) few_ = false;
        }
        if (few_ && sets_[0]->overflowed()) few_ = false;
        if (few_) row_cells_.reset();
    }

    void keep_cells(const std::shared_ptr<LargeArray<std::uint16_t>>& memory, std::span<std::uint16_t> cells) override {
        row_cells_->memory = memory;
        row_cells_->cells = cells;
    }

    void read(std::size_t thread, std::size_t begin, std::size_t from, std::size_t to) override {
        Scratch& scratch = scratch_[thread];
        scratch.values.resize(RowList::kMost);
        T* const values = scratch.values.data();
        const ValueColumn column = column_;
        for (std::size_t row = from; row < to; ++row) values[row - begin] = load<T>(column, row);
    }

    void count(std::size_t thread, std::size_t begin, std::size_t end) override {
        const std::uint16_t* const cells = find_cells(thread, begin, end);
        const std::size_t n = end - begin;
        auto& tallies = tallies_[thread];
        if (tallies.empty()) tallies.assign(map_.n_cells() + 1, 0);
        std::uint32_t* const tally = tallies.data();
        for (std::size_t i = 0; i < n; ++i) ++tally[cells[i]];
        if (units_ == nullptr) return;
        auto& weights = weights_[thread];
        if (weights.empty()) weights.assign(map_.n_cells() + 1, 0);
        for (std::size_t i = 0; i < n; ++i) weights[cells[i]] += units_[begin + i];
    }

    void after_count() override {
        const std::size_t n_cells = map_.n_cells();
        weight_.assign(n_cells, 0);
        for (std::size_t t = 0; t < tallies_.size(); ++t) {
            if (tallies_[t].empty()) continue;
            if (tallies_[t][n_cells] > 0) missing_[t] = 1;
            for (std::size_t c = 0; units_ == nullptr && c < n_cells; ++c) weight_[c] += tallies_[t][c];
            for (std::size_t c = 0; units_ != nullptr && c < n_cells; ++c) weight_[c] += weights_[t][c];
        }
        total_ = 0;
        for (const Weight w : weight_) total_ += w;
        slot_.assign(n_cells, kSkip);
        mark_cells();
        is_wanted_.assign(n_cells + 1, 0);
        for (const std::size_t c : wanted_) is_wanted_[c] = 1;
        for (std::size_t t = 0; t < kept_.size(); ++t) kept_[t] = Kept(wanted_, tallies_[t], units_ != nullptr);
        std::vector<std::vector<std::uint32_t>>().swap(tallies_);
        std::vector<std::vector<Weight>>().swap(weights_);
    }

    [[nodiscard]] bool rereads() const override { return row_cells_ == nullptr; }

    void keep(std::size_t thread, std::size_t begin, std::size_t end) override {
        const std::uint16_t* const cells = row_cells_ != nullptr ? row_cells_->cells.data() + begin : find_cells(thread, begin, end);
        RowList wanted;
        const std::uint8_t* const is_wanted = is_wanted_.data();
        wanted.select(end - begin, [=](std::size_t i) { return is_wanted[cells[i]]; });
        Kept& kept = kept_[thread];
        if (row_cells_ != nullptr) prefetch(column_, begin, wanted);
        for (const std::uint16_t i : wanted) {
            const T value = row_cells_ != nullptr ? load<T>(column_, begin + i) : scratch_[thread].values[i];
            const std::uint16_t slot = slot_[cells[i]];
            const std::size_t at = kept.next[slot]++;
            // Otherwise the cell has changed since it was counted; see `agrees`.
            if (at >= kept.start[slot + 1]) continue;
            if (is_missing(value) || map_.cell(value) != cells[i]) {
                changed_[thread] = 1;
                continue;
            }
            kept.keys[at] = to_key(value);
            if (units_ != nullptr) kept.units[at] = units_[begin + i];
        }
    }

    [[nodiscard]] bool agrees() const override {
        if (few_) return true;  // found in one pass
        if (std::any_of(changed_.begin(), changed_.end(), [](std::uint8_t c) { return c != 0; })) return false;
        for (std::size_t slot = 0; slot < wanted_.size(); ++slot) {
            Weight held = 0;
            for (const Kept& kept : kept_) {
                if (kept.next[slot] != kept.start[slot + 1]) return false;
                for (std::size_t i = kept.start[slot]; units_ != nullptr && i < kept.start[slot + 1]; ++i) held += kept.units[i];
            }
            if (units_ != nullptr && held != weight_[wanted_[slot]]) return false;
        }
        return true;
    }

    [[nodiscard]] Cuts finish() override {
        Cuts cuts;
        cuts.has_missing = std::any_of(missing_.begin(), missing_.end(), [](std::uint8_t m) { return m != 0; });
        if (few_) {
            std::vector<Key> keys = sets_[0]->keys();
            std::sort(keys.begin(), keys.end());
            for (const Key key : keys) cuts.low.push_back(from_key<T>(key));
            cuts.high = cuts.low;
            return cuts;
        }
        QuantileWalk<Key> walk(total_, max_bins_);
        Weight before = 0;
        for (std::size_t c = 0; c < weight_.size(); ++c) {
            if (weight_[c] == 0) continue;
            if (slot_[c] != kSkip) {
                visit_cell(c, before + weight_[c] >= walk.next_end(), walk);
            } else {
                walk.pass(weight_[c], 0);
            }
            before += weight_[c];
        }
        walk.finish();
        for (const Key key : walk.low) cuts.low.push_back(from_key<T>(key));
        for (const Key key : walk.high) cuts.high.push_back(from_key<T>(key));
        if (row_cells_ != nullptr) {
            row_cells_->n_cells = map_.n_cells();
            for (const Key key : walk.high) row_cells_->cell_of_end.push_back(static_cast<std::uint16_t>(map_.cell_of_key(key)));
        }
        return cuts;
    }

    [[nodiscard]] std::unique_ptr<RowCells> take_cells() override { return std::move(row_cells_); }

 private:
    template <class Visit>
    void each(std::size_t begin, std::size_t end, std::size_t thread, Visit&& visit) {
        bool missing = false;
        for (std::size_t row = begin; row < end; ++row) {
            const T value = load<T>(column_, row);
            if (is_missing(value)) {
                missing = true;
            } else {
                visit(to_key(value), row);
            }
        }
        if (missing) missing_[thread] = 1;
    }

    // Finds the cells of the values that were read, in the memory for all rows if cells are kept.
    const std::uint16_t* find_cells(std::size_t thread, std::size_t begin, std::size_t end) {
        Scratch& scratch = scratch_[thread];
        scratch.cells.resize(row_cells_ != nullptr ? 0 : RowList::kMost);
        std::uint16_t* const cells = row_cells_ != nullptr ? row_cells_->cells.data() + begin : scratch.cells.data();
        map_.find(scratch.values.data(), end - begin, cells);
        return cells;
    }

    // Marks the cells in which a bin ends, the cell after each of them, and the two outermost cells.
    void mark_cells() {
        std::uint32_t bin = 0;
        Weight before = 0;
        bool begins = true;
        std::size_t last = 0;
        for (std::size_t c = 0; c < weight_.size(); ++c) {
            if (weight_[c] == 0) continue;
            last = c;
            before += weight_[c];
            bool ends = false;
            for (; bin + 1 < max_bins_ && before >= bin_end(total_, bin, max_bins_); ++bin) ends = true;
            if (begins || ends) want(c);
            begins = ends;
        }
        if (total_ > 0 && slot_[last] == kSkip) want(last);
    }

    void want(std::size_t c) {
        slot_[c] = static_cast<std::uint16_t>(wanted_.size());
        wanted_.push_back(c);
    }

    void visit_cell(std::size_t c, bool ends, QuantileWalk<Key>& walk) {
        const std::size_t slot = slot_[c];
        if (units_ == nullptr && ends) {
            std::vector<Key> keys;
            for (const Kept& kept : kept_) {
                keys.insert(keys.end(), kept.keys.data() + kept.start[slot], kept.keys.data() + kept.start[slot + 1]);
            }
            visit_unsorted(keys, walk);
            return;
        }
        std::vector<Entry> entries;
        for (const Kept& kept : kept_) {
            for (std::size_t i = kept.start[slot]; i < kept.start[slot + 1]; ++i) {
                entries.push_back({kept.keys[i], units_ != nullptr ? kept.units[i] : 1});
            }
        }
        const auto by_key = [](const Entry& a, const Entry& b) { return a.key < b.key; };
        if (ends) {
            std::sort(entries.begin(), entries.end(), by_key);
            visit_sorted<Key>(entries, walk);
            return;
        }
        const auto [least, most] = std::minmax_element(entries.begin(), entries.end(), by_key);
        walk.visit(least->key, 0);
        walk.pass(weight_[c], most->key);
    }

    const ValueColumn column_;
    const std::size_t rows_;
    const Weight* units_;
    const std::uint32_t max_values_;
    const std::uint32_t max_bins_;
    bool few_ = false;
    CellMap<T> map_;
    Weight total_ = 0;
    std::vector<std::uint8_t> missing_;                       // by thread
    std::vector<std::uint8_t> changed_;                       // by thread: whether a value is not in the cell it was counted in
    std::vector<std::unique_ptr<KeySet<Key>>> sets_;          // by thread
    std::vector<std::vector<std::uint32_t>> tallies_;         // by thread and cell: rows (8-byte weights would take 1.5 times as long)
    std::vector<std::vector<Weight>> weights_;                // by thread and cell, if rows have weights
    std::vector<Weight> weight_;                              // by cell
    std::vector<std::uint16_t> slot_;                         // by cell
    std::vector<std::uint8_t> is_wanted_;                     // by cell, and for missing ones
    std::vector<std::size_t> wanted_;                         // cells, by slot
    std::vector<Kept> kept_;                                  // by thread
    std::vector<Scratch> scratch_;                            // by thread
    std::unique_ptr<RowCells> row_cells_;                     // null if the cells are not kept
};

}  // namespace polytomy
