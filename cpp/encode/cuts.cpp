// cpp/encode/cuts.cpp: see cuts.hpp.
#include "encode/cuts.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"
#include "encode/cutter.hpp"
#include "encode/radix.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kGroup = 32;    // columns processed together: a row-major table is read once per group
constexpr std::uint32_t kMostCounted = 65535;  // with more values than this, a column is sorted: counting has 2-byte slots
constexpr std::size_t kBlock = RowList::kMost;  // rows processed together
constexpr std::size_t kLine = 32;   // cells in a line of the cache
constexpr std::size_t kTile = 256;  // rows whose cells are copied together, so that those of a row-major table stay in the first cache

// Rows of weight 1: only their keys are sorted.
template <class Key>
struct Keys {
    std::vector<Key> all;

    void add(Key key, Weight) { all.push_back(key); }
    void sort() { radix_sort(all); }
    [[nodiscard]] Key key(std::size_t i) const noexcept { return all[i]; }
    [[nodiscard]] Weight weight(std::size_t) const noexcept { return 1; }
};

template <class Key>
struct WeightedKeys {
    std::vector<std::pair<Key, Weight>> all;

    void add(Key key, Weight weight) { all.emplace_back(key, weight); }
    void sort() {
        radix_sort(all, [](const auto& pair) { return pair.first; });
    }
    [[nodiscard]] Key key(std::size_t i) const noexcept { return all[i].first; }
    [[nodiscard]] Weight weight(std::size_t i) const noexcept { return all[i].second; }
};

// Returns the distinct values of a column in ascending order, with the weight of each.
template <class Key, class Held>
std::vector<std::pair<Key, Weight>> distinct_values(Held& held) {
    held.sort();
    std::vector<std::pair<Key, Weight>> values;
    for (std::size_t i = 0; i < held.all.size(); ++i) {
        if (i == 0 || held.key(i) != values.back().first) values.emplace_back(held.key(i), 0);
        values.back().second += held.weight(i);
    }
    return values;
}

template <class T, class Held>
Cuts cuts_by_sorting_as(const ValueColumn& column, std::size_t rows, const Weight* units, BinLimits limits) {
    using Key = KeyOf<T>;
    Cuts cuts;
    Held held;
    held.all.reserve(rows);
    Weight total = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        const T value = load<T>(column, row);
        if (is_missing(value)) {
            cuts.has_missing = true;
            continue;
        }
        const Weight weight = units != nullptr ? units[row] : 1;
        held.add(to_key(value), weight);
        total += weight;
    }
    const auto values = distinct_values<Key>(held);
    if (values.size() <= limits.max_values) {
        for (const auto& [key, weight] : values) cuts.low.push_back(from_key<T>(key));
        cuts.high = cuts.low;
        return cuts;
    }
    QuantileWalk<Key> walk(total, limits.max_bins);
    for (const auto& [key, weight] : values) walk.visit(key, weight);
    walk.finish();
    for (const Key key : walk.low) cuts.low.push_back(from_key<T>(key));
    for (const Key key : walk.high) cuts.high.push_back(from_key<T>(key));
    return cuts;
}

template <class T>
Cuts cuts_by_sorting(const ValueColumn& column, std::size_t rows, const Weight* units, BinLimits limits) {
    using Key = KeyOf<T>;
    if (units == nullptr) return cuts_by_sorting_as<T, Keys<Key>>(column, rows, units, limits);
    return cuts_by_sorting_as<T, WeightedKeys<Key>>(column, rows, units, limits);
}

using Cutters = std::vector<std::unique_ptr<Cutter>>;

template <class Pass>
void over_rows(const Cutters& group, std::size_t rows, int threads, Pass&& pass) {
    parallel_blocks(rows, threads, [&](std::size_t thread, std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; at += kBlock) {
            poll(2 * kBlock * group.size());
            pass(thread, at, std::min(at + kBlock, end));
        }
    });
}

using CutterRefs = std::vector<Cutter*>;

// `cutters` are pointers to them.
template <class Pointers, class Work>
void over_columns(const Pointers& cutters, int threads, Work&& work) {
    parallel_blocks(cutters.size(), std::min(threads, static_cast<int>(cutters.size())), [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) work(*cutters[i]);
    });
}

