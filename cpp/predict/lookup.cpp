// cpp/predict/lookup.cpp: see lookup.hpp.
#include "predict/lookup.hpp"

#include "base/cancellation.hpp"
#include "base/multiversion.hpp"
#include "base/parallel.hpp"
#include "predict/block.hpp"

namespace polytomy {
namespace {

using Places = std::array<std::int64_t, kBlock>;  // as wide as a double, so that both fit the same vectors

// Counts the thresholds below each value. Comparing with all of them needs no branches.
POLYTOMY_MULTIVERSION void count_below(const double* values, std::span<const double> thresholds, std::int64_t* places) {
    constexpr std::size_t kLanes = 16;  // rows whose counts stay in registers; rows past the end of the block are ignored
    for (std::size_t first = 0; first < kBlock; first += kLanes) {
        std::int64_t count[kLanes] = {};
        for (const double t : thresholds) {
            for (std::size_t i = 0; i < kLanes; ++i) count[i] += static_cast<std::int64_t>(values[first + i] > t);
        }
        for (std::size_t i = 0; i < kLanes; ++i) places[first + i] = count[i];
    }
}

// The same by binary search, one step for all rows at a time, so that their reads do not wait for each other.
POLYTOMY_MULTIVERSION void search_below(const double* values, std::span<const double> thresholds, std::int64_t* places) {
    const double* const t = thresholds.data();
    for (std::size_t i = 0; i < kBlock; ++i) places[i] = 0;
    auto left = static_cast<std::int64_t>(thresholds.size());
    for (; left > 1; left -= left / 2) {
        const std::int64_t half = left / 2;
        for (std::size_t i = 0; i < kBlock; ++i) places[i] += values[i] > t[places[i] + half - 1] ? half : 0;
    }
    for (std::size_t i = 0; i < kBlock; ++i) places[i] += static_cast<std::int64_t>(values[i] > t[places[i]]);
}

void places_of_numbers(const Block& values, std::span<const double> thresholds, Places& places) {
    constexpr std::size_t kFew = 48;
    if (thresholds.size() <= kFew) {
        count_below(values.data(), thresholds, places.data());
    } else {
        search_below(values.data(), thresholds, places.data());
    }
    const auto missing = static_cast<std::int64_t>(thresholds.size()) + 1;
    for (std::size_t i = 0; i < kBlock; ++i) places[i] = std::isnan(values[i]) ? missing : places[i];
}

void places_of_codes(const ValueColumn& column, std::size_t begin, std::size_t n, std::int64_t codes, Places& places) {
    for (std::size_t i = 0; i < n; ++i) {
        const auto code = load<std::int32_t>(column, begin + i);
        const std::int64_t none = code == kMissing ? codes : codes + 1;
        places[i] = code >= 0 && code < codes ? code : none;
    }
}

void add(const double* scores, std::size_t outputs, const Places& places, std::size_t n, double* votes) {
    if (outputs == 1) {
        for (std::size_t i = 0; i < n; ++i) votes[i] += scores[places[i]];
        return;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double* from = scores + static_cast<std::size_t>(places[i]) * outputs;
        for (std::size_t o = 0; o < outputs; ++o) votes[i * outputs + o] += from[o];
    }
}

}  // namespace

void look_up(const LookupView& lookups, std::span<const ValueColumn> columns, double* votes, std::size_t n, int threads) {
    constexpr std::size_t kGrain = 10000;  // rows per thread for which starting it pays off
    parallel_blocks(n, worth(n, kGrain, threads), [&](std::size_t, std::size_t first, std::size_t last) {
        Block values{};
        Places places;
        each_block(first, last, [&](std::size_t begin, std::size_t rows) {
            poll(8 * rows * lookups.column.size() * lookups.outputs);
            for (std::size_t j = 0; j < lookups.column.size(); ++j) {
                const ValueColumn& column = columns[static_cast<std::size_t>(lookups.column[j])];
                if (lookups.by_code[j] != 0) {
                    const std::int64_t codes = lookups.place_start[j + 1] - lookups.place_start[j] - 2;
                    places_of_codes(column, begin, rows, codes, places);
                } else {
                    const double* t = lookups.threshold;
                    read_block(column, begin, rows, values);
                    places_of_numbers(values, {t + lookups.threshold_start[j], t + lookups.threshold_start[j + 1]}, places);
                    for (std::size_t i = 0; column.type == ValueType::rank && i < rows; ++i) {
                        places[i] += static_cast<std::int64_t>(is_new_label(values[i]));
                    }
                }
                const std::size_t at = static_cast<std::size_t>(lookups.place_start[j]) * lookups.outputs;
                add(lookups.scores + at, lookups.outputs, places, rows, votes + begin * lookups.outputs);
            }
        });
    });
}

}  // namespace polytomy
