// cpp/grow/histograms.cpp: see histograms.hpp.
#include "grow/histograms.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"

namespace polytomy {
namespace {

// Rows are processed in chunks: a chunk's labels and weights are gathered once and stay in the first cache while all
// columns of the thread are counted.
constexpr std::size_t kChunk = 2048;

struct Chunk {
    std::size_t n = 0;
    const Row* members = nullptr;  // null: rows first, first+1, ...
    std::size_t first = 0;
    const Label* label = nullptr;
    const Weight* units = nullptr;
};

template <class Code>
void count_units(const Code* codes, const Chunk& chunk, std::size_t classes, Weight* counts, Weight* rows) {
    for (std::size_t i = 0; i < chunk.n; ++i) {
        const std::size_t row = chunk.members != nullptr ? chunk.members[i] : chunk.first + i;
        const std::size_t code = codes[row];
        counts[code * classes + chunk.label[i]] += chunk.units[i];
        rows[code] += 1;
    }
}

template <class Code>
void add_units(const Code* codes, const Chunk& chunk, std::size_t classes, Weight* counts) {
    for (std::size_t i = 0; i < chunk.n; ++i) {
        const std::size_t row = chunk.members != nullptr ? chunk.members[i] : chunk.first + i;
        counts[std::size_t{codes[row]} * classes + chunk.label[i]] += chunk.units[i];
    }
}

// If a node holds few of the table's rows, every cell is in a cache line of its own, and prefetching takes 0.9 ms instead
// of 1.4 for 15,000 of 1,000,000 rows and 20 columns. If it holds many, prefetching does not pay.
constexpr std::size_t kAhead = 32;
constexpr std::size_t kSparse = 12;  // rows apart, on average

template <class Code, class Count>
void each_member(const Code* codes, const Chunk& chunk, Count&& count) {
    const Row* members = chunk.members;
    std::size_t i = 0;
    if (members[chunk.n - 1] - members[0] > kSparse * chunk.n) {
        for (; i + kAhead < chunk.n; ++i) {
            __builtin_prefetch(codes + members[i + kAhead]);
            count(codes[members[i]], i);
        }
    }
    for (; i < chunk.n; ++i) count(codes[members[i]], i);
}

template <class Code>
void count_rows(const Code* codes, const Chunk& chunk, std::size_t classes, Weight* counts) {
    const Label* label = chunk.label;
    if (chunk.members == nullptr) {
        const Code* own = codes + chunk.first;
        if (classes == 2) {
            for (std::size_t i = 0; i < chunk.n; ++i) ++counts[std::size_t{own[i]} * 2 + label[i]];
        } else {
            for (std::size_t i = 0; i < chunk.n; ++i) ++counts[own[i] * classes + label[i]];
        }
        return;
    }
    if (classes == 2) {
        each_member(codes, chunk, [=](std::size_t code, std::size_t i) { ++counts[code * 2 + label[i]]; });
    } else {
        each_member(codes, chunk, [=](std::size_t code, std::size_t i) { ++counts[code * classes + label[i]]; });
    }
}

// For rows with several layers, the layers of a chunk are laid out row by row, so that each cell's code is read once.
struct Laid {
    std::size_t layers;
    std::vector<Label> label;
    std::vector<Weight> units;
};

template <class Code>
void add_layers(const Code* codes, const Chunk& chunk, const Laid& laid, std::size_t classes, Weight* counts) {
    const Label* label = laid.label.data();
    const Weight* units = laid.units.data();
    for (std::size_t i = 0; i < chunk.n; ++i) {
        const std::size_t row = chunk.members != nullptr ? chunk.members[i] : chunk.first + i;
        Weight* to = counts + std::size_t{codes[row]} * classes;
        for (std::size_t l = 0; l < laid.layers; ++l) to[*label++] += *units++;
    }
}

template <class Code>
void add_rows(const Code* codes, const Chunk& chunk, Weight* rows) {
    for (std::size_t i = 0; i < chunk.n; ++i) {
        rows[codes[chunk.members != nullptr ? chunk.members[i] : chunk.first + i]] += 1;
    }
}

void lay_out(const Chunk& chunk, std::span<const Layer> layers, Laid& laid) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
        for (std::size_t i = 0; i < chunk.n; ++i) {
            const std::size_t row = chunk.members != nullptr ? chunk.members[i] : chunk.first + i;
            laid.label[i * layers.size() + l] = layers[l].label[row];
            laid.units[i * layers.size() + l] = layers[l].units[row];
        }
    }
}

