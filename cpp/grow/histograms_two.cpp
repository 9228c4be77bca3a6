// cpp/grow/histograms_two.cpp: histograms of two classes with weights, most of the work of boosting; see histograms.hpp.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/cancellation.hpp"
#include "base/multiversion.hpp"
#include "grow/histograms.hpp"

namespace polytomy {
namespace {

// Rows are processed in chunks, so that their weights stay in the first cache while all columns are counted.
constexpr std::size_t kChunk = 2048;

struct Chunk {
    std::size_t n;
    const Row* members;  // null: rows first, first+1, ...
    std::size_t first;

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
};

// A row of one layer adds its weight to the count of its class. Rows in order are read in place.
class Single {
 public:
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
        return [own = std::size_t{label_[i]}, weight = units_[i]](Weight* counts, std::size_t code) { counts[2 * code + own] += weight; };
    }

 private:
    const Label* label_;
    const Weight* units_;
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

// A row of several layers adds to both counts at once.
struct Pair {
    using Both = Weight __attribute__((vector_size(16)));
    std::array<Weight, 2 * kChunk> units;

    void lay_out(const Chunk& chunk, const Target& target) {
        if (target.more.size() == 1 && chunk.members == nullptr) {
            const Layer& second = target.more.front();
            lay_out_two(chunk.start(target.label), chunk.start(target.units), chunk.start(second.label), chunk.start(second.units),
                        chunk.n, units.data());
            return;
        }
        std::fill_n(units.begin(), 2 * chunk.n, Weight{0});
        const auto add = [&](const Label* labels, const Weight* weights) {
            const Label* label = chunk.start(labels);
            const Weight* weight = chunk.start(weights);
            chunk.each([&](std::size_t i, std::size_t row) { units[2 * i + label[row]] += weight[row]; });
        };
        add(target.label, target.units);
        for (const Layer& layer : target.more) add(layer.label, layer.units);
    }
    [[nodiscard]] auto of(std::size_t i) const noexcept {
        Both pair;
        std::memcpy(&pair, units.data() + 2 * i, sizeof pair);
        return [pair](Weight* counts, std::size_t code) {
            Weight* to = counts + 2 * code;
            Both sum;
            std::memcpy(&sum, to, sizeof sum);
            sum += pair;
            std::memcpy(to, &sum, sizeof sum);
        };
    }
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
    chunk.each([codes, counts, &adds](std::size_t i, std::size_t row) {
        const auto add_to = adds.of(i);
        for (std::size_t k = 0; k < N; ++k) add_to(counts[k], codes[k][row]);
    });
    for (std::size_t k = 0; k < N; ++k) {
        Weight* rows = place[k].rows;
        if (rows != nullptr) chunk.each([&](std::size_t, std::size_t row) { rows[codes[k][row]] += 1; });
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

template <class Adds>
void add_all(std::span<const Place> places, const Row* members, std::size_t n, const Target& target) {
    Adds adds;
    for (std::size_t begin = 0; begin < n; begin += kChunk) {
        const Chunk chunk{std::min(kChunk, n - begin), members != nullptr ? members + begin : nullptr, begin};
        poll(chunk.n * places.size());
        adds.lay_out(chunk, target);
        add_chunk(places, chunk, adds);
    }
}

}  // namespace

void accumulate_two(std::span<const CodeColumn> columns, std::span<const std::int32_t> which, const Row* members,
                    std::size_t n, const Target& target, const std::int64_t* code_start, Weight* counts, Weight* rows) {
    std::vector<Place> places;
    for (const std::int32_t j : which) {
        const auto column = static_cast<std::size_t>(j);
        const auto start = code_start[column];
        places.push_back({&columns[column], counts + 2 * start, rows != nullptr ? rows + start : nullptr});
    }
    const auto add_them = target.more.empty() ? add_all<Single> : add_all<Pair>;
    add_them(places, members, n, target);
}

}  // namespace polytomy
