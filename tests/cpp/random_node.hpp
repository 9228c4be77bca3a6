// tests/cpp/random_node.hpp: a random node with its histograms, for tests of the searches.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "naive_search.hpp"
#include "search/menu.hpp"

namespace polytomy {

struct Node {
    std::size_t classes;
    bool weighted;
    Item total;
    std::vector<Weight> counts, rows;
    std::vector<std::int64_t> code_start{0};
    std::vector<std::uint8_t> has_missing;
    std::vector<std::int32_t> columns;

    // Columns have least..most codes, some of them absent at the node (none if least > 1). Some columns have missing
    // cells, and some are the mirror image of the one before, so that their gains are equal up to rounding.
    Node(Random& random, std::size_t n_columns, std::size_t n_rows, std::size_t n_classes, std::size_t least,
         std::size_t most)
        : classes(n_classes), weighted(random.one_in(2)), total{std::vector<Weight>(n_classes, 0), 0} {
        const std::size_t heaviest = random.one_in(2) ? 5 : std::size_t{1} << 43;
        std::vector<Item> cells(n_rows, Item{std::vector<Weight>(classes, 0), 1});
        for (Item& cell : cells) {
            cell.counts[random.below(classes)] = weighted ? static_cast<Weight>(1 + random.below(heaviest)) : 1;
            total.add(cell);
        }
        std::vector<Item> items;
        for (std::size_t j = 0; j < n_columns; ++j) {
            const bool mirror = j > 0 && has_missing.back() == 0 && random.one_in(3);
            const std::size_t codes = mirror ? items.size() : least + random.below(most - least + 1);
            const std::size_t held = least > 1 ? codes : 1 + random.below(codes);
            const bool all_missing = !mirror && random.one_in(15);
            if (mirror) std::reverse(items.begin(), items.end());
            else items.assign(codes, Item{std::vector<Weight>(classes, 0), 0});
            for (std::size_t i = 0; !mirror && i < n_rows; ++i) {
                items[codes - 1 - (all_missing ? 0 : random.below(held))].add(cells[i]);
            }
            for (const Item& item : items) {
                counts.insert(counts.end(), item.counts.begin(), item.counts.end());
                rows.push_back(item.rows);
            }
            code_start.push_back(code_start.back() + static_cast<std::int64_t>(codes));
            has_missing.push_back(all_missing || (!mirror && random.one_in(2)) ? 1 : 0);
            columns.push_back(static_cast<std::int32_t>(j));
        }
        if (random.one_in(2)) std::reverse(columns.begin(), columns.end());
        if (random.one_in(4)) columns.resize(random.below(columns.size() + 1));
    }

    [[nodiscard]] Histograms histograms() const {
        return {counts.data(), weighted ? rows.data() : nullptr, code_start.data(), has_missing.data(), classes};
    }

    // The codes of a column that are present at the node, ascending, with their items; the missing rows separately.
    struct PresentCodes {
        std::vector<std::uint32_t> codes;
        std::vector<Item> items;
        std::optional<Item> missing;
    };

    [[nodiscard]] PresentCodes present_codes(std::int32_t column) const {
        PresentCodes held;
        const auto j = static_cast<std::size_t>(column);
        const auto begin = static_cast<std::size_t>(code_start[j]);
        const auto end = static_cast<std::size_t>(code_start[j + 1]);
        for (std::size_t at = begin; at < end; ++at) {
            if (rows[at] == 0) continue;
            const auto* from = counts.data() + at * classes;
            const Item item{std::vector<Weight>(from, from + classes), rows[at]};
            if (at + 1 == end && has_missing[j] != 0) {
                held.missing = item;
                continue;
            }
            held.codes.push_back(static_cast<std::uint32_t>(at - begin));
            held.items.push_back(item);
        }
        return held;
    }

    // The same with the missing rows as one more category, the last.
    [[nodiscard]] PresentCodes with_missing_as_category(std::int32_t column) const {
        PresentCodes all = present_codes(column);
        const auto j = static_cast<std::size_t>(column);
        if (all.missing) {
            all.codes.push_back(static_cast<std::uint32_t>(code_start[j + 1] - code_start[j] - 1));
            all.items.push_back(*all.missing);
        }
        return all;
    }

    [[nodiscard]] SearchParams random_params(Random& random) const {
        SearchParams params{kKinds[random.below(4)], 1, 0.0};
        if (random.one_in(3)) params.min_rows = static_cast<Weight>(random.below(5));
        if (random.one_in(3)) params.min_weight = total.weight() / static_cast<Weight>(2 + random.below(9));
        params.node_value = naive_value(params.kind, total.counts);
        return params;
    }
};

using Prices = std::array<double, 16>;  // of 2, 3, ... branches

inline constexpr Prices kFree{};  // with these, every option that gains anything may win

inline Query to_query(const SearchParams& params, std::size_t max_arity, const Prices& prices, std::size_t threads) {
    return {&builtin_index(params.kind), params.node_value, static_cast<int>(max_arity), params.min_rows,
            prices.data(), -kInfinity, static_cast<int>(threads), params.min_weight};
}

inline double finest_gain(const std::vector<Item>& items, const SearchParams& params) {
    double gain = params.node_value;
    for (const Item& item : items) gain -= naive_value(params.kind, item.counts);
    return gain;
}

}  // namespace polytomy