void accumulate_layers(std::span<const CodeColumn> columns, std::span<const std::int32_t> which,
                       const Row* members, std::size_t n, const Target& target, const std::int64_t* code_start,
                       Weight* counts, Weight* rows) {
    std::vector<Layer> layers{{target.label, target.units}};
    layers.insert(layers.end(), target.more.begin(), target.more.end());
    const std::size_t step = std::max<std::size_t>(64, kChunk / layers.size());
    Laid laid{layers.size(), std::vector<Label>(step * layers.size()), std::vector<Weight>(step * layers.size())};
    for (std::size_t begin = 0; begin < n; begin += step) {
        Chunk chunk;
        chunk.n = std::min(step, n - begin);
        chunk.first = begin;
        chunk.members = members != nullptr ? members + begin : nullptr;
        poll(chunk.n * layers.size() * which.size());
        lay_out(chunk, layers, laid);
        for (const std::int32_t j : which) {
            const auto column = static_cast<std::size_t>(j);
            const auto start = static_cast<std::size_t>(code_start[column]);
            with_codes(columns[column], [&](const auto* codes) {
                add_layers(codes, chunk, laid, target.classes, counts + start * target.classes);
                if (rows != nullptr) add_rows(codes, chunk, rows + start);
            });
        }
    }
}

void accumulate_columns(std::span<const CodeColumn> columns, std::span<const std::int32_t> which,
                        const Row* members, std::size_t n, const Target& target, const std::int64_t* code_start,
                        Weight* counts, Weight* rows) {
    std::array<Label, kChunk> label;
    std::array<Weight, kChunk> units;
    for (std::size_t begin = 0; begin < n; begin += kChunk) {
        Chunk chunk;
        chunk.n = std::min(kChunk, n - begin);
        chunk.first = begin;
        chunk.members = members != nullptr ? members + begin : nullptr;
        chunk.label = target.label + begin;
        poll(chunk.n * which.size());
        if (members != nullptr) {
            for (std::size_t i = 0; i < chunk.n; ++i) label[i] = target.label[chunk.members[i]];
            chunk.label = label.data();
        }
        if (target.units != nullptr) {
            for (std::size_t i = 0; i < chunk.n; ++i) {
                units[i] = target.units[members != nullptr ? chunk.members[i] : begin + i];
            }
            chunk.units = units.data();
        }
        for (const std::int32_t j : which) {
            const auto column = static_cast<std::size_t>(j);
            const auto start = static_cast<std::size_t>(code_start[column]);
            with_codes(columns[column], [&](const auto* codes) {
                if (target.units != nullptr && rows == nullptr) {
                    add_units(codes, chunk, target.classes, counts + start * target.classes);
                } else if (target.units != nullptr) {
                    count_units(codes, chunk, target.classes, counts + start * target.classes, rows + start);
                } else {
                    count_rows(codes, chunk, target.classes, counts + start * target.classes);
                }
            });
        }
    }
}

}  // namespace

void accumulate(std::span<const CodeColumn> columns, std::span<const std::int32_t> which, const Row* members,
                std::size_t n, const Target& target, const std::int64_t* code_start, Weight* counts, Weight* rows,
                int threads) {
    constexpr std::size_t kGrain = 100000;  // cells that make a thread worthwhile (about 0.1 ms)
    const int useful = worth(n * which.size(), kGrain, std::min(threads, static_cast<int>(which.size())));
    parallel_blocks(which.size(), useful, [&](std::size_t, std::size_t begin, std::size_t end) {
        const auto part = which.subspan(begin, end - begin);
        const bool two = target.classes == 2 && target.units != nullptr;
        const auto count = two ? accumulate_two : target.more.empty() ? accumulate_columns : accumulate_layers;
        count(columns, part, members, n, target, code_start, counts, rows);
    });
}

}  // namespace polytomy
