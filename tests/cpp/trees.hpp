// tests/cpp/trees.hpp: random tables of every value type, and random trees that ask about them.
#pragma once

#include <algorithm>
#include <tuple>

#include "random.hpp"
#include "predict/route.hpp"

namespace polytomy {

inline constexpr std::size_t kNumbers = kLastType + 1;  // one column of every value type, then two of codes
inline constexpr double kNoPlace = -2e18;               // a rank that is unknown

inline double plain(auto value) { return is_missing(value) ? missing_value<double>() : to_double(value); }
inline double plain(Rank rank) { return rank.place == kUnknown ? kNoPlace : plain<Rank>(rank); }

struct RandomTable {
    std::tuple<HeldColumn<float>, HeldColumn<double>, HeldColumn<std::int8_t>, HeldColumn<std::int16_t>,
               HeldColumn<std::int32_t>, HeldColumn<std::int64_t>, HeldColumn<std::uint8_t>, HeldColumn<std::uint16_t>,
               HeldColumn<std::uint32_t>, HeldColumn<std::uint64_t>, HeldColumn<Time>, HeldColumn<Rank>> numbers;
    HeldColumn<std::int32_t> codes[2];
    std::vector<ValueColumn> views;
    std::vector<std::vector<double>> value;  // by column; NaN where missing, kNoPlace; codes as they are

    RandomTable(Random& random, std::size_t rows) {
        each_value_type([&](auto type) {
            using T = decltype(type);
            auto values = random_values<T>(random, rows, random.below(kShapes), random.one_in(2));
            if constexpr (std::is_same_v<T, Rank>) {
                for (Rank& rank : values) rank.place = random.one_in(4) ? kUnknown : rank.place;
            }
            if constexpr (std::is_same_v<T, double>) {  // a user's NaN may have any bits
                for (double& v : values) v = std::isnan(v) && random.one_in(2) ? std::bit_cast<double>(0x7FF8000000000001U) : v;
            }
            auto& held = std::get<HeldColumn<T>>(numbers);
            held = lay_out(values, random.below(3));
            views.push_back(held.view);
            value.emplace_back();
            for (const T v : values) value.back().push_back(plain(v));
        });
        for (auto& held : codes) {
            std::vector<std::int32_t> cells;
            for (std::size_t i = 0; i < rows; ++i) {
                const std::int32_t odd[] = {kMissing, kUnknown, -9, 1000, std::numeric_limits<std::int32_t>::min()};
                cells.push_back(random.one_in(5) ? odd[random.below(5)] : static_cast<std::int32_t>(random.below(9)));
            }
            held = lay_out(cells, random.below(3));
            views.push_back(held.view);
            value.emplace_back(cells.begin(), cells.end());
        }
    }
};

struct RandomTree {
    std::vector<std::int8_t> kind;
    std::vector<std::int32_t> feature, child, code_to_branch, missing_branch, default_branch;
    std::vector<std::int64_t> child_start{0}, threshold_start{0}, code_start{0};
    std::vector<double> threshold;

    // Nodes in breadth-first order, so that children get the next free numbers; thresholds are often values. Forks ask
    // about one threshold each. `only` is the one column asked about, where it is given.
    RandomTree(Random& random, const RandomTable& table, std::size_t questions, bool forks = false,
               std::size_t only = kNumbers) {
        const std::size_t rows = table.value[0].size();
        std::int32_t next = 1;
        for (std::int32_t v = 0; v < next; ++v) {
            NodeKind asks = NodeKind::leaf;
            if (questions > 0 && !(v > 0 && random.one_in(6))) asks = static_cast<NodeKind>(1 + random.below(2));
            if ((forks || only < kNumbers) && asks == NodeKind::codes) asks = NodeKind::intervals;
            if (questions > 0 && random.one_in(30)) asks = NodeKind::own;
            const std::size_t some = asks == NodeKind::codes ? kNumbers + random.below(2) : random.below(kNumbers);
            const std::size_t column = only < kNumbers ? only : some;
            const bool missing_alone = random.one_in(4);
            const std::size_t wide = 2 + random.below(random.one_in(4) ? 30 : 5);
            const std::size_t arity = !forks ? wide : missing_alone ? 3 : 2;
            const auto last = static_cast<std::int32_t>(arity - 1);
            const auto any_branch = [&] { return static_cast<std::int32_t>(random.below(arity)); };
            kind.push_back(static_cast<std::int8_t>(asks));
            feature.push_back(static_cast<std::int32_t>(column));
            missing_branch.push_back(missing_alone ? last : random.one_in(3) ? kUnseen : any_branch());
            default_branch.push_back(any_branch());
            if (asks == NodeKind::intervals) {
                for (std::size_t t = 0; t + (missing_alone ? 2 : 1) < arity; ++t) {
                    const double held = rows > 0 ? table.value[column][random.below(rows)] : 0.0;
                    threshold.push_back(std::isnan(held) || random.one_in(2) ? (random.unit() - 0.5) * 2000.0 : held);
                }
                std::sort(threshold.begin() + threshold_start.back(), threshold.end());
            }
            for (std::size_t code = 0; asks == NodeKind::codes && code < 8; ++code) {
                code_to_branch.push_back(random.one_in(4) ? kUnseen : any_branch());
            }
            const bool branches = asks == NodeKind::intervals || asks == NodeKind::codes;
            for (std::size_t b = 0; branches && b < arity; ++b) child.push_back(next++);
            if (asks != NodeKind::leaf) --questions;
            child_start.push_back(static_cast<std::int64_t>(child.size()));
            threshold_start.push_back(static_cast<std::int64_t>(threshold.size()));
            code_start.push_back(static_cast<std::int64_t>(code_to_branch.size()));
        }
    }

    [[nodiscard]] TreeView view() const {
        return {kind.data(), feature.data(), child_start.data(), child.data(), threshold_start.data(), threshold.data(),
                code_start.data(), code_to_branch.data(), missing_branch.data(), default_branch.data(), kind.size()};
    }

    // One question: the child, or the node itself where the way ends.
    [[nodiscard]] std::size_t step(std::size_t v, const RandomTable& table, std::size_t row) const {
        const auto asks = static_cast<NodeKind>(kind[v]);
        if (asks == NodeKind::leaf || asks == NodeKind::own) return v;
        const double cell = table.value[static_cast<std::size_t>(feature[v])][row];
        std::int32_t branch = kUnseen;
        if (asks == NodeKind::intervals) {
            branch = std::isnan(cell) ? missing_branch[v] : cell == kNoPlace ? kUnseen : 0;
            for (auto t = threshold_start[v]; t < threshold_start[v + 1]; ++t) {
                branch += cell > threshold[static_cast<std::size_t>(t)] ? 1 : 0;
            }
        } else if (cell == kMissing) {
            branch = missing_branch[v];
        } else if (cell >= 0.0 && cell < static_cast<double>(code_start[v + 1] - code_start[v])) {
            branch = code_to_branch[static_cast<std::size_t>(code_start[v]) + static_cast<std::size_t>(cell)];
        }
        if (branch == kUnseen) branch = default_branch[v];
        return static_cast<std::size_t>(child[static_cast<std::size_t>(child_start[v] + branch)]);
    }
};

}  // namespace polytomy
