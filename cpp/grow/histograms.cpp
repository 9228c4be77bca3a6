// cpp/grow/histograms.cpp: see histograms.hpp.
#include "grow/histograms.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/cancellation.hpp"
#include "base/multiversion.hpp"
#include "base/parallel.hpp"

namespace polytomy {
namespace {

// Rows are processed in chunks: a chunk's labels and weights are gathered once and stay in the first cache while all
// columns of the thread are counted. Records of rows far apart take a cache line each, so fewer of them stay there.
constexpr std::size_t kChunk = 2048;
constexpr std::size_t kRecords = 512;

// If a node holds few of the table's rows, every cell is in a cache line of its own, and prefetching takes 0.9 ms instead
// of 1.4 for 15,000 of 1,000,000 rows and 20 columns. If it holds many, prefetching does not pay.
constexpr std::size_t kAhead = 32;
constexpr std::size_t kSparse = 12;  // rows apart, on average

struct Chunk {
    std::size_t n;
    const Row* members;  // null: rows first, first+1, ...
    std::size_t first;
    std::size_t stride;

    // If the rows are in order, positions are relative to the chunk's first row, so that a loop has one counter.
    template <class T>
    [[nodiscard]] const T* start(const T* column) const noexcept {
        return members == nullptr ? column + first : column;
    }
    template <class Visitor>
    void each(Visitor&& visit) const {  // visit(place in the chunk, row from the start)
        const std::size_t last = n;
        if (members == nullptr) {
            for (std::size_t i = 0; i < last; ++i) visit(i, i);
        } else {
            for (std::size_t i = 0; i < last; ++i) visit(i, std::size_t{members[i]});
        }
    }
    template <class Visitor>
    void each_cell(Visitor&& visit) const {  // visit(place in the chunk, cell of a column from the start)
        if (stride == 1) return each(visit);
        const std::size_t last = n, step = stride;
        const Row* const rows = members;
        for (std::size_t i = 0; i < last; ++i) visit(i, rows[i] * step);
    }
    [[nodiscard]] bool is_sparse() const noexcept {
        return members != nullptr && stride == 1 && members[n - 1] - members[0] > kSparse * n;
    }
};

// The rows of a chunk; layers that are laid out row by row must fit, too.
std::size_t chunk_rows(const Target& target, std::size_t stride) noexcept {
    const std::size_t most = stride == 1 ? kChunk : kRecords;
    return target.classes == 2 ? most : std::clamp<std::size_t>(kChunk / (1 + target.more.size()), 64, most);
}

// The number of classes, known to the compiler if there are two.
template <std::size_t K>
struct Classes {
    explicit Classes(std::size_t) noexcept {}
    [[nodiscard]] std::size_t at(std::size_t code, std::size_t label) const noexcept { return K * code + label; }
};
template <>
struct Classes<0> {
    std::size_t classes;
    [[nodiscard]] std::size_t at(std::size_t code, std::size_t label) const noexcept { return classes * code + label; }
};

// A row without a weight adds one to the count of its class. Rows in order are read in place.
template <std::size_t K>
class Ones {
 public:
    explicit Ones(const Target& target) noexcept : classes_{target.classes} {}

    void lay_out(const Chunk& chunk, const Target& target) {
        label_ = chunk.start(target.label);
        if (chunk.members == nullptr) return;
        chunk.each([&](std::size_t i, std::size_t row) { labels_[i] = target.label[row]; });
        label_ = labels_.data();
    }
    [[nodiscard]] auto of(std::size_t i) const noexcept {
        return [own = std::size_t{label_[i]}, classes = classes_](Weight* counts, std::size_t code) { ++counts[classes.at(code, own)]; };
    }

 private:
    Classes<K> classes_;
    const Label* label_ = nullptr;
    std::array<Label, kChunk> labels_;
};

// A row of one layer adds its weight to the count of its class.
template <std::size_t K>
class Single {
 public:
    explicit Single(const Target& target) noexcept : classes_{target.classes} {}

