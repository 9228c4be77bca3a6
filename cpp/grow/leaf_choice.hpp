// cpp/grow/leaf_choice.hpp: one leaf: its menu, and the option chosen from it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "grow/column_draw.hpp"
#include "grow/column_path.hpp"
#include "grow/node_menu.hpp"
#include "grow/procedure.hpp"
#include "grow/rules.hpp"
#include "search/runs.hpp"

namespace polytomy {

// How many times the gain that chance gives a branch it must have, at a branch price.
inline constexpr double kEvidence = 8.0;

// A leaf that may yet be split: its menu, once it has been searched, and the choice from it.
struct Leaf {
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    double value = 0.0;     // F of the counts
    double impurity = 0.0;  // what splits can remove of it
    std::size_t classes = 0;  // present
    double weight = 0.0;
    std::uint64_t key = 0;  // of its random draws
    ValueRange range;       // of the values of its descendants
    std::size_t nodes_compared = 0;  // from which the range follows
    AskedColumns asked;                         // above it
    double branch_price = 0.0;  // gain that each branch beyond the second must add, for procedures at a branch price
    bool searched = false;
    bool of_winner = false;  // options that the chosen one beats may not be in the menu
    bool of_first = false;  // only columns that come first were searched
    std::vector<Option> menu;
    double binary_gain = std::numeric_limits<double>::quiet_NaN();
    std::size_t choice = kNone;  // position in the menu
    double score = 0.0;

    [[nodiscard]] const Option& chosen() const noexcept { return menu[choice]; }
};

// Searches leaves and chooses their options. Every thread has its own, because procedures remember prices.
class Chooser {
 public:
    // `root` are the class counts of the whole sample, `most_codes` those of the column with the most, and `residue_unit`
    // the unit of residues.
    Chooser(const GrowthRules& rules, std::span<const Family> families, std::span<const Weight> root, std::size_t rows,
            std::int64_t most_codes, double residue_unit);

    // Only the target has changed. Rules that are fractions of the weight refer to `weight`; by default that of `root`.
    void restart(std::span<const Weight> root, double residue_unit, std::optional<Weight> weight = {});
    void set_threads(int threads) noexcept { query_.threads = threads; }
    // The run will split no leaf whose options all score less.
    void set_least_score(double score) noexcept { query_.least_score = score; }
    // Whether a leaf that has a binary option keeps one that scores as much until the tree is full, and is never given up.
    [[nodiscard]] bool keeps_scores() const noexcept;
    // What the costs of columns are shares of.
    void set_root(double impurity, double weight) noexcept { root_impurity_per_weight_ = weight > 0.0 ? impurity / weight : 0.0; }
    // An unsearched leaf with these counts and this residue, which is null if the target has none.
    [[nodiscard]] Leaf leaf_of(std::span<const Weight> counts, const Residue* residue) const;
    // F of the counts; 0 if only one class is present.
    [[nodiscard]] double value(std::span<const Weight> counts) const;
    // The part of F that splits can remove; 0 if all rows are alike.
    [[nodiscard]] double impurity(std::span<const Weight> counts, const Residue* residue) const;
    // The same, given F of the counts.
    [[nodiscard]] double impurity(double whole, const Residue* residue) const noexcept;
    // The gain that a split needs.
    [[nodiscard]] double least_gain() const noexcept { return least_gain_; }
    // The reason not to search a leaf, or none.
    [[nodiscard]] std::optional<Reason> limit(std::int64_t depth, std::int64_t rows) const noexcept;
    // Choose the leaf's option for a tree of `leaves` leaves, or return why there is none. If the leaf has not been
    // searched yet, `histograms(columns)` must return its histograms of these columns, and `members()` its rows (for
    // users' own families).
    template <class GetHistograms, class GetMembers>
    std::optional<Reason> choose(Leaf& leaf, std::int64_t depth, std::int64_t rows, std::int64_t leaves,
                                 GetHistograms&& histograms, GetMembers&& members) {
        if (is_current(leaf, leaves)) return std::nullopt;
        leaf.choice = Leaf::kNone;
        if (const std::optional<Reason> reason = limit(depth, rows)) return reason;
        if (leaf.of_winner) leaf.searched = false;  // the winner has become too wide
        if (path_.matters()) return choose_on_path(leaf, rows, leaves, histograms, members);
        if (!leaf.searched) {
            const std::span<const Row> held = has_own_ ? members() : std::span<const Row>{};
            DrawnColumns columns = draw_.first(leaf.key);
            search(leaf, histograms(columns), {columns, held, true}, rows, leaves);
            // None of the columns can split the leaf: draw further ones until one can.
            while (choice(leaf, leaf.menu, leaves) == Leaf::kNone && !(columns = draw_.next())->empty()) {
                search(leaf, histograms(columns), {columns, {}, false}, rows, leaves);
            }
        }
        return pick(leaf, leaves);
    }
    // The columns asked above the children of a leaf that splits by this option.
    [[nodiscard]] AskedColumns asked_below(const Leaf& leaf, const Option& option) const {
        return path_.below(leaf.asked, option.column);
    }
    // The mean rank of the classes of each child; see GrowthRules::ranks.
    [[nodiscard]] std::vector<double> mean_ranks(std::span<const Weight> counts) const;
    // The options of an unsearched leaf of a tree of one leaf, at most two of a column: its best binary one, and the one
    // that the leaf would choose if there were no other column. Those that the leaf would choose first come first. Only
    // columns that may be asked at the leaf count.
    std::vector<Option> by_column(Leaf& leaf, const NodeHistograms& node, std::int64_t rows, std::size_t columns);
    // Whether the leaf has a choice that is still acceptable.
    [[nodiscard]] bool is_current(const Leaf& leaf, std::int64_t leaves) {
        return leaf.choice != Leaf::kNone && procedure_.acceptable(leaf.chosen().arity, leaves);
    }
    [[nodiscard]] MenuSettings settings() const noexcept { return {families_, query_, prices_}; }
    [[nodiscard]] double price(std::int64_t arity) { return procedure_.price(arity); }
    // The largest arity up to `cap` that is acceptable for a tree of `leaves` leaves.
    [[nodiscard]] std::int64_t largest(std::int64_t leaves, std::int64_t cap) { return procedure_.largest(leaves, cap); }

