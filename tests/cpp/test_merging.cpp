// tests/cpp/test_merging.cpp: the cheapest prunings with merged branches against all of them, on small random trees.
#include <map>
#include <set>
#include <stdexcept>

#include "check.hpp"
#include "naive_search.hpp"
#include "prune/merging.hpp"

using namespace polytomy;

namespace {

constexpr std::int8_t kIntervals = 1, kCodes = 2, kOwn = 3;

struct Tree {
    std::size_t classes;
    std::vector<std::int8_t> kind{0};
    std::vector<std::int32_t> column{-1};
    std::vector<std::vector<std::int32_t>> children{{}};
    std::vector<std::int64_t> n_thresholds{0};
    std::vector<bool> may_miss{true};         // whether missing cells of column 0 reach the node
    std::vector<bool> all_missing{false};     // whether all its cells of column 0 are missing
    std::vector<Weight> counts;
    std::vector<std::int64_t> child_start{0};
    std::vector<std::int32_t> child;

    // Splits use few columns, so that many follow a split on the same one. A branch of missing cells of its own exists
    // only in column 0, once on a path.
    Tree(Random& random, std::size_t splits) : classes(2 + random.below(2)) {
        for (std::size_t v = 0; v < kind.size() && splits > 0; ++v) {
            if (v > 0 && random.one_in(3)) continue;
            --splits;
            kind[v] = random.one_in(12) ? kOwn : random.one_in(3) ? kCodes : kIntervals;
            column[v] = static_cast<std::int32_t>(kind[v] == kCodes ? 2 + random.below(2) : random.below(2));
            if (all_missing[v]) column[v] = kind[v] == kCodes ? column[v] : 1;
            const std::size_t ranges = 2 + random.below(3);
            const bool apart = kind[v] == kIntervals && column[v] == 0 && may_miss[v] && random.one_in(2);
            n_thresholds[v] = kind[v] == kIntervals ? static_cast<std::int64_t>(ranges - 1) : 0;
            const std::size_t joined = random.below(ranges);  // the range of missing cells if they are not apart
            for (std::size_t b = 0; b < ranges + (apart ? 1 : 0); ++b) {
                children[v].push_back(static_cast<std::int32_t>(kind.size()));
                kind.push_back(0);
                column.push_back(-1);
                children.emplace_back();
                n_thresholds.push_back(0);
                const bool asked = kind[v] == kIntervals && column[v] == 0;
                may_miss.push_back(may_miss[v] && (!asked || (!apart && b == joined)));
                all_missing.push_back(all_missing[v] || (apart && b == ranges));
            }
        }
        counts.assign(kind.size() * classes, 0);
        for (std::size_t v = kind.size(); v-- > 0;) {
            if (children[v].empty()) {
                for (std::size_t c = 0; c < classes; ++c) counts[v * classes + c] = static_cast<Weight>(random.below(6));
                counts[v * classes + random.below(classes)] += 1;
            }
            for (const std::int32_t w : children[v]) {
                for (std::size_t c = 0; c < classes; ++c) counts[v * classes + c] += counts_of(w)[c];
            }
        }
        for (const auto& own : children) {
            child.insert(child.end(), own.begin(), own.end());
            child_start.push_back(static_cast<std::int64_t>(child.size()));
        }
    }

    [[nodiscard]] std::vector<Weight> counts_of(std::int32_t v) const {
        const auto* from = counts.data() + static_cast<std::size_t>(v) * classes;
        return {from, from + classes};
    }
    [[nodiscard]] double weight(std::int32_t v) const {
        const std::vector<Weight> own = counts_of(v);
        return static_cast<double>(std::accumulate(own.begin(), own.end(), Weight{0}));
    }
    [[nodiscard]] PrunableTree view() const { return {kind, column, child_start, child, n_thresholds, counts, classes}; }
};

using Costs = std::map<std::size_t, double>;  // least cost by number of leaves

// Every pruning, by enumeration of what a split can do with its branches.
struct Naive {
    const Tree& tree;
    IndexKind index;
    MergingPrices prices;

    struct Branches {
        std::vector<std::int32_t> nodes;
        std::int32_t missing = -1;
    };

    [[nodiscard]] double loss(const std::vector<std::int32_t>& nodes) const {
        std::vector<Weight> sum(tree.classes, 0);
        for (const std::int32_t v : nodes) {
            for (std::size_t c = 0; c < tree.classes; ++c) sum[c] += tree.counts_of(v)[c];
        }
        const auto errors = static_cast<double>(std::accumulate(sum.begin(), sum.end(), Weight{0}) -
                                                *std::max_element(sum.begin(), sum.end()));
        return (1.0 - prices.impurity_share) * errors + prices.impurity_share * 0.5 * naive_value(index, sum);
    }

