// cpp/grow/frontier.hpp: a queue of leaves by score, in which scores within a tolerance count as equal.
//
// The same queue as src/polytomy/grow/frontier.py: of the leaves within the tolerance of the best score, the one that
// comes first by `Before` leaves first. Ties wait in groups on a stack, the best score on top: a leaf that beats the
// current group by more than the tolerance opens a new one, and the old is taken up again when that is used up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace polytomy {

// `Before` is an order of leaves (a function of two numbers) that does not change while they wait.
template <class Before>
class Frontier {
 public:
    Frontier(double tolerance, Before before) : tolerance_(tolerance), before_(std::move(before)) {}

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

    void push(double score, std::int32_t leaf) {
        waiting_.push_back({score, pushed_++, leaf});
        std::push_heap(waiting_.begin(), waiting_.end(), worse_);
        ++size_;
    }

    // Remove and return the first leaf among the best scores; there must be one.
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
        group.leaves.pop_back();
        --size_;
        return leaf;
    }

 private:
    struct Entry {
        double score;
        std::uint64_t number;  // in the order pushed: breaks ties of ties
        std::int32_t leaf;
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
};

}  // namespace polytomy
