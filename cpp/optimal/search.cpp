// cpp/optimal/search.cpp: the branch and bound search. See the header for the method.
#include "optimal/search.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/cancellation.hpp"

namespace polytomy {
namespace {

constexpr Weight kNone = std::numeric_limits<Weight>::max();
// Prove half as much again as the target for a split if that is possible: it rules out more of its neighbours. With 4 leaves on
// 569 x 30 numbers, that makes the search 2.4 times as fast. Proving twice the target is slower with 6 leaves on 768 x 8 and
// 303 x 13 numbers (up to 4 times), and about the same on two other tables.
constexpr Weight kMargin = 2;
constexpr Weight kFewer = 2;  // prove twice the goal with a leaf less first: a bound on splits that cut off few rows
constexpr std::size_t kStepsPerPoll = 1 << 21;  // a few milliseconds
constexpr std::size_t kMostAssigned = 128;      // categories that are assigned to groups one by one; the others are free

std::size_t below(std::size_t depth) noexcept { return depth == OptimalSearch::kAnyDepth ? depth : depth - 1; }

}  // namespace

// The places between the codes of an ordered column at a subset. Place 0 has no rows on its left, the last one none on its
// right.
struct OptimalSearch::Cuts {
    struct Place {
        std::size_t end = 0;  // rows on the left
        Weight worth = 0;     // of the rows on the left
        SetKey key;           // of the rows on the left
        Weight left = 0, right = 0;  // the costs as one leaf
    };
    std::span<const Row> sorted;
    std::size_t shift;  // the order begins here: missing cells may be first
    std::vector<Place> places{Place{}};

