// tests/cpp/random_trees.hpp: random tables with columns of every value type, and random trees for them.
#pragma once

#include <algorithm>
#include <tuple>

#include "predict/route.hpp"
#include "random.hpp"

namespace polytomy {

inline constexpr std::size_t kNumbers = kLastType + 1;  // one column of every value type, then two of codes
inline constexpr double kNoPlace = -2e18;               // stands for an unknown rank

inline double plain(auto value) { return is_missing(value) ? missing_value<double>() : to_double(value); }
inline double plain(Rank rank) { return rank.place == kUnknown ? kNoPlace : plain<Rank>(rank); }

struct RandomTable {
    std::tuple<OwnedColumn<float>, OwnedColumn<double>, OwnedColumn<std::int8_t>, OwnedColumn<std::int16_t>,
               OwnedColumn<std::int32_t>, OwnedColumn<std::int64_t>, OwnedColumn<std::uint8_t>, OwnedColumn<std::uint16_t>,
               OwnedColumn<std::uint32_t>, OwnedColumn<std::uint64_t>, OwnedColumn<Time>, OwnedColumn<Rank>> numbers;
    OwnedColumn<std::int32_t> codes[2];
    std::vector<ValueColumn> views;
    std::vector<std::vector<double>> value;  // by column; NaN for missing, kNoPlace for unknown ranks; codes as they are

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
            auto& held = std::get<OwnedColumn<T>>(numbers);
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

    // Nodes are in breadth-first order, so that children get the next free numbers; thresholds are often values of the
    // table. With `forks`, every split has one threshold. If `only` is given, all splits use that column.
    RandomTree(Random& random, const RandomTable& table, std::size_t splits, bool forks = false,
               std::size_t only = kNumbers) {
        const std::size_t rows = table.value[0].size();
        std::int32_t next = 1;
        for (std::int32_t v = 0; v < next; ++v) {
            NodeKind split_kind = NodeKind::leaf;
            if (splits > 0 && !(v > 0 && random.one_in(6))) split_kind = static_cast<NodeKind>(1 + random.below(2));
            if ((forks || only < kNumbers) && split_kind == NodeKind::codes) split_kind = NodeKind::intervals;
            if (splits > 0 && random.one_in(30)) split_kind = NodeKind::own;
            const std::size_t some = split_kind == NodeKind::codes ? kNumbers + random.below(2) : random.below(kNumbers);
            const std::size_t column = only < kNumbers ? only : some;
            const bool missing_alone = random.one_in(4);
            const std::size_t wide = 2 + random.below(random.one_in(4) ? 30 : 5);
            const std::size_t arity = !forks ? wide : missing_alone ? 3 : 2;
            const auto last = static_cast<std::int32_t>(arity - 1);
            const auto any_branch = [&] { return static_cast<std::int32_t>(random.below(arity)); };
            kind.push_back(static_cast<std::int8_t>(split_kind));
            feature.push_back(static_cast<std::int32_t>(column));
            missing_branch.push_back(missing_alone ? last : random.one_in(3) ? kUnseen : any_branch());
            default_branch.push_back(any_branch());
            if (split_kind == NodeKind::intervals) {
                for (std::size_t t = 0; t + (missing_alone ? 2 : 1) < arity; ++t) {
                    const double held = rows > 0 ? table.value[column][random.below(rows)] : 0.0;
                    threshold.push_back(std::isnan(held) || random.one_in(2) ? (random.unit() - 0.5) * 2000.0 : held);
                }
                std::sort(threshold.begin() + threshold_start.back(), threshold.end());
            }
            for (std::size_t code = 0; split_kind == NodeKind::codes && code < 8; ++code) {
                code_to_branch.push_back(random.one_in(4) ? kUnseen : any_branch());
            }
            const bool branches = split_kind == NodeKind::intervals || split_kind == NodeKind::codes;
            for (std::size_t b = 0; branches && b < arity; ++b) child.push_back(next++);
            if (split_kind != NodeKind::leaf) --splits;
            child_start.push_back(static_cast<std::int64_t>(child.size()));
            threshold_start.push_back(static_cast<std::int64_t>(threshold.size()));
            code_start.push_back(static_cast<std::int64_t>(code_to_branch.size()));
        }
    }

    [[nodiscard]] TreeView view() const {
        return {kind.data(), feature.data(), child_start.data(), child.data(), threshold_start.data(), threshold.data(),
                code_start.data(), code_to_branch.data(), missing_branch.data(), default_branch.data(), kind.size()};
    }

    // One step: returns the child, or the node itself if the row ends there.
    [[nodiscard]] std::size_t step(std::size_t v, const RandomTable& table, std::size_t row) const {
        const auto split_kind = static_cast<NodeKind>(kind[v]);
        if (split_kind == NodeKind::leaf || split_kind == NodeKind::own) return v;
        const double cell = table.value[static_cast<std::size_t>(feature[v])][row];
        std::int32_t branch = kUnseen;
        if (split_kind == NodeKind::intervals) {
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
