// cpp/encode/cells.cpp: see cells.hpp.
#include "encode/cells.hpp"

#include <algorithm>
#include <limits>

#include "base/cancellation.hpp"
#include "encode/grid.hpp"
#include "encode/radix.hpp"

namespace polytomy {
namespace {

using Key = KeyOf<double>;

Grid<Key> grid_of(std::span<const double> sample) {
    std::vector<Key> keys;
    for (const double value : sample) keys.push_back(to_key(value));
    return Grid<Key>(keys);
}

}  // namespace

std::vector<double> cell_ends(std::span<const double> sample) {
    const Key infinite = to_key(std::numeric_limits<double>::infinity());
    const Key zero = to_key(0.0);
    std::vector<double> ends;
    for (Key key : grid_of(sample).last_keys()) {
        if (key + 1 == zero) --key;  // the key of -0, which no value has: it would count as 0
        ends.push_back(from_key<double>(std::min(key, infinite)));
    }
    return ends;
}

void find_cells(std::span<const ValueColumn> columns, std::span<const std::span<const double>> samples, std::size_t rows,
                std::span<std::uint16_t* const> out) {
    constexpr std::size_t kBlock = 4096;  // rows processed together, so that a row-major table is read once
    std::vector<Grid<Key>> grids;
    for (const auto sample : samples) grids.push_back(grid_of(sample));
    for (std::size_t begin = 0; begin < rows; begin += kBlock) {
        const std::size_t end = std::min(begin + kBlock, rows);
        poll(8 * kBlock * columns.size());
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const Grid<Key>& grid = grids[j];
            const auto missing = static_cast<std::uint16_t>(grid.n_cells());
            with_values(columns[j], [&](auto type) {
                for (std::size_t row = begin; row < end; ++row) {
                    const auto value = load<decltype(type)>(columns[j], row);
                    out[j][row] = is_missing(value) ? missing : static_cast<std::uint16_t>(grid.cell(to_key(to_double(value))));
                }
            });
        }
    }
}

KeptCells keep_cells(const ValueColumn& column, std::span<const std::uint16_t> cells, std::span<const std::uint8_t> wanted,
                     const Weight* units) {
    std::vector<Key> keys;
    std::vector<std::pair<Key, Weight>> pairs;
    with_values(column, [&](auto type) {
        for (std::size_t row = 0; row < cells.size(); ++row) {
            if (wanted[cells[row]] == 0) continue;
            const Key key = to_key(to_double(load<decltype(type)>(column, row)));
            if (units == nullptr) {
                keys.push_back(key);
            } else {
                pairs.emplace_back(key, units[row]);
            }
        }
    });
    KeptCells kept{{}, {0}};
    Key last = 0;  // no number has this key
    const auto add = [&](Key key, Weight weight) {
        if (key != last) {
            kept.values.push_back(from_key<double>(key));
            kept.up_to.push_back(kept.up_to.back());
            last = key;
        }
        kept.up_to.back() += weight;
    };
    radix_sort(keys);
    for (const Key key : keys) add(key, 1);
    std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [key, weight] : pairs) add(key, weight);
    return kept;
}

}  // namespace polytomy
