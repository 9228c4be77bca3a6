// cpp/encode/key_set.hpp: a set of keys that gives up beyond a limit.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace polytomy {

template <class Key>
class KeySet {
 public:
    explicit KeySet(std::size_t limit)
        : limit_(limit), mask_(std::bit_ceil(2 * limit + 2) - 1), slot_(mask_ + 1), used_(mask_ + 1, 0) {}

    [[nodiscard]] bool overflowed() const noexcept { return overflowed_; }
    [[nodiscard]] const std::vector<Key>& keys() const noexcept { return keys_; }

    void insert(Key key) {
        if (overflowed_) return;
        std::size_t at = static_cast<std::size_t>((std::uint64_t{key} * 0x9E3779B97F4A7C15U) >> 20) & mask_;
        while (used_[at] != 0) {
            if (slot_[at] == key) return;
            at = (at + 1) & mask_;
        }
        if (keys_.size() == limit_) {
            overflowed_ = true;
            return;
        }
        used_[at] = 1;
        slot_[at] = key;
        keys_.push_back(key);
    }

 private:
    std::size_t limit_;
    std::size_t mask_;
    std::vector<Key> slot_;
    std::vector<std::uint8_t> used_;
    std::vector<Key> keys_;
    bool overflowed_ = false;
};

}  // namespace polytomy
