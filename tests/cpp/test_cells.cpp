// tests/cpp/test_cells.cpp: cells of a grid against a linear search of their ends.
#include <algorithm>
#include <cmath>
#include <limits>

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
    }
}

}  // namespace

int main() { return check::run(cells_match_a_linear_search); }
