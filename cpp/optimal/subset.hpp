// cpp/optimal/subset.hpp: the rows that an exact search distributes over leaves, and subsets of them.
//
// Rows with equal codes are one row here. What such a row costs is the weight that its leaf's class does not cover, less the
// least that any class leaves uncovered: no tree can avoid that part, and the caller counts it. So a row costs nothing under
// its best class, and at most its `worth` under another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace polytomy {

// A set of rows as a sum of random numbers, one pair for each row: two sets have the same key with a probability of 2^-128.
struct SetKey {
    std::uint64_t high = 0, low = 0;

    SetKey& operator+=(const SetKey& other) noexcept {
        high += other.high;
        low += other.low;
        return *this;
    }
    [[nodiscard]] SetKey operator-(const SetKey& other) const noexcept { return {high - other.high, low - other.low}; }
    bool operator==(const SetKey&) const = default;
};

// A column that splits may use. The codes of an ordered column are cut into ranges, with missing cells at either end; those
// of a nominal column are grouped in any way.
struct SearchColumn {
    std::span<const std::uint32_t> codes;  // of each row
    std::uint32_t n_codes;
    bool is_nominal;
    bool has_missing;  // the last code stands for missing cells

    [[nodiscard]] bool is_missing(Row row) const noexcept { return has_missing && codes[row] + 1 == n_codes; }
};

// The rows: row i has weight[e] of class label[e] for e in [start[i], start[i + 1]).
class SearchRows {
 public:
    SearchRows(std::vector<SearchColumn> columns, std::span<const std::int64_t> start, std::span<const Label> label,
               std::span<const Weight> weight, std::size_t classes);

    [[nodiscard]] std::size_t size() const noexcept { return start_.size() - 1; }
    [[nodiscard]] std::size_t classes() const noexcept { return classes_; }
    [[nodiscard]] const std::vector<SearchColumn>& columns() const noexcept { return columns_; }
    [[nodiscard]] Weight worth(Row row) const noexcept { return worth_[row]; }
    [[nodiscard]] const SetKey& key(Row row) const noexcept { return key_[row]; }

    // Adds the weights of a row to those of classes.
    void add(Row row, Weight* counts) const noexcept {
        for (std::int64_t e = start_[row]; e < start_[row + 1]; ++e) counts[label(e)] += weight_[static_cast<std::size_t>(e)];
    }

    // With two classes every row has one class only: its number, and its worth.
    [[nodiscard]] bool has_one_class_each() const noexcept { return one_class_each_; }
    [[nodiscard]] Label only_class(Row row) const noexcept { return label(start_[row]); }

 private:
    [[nodiscard]] Label label(std::int64_t entry) const noexcept { return label_[static_cast<std::size_t>(entry)]; }

    std::vector<SearchColumn> columns_;
    std::span<const std::int64_t> start_;
    std::span<const Label> label_;
    std::span<const Weight> weight_;
    std::size_t classes_;
    bool one_class_each_;
    std::vector<Weight> worth_;
    std::vector<SetKey> key_;
};

// Some of the rows, in the order of the codes of each column.
struct Subset {
    std::size_t size = 0;
    Weight worth = 0;
    SetKey key;
    std::vector<Weight> counts;  // of each class
    std::vector<Row> order;      // the rows once for each column

    [[nodiscard]] std::span<const Row> sorted(std::size_t column) const noexcept {
        return {order.data() + column * size, size};
    }
    // The cost if all rows are one leaf.
    [[nodiscard]] Weight leaf_cost() const noexcept { return worth - *std::max_element(counts.begin(), counts.end()); }
};

[[nodiscard]] Subset all_rows(const SearchRows& rows);

// Returns the rows of a subset for which side[row] is `which`.
[[nodiscard]] Subset part_of(const SearchRows& rows, const Subset& whole, const std::uint8_t* side, std::uint8_t which);

// The least costs of two leaves for the two parts of a subset: side[row] is 0 or 1. A part that cannot be split, or that no
// split improves, has the cost of one leaf. `scratch` may hold anything; it is not allocated anew for each call.
struct TwoLeafCosts {
    Weight of[2];
};
[[nodiscard]] TwoLeafCosts two_leaf_costs(const SearchRows& rows, const Subset& whole, const std::uint8_t* side,
                                          std::vector<double>& scratch);

}  // namespace polytomy
