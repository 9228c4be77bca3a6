// tests/cpp/test_cuts.cpp: bins found by sorting and by counting, against the definition of quantiles.
#include <algorithm>
#include <map>

#include "check.hpp"
#include "encode/cuts.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

constexpr std::size_t kAlwaysSort = std::numeric_limits<std::size_t>::max();

// Bin b ends at the smallest value whose weight, with all below it, reaches (b+1)/max_bins of the total. In fixed point
// it may fall short by 2^-40 of the total. Up to max_values distinct values have a bin each.
template <class T>
Cuts naive_cuts(const std::vector<T>& values, const std::vector<Weight>* units, BinLimits limits) {
    const auto [max_values, max_bins] = limits;
    Cuts cuts;
    std::map<double, Weight> weight;
    Weight total = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        cuts.has_missing = cuts.has_missing || is_missing(values[i]);
        if (is_missing(values[i])) continue;
        weight[to_double(values[i])] += units != nullptr ? (*units)[i] : 1;
        total += units != nullptr ? (*units)[i] : 1;
    }
    const bool few = weight.size() <= max_values;
    __extension__ using Wide = __int128;
    std::uint32_t ended = 0;
    Wide below = 0;
    for (const auto& [value, w] : weight) {
        if (cuts.low.size() == cuts.high.size()) cuts.low.push_back(value);
        below += w;
        const auto reached = [&, bins = max_bins](Wide b) { return (below + (total >> 40)) * bins >= (b + 1) * total; };
        bool ends = few || below == total;
        for (; !few && ended + 1 < max_bins && reached(ended); ++ended) ends = true;
        if (ends) cuts.high.push_back(value);
    }
    return cuts;
}

bool same(const Cuts& a, const Cuts& b) { return a.low == b.low && a.high == b.high && a.has_missing == b.has_missing; }

std::vector<Weight> random_units(Random& random, std::size_t n) {
    const std::size_t most = random.one_in(2) ? 4 : (std::size_t{1} << 53) / (n + 1);
    std::vector<Weight> units(n);
    for (Weight& w : units) w = static_cast<Weight>(1 + random.below(random.one_in(20) ? most : most / 4 + 1));
    return units;
}

// The cells that were kept are in the order of the values, and those of the ends of bins are right.
template <class T>
void check_cells(const RowCells* kept, const std::vector<T>& values, const Cuts& cuts) {
    if (kept == nullptr) return;
    CHECK(kept->cells.size() == values.size());
    CHECK(kept->cell_of_end.size() == cuts.high.size());
    std::vector<std::pair<double, std::size_t>> placed;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t cell = kept->cells.data()[i];
        CHECK(is_missing(values[i]) ? cell == kept->n_cells : cell < kept->n_cells);
        if (!is_missing(values[i])) placed.emplace_back(to_double(values[i]), cell);
    }
    for (std::size_t b = 0; b < cuts.high.size(); ++b) placed.emplace_back(cuts.high[b], kept->cell_of_end[b]);
    std::sort(placed.begin(), placed.end());
    for (std::size_t i = 1; i < placed.size(); ++i) {
        CHECK(placed[i - 1].second <= placed[i].second);
        CHECK(placed[i - 1].first < placed[i].first || placed[i - 1].second == placed[i].second);
    }
}

template <class T>
void compare(Random& random, const std::vector<T>& values, BinLimits limits) {
    const std::vector<Weight> units = random_units(random, values.size());
    const OwnedColumn<T> held = lay_out(values, random.below(3));
    const std::vector<ValueColumn> columns{held.view};
    // Enough columns for three threads, if there are rows to divide.
    const std::vector<ValueColumn> many(values.size() > 4000 ? 60000 / values.size() + 1 : 1, held.view);
    for (const std::vector<Weight>* w : {static_cast<const std::vector<Weight>*>(nullptr), &units}) {
        const Cuts want = naive_cuts(values, w, limits);
        const Weight* data = w != nullptr ? w->data() : nullptr;
        CHECK(want.low.size() <= limits.max_values);
        CHECK(same(find_cuts(columns, values.size(), data, limits, kAlwaysSort, 2)[0], want));
        CHECK(same(find_cuts(columns, values.size(), data, limits, 0, 1)[0], want));
        for (const Cuts& cuts : find_cuts(many, values.size(), data, limits, 0, 3)) CHECK(same(cuts, want));
        RowCellsOfColumns cells;
        for (const Cuts& cuts : find_cuts(many, values.size(), data, limits, 0, 3, &cells)) CHECK(same(cuts, want));
        for (const auto& of_column : cells) check_cells(of_column.get(), values, want);
    }
}

// Every type and shape, from no rows to more than the sample has.
void cuts_match_the_definition() {
    Random random(19);
    check::cases(static_cast<long>(5 * kShapes), [&](long number) {
        each_value_type([&](auto type) {
            const std::size_t few = random.below(number < 7 ? 4 : 600);
            const std::size_t rows = number >= 7 && random.one_in(3) ? 4097 + random.below(9000) : few;
            const std::uint32_t bins = random.one_in(3) ? 255 : static_cast<std::uint32_t>(2 + random.below(30));
            const auto shape = static_cast<std::size_t>(number) % kShapes;
            compare(random, random_values<decltype(type)>(random, rows, shape, random.one_in(2)), {random.one_in(2) ? bins : 3 * bins, bins});
        });
    });
}

