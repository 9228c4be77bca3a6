// cpp/cuts.cpp: see cuts.hpp.
#include "cuts.hpp"

#include <algorithm>
#include <memory>

#include "cutter.hpp"
#include "parallel.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kGroup = 16;    // columns passed over together: their counters stay in the cache
constexpr std::size_t kBlock = 4096;  // rows passed over together: a row-major table is read once per group

template <class T>
Cuts cuts_by_sorting(const ValueColumn& column, std::size_t rows, const Weight* units, std::uint32_t max_bins) {
    using Key = KeyOf<T>;
    struct Entry {
        Key key;
        Weight weight;
    };
    Cuts cuts;
    std::vector<Entry> entries;
    entries.reserve(rows);
    Weight total = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        const T value = load<T>(column, row);
        if (is_missing(value)) {
            cuts.has_missing = true;
            continue;
        }
        entries.push_back({to_key(value), units != nullptr ? units[row] : 1});
        total += entries.back().weight;
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    std::size_t values = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) values += i == 0 || entries[i].key != entries[i - 1].key ? 1 : 0;
    if (values <= max_bins) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (i == 0 || entries[i].key != entries[i - 1].key) cuts.low.push_back(from_key<T>(entries[i].key));
        }
        cuts.high = cuts.low;
        return cuts;
    }
    QuantileWalk<Key> walk(total, max_bins);
    visit_sorted<Key>(entries, walk);
    walk.finish();
    for (const Key key : walk.low) cuts.low.push_back(from_key<T>(key));
    for (const Key key : walk.high) cuts.high.push_back(from_key<T>(key));
    return cuts;
}

using Cutters = std::vector<std::unique_ptr<Cutter>>;

template <class Pass>
void over_rows(const Cutters& group, std::size_t rows, int threads, Pass&& pass) {
    parallel_blocks(rows, threads, [&](std::size_t thread, std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; at += kBlock) {
            for (const auto& cutter : group) pass(*cutter, thread, at, std::min(at + kBlock, end));
        }
    });
}

void cut_group(const Cutters& group, std::size_t rows, int threads, Cuts* out) {
    for (const auto& cutter : group) cutter->look();
    over_rows(group, rows, threads, [](Cutter& c, std::size_t t, std::size_t begin, std::size_t end) {
        if (c.few()) c.distinct(t, begin, end);
    });
    for (const auto& cutter : group) cutter->after_distinct();
    over_rows(group, rows, threads, [](Cutter& c, std::size_t t, std::size_t begin, std::size_t end) {
        if (!c.few()) c.count(t, begin, end);
    });
    for (const auto& cutter : group) {
        if (!cutter->few()) cutter->after_count();
    }
    over_rows(group, rows, threads, [](Cutter& c, std::size_t t, std::size_t begin, std::size_t end) {
        if (!c.few()) c.keep(t, begin, end);
    });
    parallel_blocks(group.size(), threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) out[i] = group[i]->finish();
    });
}

}  // namespace

std::vector<Cuts> find_cuts(std::span<const ValueColumn> columns, std::size_t rows, const Weight* units,
                            std::uint32_t max_bins, std::size_t sort_below, int threads) {
    std::vector<Cuts> cuts(columns.size());
    if (rows <= sort_below || max_bins > 65535) {
        const int useful = worth(rows * columns.size(), 20000, threads);
        parallel_blocks(columns.size(), useful, [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t j = begin; j < end; ++j) {
                with_values(columns[j], [&](auto type) {
                    cuts[j] = cuts_by_sorting<decltype(type)>(columns[j], rows, units, max_bins);
                });
            }
        });
        return cuts;
    }
    threads = worth(rows * columns.size(), 20000, threads);
    for (std::size_t first = 0; first < columns.size(); first += kGroup) {
        Cutters group;
        for (std::size_t j = first; j < std::min(first + kGroup, columns.size()); ++j) {
            with_values(columns[j], [&](auto type) {
                group.push_back(std::make_unique<TypedCutter<decltype(type)>>(
                    columns[j], rows, units, max_bins, static_cast<std::size_t>(std::max(1, threads))));
            });
        }
        cut_group(group, rows, threads, cuts.data() + first);
    }
    return cuts;
}

}  // namespace polytomy
