// cpp/grow/frontier.hpp: a queue of leaves by score, in which scores within a tolerance count as equal.
//
// Of the leaves within the tolerance of the best score, the first in the order `Before` is popped. Equal scores are
// common (symmetric data), so a plain heap by score would let rounding decide. Ties wait in groups on a stack, the best
// score on top: a leaf that beats the current group by more than the tolerance opens a new group, and the old one is
// resumed when that is used up. A push and a pop cost O(log n), however many ties there are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace polytomy {

// `Before` is an order of leaves (a function of two numbers) that does not change while they are in the queue.
template <class Before>
class Frontier {
 public:
    Frontier(double tolerance, Before before) : tolerance_(tolerance), before_(std::move(before)) {}

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    // A note comes back with the leaf.
    void push(double score, std::int32_t leaf, std::int32_t note = 0) {
        waiting_.push_back({score, pushed_++, leaf, note});
        std::push_heap(waiting_.begin(), waiting_.end(), worse_);
        ++size_;
    }

    // Remove and return the first leaf among those with the best score. The queue must not be empty.
    std::int32_t pop() {
        while (!groups_.empty() && groups_.back().leaves.empty()) groups_.pop_back();
        if (!waiting_.empty()) {
            const double best = waiting_.front().score;
            if (groups_.empty() || best > groups_.back().score + tolerance_) groups_.push_back({best, {}});
        }
        Ties& group = groups_.back();
        const auto later = [this](const Entry& a, const Entry& b) {
            if (before_(a.leaf, b.leaf)) return false;
            return before_(b.leaf, a.leaf) || a.number > b.number;
        };
        while (!waiting_.empty() && waiting_.front().score >= group.score - tolerance_) {
            std::pop_heap(waiting_.begin(), waiting_.end(), worse_);
            group.leaves.push_back(waiting_.back());
            waiting_.pop_back();
            std::push_heap(group.leaves.begin(), group.leaves.end(), later);
        }
        std::pop_heap(group.leaves.begin(), group.leaves.end(), later);
        const std::int32_t leaf = group.leaves.back().leaf;
        note_ = group.leaves.back().note;
        group.leaves.pop_back();
        --size_;
        return leaf;
    }

    // The note of the leaf that was popped last.
    [[nodiscard]] std::int32_t note() const noexcept { return note_; }
    // The note of the leaf that is popped next, unless there are ties or a better leaf is pushed before; 0 if none waits.
    [[nodiscard]] std::int32_t next_note() const noexcept { return waiting_.empty() ? 0 : waiting_.front().note; }

    // Visit all leaves, in no particular order.
    template <class Visit>
    void each(Visit&& visit) const {
        for (const Ties& group : groups_) {
            for (const Entry& entry : group.leaves) visit(entry.leaf);
        }
        for (const Entry& entry : waiting_) visit(entry.leaf);
    }

    // Visit about n leaves with the best scores, in no particular order.
    template <class Visit>
    void each_of_best(std::size_t n, Visit&& visit) const {
        std::vector<Entry> all;
        for (const Ties& group : groups_) all.insert(all.end(), group.leaves.begin(), group.leaves.end());
        all.insert(all.end(), waiting_.begin(), waiting_.end());
        if (all.size() > n) {
            std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n), all.end(),
                             [](const Entry& a, const Entry& b) { return worse_(b, a); });
            all.resize(n);
        }
        for (const Entry& entry : all) visit(entry.leaf);
    }

 private:
    struct Entry {
        double score;
        std::uint64_t number;  // in the order pushed: breaks ties of ties
        std::int32_t leaf;
        std::int32_t note;
    };
    struct Ties {
        double score;
        std::vector<Entry> leaves;  // a heap, by Before
    };
    static constexpr auto worse_ = [](const Entry& a, const Entry& b) {
        return a.score < b.score || (a.score == b.score && a.number > b.number);
    };

    double tolerance_;
    Before before_;
    std::vector<Entry> waiting_;  // a heap, the best score first
    std::vector<Ties> groups_;
    std::uint64_t pushed_ = 0;
    std::size_t size_ = 0;
    std::int32_t note_ = 0;
};

}  // namespace polytomy
