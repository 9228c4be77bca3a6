// cpp/search/greedy_cuts.cpp: see greedy_cuts.hpp.
#include "search/greedy_cuts.hpp"

#include <algorithm>

#include "base/cancellation.hpp"

namespace polytomy {
namespace {

constexpr double kNone = -1.0;

// The values start..end-1, and their best cut.
struct Leaf {
    std::size_t start, end, cut = 0;
    double gain = kNone;
};

struct Totals {
    std::vector<double> a, b;

    void find_cut(Leaf& leaf, double least) const {
        const double whole_a = a[leaf.end] - a[leaf.start];
        const double whole_b = b[leaf.end] - b[leaf.start];
        if (whole_a == 0.0 || whole_b == 0.0) return;
        double lowest = kInfinity;
        poll(4 * (leaf.end - leaf.start));
        for (std::size_t i = leaf.start + 1; i < leaf.end; ++i) {
            const double left_a = a[i] - a[leaf.start];
            const double left_b = b[i] - b[leaf.start];
            const double right_a = whole_a - left_a;
            const double right_b = whole_b - left_b;
            const double left = left_a + left_b;
            const double right = right_a + right_b;
            if (left < least || right < least) continue;
            const double inside = left_a * left_b / left + right_a * right_b / right;
            if (inside >= lowest) continue;
            lowest = inside;
            leaf.cut = i;
        }
        if (lowest < kInfinity) leaf.gain = std::max(whole_a * whole_b / (whole_a + whole_b) - lowest, 0.0);
    }
};

}  // namespace

std::vector<std::int64_t> greedy_cuts(std::span<const Weight> first, std::span<const Weight> second, std::size_t leaves,
                                      Weight least) {
    std::vector<std::int64_t> cuts;
    if (first.size() < 2) return cuts;
    const Totals totals{{first.begin(), first.end()}, {second.begin(), second.end()}};
    const auto lightest = static_cast<double>(std::max<Weight>(least, 1));
    std::vector<Leaf> tree{{0, first.size() - 1}};
    totals.find_cut(tree[0], lightest);
    while (tree.size() < leaves) {
        poll(tree.size());
        Leaf& best = *std::max_element(tree.begin(), tree.end(), [](const Leaf& x, const Leaf& y) { return x.gain < y.gain; });
        if (best.gain == kNone) break;
        cuts.push_back(static_cast<std::int64_t>(best.cut));
        Leaf right{best.cut, best.end};
        best = {best.start, best.cut};
        totals.find_cut(best, lightest);
        totals.find_cut(right, lightest);
        tree.push_back(right);
    }
    return cuts;
}

}  // namespace polytomy
