// tests/cpp/test_cells.cpp: cells of a grid against a linear search of their ends, and the values in them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "check.hpp"
#include "encode/cells.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

// Values of a shape picked at random, with ties, both zeros, infinities and missing cells.
std::vector<double> draw(Random& random, std::size_t n) {
    const double infinite = std::numeric_limits<double>::infinity();
    const double special[] = {0.0, -0.0, infinite, -infinite, std::nan(""), 5e-324, -5e-324, 1e308};
    const int shape = static_cast<int>(random.below(3));
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) {
        const double x = static_cast<double>(random.below(2001)) - 1000.0;
        values.push_back(random.below(9) == 0 ? special[random.below(8)] : shape == 0 ? x : shape == 1 ? x * x * x : x / 1e9);
    }
    return values;
}

// Kept values against a map from values to weights.
void check_kept(Random& random, const ValueColumn& column, const std::vector<double>& values,
                const std::vector<std::uint16_t>& cells, std::size_t n_cells) {
    std::vector<std::uint8_t> wanted(n_cells + 1, 0);
    for (std::size_t c = 0; c < n_cells; ++c) wanted[c] = random.one_in(2) ? 1 : 0;
    std::vector<Weight> units;
    for (std::size_t i = 0; i < values.size(); ++i) units.push_back(static_cast<Weight>(1 + random.below(9)));
    for (const Weight* weights : {static_cast<const Weight*>(nullptr), static_cast<const Weight*>(units.data())}) {
        std::map<double, Weight> held;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (wanted[cells[i]] != 0) held[values[i] + 0.0] += weights == nullptr ? 1 : weights[i];
        }
        const KeptCells kept = keep_cells(column, cells, wanted, weights);
        CHECK(kept.values.size() == held.size() && kept.up_to.size() == held.size() + 1 && kept.up_to[0] == 0);
        std::size_t at = 0;
        for (const auto& [value, weight] : held) {
            CHECK(kept.values[at] == value && kept.up_to[at + 1] - kept.up_to[at] == weight);
            ++at;
        }
    }
}

void cells_match_a_linear_search() {
    Random random(7);
    for (int round = 0; round < 200; ++round) {
        const std::size_t rows = 1 + random.below(400);
        const std::vector<double> values = draw(random, rows);
        std::vector<double> sample;
        for (const double v : draw(random, 1 + random.below(100))) {
            if (!std::isnan(v)) sample.push_back(v);
        }
        if (sample.empty()) sample.push_back(0.0);
        std::sort(sample.begin(), sample.end());
        const std::vector<double> ends = cell_ends(sample);
        const auto first = ends.begin() + (std::isnan(ends.front()) ? 1 : 0);
        CHECK(std::is_sorted(first, ends.end()) && ends.back() == std::numeric_limits<double>::infinity());
        std::vector<std::uint16_t> cells(rows);
        const ValueColumn column{reinterpret_cast<const std::byte*>(values.data()), sizeof(double), ValueType::f64};
        const std::span<const double> drawn(sample);
        std::uint16_t* const out = cells.data();
        find_cells({&column, 1}, {&drawn, 1}, rows, {&out, 1});
        for (std::size_t i = 0; i < rows; ++i) {
            const auto want = std::isnan(values[i]) ? ends.end() : std::lower_bound(first, ends.end(), values[i]);
            CHECK(cells[i] == want - ends.begin());
        }
        check_kept(random, column, values, cells, ends.size());
    }
}

}  // namespace

int main() { return check::run(cells_match_a_linear_search); }
