// cpp/encode/cell_map.hpp: a monotone map from the values of one column to cells, based on a sample.
//
// Floats that are spread evenly enough get cells of equal width: an addition and a product, which take a quarter of the time of
// the grid's look-ups for 1,000,000 x 20. All other columns get the cells of a grid.
#pragma once

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/columns.hpp"
#include "encode/grid.hpp"

namespace polytomy {

// Cells of equal width from `low` on: that of a value is the whole part of (value - low) * scale, from 0 to n_cells - 1.
template <class T>
struct EqualCells {
    T low = 0;
    T scale = 0;
    std::uint16_t n_cells = 0;

    [[nodiscard]] std::uint16_t cell(T value) const noexcept {
        const T place = (value - low) * scale;
        const T above = place > 0 ? place : T{0};
        const auto last = static_cast<T>(n_cells - 1);
        return static_cast<std::uint16_t>(static_cast<std::int32_t>(above < last ? above : last));
    }
};

// Write the cell of each of n values; that of NaN is n_cells.
void find_equal_cells(const EqualCells<float>& cells, const float* values, std::size_t n, std::uint16_t* out);
void find_equal_cells(const EqualCells<double>& cells, const double* values, std::size_t n, std::uint16_t* out);

template <class T>
class CellMap {
    using Key = KeyOf<T>;
    static constexpr bool kIsFloat = std::is_same_v<T, float> || std::is_same_v<T, double>;
    using Equal = EqualCells<std::conditional_t<kIsFloat, T, float>>;

 public:
    CellMap() = default;

    // `sample` must be ascending and not empty; `rows` is the number of values that will be counted.
    CellMap(const std::vector<Key>& sample, std::size_t rows) {
        if constexpr (kIsFloat) equal_ = equal_cells(sample, rows);
        if (equal_.n_cells == 0) grid_ = Grid<Key>(sample);
    }

    // There are fewer than 65,535.
    [[nodiscard]] std::size_t n_cells() const noexcept { return equal_.n_cells > 0 ? equal_.n_cells : grid_.n_cells(); }

    // Returns the cell of a value that is not missing.
    [[nodiscard]] std::size_t cell(T value) const noexcept {
        if constexpr (kIsFloat) {
            if (equal_.n_cells > 0) return equal_.cell(value);
        }
        return grid_.cell(to_key(value));
    }

    [[nodiscard]] std::size_t cell_of_key(Key key) const noexcept {
        if constexpr (kIsFloat) {
            if (equal_.n_cells > 0) return equal_.cell(static_cast<T>(from_key<T>(key)));
        }
        return grid_.cell(key);
    }

    // Writes the cell of each of n values; that of a missing one is n_cells().
    void find(const T* values, std::size_t n, std::uint16_t* out) const {
        if constexpr (kIsFloat) {
            if (equal_.n_cells > 0) return find_equal_cells(equal_, values, n, out);
        }
        const auto missing = static_cast<std::uint16_t>(grid_.n_cells());
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = is_missing(values[i]) ? missing : static_cast<std::uint16_t>(grid_.cell(to_key(values[i])));
        }
    }

 private:
    // Returns cells over the range of the sample without the outermost 0.4 % at each end; none if too many values would share
    // one. Of normal numbers, 5 % are in cells in which a bin ends or in the cells after these, as with the grid.
    static Equal equal_cells(const std::vector<Key>& sample, std::size_t rows) {
        // Of half a million rows, more cells save more values that are read again than their counts cost: 0.95 of the time of
        // bins and codes for 1,000,000 x 20, but 1.06 for 300,000.
        const std::size_t most = rows < (std::size_t{1} << 19) ? 1U << 14 : 1U << 15;
        constexpr std::size_t kStrips = 256;
        constexpr double kUneven = 4.0;  // how many values share a cell with another one, relative to uniform numbers
        if (FLT_EVAL_METHOD != 0) return {};  // the same value could get two cells
        const std::size_t n = sample.size();
        const auto value = [&](std::size_t i) { return static_cast<T>(from_key<T>(sample[i])); };
        const T low = value(n / 256);
        const T range = value(n - 1 - n / 256) - low;
        const std::size_t n_cells = std::clamp(std::bit_ceil(rows / 16), kStrips, most);
        const auto scale = static_cast<T>(n_cells) / range;
        if (!std::isfinite(low) || !std::isfinite(range) || !std::isnormal(scale)) return {};
        const Equal strips{low, scale * (static_cast<T>(kStrips) / static_cast<T>(n_cells)), kStrips};
        std::vector<double> held(kStrips, 0.0);
        for (std::size_t i = 0; i < n; ++i) held[strips.cell(value(i))] += 1.0;
        double pairs = 0.0;
        for (const double h : held) pairs += h * h;
        if (pairs * kStrips > kUneven * static_cast<double>(n) * static_cast<double>(n)) return {};
        return {low, scale, static_cast<std::uint16_t>(n_cells)};
    }

    Equal equal_;
    Grid<Key> grid_;  // if there are no cells of equal width
};

}  // namespace polytomy