    [[nodiscard]] Row row(std::size_t i) const noexcept {
        return sorted[i + shift < sorted.size() ? i + shift : i + shift - sorted.size()];
    }
    [[nodiscard]] Weight worth_between(std::size_t low, std::size_t high) const noexcept {
        return places[high].worth - places[low].worth;
    }
};

// Lower bounds of both sides of a place for 1, 2, ... leaves.
struct OptimalSearch::Probe {
    std::size_t at;
    std::vector<Weight> left, right;
};

// The categories of a column in two groups, some of them in neither yet.
struct OptimalSearch::Grouping {
    struct Category {
        std::size_t first, last;  // its rows in the order of the column
        Weight worth = 0;
        SetKey key;
        std::vector<Weight> counts;
    };
    struct Group {
        std::size_t leaves = 0;
        SetKey key;
        std::vector<Weight> counts;
        Weight worth = 0;
        std::size_t size = 0;
        Weight lower = 0;
    };
    std::size_t column;
    std::span<const Row> sorted;
    std::vector<Category> categories;
    std::vector<Weight> rest;        // a bound on the costs of the categories from the i-th on
    std::vector<std::uint8_t> side;  // the group of each category: 0 or 1, or 2 for none
    Group groups[2];
};

OptimalSearch::OptimalSearch(SearchRows rows, std::size_t max_leaves, std::size_t max_depth, std::size_t max_bytes)
    : rows_(std::move(rows)),
      max_depth_(max_depth),
      root_(all_rows(rows_)),
      root_bounds_(std::max<std::size_t>(1, max_leaves), root_.leaf_cost()),
      memory_(root_bounds_.leaves(), max_bytes),
      side_(rows_.size(), 0) {
    if (max_leaves < 1) throw std::invalid_argument("optimal search: a tree has at least one leaf");
    const bool can_split = !rows_.columns().empty() && max_depth > 0;
    if (!can_split) root_bounds_.settle(root_bounds_.leaves(), root_.leaf_cost());
}

bool OptimalSearch::prove(std::size_t k, Weight goal, const std::function<bool()>& may_continue) {
    if (k < 1 || k > root_bounds_.leaves()) throw std::invalid_argument("optimal search: no such number of leaves");
    stopped_ = false;
    steps_ = 0;
    may_continue_ = may_continue;
    search(root_, root_bounds_, k, goal, max_depth_);
    may_continue_ = nullptr;
    return root_bounds_.lower(k) >= goal || root_bounds_.is_exact(k);
}

void OptimalSearch::work(std::size_t steps) {
    poll(4 * steps);
    steps_ += steps;
    if (steps_ < kStepsPerPoll || stopped_) return;
    steps_ = 0;
    stopped_ = !may_continue_();
}

std::size_t OptimalSearch::most_leaves(std::size_t depth) const noexcept {
    const std::size_t cap = root_bounds_.leaves();
    return depth < 32 ? std::min(cap, std::size_t{1} << depth) : cap;
}

// The same rows have other bounds if fewer splits are allowed on a path.
SetKey OptimalSearch::key_at(SetKey key, std::size_t depth) const noexcept {
    if (max_depth_ != kAnyDepth) key += {0xD6E8FEB86659FD93U * depth, 0xA0761D6478BD642FU * depth};
    return key;
}

void OptimalSearch::settle_two_leaves(const Subset& rows, CostBounds& bounds) {
    if (bounds.leaves() < 2 || bounds.is_exact(2)) return;
    for (const Row row : rows.sorted(0)) side_[row] = 0;
    bounds.settle(2, two_leaf_costs(rows_, rows, side_.data(), scratch_).of[0]);
    work(rows.order.size());
}

void OptimalSearch::search(const Subset& rows, CostBounds& bounds, std::size_t k, Weight goal, std::size_t depth) {
    const std::size_t most = most_leaves(depth);
    if (k > most) {  // more leaves than the depth allows
        search(rows, bounds, most, goal, depth);
        bounds.raise(k, bounds.lower(most));
        return;
    }
    const auto is_done = [&] { return bounds.is_exact(k) || bounds.lower(k) >= goal; };
    if (is_done()) return;
    if (max_depth_ == kAnyDepth && rows.size <= k) bounds.settle(rows.size, 0);  // a leaf for each row
    if (!is_done()) settle_two_leaves(rows, bounds);
    if (!is_done() && k > 3 && depth >= k - 1) {
        search(rows, bounds, k - 1, std::min(kFewer * goal, bounds.upper(k - 1)), depth);
    }
    if (!is_done() && k > 2) {
        Task task{rows, bounds, k, depth, goal, bounds.upper(k), kNone};
        for (std::size_t j = 0; j < rows_.columns().size() && !stopped_; ++j) {
            const SearchColumn& column = rows_.columns()[j];
            const std::span<const Row> sorted = rows.sorted(j);
            if (column.codes[sorted.front()] == column.codes[sorted.back()]) continue;
            if (column.is_nominal) {
                search_groups(task, j);
            } else {
                search_cuts(task, j, false);
                if (column.is_missing(sorted.back())) search_cuts(task, j, true);
            }
        }
        bounds.reach(k, task.best);
        if (!stopped_) bounds.raise(k, std::min(task.least, task.best));
    }
    memory_.keep(key_at(rows.key, depth), bounds);
}

template <class Mark>
Weight OptimalSearch::divide(Task& task, Part (&parts)[2], std::size_t first, std::size_t second, Mark&& mark) {
    const std::size_t leaves[2] = {first, second};
    bool is_stuck[2] = {false, false};
    while (true) {
        const Weight sum = parts[0].bounds.lower(first) + parts[1].bounds.lower(second);
        task.best = std::min(task.best, parts[0].bounds.upper(first) + parts[1].bounds.upper(second));
        const Weight want = task.target() + task.target() / kMargin;
        if (sum >= want || stopped_) return sum;
        const auto is_open = [&](std::size_t i) { return !is_stuck[i] && !parts[i].bounds.is_exact(leaves[i]); };
        if (!is_open(0) && !is_open(1)) return sum;
        const bool both = is_open(0) && is_open(1);
        const std::size_t i = both ? (parts[1].size < parts[0].size ? 1 : 0) : (is_open(0) ? 0 : 1);
        Part& part = parts[i];
        if (!part.rows) {
            mark();
            part.rows = part_of(rows_, task.rows, side_.data(), static_cast<std::uint8_t>(i));
            work(task.rows.order.size());
        }
        // The parts share what is lacking: all that one part can prove, the other need not.
        const Weight lacking = want - sum;
        const Weight goal = part.bounds.lower(leaves[i]) + (both ? (lacking + 1) / 2 : lacking);
        search(*part.rows, part.bounds, leaves[i], goal, below(task.depth));
        is_stuck[i] = part.bounds.lower(leaves[i]) < goal;
    }
}

void OptimalSearch::search_cuts(Task& task, std::size_t j, bool missing_first) {
    const SearchColumn& column = rows_.columns()[j];
    Cuts cuts{task.rows.sorted(j), 0};
    const std::size_t n = cuts.sorted.size();
    if (missing_first) {
        cuts.shift = n;
        while (cuts.shift > 0 && column.is_missing(cuts.sorted[cuts.shift - 1])) --cuts.shift;
    }
    std::vector<Weight> left(rows_.classes(), 0);
    Cuts::Place place;
    for (std::size_t i = 0; i < n; ++i) {
        const Row row = cuts.row(i);
        place.worth += rows_.worth(row);
        place.key += rows_.key(row);
        rows_.add(row, left.data());
        if (i + 1 < n && column.codes[row] == column.codes[cuts.row(i + 1)]) continue;
        Weight most_left = 0, most_right = 0;
        for (std::size_t c = 0; c < left.size(); ++c) {
            most_left = std::max(most_left, left[c]);
            most_right = std::max(most_right, task.rows.counts[c] - left[c]);
        }
        place.end = i + 1;
        place.left = place.worth - most_left;
        place.right = task.rows.worth - place.worth - most_right;
        cuts.places.push_back(place);
    }
    work(n);
    // With all rows on one side, that side has the bounds of all rows.
    const std::vector<Weight> nothing(task.leaves, 0);
    std::vector<Weight> all(task.leaves);
    for (std::size_t k = 1; k <= task.leaves; ++k) all[k - 1] = task.bounds.lower(k);
    search_between(task, cuts, {0, nothing, all}, {cuts.places.size() - 1, all, nothing});
}

// Rules out the places between two probes by their bounds, and probes the middle one of those that remain.
void OptimalSearch::search_between(Task& task, const Cuts& cuts, const Probe& low, const Probe& high) {
    const std::size_t most = most_leaves(below(task.depth));
    const std::size_t first = task.leaves > most ? task.leaves - most : 1, last = std::min(task.leaves - 1, most);
    std::vector<std::size_t> open;
    for (std::size_t i = low.at + 1; i < high.at; ++i) {
        const Weight since_low = cuts.worth_between(low.at, i), to_high = cuts.worth_between(i, high.at);
        Weight bound = kNone;
        for (std::size_t k = first; k <= last; ++k) {
            const std::size_t other = task.leaves - k;
            const Weight left = k == 1 ? cuts.places[i].left : std::max(low.left[k - 1], high.left[k - 1] - to_high);
            const Weight right =
                other == 1 ? cuts.places[i].right : std::max(high.right[other - 1], low.right[other - 1] - since_low);
            bound = std::min(bound, left + right);
        }
        if (bound >= task.target()) {
            task.found(bound);
        } else {
            open.push_back(i);
        }
    }
    work((high.at - low.at) * task.leaves);
    if (open.empty() || stopped_) return;
    const Probe middle = probe(task, cuts, open[open.size() / 2], low, high);
    search_between(task, cuts, low, middle);
    search_between(task, cuts, middle, high);
}

// Searches both sides of a place until the bounds for every distribution of the leaves reach the target.
OptimalSearch::Probe OptimalSearch::probe(Task& task, const Cuts& cuts, std::size_t at, const Probe& low, const Probe& high) {
    const Cuts::Place& place = cuts.places[at];
    const std::size_t depth = below(task.depth), cap = root_bounds_.leaves();
    const std::size_t most = most_leaves(depth);
    Part parts[2] = {{place.key, {cap, place.left}, {}, place.end},
                     {task.rows.key - place.key, {cap, place.right}, {}, task.rows.size - place.end}};
    const Weight since_low = cuts.worth_between(low.at, at), to_high = cuts.worth_between(at, high.at);
    for (std::size_t k = 2; k < task.leaves; ++k) {
        parts[0].bounds.raise(k, std::max(low.left[k - 1], high.left[k - 1] - to_high));
        parts[1].bounds.raise(k, std::max(high.right[k - 1], low.right[k - 1] - since_low));
    }
    for (Part& part : parts) memory_.recall(key_at(part.key, depth), part.bounds);
    const auto mark = [&] {
        for (std::size_t i = 0; i < task.rows.size; ++i) side_[cuts.row(i)] = i < place.end ? 0 : 1;
    };
    if (most >= 2 && !(parts[0].bounds.is_exact(2) && parts[1].bounds.is_exact(2))) {
        mark();
        const TwoLeafCosts costs = two_leaf_costs(rows_, task.rows, side_.data(), scratch_);
        work(task.rows.order.size());
        for (std::size_t i = 0; i < 2; ++i) {
            parts[i].bounds.settle(2, costs.of[i]);
            memory_.keep(key_at(parts[i].key, depth), parts[i].bounds);
        }
    }
    for (std::size_t k = task.leaves > most ? task.leaves - most : 1; k <= std::min(task.leaves - 1, most); ++k) {
        task.found(divide(task, parts, k, task.leaves - k, mark));
    }
    Probe found{at, std::vector<Weight>(task.leaves), std::vector<Weight>(task.leaves)};
    for (std::size_t k = 1; k <= task.leaves; ++k) {
        found.left[k - 1] = parts[0].bounds.lower(k);
        found.right[k - 1] = parts[1].bounds.lower(k);
    }
    return found;
}

void OptimalSearch::search_groups(Task& task, std::size_t column) {
    const std::span<const std::uint32_t> codes = rows_.columns()[column].codes;
    Grouping grouping{column, task.rows.sorted(column), {}, {}, {}, {}};
    const std::span<const Row> sorted = grouping.sorted;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i == 0 || codes[sorted[i]] != codes[sorted[i - 1]]) {
            grouping.categories.push_back({i, i, 0, {}, std::vector<Weight>(rows_.classes(), 0)});
        }
        Grouping::Category& category = grouping.categories.back();
        category.last = i + 1;
        category.worth += rows_.worth(sorted[i]);
        category.key += rows_.key(sorted[i]);
        rows_.add(sorted[i], category.counts.data());
    }
    std::ranges::stable_sort(grouping.categories, std::ranges::greater{}, &Grouping::Category::worth);
    const std::size_t n = grouping.categories.size(), most = most_leaves(below(task.depth));
    for (std::size_t k = task.leaves > most ? task.leaves - most : 1; 2 * k <= task.leaves && !stopped_; ++k) {
        const std::size_t other = task.leaves - k;
        grouping.rest.assign(n + 1, 0);
        for (std::size_t i = n; i-- > 0;) {
            const Grouping::Category& category = grouping.categories[i];
            CostBounds own(root_bounds_.leaves(), category.worth - *std::ranges::max_element(category.counts));
            memory_.recall(key_at(category.key, below(task.depth)), own);
            grouping.rest[i] = grouping.rest[i + 1] + own.lower(other);
        }
        grouping.side.assign(n, 2);
        for (std::size_t g = 0; g < 2; ++g) {
            grouping.groups[g] = {g == 0 ? k : other, {}, std::vector<Weight>(rows_.classes(), 0), 0, 0, 0};
        }
        assign(task, grouping, 0);
    }
}