    // The branches of the wide split that begins at `head`, in the order in which they may be merged.
    void collect(std::int32_t v, std::int32_t head, Branches& found) const {
        const auto at = static_cast<std::size_t>(v), first = static_cast<std::size_t>(head);
        std::vector<std::int32_t> order = tree.children[at];
        if (tree.kind[at] == kIntervals && order.size() == static_cast<std::size_t>(tree.n_thresholds[at]) + 2) {
            found.missing = order.back();
            order.pop_back();
        }
        if (tree.kind[at] == kCodes) {
            const std::vector<Weight> own = tree.counts_of(head);
            const auto top = static_cast<std::size_t>(std::max_element(own.begin(), own.end()) - own.begin());
            const auto share = [&](std::int32_t w) { return static_cast<double>(tree.counts_of(w)[top]) / tree.weight(w); };
            std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return share(a) < share(b); });
        }
        for (const std::int32_t w : order) {
            const auto next = static_cast<std::size_t>(w);
            const bool same = tree.kind[next] == tree.kind[first] && tree.column[next] == tree.column[first];
            if (prices.contract && tree.kind[first] != kOwn && same) collect(w, head, found);
            else found.nodes.push_back(w);
        }
    }

    static void keep(Costs& costs, std::size_t leaves, double cost) {
        const auto [at, is_new] = costs.try_emplace(leaves, cost);
        if (!is_new) at->second = std::min(at->second, cost);
    }

    // Adds what the branches from `begin` on can cost, given what those before cost; `placed`: the missing cells are in
    // one of them.
    void extend(const Branches& found, bool may_merge, std::size_t begin, bool placed, const Costs& before, Costs& costs) const {
        if (begin == found.nodes.size()) {
            const bool apart = found.missing >= 0 && !placed;
            const Costs last = apart ? of(found.missing) : Costs{{0, 0.0}};
            for (const auto& [a, x] : before) {
                for (const auto& [b, y] : last) keep(costs, a + b, x + y);
            }
            return;
        }
        const std::size_t most = may_merge ? found.nodes.size() : begin + 1;
        for (std::size_t end = begin + 1; end <= most; ++end) {
            for (const bool joins : {false, true}) {
                if (joins && (found.missing < 0 || placed || !may_merge)) continue;
                std::vector<std::int32_t> run(found.nodes.begin() + static_cast<std::ptrdiff_t>(begin),
                                              found.nodes.begin() + static_cast<std::ptrdiff_t>(end));
                if (joins) run.push_back(found.missing);
                const Costs own = run.size() == 1 ? of(run[0]) : Costs{{1, loss(run)}};
                Costs after;
                for (const auto& [a, x] : before) {
                    for (const auto& [b, y] : own) keep(after, a + b, x + y);
                }
                extend(found, may_merge, end, placed || joins, after, costs);
            }
        }
    }

    [[nodiscard]] Costs of(std::int32_t v) const {
        Costs costs{{1, loss({v})}};
        if (tree.children[static_cast<std::size_t>(v)].empty()) return costs;
        Branches found;
        collect(v, v, found);
        Costs split;
        extend(found, prices.merge && tree.kind[static_cast<std::size_t>(v)] != kOwn, 0, false, {{0, 0.0}}, split);
        for (const auto& [leaves, cost] : split) {
            if (leaves > 1) keep(costs, leaves, cost + prices.question_price * tree.weight(v));
        }
        return costs;
    }
};

// The cost and the number of leaves that the numbers of a pruning's nodes amount to.
void check_pruning(const MergedPrunings::Pruning& pruning, std::size_t leaves, double cost, const Tree& tree, const Naive& naive) {
    const std::size_t n = pruning.parent.size();
    std::vector<std::vector<std::int32_t>> sources(n);  // the nodes of the grown tree that a node stands for
    for (std::size_t v = 0; v < tree.kind.size(); ++v) {
        const auto number = static_cast<std::size_t>(pruning.number[v]);
        if (pruning.state[v] == MergedPrunings::kGone) CHECK(pruning.branch[v] == -1);
        else sources.at(number).push_back(static_cast<std::int32_t>(v));
    }
    std::set<std::int32_t> inner(pruning.parent.begin() + 1, pruning.parent.end());
    CHECK(pruning.parent[0] == -1 && n - inner.size() == leaves);
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        CHECK(i == 0 || (pruning.parent[i] >= 0 && pruning.parent[i] < static_cast<std::int32_t>(i)));
        const bool is_inner = inner.contains(static_cast<std::int32_t>(i));
        CHECK(!sources[i].empty() && (!is_inner || sources[i].size() == 1));
        for (const std::int32_t v : sources[i]) {
            CHECK(pruning.state[static_cast<std::size_t>(v)] == (is_inner ? MergedPrunings::kSplit : MergedPrunings::kLeaf));
        }
        total += is_inner ? naive.prices.question_price * tree.weight(sources[i][0]) : naive.loss(sources[i]);
    }
    CHECK_NEAR(total, cost, 1e-9 * tree.weight(0));
    for (std::size_t v = 0; v < tree.kind.size(); ++v) {  // a node below a leaf has its number
        for (const std::int32_t w : tree.children[v]) {
            if (pruning.number[v] < 0 || inner.contains(pruning.number[v])) continue;
            CHECK(pruning.number[static_cast<std::size_t>(w)] == pruning.number[v]);
        }
        if (tree.children[v].empty()) CHECK(pruning.number[v] >= 0);
    }
}