 private:
    // The same if constraints depend on the columns asked above the leaf: columns that come first are searched alone, and
    // all that are allowed if none of them has a split that gains and is acceptable.
    template <class GetHistograms, class GetMembers>
    std::optional<Reason> choose_on_path(Leaf& leaf, std::int64_t rows, std::int64_t leaves, GetHistograms&& histograms,
                                         GetMembers&& members) {
        const std::vector<std::int32_t> allowed = path_.allowed(leaf.asked);
        if (leaf.searched && !leaf.of_first) return pick(leaf, leaves);
        const auto gains = [&] { return !pick(leaf, leaves) && leaf.chosen().gain > 0.0; };
        if (leaf.searched) {
            if (gains()) return std::nullopt;
        } else if (const std::vector<std::int32_t> first = path_.first(leaf.asked, allowed); !first.empty()) {
            leaf.of_first = true;
            search(leaf, histograms(std::span(first)), {std::span(first), {}, false}, rows, leaves);
            if (gains()) return std::nullopt;
        }
        leaf.of_first = false;
        leaf.choice = Leaf::kNone;
        const std::span<const Row> held = has_own_ ? members() : std::span<const Row>{};
        search(leaf, histograms(std::nullopt), {std::span(allowed), held, true}, rows, leaves);
        return pick(leaf, leaves);
    }
    [[nodiscard]] double charge(const Leaf& leaf) const noexcept;
    [[nodiscard]] double branch_price(const Leaf& leaf) const noexcept;
    // The part of the node to search: some columns, and the rows for users' own families if these are asked.
    struct Scope {
        DrawnColumns columns;
        std::span<const Row> members;
        bool own;
    };
    void search(Leaf& leaf, const NodeHistograms& node, const Scope& scope, std::int64_t rows, std::int64_t leaves);
    [[nodiscard]] MenuSettings settings_at(const Leaf& leaf) const;
    void search_by_ratio(Leaf& leaf, const NodeHistograms& node, const MenuRequest& wanted);
    void add_children(Leaf& leaf, const NodeHistograms& node) const;
    void drop_losses(Leaf& leaf) const;
    void keep_on_path(const Leaf& leaf, std::vector<Option>& options) const;
    [[nodiscard]] bool needs_winner_only() const noexcept;
    [[nodiscard]] bool by_ratio() const noexcept { return rules_->procedure == ProcedureKind::gain_ratio; }
    [[nodiscard]] MenuRequest request(const Leaf& leaf, std::int64_t rows, std::int64_t leaves);
    [[nodiscard]] double score(const Option& option);
    [[nodiscard]] double value(const Leaf& leaf, const Option& option);
    [[nodiscard]] std::size_t choice(const Leaf& leaf, std::span<const Option> menu, std::int64_t leaves);
    [[nodiscard]] std::optional<Reason> pick(Leaf& leaf, std::int64_t leaves);

    const GrowthRules* rules_;
    std::span<const Family> families_;
    bool has_own_;
    Procedure procedure_;
    ColumnDraw draw_;
    ColumnPath path_;
    std::vector<double> prices_;  // of 2, 3, ... branches, relative to that of 2
    Query query_{};
    SearchTools tools_;
    double residue_unit_ = 0.0;
    double least_gain_;
    double branch_price_;
    double root_impurity_per_weight_ = 0.0;
};

}  // namespace polytomy
