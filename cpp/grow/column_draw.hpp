// cpp/grow/column_draw.hpp: the columns that a node may split on, drawn at random.
//
// Every node has a key. The root's is mix(seed), and that of branch b of a node with key k is mix(k + b + 1). The i-th
// random number of a node is mix(~k + i), i = 0, 1, ...; it swaps column i with one of the columns i, i + 1, ... in the
// list of all columns. The first columns of that list are drawn, and if none of them can split the node, the next one,
// and so on. So what is drawn depends on the seed and on the path to the node, never on threads or on the order of growth.
// src/polytomy/reference states the same rule in plain Python.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace polytomy {

// A bijection of 64-bit numbers whose outputs look random (the output function of SplitMix64).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) noexcept {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

[[nodiscard]] constexpr std::uint64_t root_key(std::uint64_t seed) noexcept { return mix(seed); }

[[nodiscard]] constexpr std::uint64_t child_key(std::uint64_t parent, std::size_t branch) noexcept {
    return mix(parent + branch + 1);
}

// Columns, ascending; none means all of them.
using DrawnColumns = std::optional<std::span<const std::int32_t>>;

class ColumnDraw {
 public:
    // Without a number of columns per node, nothing is drawn.
    ColumnDraw(std::vector<std::int32_t> columns, std::optional<std::int64_t> per_node)
        : all_(std::move(columns)), drawn_(all_.size()) {
        if (per_node && static_cast<std::size_t>(*per_node) < all_.size()) {
            per_node_ = static_cast<std::size_t>(*per_node);
        }
    }

    [[nodiscard]] bool draws() const noexcept { return per_node_ != 0; }

    // Draw the first columns of a node.
    [[nodiscard]] DrawnColumns first(std::uint64_t key) {
        if (!draws()) return std::nullopt;
        order_ = all_;
        key_ = key;
        taken_ = 0;
        return take(per_node_);
    }
    // Draw one more column; an empty list if there is none.
    [[nodiscard]] DrawnColumns next() { return take(draws() && taken_ < order_.size() ? 1 : 0); }

 private:
    [[nodiscard]] std::span<const std::int32_t> take(std::size_t n) {
        for (std::size_t i = taken_; i < taken_ + n; ++i) {
            const std::size_t other = i + static_cast<std::size_t>(mix(~key_ + i) % (order_.size() - i));
            std::swap(order_[i], order_[other]);
        }
        std::copy_n(order_.begin() + static_cast<std::ptrdiff_t>(taken_), n, drawn_.begin());
        std::sort(drawn_.begin(), drawn_.begin() + static_cast<std::ptrdiff_t>(n));
        taken_ += n;
        return std::span(drawn_).first(n);
    }

    std::vector<std::int32_t> all_, order_, drawn_;
    std::size_t per_node_ = 0;
    std::size_t taken_ = 0;
    std::uint64_t key_ = 0;
};

}  // namespace polytomy