void prunings_match_all_prunings() {
    Random random(31);
    int with_missing = 0, sizes = 0;
    check::cases(1500, [&](long) {
        const Tree tree(random, random.below(6));
        const IndexKind index = kKinds[random.below(4)];
        const double share[] = {0.0, 0.5, 1.0};
        const double price[] = {0.0, 0.003, 0.05, 0.3};
        const MergingPrices prices{&builtin_index(index), share[random.below(3)], price[random.below(4)],
                                   !random.one_in(3), !random.one_in(4)};
        const Naive naive{tree, index, prices};
        const Costs want = naive.of(0);
        const std::size_t cap = random.one_in(3) ? 1 + random.below(6) : tree.kind.size();
        const MergedPrunings got(tree.view(), prices, cap);
        CHECK(got.costs().size() <= cap);
        for (std::size_t leaves = 1; leaves <= cap; ++leaves) {
            const double cost = leaves <= got.costs().size() ? got.costs()[leaves - 1] : kInfinity;
            const auto expected = want.find(leaves);
            CHECK((cost < kInfinity) == (expected != want.end()));
            if (!(cost < kInfinity) || expected == want.end()) continue;
            CHECK_NEAR(cost, expected->second, 1e-9 * tree.weight(0));
            check_pruning(got.at(leaves), leaves, cost, tree, naive);
            ++sizes;
        }
        for (std::size_t v = 0; v < tree.kind.size(); ++v) {
            with_missing += tree.children[v].size() == static_cast<std::size_t>(tree.n_thresholds[v]) + 2 &&
                            tree.kind[v] == kIntervals ? 1 : 0;
        }
    });
    CHECK(with_missing > 200 && sizes > 5000);
}

template <class Error, class Call>
bool throws(Call&& call) {
    try {
        call();
    } catch (const Error&) {
        return true;
    }
    return false;
}

void sizes_without_a_pruning_are_refused() {
    Random random(32);
    const Tree leaf(random, 0);
    const MergingPrices prices{&builtin_index(IndexKind::gini), 0.5, 0.0, true, true};
    const MergedPrunings prunings(leaf.view(), prices, 4);
    CHECK(prunings.costs().size() == 1 && prunings.at(1).state[0] == MergedPrunings::kLeaf);
    CHECK(throws<std::out_of_range>([&] { (void)prunings.at(0); }));
    CHECK(throws<std::out_of_range>([&] { (void)prunings.at(2); }));
    CHECK(throws<std::invalid_argument>([&] { MergedPrunings(leaf.view(), prices, 0); }));
}

// A chain of a thousand splits, each with a leaf and the next split.
void deep_trees_need_no_recursion() {
    constexpr std::int32_t kSplits = 1000;
    std::vector<std::int8_t> kind;
    std::vector<std::int32_t> column, child;
    std::vector<std::int64_t> start{0}, n_thresholds;
    std::vector<Weight> counts;
    for (std::int32_t v = 0; v < 2 * kSplits + 1; ++v) {
        const bool split = v % 2 == 0 && v < 2 * kSplits;  // leaf 2i + 1 and split 2i + 2 follow split 2i
        kind.push_back(split ? kIntervals : std::int8_t{0});
        column.push_back(v / 2 % 3);
        n_thresholds.push_back(split ? 1 : 0);
        if (split) child.insert(child.end(), {v + 1, v + 2});
        start.push_back(static_cast<std::int64_t>(child.size()));
        const std::int32_t below = split ? kSplits - v / 2 : 0;
        const bool odd = v / 2 % 2 == 1;
        counts.insert(counts.end(), {split ? (below + 1) / 2 + 1 : odd ? 0 : 1, split ? below / 2 : odd ? 1 : 0});
    }
    const MergingPrices prices{&builtin_index(IndexKind::gini), 0.5, 0.0, true, true};
    const MergedPrunings prunings({kind, column, start, child, n_thresholds, counts, 2}, prices, 8);
    CHECK(prunings.costs().size() == 8);
    CHECK(prunings.at(8).parent.size() > 8);
}

}  // namespace

int main() {
    return check::run(prunings_match_all_prunings, sizes_without_a_pruning_are_refused, deep_trees_need_no_recursion);
}
