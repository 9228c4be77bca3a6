// cpp/prune/minplus.cpp: see minplus.hpp.
#include "prune/minplus.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/cancellation.hpp"

namespace polytomy {
namespace {

constexpr Weight kNone = std::numeric_limits<Weight>::max();
constexpr std::size_t kShift = std::numeric_limits<std::size_t>::max();  // marks a fold without steps

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace

Prunings::Prunings(std::span<const std::int64_t> child_start, std::span<const std::int32_t> child,
                   std::span<const Weight> errors, std::span<const Weight> carried, std::size_t cap)
    : child_start_(child_start.begin(), child_start.end()), child_(child.begin(), child.end()) {
    check(errors, carried, cap);
    const std::size_t n = errors.size();
    n_points_.assign(n, 0);
    fold_of_.assign(n, {});
    // Children have larger numbers, so the tree is visited from the bottom up. The points of a node are freed when its
    // parent has used them: those in memory belong to disjoint subtrees, so there are no more of them than leaves.
    const std::vector<std::uint32_t> room = rooms(cap);
    std::vector<Points> below(n);
    for (std::size_t v = n; v-- > 0;) {
        poll(64);
        if (room[v] == 0) continue;
        below[v] = points_of(v, {1, errors[v], 0, carried.empty() ? 0 : carried[v]}, room[v], below);
        n_points_[v] = static_cast<std::uint32_t>(below[v].size());
    }
    for (const Point& p : below[0]) {
        sizes_.push_back(p.size);
        errors_.push_back(p.errors);
        carried_.push_back(p.carried);
    }
    cells_ = {};
    steps_.shrink_to_fit();
}

// Carried numbers may be any integers, so their sums may wrap around.
Prunings::Point Prunings::Point::plus(const Point& other) const noexcept {
    const auto sum = static_cast<std::uint64_t>(carried) + static_cast<std::uint64_t>(other.carried);
    return {size + other.size, errors + other.errors, depth + other.depth, static_cast<Weight>(sum)};
}

void Prunings::check(std::span<const Weight> errors, std::span<const Weight> carried, std::size_t cap) const {
    const std::size_t n = errors.size();
    require(carried.empty() || carried.size() == n, "Prunings: carried must have one number per node");
    require(n > 0 && cap > 0, "Prunings: there must be at least one node and one leaf");
    require(child_start_.size() == n + 1 && child_start_[0] == 0 && child_start_[n] == std::ssize(child_),
            "Prunings: child_start does not match child");
    for (std::size_t v = 0; v < n; ++v) {
        require(child_start_[v] <= child_start_[v + 1], "Prunings: child_start must be ascending");
        for (const std::int32_t c : children(v)) {
            require(c >= 0 && static_cast<std::size_t>(c) > v && static_cast<std::size_t>(c) < n,
                    "Prunings: a child comes before its parent or does not exist");
        }
        // at most two points are added before their errors are compared with those of their node
        require(errors[v] >= 0 && errors[v] <= kNone / 2, "Prunings: errors are negative or too many to add");
    }
}

std::span<const std::int32_t> Prunings::children(std::size_t v) const noexcept {
    return {child_.data() + child_start_[v], child_.data() + child_start_[v + 1]};
}

// Returns the most leaves that each node may have; 0 if no pruning within the cap reaches it.
std::vector<std::uint32_t> Prunings::rooms(std::size_t cap) const {
    const std::size_t n = child_start_.size() - 1;
    std::vector<std::uint32_t> room(n, 0);
    room[0] = static_cast<std::uint32_t>(std::min(cap, n));
    for (std::size_t v = 0; v < n; ++v) {
        const std::size_t arity = children(v).size();
        if (room[v] < arity) continue;
        for (const std::int32_t c : children(v)) {
            room[static_cast<std::size_t>(c)] = room[v] - static_cast<std::uint32_t>(arity - 1);
        }
    }
    return room;
}

Prunings::Points Prunings::points_of(std::size_t v, const Point& as_leaf, std::size_t room, std::vector<Points>& below) {
    Points points{as_leaf};
    const auto branches = children(v);
    if (branches.empty() || room < branches.size()) return points;
    // Branches that can only be leaves are summed up; the others are then joined, the first branch last.
    Point alone{0, 0, 0, 0};
    std::size_t choices = 0;
    for (const std::int32_t branch : branches) {
        const auto c = static_cast<std::size_t>(branch);
        if (has_choice(c)) ++choices;
        else if (alone.errors < as_leaf.errors) alone = alone.plus(below[c][0]);
    }
    Points rest;
    if (alone.errors < as_leaf.errors) rest.push_back(alone);
    for (std::size_t i = branches.size(); i-- > 0;) {
        const auto c = static_cast<std::size_t>(branches[i]);
        const Points own = std::exchange(below[c], {});
        if (has_choice(c)) fold_of_[c] = join(own, rest, room - --choices, as_leaf.errors);
    }
    points.reserve(1 + rest.size());
    for (Point& p : rest) {
        p.depth += p.size;
        points.push_back(p);
    }
    return points;
}

// Combines each point of a branch with each point of the branches after it, up to `most` leaves. Keeps those with fewer
// errors than `bound` and than every smaller one.
Prunings::Fold Prunings::join(const Points& own, Points& rest, std::size_t most, Weight bound) {
    const Fold fold{steps_.size(), 0};
    if (rest.empty()) return fold;
    if (rest.size() == 1) return shift(own, rest, most, bound);
    const std::size_t least = own.front().size + rest.front().size;
    const std::size_t last = std::min<std::size_t>(most, own.back().size + rest.back().size);
    cells_.assign(last - least + 1, Cell{{0, kNone, 0, 0}, {}});
    for (std::uint32_t i = 0; i < own.size(); ++i) {  // ascending: of equal points the one with fewer leaves in this branch stays
        poll(4 * rest.size());
        for (std::uint32_t j = 0; j < rest.size(); ++j) {
            const Point sum = own[i].plus(rest[j]);
            if (sum.size > last) break;
            Cell& cell = cells_[sum.size - least];
            const bool tie = sum.errors == cell.point.errors;
            if (tie ? sum.depth < cell.point.depth : sum.errors < cell.point.errors) cell = {sum, {j, i}};
        }
    }
    rest.clear();
    for (const Cell& cell : cells_) {
        if (cell.point.errors >= bound) continue;
        bound = cell.point.errors;
        rest.push_back(cell.point);
        steps_.push_back(cell.step);
    }
    return fold;
}

// With a single point in the rest there is no choice: a run of the branch's own points is kept. In a chain every fold is of
// this kind and would otherwise store as many steps as there are pairs of nodes.
Prunings::Fold Prunings::shift(const Points& own, Points& rest, std::size_t most, Weight bound) {
    const Point base = rest[0];
    std::size_t first = 0;
    while (first < own.size() && own[first].errors + base.errors >= bound) ++first;
    rest.clear();
    rest.reserve(own.size() - first);
    for (std::size_t i = first; i < own.size() && own[i].size + base.size <= most; ++i) rest.push_back(own[i].plus(base));
    return {kShift, first};
}

std::vector<std::int32_t> Prunings::leaves(std::size_t which) const {
    if (which >= sizes_.size()) throw std::out_of_range("Prunings: there is no such pruning");
    std::vector<std::int32_t> found;
    found.reserve(static_cast<std::size_t>(sizes_[which]));
    std::vector<std::pair<std::size_t, std::size_t>> waiting{{0, which}};  // node, its point
    while (!waiting.empty()) {
        const auto [v, point] = waiting.back();
        waiting.pop_back();
        if (point == 0) {
            found.push_back(static_cast<std::int32_t>(v));
            continue;
        }
        std::size_t rest = point - 1;
        for (const std::int32_t child : children(v)) {
            const auto c = static_cast<std::size_t>(child);
            if (!has_choice(c)) {
                found.push_back(child);
                continue;
            }
            const Fold fold = fold_of_[c];
            if (fold.first_step == kShift) {
                waiting.emplace_back(c, fold.first_own + rest);
                rest = 0;
            } else {
                const Step step = steps_[fold.first_step + rest];
                waiting.emplace_back(c, step.own);
                rest = step.rest;
            }
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace polytomy
