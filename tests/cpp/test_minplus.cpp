// tests/cpp/test_minplus.cpp: the best prunings against all prunings of small trees; deep and wide trees.
#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "check.hpp"
#include "prune/minplus.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

struct Shape {
    std::vector<std::vector<std::int32_t>> children{{}};

    // Gives a leaf `arity` children, numbered after the existing nodes.
    void split(std::size_t leaf, std::size_t arity) {
        for (std::size_t b = 0; b < arity; ++b) {
            children[leaf].push_back(static_cast<std::int32_t>(children.size()));
            children.emplace_back();
        }
    }
    [[nodiscard]] std::size_t size() const { return children.size(); }
};

Prunings prunings(const Shape& shape, const std::vector<Weight>& errors, std::size_t cap) {
    std::vector<std::int64_t> start{0};
    std::vector<std::int32_t> child;
    for (const auto& own : shape.children) {
        child.insert(child.end(), own.begin(), own.end());
        start.push_back(std::ssize(child));
    }
    std::vector<Weight> carried;  // the node's number: the sum identifies the leaves
    for (std::size_t v = 0; v < shape.size(); ++v) carried.push_back(static_cast<Weight>(v));
    return {start, child, errors, carried, cap};
}

// A pruning of a subtree; the best compares smallest. `below` has the sizes of its top branches, then the same for each
// branch in turn.
struct NaivePruning {
    Weight errors;
    std::int64_t size;
    std::int64_t depth;
    std::vector<std::int64_t> below;
    std::vector<std::int32_t> leaves;

    auto operator<=>(const NaivePruning&) const = default;
};

std::vector<NaivePruning> all_prunings(const Shape& shape, const std::vector<Weight>& errors, std::size_t v) {
    std::vector<NaivePruning> all{{errors[v], 1, 0, {}, {static_cast<std::int32_t>(v)}}};
    if (shape.children[v].empty()) return all;
    std::vector<std::vector<NaivePruning>> chosen{{}};  // one pruning for each branch so far
    for (const std::int32_t c : shape.children[v]) {
        std::vector<std::vector<NaivePruning>> longer;
        for (const NaivePruning& own : all_prunings(shape, errors, static_cast<std::size_t>(c))) {
            for (std::vector<NaivePruning> parts : chosen) {
                parts.push_back(own);
                longer.push_back(parts);
            }
        }
        chosen = longer;
    }
    for (const std::vector<NaivePruning>& parts : chosen) {
        NaivePruning whole{0, 0, 0, {}, {}};
        for (const NaivePruning& p : parts) {
            whole.errors += p.errors;
            whole.size += p.size;
            whole.depth += p.depth + p.size;
            whole.below.push_back(p.size);
            whole.leaves.insert(whole.leaves.end(), p.leaves.begin(), p.leaves.end());
        }
        for (const NaivePruning& p : parts) whole.below.insert(whole.below.end(), p.below.begin(), p.below.end());
        std::sort(whole.leaves.begin(), whole.leaves.end());
        all.push_back(whole);
    }
    return all;
}

// Returns the last pruning of at most k leaves.
std::size_t best_of(const Prunings& got, std::int64_t k) {
    const auto end = std::upper_bound(got.sizes().begin(), got.sizes().end(), k);
    return static_cast<std::size_t>(end - got.sizes().begin()) - 1;
}

void prunings_match_all_prunings_of_small_trees() {
    Random random(3);
    check::cases(2000, [&](long) {
        Shape shape;
        for (std::size_t splits = random.below(8); splits > 0; --splits) {
            std::size_t leaf = random.below(shape.size());
            while (!shape.children[leaf].empty()) leaf = random.below(shape.size());
            shape.split(leaf, 2 + random.below(3));
        }
        // A split saves a few errors, so that there are many ties; sometimes it costs some, as on held-out rows.
        std::vector<Weight> errors(shape.size());
        const std::size_t most = 1 + random.below(3);
        for (std::size_t v = errors.size(); v-- > 0;) {
            errors[v] = static_cast<Weight>(random.below(most + 1));
            if (random.one_in(8)) continue;
            for (const std::int32_t c : shape.children[v]) errors[v] += errors[static_cast<std::size_t>(c)];
        }
        std::vector<NaivePruning> all = all_prunings(shape, errors, 0);
        std::sort(all.begin(), all.end());
        const std::size_t cap = 1 + random.below(shape.size() + 2);
        const Prunings got = prunings(shape, errors, cap);
        CHECK(got.sizes().front() == 1);
        CHECK(got.sizes().back() <= static_cast<std::int64_t>(cap));
        CHECK(std::ranges::adjacent_find(got.errors(), std::less_equal<>{}) == got.errors().end());
        for (std::int64_t k = 1; k <= static_cast<std::int64_t>(cap); ++k) {
            const auto want = std::find_if(all.begin(), all.end(), [k](const NaivePruning& p) { return p.size <= k; });
            const std::size_t i = best_of(got, k);
            CHECK(got.sizes()[i] == want->size);
            CHECK(got.errors()[i] == want->errors);
            CHECK(got.leaves(i) == want->leaves);
            CHECK(got.carried()[i] == std::accumulate(want->leaves.begin(), want->leaves.end(), Weight{0}));
        }
    });
}

