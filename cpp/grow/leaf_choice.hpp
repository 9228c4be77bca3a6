// cpp/grow/leaf_choice.hpp: looking at one leaf: what may be asked of it, and what is best.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "grow/node_menu.hpp"
#include "grow/procedure.hpp"
#include "grow/rules.hpp"

namespace polytomy {

// A leaf that may yet be split: its menu, once it was looked at, and the choice from it.
struct Leaf {
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    double value = 0.0;  // F of the counts
    bool looked_at = false;
    std::vector<Option> menu;
    double binary_gain = std::numeric_limits<double>::quiet_NaN();
    std::size_t choice = kNone;  // on the menu
    double score = 0.0;

    [[nodiscard]] const Option& chosen() const noexcept { return menu[choice]; }
};

// One for each thread: procedures remember what they computed.
class Decider {
 public:
    // The families and the root's counts are those of the whole tree.
    Decider(const GrowthRules& rules, std::span<const Family> families, std::span<const Weight> root, std::size_t rows);

    void set_threads(int threads) noexcept { query_.threads = threads; }
    // F of the counts; 0 where only one class is present.
    [[nodiscard]] double value(std::span<const Weight> counts) const;
    // Choose the leaf's option, for a tree of so many leaves, or say why there is none. `collect` is called for the
    // leaf's histograms where it was not looked at before.
    template <class Collect>
    std::optional<Reason> choose(Leaf& leaf, std::int64_t depth, std::int64_t rows, std::int64_t leaves,
                                 Collect&& collect) {
        if (is_current(leaf, leaves)) return std::nullopt;
        leaf.choice = Leaf::kNone;
        if (const std::optional<Reason> reason = limit(depth, rows)) return reason;
        if (!leaf.looked_at) look_at(leaf, collect(), rows, leaves);
        return pick(leaf, leaves);
    }
    // Has the leaf a choice that is still acceptable?
    [[nodiscard]] bool is_current(const Leaf& leaf, std::int64_t leaves) {
        return leaf.choice != Leaf::kNone && procedure_.acceptable(leaf.chosen().arity, leaves);
    }

 private:
    [[nodiscard]] std::optional<Reason> limit(std::int64_t depth, std::int64_t rows) const noexcept;
    void look_at(Leaf& leaf, const NodeHistograms& node, std::int64_t rows, std::int64_t leaves);
    [[nodiscard]] std::optional<Reason> pick(Leaf& leaf, std::int64_t leaves);

    GrowthRules rules_;
    std::span<const Family> families_;
    const Index* index_;
    Procedure procedure_;
    std::vector<double> prices_;
    Query query_{};
    double least_gain_;
};

}  // namespace polytomy
