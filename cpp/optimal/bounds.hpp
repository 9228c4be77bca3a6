// cpp/optimal/bounds.hpp: bounds on the least cost of a subset with 1, 2, ... leaves, and a memory of them by subset.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "optimal/subset.hpp"

namespace polytomy {

// lower(k) <= the least cost of any tree with at most k leaves <= upper(k), for k = 1, ..., leaves. Both never grow with k.
class CostBounds {
 public:
    // The bounds of a subset that costs `leaf_cost` as one leaf.
    CostBounds(std::size_t leaves, Weight leaf_cost) : bounds_(2 * leaves, 0) {
        std::fill(bounds_.begin() + static_cast<std::ptrdiff_t>(leaves), bounds_.end(), leaf_cost);
        bounds_[0] = leaf_cost;
    }

    [[nodiscard]] std::size_t leaves() const noexcept { return bounds_.size() / 2; }
    [[nodiscard]] Weight lower(std::size_t k) const noexcept { return bounds_[k - 1]; }
    [[nodiscard]] Weight upper(std::size_t k) const noexcept { return bounds_[leaves() + k - 1]; }
    [[nodiscard]] bool is_exact(std::size_t k) const noexcept { return lower(k) >= upper(k); }

    // No tree of k leaves costs less than this, so none of fewer leaves does.
    void raise(std::size_t k, Weight cost) noexcept {
        for (; k > 0 && bounds_[k - 1] < cost; --k) bounds_[k - 1] = cost;
    }
    // A tree of k leaves costs this, so the best one of more leaves does not cost more.
    void reach(std::size_t k, Weight cost) noexcept {
        for (; k <= leaves() && upper(k) > cost; ++k) bounds_[leaves() + k - 1] = cost;
    }
    void settle(std::size_t k, Weight cost) noexcept {
        raise(k, cost);
        reach(k, cost);
    }

    [[nodiscard]] const std::vector<Weight>& raw() const noexcept { return bounds_; }
    // Takes what another pair of bounds for the same subset knows better.
    void merge(const Weight* raw) noexcept {
        for (std::size_t i = 0; i < leaves(); ++i) bounds_[i] = std::max(bounds_[i], raw[i]);
        for (std::size_t i = leaves(); i < bounds_.size(); ++i) bounds_[i] = std::min(bounds_[i], raw[i]);
    }

 private:
    std::vector<Weight> bounds_;  // the lower bounds, then the upper bounds
};

// The bounds of subsets by their keys: a hash table with linear probing. It forgets everything when it is full.
class BoundsMemory {
 public:
    BoundsMemory(std::size_t leaves, std::size_t max_bytes)
        : width_(2 * leaves),
          most_(std::max<std::size_t>(64, max_bytes / (width_ * sizeof(Weight) + 4 * sizeof(Slot)))),
          slots_(256) {}

    // Merges what is known of the subset into `bounds`; returns whether anything was.
    bool recall(const SetKey& key, CostBounds& bounds) const noexcept {
        const Slot& slot = slots_[place_of(key)];
        if (slot.at == kEmpty) return false;
        bounds.merge(raw_.data() + slot.at * width_);
        return true;
    }
    void keep(const SetKey& key, const CostBounds& bounds) {
        Slot* slot = &slots_[place_of(key)];
        if (slot->at == kEmpty) {
            if (used_ == most_) clear();
            if (2 * (used_ + 1) > slots_.size()) grow();
            slot = &slots_[place_of(key)];
            *slot = {key, used_++};
            raw_.insert(raw_.end(), bounds.raw().begin(), bounds.raw().end());
        } else {
            std::copy(bounds.raw().begin(), bounds.raw().end(), raw_.begin() + static_cast<std::ptrdiff_t>(slot->at * width_));
        }
    }
    [[nodiscard]] std::size_t size() const noexcept { return used_; }

 private:
    static constexpr std::size_t kEmpty = ~std::size_t{0};
    struct Slot {
        SetKey key;
        std::size_t at = kEmpty;
    };

    [[nodiscard]] std::size_t place_of(const SetKey& key) const noexcept {
        std::size_t place = key.low & (slots_.size() - 1);
        while (slots_[place].at != kEmpty && slots_[place].key != key) place = (place + 1) & (slots_.size() - 1);
        return place;
    }
    void clear() {
        std::fill(slots_.begin(), slots_.end(), Slot{});
        raw_.clear();
        used_ = 0;
    }
    void grow() {
        const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(4 * slots_.size()));
        for (const Slot& slot : old) {
            if (slot.at != kEmpty) slots_[place_of(slot.key)] = slot;
        }
    }

    std::size_t width_, most_;
    std::vector<Slot> slots_;  // a power of two, at most half of them used
    std::vector<Weight> raw_;
    std::size_t used_ = 0;
};

}  // namespace polytomy