    void lay_out(const Chunk& chunk, const Target& target) {
        label_ = chunk.start(target.label);
        units_ = chunk.start(target.units);
        if (chunk.members == nullptr) return;
        chunk.each([&](std::size_t i, std::size_t row) {
            labels_[i] = target.label[row];
            weights_[i] = target.units[row];
        });
        label_ = labels_.data();
        units_ = weights_.data();
    }
    [[nodiscard]] auto of(std::size_t i) const noexcept {
        return [own = std::size_t{label_[i]}, weight = units_[i], classes = classes_](Weight* counts, std::size_t code) {
            counts[classes.at(code, own)] += weight;
        };
    }

 private:
    Classes<K> classes_;
    const Label* label_ = nullptr;
    const Weight* units_ = nullptr;
    std::array<Label, kChunk> labels_;
    std::array<Weight, kChunk> weights_;
};

// Lays out the weights of n rows of two layers in pairs, for class 0 and class 1.
POLYTOMY_MULTIVERSION void lay_out_two(const Label* label, const Weight* weight, const Label* label_2, const Weight* weight_2,
                                       std::size_t n, Weight* __restrict units) {
    for (std::size_t i = 0; i < n; ++i) {
        const Weight of_one = (weight[i] & -Weight{label[i]}) + (weight_2[i] & -Weight{label_2[i]});
        units[2 * i] = weight[i] + weight_2[i] - of_one;
        units[2 * i + 1] = of_one;
    }
}

// A row of several layers adds to both of two counts at once. Pairs in order are read in place.
class Pair {
 public:
    explicit Pair(const Target&) noexcept {}

    void lay_out(const Chunk& chunk, const Target& target) {
        units_ = own_.data();
        if (target.pairs_in_records != nullptr) {
            const std::uint8_t* const from = target.pairs_in_records;
            chunk.each_cell([&](std::size_t i, std::size_t cell) { std::memcpy(own_.data() + 2 * i, from + cell, sizeof(Both)); });
        } else if (target.pairs != nullptr && chunk.members == nullptr) {
            units_ = target.pairs + 2 * chunk.first;
        } else if (target.pairs != nullptr) {
            chunk.each([&](std::size_t i, std::size_t row) {
                std::memcpy(own_.data() + 2 * i, target.pairs + 2 * row, sizeof(Both));
            });
        } else if (target.more.size() == 1 && chunk.members == nullptr) {
            const Layer& second = target.more.front();
            lay_out_two(chunk.start(target.label), chunk.start(target.units), chunk.start(second.label), chunk.start(second.units),
                        chunk.n, own_.data());
        } else {
            std::fill_n(own_.begin(), 2 * chunk.n, Weight{0});
            each_layer(target, [&](const Label* labels, const Weight* weights) {
                const Label* label = chunk.start(labels);
                const Weight* weight = chunk.start(weights);
                chunk.each([&](std::size_t i, std::size_t row) { own_[2 * i + label[row]] += weight[row]; });
            });
        }
    }
    [[nodiscard]] auto of(std::size_t i) const noexcept {
        Both pair;
        std::memcpy(&pair, units_ + 2 * i, sizeof pair);
        return [pair](Weight* counts, std::size_t code) {
            Weight* to = counts + 2 * code;
            Both sum;
            std::memcpy(&sum, to, sizeof sum);
            sum += pair;
            std::memcpy(to, &sum, sizeof sum);
        };
    }

 private:
    using Both = Weight __attribute__((vector_size(16)));
    const Weight* units_ = nullptr;
    std::array<Weight, 2 * kChunk> own_;
};

// A row of several layers adds to more than two counts; the layers of a chunk are laid out row by row.
class Layers {
 public:
    explicit Layers(const Target& target)
        : classes_(target.classes), layers_(1 + target.more.size()), label_(chunk_rows(target, 1) * layers_), units_(label_.size()) {}

