// cpp/grow/least_score.hpp: a score that leaves must reach to be split within the budget.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/types.hpp"
#include "grow/leaf_choice.hpp"

namespace polytomy {

// If as many leaves wait as the tree may still get, the run will split no leaf whose options all score less than the best
// binary option of each of these: they come first, and every split adds a leaf. That stays true as the tree grows. So wide
// splits need to be looked for only above that score: 100 rounds of 31 leaves on 3,000 x 20 take 0.98 of the time.
class LeastScore {
 public:
    void restart() noexcept {
        score_ = -kInfinity;
        pushes_to_go_ = 0;
    }
    [[nodiscard]] double score() const noexcept { return score_; }
    // Called for every new leaf, when `needed` leaves are still wanted and `waiting` wait; each(visit) visits these. Scores within
    // a tie may come in any order.
    template <class Each>
    void raise(std::size_t needed, std::size_t waiting, double tie, Each&& each) {
        constexpr std::size_t kSeldom = 16;  // leaves per push, so that looking at all of them takes little time
        constexpr double kTies = 8.0;
        if (waiting < needed || (pushes_to_go_ > 0 && --pushes_to_go_ > 0)) return;
        pushes_to_go_ = waiting / kSeldom;
        binary_.clear();
        each([&](const Leaf* leaf) {
            if (leaf != nullptr && !leaf->menu.empty() && leaf->menu.front().arity == 2) binary_.push_back(worth_of(leaf->menu.front()));
        });
        if (binary_.size() < needed) return;
        const auto last = binary_.begin() + static_cast<std::ptrdiff_t>(needed) - 1;
        std::nth_element(binary_.begin(), last, binary_.end(), std::greater<>());
        score_ = std::max(score_, *last - kTies * tie);
    }

 private:
    double score_ = -kInfinity;
    std::size_t pushes_to_go_ = 0;
    std::vector<double> binary_;  // scores
};

}  // namespace polytomy