// Puts the next category into either group and goes on, unless the bounds of the groups and of the rest reach the target.
void OptimalSearch::assign(Task& task, Grouping& grouping, std::size_t next) {
    const auto bound = [&] { return grouping.groups[0].lower + grouping.groups[1].lower + grouping.rest[next]; };
    if (bound() >= task.target() || stopped_) {
        task.found(bound());
        return;
    }
    const std::size_t n = grouping.categories.size();
    const std::size_t depth = below(task.depth), cap = root_bounds_.leaves();
    const auto mark = [&] {
        for (std::size_t c = 0; c < n; ++c) {
            const Grouping::Category& category = grouping.categories[c];
            for (std::size_t i = category.first; i < category.last; ++i) side_[grouping.sorted[i]] = grouping.side[c];
        }
    };
    const auto part_of_group = [&](const Grouping::Group& group) {
        Part part{group.key, {cap, group.worth - *std::ranges::max_element(group.counts)}, {}, group.size};
        part.bounds.raise(group.leaves, group.lower);
        memory_.recall(key_at(part.key, depth), part.bounds);
        return part;
    };
    if (next == n) {
        if (grouping.groups[0].size == 0 || grouping.groups[1].size == 0) return;
        Part parts[2] = {part_of_group(grouping.groups[0]), part_of_group(grouping.groups[1])};
        task.found(divide(task, parts, grouping.groups[0].leaves, grouping.groups[1].leaves, mark));
        return;
    }
    if (next == kMostAssigned) {  // the rest is free: a bound, but maybe not a tree
        task.found(bound());
        return;
    }
    const Grouping::Category& category = grouping.categories[next];
    const bool is_symmetric = next == 0 && grouping.groups[0].leaves == grouping.groups[1].leaves;
    for (std::size_t g = 0; g < (is_symmetric ? 1U : 2U); ++g) {
        Grouping::Group& group = grouping.groups[g];
        const Grouping::Group before = group;
        grouping.side[next] = static_cast<std::uint8_t>(g);
        group.key += category.key;
        group.worth += category.worth;
        group.size += category.last - category.first;
        for (std::size_t c = 0; c < group.counts.size(); ++c) group.counts[c] += category.counts[c];
        Part part = part_of_group(group);
        group.lower = part.bounds.lower(group.leaves);
        const Weight others = grouping.groups[1 - g].lower + grouping.rest[next + 1];
        if (group.lower + others < task.target() && !part.bounds.is_exact(group.leaves)) {
            mark();
            part.rows = part_of(rows_, task.rows, side_.data(), static_cast<std::uint8_t>(g));
            work(task.rows.order.size());
            search(*part.rows, part.bounds, group.leaves, task.target() - others, depth);
            group.lower = part.bounds.lower(group.leaves);
        }
        assign(task, grouping, next + 1);
        group = before;
        grouping.side[next] = 2;
    }
}

}  // namespace polytomy