    void lay_out(const Chunk& chunk, const Target& target) {
        std::size_t layer = 0;
        each_layer(target, [&](const Label* labels, const Weight* weights) {
            const Label* label = chunk.start(labels);
            const Weight* weight = chunk.start(weights);
            chunk.each([&](std::size_t i, std::size_t row) {
                label_[i * layers_ + layer] = label[row];
                units_[i * layers_ + layer] = weight[row];
            });
            ++layer;
        });
    }
    [[nodiscard]] auto of(std::size_t i) const noexcept {
        return [this, first = i * layers_](Weight* counts, std::size_t code) {
            Weight* to = counts + code * classes_;
            for (std::size_t l = first; l < first + layers_; ++l) to[label_[l]] += units_[l];
        };
    }

 private:
    std::size_t classes_, layers_;
    std::vector<Label> label_;
    std::vector<Weight> units_;
};

struct Place {
    const CodeColumn* column;
    Weight* counts;
    Weight* rows;
};

// N columns at a time, so that the weights of a row are read once for all of them: with N = 4 it takes 0.7 ms instead of
// 1.3 for 100,000 rows and 20 columns, and pairs take 0.8 ms instead of 1.4.
template <std::size_t N, class Code, class Adds>
[[gnu::noinline]] void add(const Place* place, const Chunk& chunk, const Adds& adds) {
    std::array<const Code*, N> codes;
    std::array<Weight*, N> counts;
    for (std::size_t k = 0; k < N; ++k) {
        codes[k] = chunk.start(static_cast<const Code*>(place[k].column->data));
        counts[k] = place[k].counts;
    }
    const auto add_row = [codes, counts, &adds](std::size_t i, std::size_t cell) {
        const auto add_to = adds.of(i);
        for (std::size_t k = 0; k < N; ++k) add_to(counts[k], codes[k][cell]);
    };
    if (chunk.is_sparse()) {
        for (std::size_t i = 0; i < chunk.n; ++i) {
            const std::size_t later = chunk.members[std::min(i + kAhead, chunk.n - 1)];
            for (std::size_t k = 0; k < N; ++k) __builtin_prefetch(codes[k] + later);
            add_row(i, std::size_t{chunk.members[i]});
        }
    } else {
        chunk.each_cell(add_row);
    }
    for (std::size_t k = 0; k < N; ++k) {
        Weight* rows = place[k].rows;
        if (rows != nullptr) chunk.each_cell([&](std::size_t, std::size_t cell) { rows[codes[k][cell]] += 1; });
    }
}

// The number of consecutive columns of the same width, up to four.
std::size_t together(std::span<const Place> places) noexcept {
    constexpr std::size_t kMost = 4;
    std::size_t k = 1;
    while (k < std::min(kMost, places.size()) && places[k].column->width == places[0].column->width) ++k;
    return k == 3 ? 2 : k;
}

template <class Adds>
void add_chunk(std::span<const Place> places, const Chunk& chunk, const Adds& adds) {
    while (!places.empty()) {
        const std::size_t taken = together(places);
        with_codes(*places[0].column, [&]<class Code>(const Code*) {
            if (taken == 4) return add<4, Code>(places.data(), chunk, adds);
            if (taken == 2) return add<2, Code>(places.data(), chunk, adds);
            add<1, Code>(places.data(), chunk, adds);
        });
        places = places.subspan(taken);
    }
}

// Load the records of a chunk, which are far apart, before they are needed.
void prefetch_records(std::span<const Place> places, const Chunk& chunk, const Target& target) {
    const auto* first = static_cast<const std::uint8_t*>(places.front().column->data);
    const auto* last = static_cast<const std::uint8_t*>(places.back().column->data);
    if (target.pairs_in_records != nullptr) last = target.pairs_in_records + 2 * sizeof(Weight) - 1;
    chunk.each_cell([=](std::size_t, std::size_t cell) {
        __builtin_prefetch(first + cell);
        __builtin_prefetch(last + cell);
    });
}

template <class Adds>
void add_all(std::span<const Place> places, const Row* members, std::size_t n, const Target& target, std::size_t stride) {
    Adds adds(target);
    const std::size_t step = chunk_rows(target, stride);
    for (std::size_t begin = 0; begin < n; begin += step) {
        const Chunk chunk{std::min(step, n - begin), members != nullptr ? members + begin : nullptr, begin, stride};
        poll(chunk.n * (1 + target.more.size()) * places.size());
        if (stride > 1) prefetch_records(places, chunk, target);
        adds.lay_out(chunk, target);
        add_chunk(places, chunk, adds);
    }
}

auto adder(const Target& target) {
    const bool two = target.classes == 2;
    if (target.units == nullptr) return two ? add_all<Ones<2>> : add_all<Ones<0>>;
    if (target.more.empty()) return two ? add_all<Single<2>> : add_all<Single<0>>;
    return two ? add_all<Pair> : add_all<Layers>;
}

std::vector<Place> places_of(std::span<const CodeColumn> columns, std::span<const std::int32_t> which, const Target& target,
                             const std::int64_t* code_start, Weight* counts, Weight* rows) {
    std::vector<Place> places;
    for (const std::int32_t j : which) {
        const auto column = static_cast<std::size_t>(j);
        const auto start = static_cast<std::size_t>(code_start[column]);
        Weight* const of_code = rows != nullptr && target.units != nullptr ? rows + start : nullptr;
        places.push_back({&columns[column], counts + start * target.classes, of_code});
    }
    return places;
}

constexpr std::size_t kGrain = 100000;  // cells that make a thread worthwhile (about 0.1 ms)
constexpr std::size_t kFarGrain = 40000;  // cells of records far apart

}  // namespace

void accumulate(std::span<const CodeColumn> columns, std::span<const std::int32_t> which, const Row* members,
                std::size_t n, const Target& target, const std::int64_t* code_start, Weight* counts, Weight* rows,
                int threads, std::size_t stride) {
    if (which.empty()) return;
    const auto add_them = adder(target);
    const std::size_t cells = n * which.size();
    const auto last = static_cast<std::size_t>(*std::max_element(which.begin(), which.end()));
    const auto n_codes = static_cast<std::size_t>(code_start[last + 1]);
    const std::size_t size = n_codes * target.classes;
    if (stride > 1 && cells > 2 * size) {
        // Each thread takes some of the records, all cells of which are in the same cache lines, and has its own histograms.
        std::vector<std::vector<Weight>> own(static_cast<std::size_t>(worth(cells, kFarGrain, threads)));
        parallel_blocks(n, static_cast<int>(own.size()), [&](std::size_t block, std::size_t begin, std::size_t end) {
            Weight* to = counts;
            Weight* of_code = rows;
            if (block > 0) {
                own[block].assign(size + (rows != nullptr ? n_codes : 0), 0);
                to = own[block].data();
                of_code = rows != nullptr ? to + size : nullptr;
            }
            add_them(places_of(columns, which, target, code_start, to, of_code), members + begin, end - begin, target, stride);
        });
        for (std::size_t block = 1; block < own.size(); ++block) {
            const Weight* from = own[block].data();
            for (std::size_t i = 0; i < size; ++i) counts[i] += from[i];
            for (std::size_t i = size; i < own[block].size(); ++i) rows[i - size] += from[i];
        }
        return;
    }
    const int useful = worth(cells, kGrain, std::min(threads, static_cast<int>(which.size())));
    parallel_blocks(which.size(), useful, [&](std::size_t, std::size_t begin, std::size_t end) {
        const auto places = places_of(columns, which.subspan(begin, end - begin), target, code_start, counts, rows);
        add_them(places, members, n, target, stride);
    });
}

}  // namespace polytomy