// A chain too deep for recursion. Each split sends one row to a leaf of its own.
void prunings_of_a_deep_chain_need_no_recursion() {
    constexpr std::size_t kDepth = 300000, kCap = 1000;
    Shape shape;
    std::vector<Weight> errors{static_cast<Weight>(kDepth)};
    for (std::size_t d = 0; d < kDepth; ++d) {
        shape.split(shape.size() - 1, 2);
        errors.push_back(0);
        errors.push_back(static_cast<Weight>(kDepth - d - 1));
    }
    const Prunings got = prunings(shape, errors, kCap);
    CHECK(got.sizes().size() == kCap);
    for (const std::size_t i : {0UL, 1UL, 500UL, kCap - 1}) {
        CHECK(got.errors()[i] == static_cast<Weight>(kDepth - i));
        const std::vector<std::int32_t> leaves = got.leaves(i);
        CHECK(leaves.size() == i + 1);
        CHECK(leaves.back() == static_cast<std::int32_t>(2 * i));
    }
}

// Ten thousand branches, some of which can be split once more, which saves 20 errors each.
void prunings_of_a_wide_node_prefer_the_last_branches() {
    constexpr std::size_t kBranches = 10000, kSplit = 300;
    Shape shape;
    shape.split(0, kBranches);
    std::vector<Weight> errors(1 + kBranches, 25);
    errors[0] = 1000000;
    for (std::size_t b = 0; b < kSplit; ++b) {
        shape.split(1 + 7 * b, 2);
        errors.insert(errors.end(), {5, 0});
    }
    const Prunings none = prunings(shape, errors, kBranches - 1);
    CHECK(none.sizes().size() == 1);
    CHECK(none.leaves(0) == std::vector<std::int32_t>{0});
    const Prunings some = prunings(shape, errors, kBranches + 100);
    CHECK(some.sizes().size() == 102);
    CHECK(some.sizes().back() == kBranches + 100);
    CHECK(some.errors().back() == 25 * kBranches - 20 * 100);
    // On a tie the first branches have the fewest leaves, so the last hundred are split.
    const std::vector<std::int32_t> leaves = some.leaves(101);
    CHECK(!std::binary_search(leaves.begin(), leaves.end(), 1 + 7 * 200));
    CHECK(std::binary_search(leaves.begin(), leaves.end(), 1 + 7 * 199));
}

void prunings_of_one_node_are_the_node() {
    const Prunings got = prunings({}, {7}, 5);
    CHECK(got.sizes() == std::vector<std::int64_t>{1});
    CHECK(got.errors() == std::vector<Weight>{7});
    CHECK(got.leaves(0) == std::vector<std::int32_t>{0});
}

template <class Call>
bool refuses(Call&& call) {
    try {
        call();
    } catch (const std::exception&) {
        return true;
    }
    return false;
}

void prunings_refuse_invalid_input() {
    using Starts = std::vector<std::int64_t>;
    using Nodes = std::vector<std::int32_t>;
    using Errors = std::vector<Weight>;
    const auto make = [](const Starts& start, const Nodes& child, const Errors& errors, std::size_t cap) {
        return refuses([&] { const Prunings tried(start, child, errors, {}, cap); });
    };
    CHECK(!make({0, 2, 2, 2}, {1, 2}, {2, 1, 1}, 9));
    CHECK(make({0, 2, 2, 2}, {1, 2}, {2, 1, 1}, 0));
    CHECK(make({0, 2, 2}, {1, 2}, {2, 1, 1}, 9));
    CHECK(make({0, 2, 1, 2}, {1, 2}, {2, 1, 1}, 9));
    CHECK(make({0, 2, 2, 2}, {1, 3}, {2, 1, 1}, 9));
    CHECK(make({0, 2, 2, 2}, {0, 2}, {2, 1, 1}, 9));
    CHECK(make({0, 2, 2, 2}, {1, 2}, {2, -1, 1}, 9));
    CHECK(make({0, 2, 2, 2}, {1, 2}, {2, std::numeric_limits<Weight>::max(), 1}, 9));
    CHECK(make({0}, {}, {}, 9));
    CHECK(refuses([] { const Prunings tried(Starts{0, 0}, Nodes{}, Errors{7}, Errors{1, 2}, 5); }));
    CHECK(refuses([&] { (void)prunings({}, {7}, 5).leaves(1); }));
}

}  // namespace

int main() {
    return check::run(prunings_match_all_prunings_of_small_trees,
                      prunings_of_a_deep_chain_need_no_recursion,
                      prunings_of_a_wide_node_prefer_the_last_branches,
                      prunings_of_one_node_are_the_node,
                      prunings_refuse_invalid_input);
}
