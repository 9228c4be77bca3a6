// cpp/encode/grid.hpp: a monotone map from keys to cells of about equal weight, based on a sample.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace polytomy {

// The key range of the sample is divided into equal strips, and each strip into equal cells, in proportion to its share
// of the sample. Two loads and two shifts find a cell. There is one more cell at each end for keys outside the range.
template <class Key>
class Grid {
    static constexpr int kStripBits = 10;
    static constexpr std::uint32_t kCells = 1U << 13;  // target number: with more, counting misses the cache; with fewer, more values must be sorted

    struct Strip {
        std::uint32_t first_cell;
        std::int32_t shift;  // from the key's distance to the start of the strip to the cell
    };

 public:
    Grid() = default;

    // `sample` must be ascending and not empty. The outermost 0.4 % at each end are left out of the range.
    explicit Grid(const std::vector<Key>& sample) {
        const std::size_t n = sample.size();
        first_ = sample[n / 256];
        const auto range = static_cast<Key>(sample[n - 1 - n / 256] - first_);
        shift_ = std::max(0, static_cast<int>(std::bit_width(range)) - kStripBits);
        strips_.resize(static_cast<std::size_t>(range >> shift_) + 1);
        n_strips_ = strips_.size();
        mask_ = static_cast<Key>((Key{1} << shift_) - 1);
        std::vector<std::uint32_t> held(strips_.size(), 0);
        for (const Key key : sample) {
            if (key >= first_ && ((key - first_) >> shift_) < strips_.size()) ++held[(key - first_) >> shift_];
        }
        n_cells_ = 1;
        for (std::size_t s = 0; s < strips_.size(); ++s) {
            const auto n_wanted = std::uint64_t{held[s]} * kCells / n;
            const int bits = std::min(shift_, static_cast<int>(std::bit_width(n_wanted)));
            strips_[s] = {n_cells_, shift_ - bits};
            n_cells_ += 1U << bits;
        }
        ++n_cells_;
    }

    [[nodiscard]] std::size_t n_cells() const noexcept { return n_cells_; }

    [[nodiscard]] std::size_t cell(Key key) const noexcept {
        if (key < first_) return 0;
        const auto offset = static_cast<Key>(key - first_);
        const auto s = static_cast<std::size_t>(offset >> shift_);
        if (s >= n_strips_) return n_cells_ - 1;
        const auto inside = static_cast<Key>(offset & mask_);
        return strips_[s].first_cell + static_cast<std::size_t>(inside >> strips_[s].shift);
    }

    // Returns the largest key of each cell, in ascending order.
    [[nodiscard]] std::vector<Key> last_keys() const {
        std::vector<Key> last{static_cast<Key>(first_ - 1)};
        for (std::size_t s = 0; s < n_strips_; ++s) {
            const auto begin = static_cast<Key>(first_ + (static_cast<Key>(s) << shift_));
            const Key cells = Key{1} << (shift_ - strips_[s].shift);
            for (Key c = 1; c <= cells; ++c) last.push_back(static_cast<Key>(begin + (c << strips_[s].shift) - 1));
        }
        last.push_back(static_cast<Key>(~Key{0}));
        return last;
    }

 private:
    Key first_ = 0;
    Key mask_ = 0;
    int shift_ = 0;
    std::size_t n_strips_ = 0;
    std::uint32_t n_cells_ = 0;
    std::vector<Strip> strips_;
};

}  // namespace polytomy