void read_tiles(const CutterRefs& group, std::size_t thread, std::size_t begin, std::size_t end) {
    for (std::size_t from = begin; from < end; from += kTile) {
        for (Cutter* cutter : group) cutter->read(thread, begin, from, std::min(from + kTile, end));
    }
}

// The columns' cells, for whoever must read them again.
struct Source {
    std::span<const ValueColumn> columns;
    std::size_t rows;
    const Weight* units;
    BinLimits limits;

    // Reads each cell of a column once.
    [[nodiscard]] Cuts sorted(std::size_t j) const {
        Cuts cuts;
        with_values(columns[j], [&](auto type) { cuts = cuts_by_sorting<decltype(type)>(columns[j], rows, units, limits); });
        return cuts;
    }
};

// If the caller's cells change between the passes over a column, their results do not fit together; then it is sorted.
void cut_group(const Cutters& group, const Source& source, std::size_t first, int threads, Cuts* out, RowCellsOfColumns* row_cells) {
    const std::size_t rows = source.rows;
    over_columns(group, threads, [](Cutter& cutter) { cutter.take_sample(); });
    CutterRefs few, many, rereading;
    for (const auto& cutter : group) {
        if (cutter->may_have_few_values()) few.push_back(cutter.get());
    }
    if (!few.empty()) {
        over_rows(group, rows, threads, [&](std::size_t thread, std::size_t begin, std::size_t end) {
            for (Cutter* cutter : few) cutter->distinct(thread, begin, end);
        });
    }
    for (const auto& cutter : group) {
        cutter->after_distinct();
        if (!cutter->may_have_few_values()) many.push_back(cutter.get());
    }
    if (!many.empty() && row_cells != nullptr) {
        const auto memory = std::make_shared<LargeArray<std::uint16_t>>();
        const std::size_t stride = (rows + kLine - 1) / kLine * kLine;  // no two columns share a line of the cache
        memory->resize(many.size() * stride);
        for (std::size_t i = 0; i < many.size(); ++i) many[i]->keep_cells(memory, {memory->data() + i * stride, rows});
    }
    if (!many.empty()) {
        over_rows(group, rows, threads, [&](std::size_t thread, std::size_t begin, std::size_t end) {
            read_tiles(many, thread, begin, end);
            for (Cutter* cutter : many) cutter->count(thread, begin, end);
        });
        over_columns(many, threads, [](Cutter& cutter) { cutter.after_count(); });
        for (Cutter* cutter : many) {
            if (cutter->rereads()) rereading.push_back(cutter);
        }
        over_rows(group, rows, threads, [&](std::size_t thread, std::size_t begin, std::size_t end) {
            read_tiles(rereading, thread, begin, end);
            for (Cutter* cutter : many) cutter->keep(thread, begin, end);
        });
    }
    parallel_blocks(group.size(), threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const bool agrees = group[i]->agrees();
            out[i] = agrees ? group[i]->finish() : source.sorted(first + i);
            if (agrees && row_cells != nullptr) (*row_cells)[first + i] = group[i]->take_cells();
        }
    });
}

}  // namespace

std::vector<Cuts> find_cuts(std::span<const ValueColumn> columns, std::size_t rows, const Weight* units,
                            BinLimits limits, std::size_t sort_below, int threads, RowCellsOfColumns* row_cells) {
    std::vector<Cuts> cuts(columns.size());
    if (row_cells != nullptr) *row_cells = RowCellsOfColumns(columns.size());
    const Source source{columns, rows, units, limits};
    if (rows <= sort_below || limits.max_values > kMostCounted) {
        const int useful = worth(rows * columns.size(), 20000, threads);
        parallel_blocks(columns.size(), useful, [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t j = begin; j < end; ++j) cuts[j] = source.sorted(j);
        });
        return cuts;
    }
    threads = worth(rows * columns.size(), 20000, threads);
    for (std::size_t first = 0; first < columns.size(); first += kGroup) {
        Cutters group;
        for (std::size_t j = first; j < std::min(first + kGroup, columns.size()); ++j) {
            with_values(columns[j], [&](auto type) {
                group.push_back(std::make_unique<TypedCutter<decltype(type)>>(
                    columns[j], rows, units, limits, static_cast<std::size_t>(std::max(1, threads)), row_cells != nullptr));
            });
        }
        cut_group(group, source, first, threads, cuts.data() + first, row_cells);
    }
    return cuts;
}

}  // namespace polytomy