// Some values, or missing cells, are only in rows that are not in the sample.
void cuts_include_values_outside_the_sample() {
    Random random(20);
    for (const double seen : {1.0, missing_value<double>()}) {
        for (const unsigned between : {2U, 40U, 4096U}) {
            std::vector<double> values(8192, seen);
            for (std::size_t i = 1; i < 2 * between; i += 2) values[8192 - i] = random.unit() * 1e5 - 5e4;
            values[8190] = missing_value<double>();
            compare(random, values, {20, 20});
            compare(random, std::vector<float>(values.begin(), values.end()), {60, 20});
        }
    }
}

// Floats that are spread evenly, which get cells of equal width, with values far outside the sample's range.
void cuts_of_even_floats_match_the_definition() {
    Random random(29);
    check::cases(24, [&](long number) {
        const std::size_t rows = 5000 + random.below(9000);
        const double low = number % 3 == 0 ? 0.0 : random.unit() * 1e4 - 5e3;
        const double width = number % 4 == 0 ? 1e-300 : number % 4 == 1 ? 1e-42 : 1.0 + random.unit();
        std::vector<double> values(rows);
        for (double& value : values) value = low + width * random.unit();
        for (const double odd : {missing_value<double>(), -0.0, 0.0, 1e308, -1e308, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()}) {
            if (random.one_in(2)) values[random.below(rows)] = odd;
        }
        const auto bins = static_cast<std::uint32_t>(2 + random.below(254));
        compare(random, values, {bins, bins});
        std::vector<float> floats;
        for (const double value : values) floats.push_back(std::abs(value) < 1e38 ? static_cast<float>(value) : std::numeric_limits<float>::infinity());
        compare(random, floats, {2 * bins, bins});
    });
}

// As many values as bins, one more, and one less.
void cuts_separate_as_many_values_as_bins() {
    Random random(28);
    for (std::uint32_t distinct = 2; distinct < 40; ++distinct) {
        std::vector<double> values(300, distinct / 2);
        for (std::uint32_t i = 0; i < distinct; ++i) values[i] = i;
        std::shuffle(values.begin(), values.end(), random.engine);
        for (std::uint32_t less = 0; less < 3; ++less) {
            const std::uint32_t most = distinct + 1 - less;
            compare(random, values, {most, most});
            compare(random, values, {most, 2});
        }
    }
}

// Integer weights and the same weights in fixed point give the same bins; so do narrower types and other layouts.
void cuts_do_not_depend_on_scale_type_or_layout() {
    Random random(21);
    check::cases(60, [&](long) {
        const std::size_t n = 1 + random.below(3000);
        const auto values = random_values<std::int16_t>(random, n, random.below(kShapes), false);
        std::vector<Weight> units(n), fixed(n);
        double total = 0.0;
        for (Weight& w : units) total += static_cast<double>(w = static_cast<Weight>(1 + random.below(9)));
        for (std::size_t i = 0; i < n; ++i) fixed[i] = std::llrint(static_cast<double>(units[i]) * (0x1p53 / total));
        const auto most = static_cast<std::uint32_t>(2 + random.below(60));
        const BinLimits bins{most, most};
        const Cuts want = naive_cuts(values, &units, bins);
        const auto shorts = lay_out(values, 1);
        const auto floats = lay_out(std::vector<float>(values.begin(), values.end()), 2);
        const auto longs = lay_out(std::vector<std::int64_t>(values.begin(), values.end()), 0);
        const std::vector<ValueColumn> columns{shorts.view, floats.view, longs.view};
        for (const std::size_t sort_below : {std::size_t{0}, kAlwaysSort}) {
            for (const Cuts& got : find_cuts(columns, n, units.data(), bins, sort_below, 3)) CHECK(same(got, want));
            for (const Cuts& got : find_cuts(columns, n, fixed.data(), bins, sort_below, 3)) CHECK(same(got, want));
        }
    });
}

void cuts_of_many_columns_equal_single_ones() {
    Random random(22);
    std::vector<OwnedColumn<double>> held;
    std::vector<ValueColumn> columns;
    for (std::size_t j = 0; j < 35; ++j) {
        held.push_back(lay_out(random_values<double>(random, 5000, j % kShapes, true), j));
        columns.push_back(held[j].view);
    }
    const std::vector<Cuts> sorted = find_cuts(columns, 5000, nullptr, {150, 100}, kAlwaysSort, 3);
    const std::vector<Cuts> counted = find_cuts(columns, 5000, nullptr, {150, 100}, 0, 3);
    for (std::size_t j = 0; j < 35; ++j) CHECK(same(sorted.at(j), counted.at(j)));
    CHECK(find_cuts({}, 5000, nullptr, {150, 100}, 0, 3).empty());
    for (const std::uint32_t bins : {1U, 65535U, 65536U, 4000000000U}) {
        compare(random, random_values<float>(random, 5000, 0, true), {bins, bins});
    }
}

}  // namespace

int main() {
    return check::run(cuts_match_the_definition,
                      cuts_include_values_outside_the_sample,
                      cuts_of_even_floats_match_the_definition,
                      cuts_separate_as_many_values_as_bins,
                      cuts_do_not_depend_on_scale_type_or_layout,
                      cuts_of_many_columns_equal_single_ones);
}
