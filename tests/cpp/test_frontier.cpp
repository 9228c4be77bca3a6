// tests/cpp/test_frontier.cpp: the queue of leaves against a linear search in a list.
#include <vector>

#include "check.hpp"
#include "grow/frontier.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

struct ByKey {
    const std::vector<int>* key;
    bool operator()(std::int32_t a, std::int32_t b) const {
        return (*key)[static_cast<std::size_t>(a)] < (*key)[static_cast<std::size_t>(b)];
    }
};

struct Waiting {
    double score;
    std::int32_t leaf;
    long group;  // the group it joined, -1 for none yet
};

// The definition in frontier.hpp, taken literally: groups on a stack, each with the score that opened it.
struct Naive {
    double tolerance;
    const std::vector<int>& key;
    std::vector<Waiting> all;
    std::vector<double> groups;

    std::int32_t pop() {
        const auto members = [&](long group) {
            return std::count_if(all.begin(), all.end(), [&](const Waiting& w) { return w.group == group; });
        };
        while (!groups.empty() && members(static_cast<long>(groups.size()) - 1) == 0) groups.pop_back();
        double best = -1.0;
        for (const Waiting& w : all) {
            if (w.group < 0) best = std::max(best, w.score);
        }
        if (best >= 0.0 && (groups.empty() || best > groups.back() + tolerance)) groups.push_back(best);
        const auto top = static_cast<long>(groups.size()) - 1;
        std::size_t first = all.size();
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].group < 0 && all[i].score >= groups.back() - tolerance) all[i].group = top;
            if (all[i].group != top) continue;
            if (first == all.size() || rank(i) < rank(first)) first = i;
        }
        const std::int32_t leaf = all[first].leaf;
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(first));
        return leaf;
    }

    [[nodiscard]] int rank(std::size_t i) const { return key[static_cast<std::size_t>(all[i].leaf)]; }
};

std::int32_t note_of(std::int32_t leaf) { return 1000 - 3 * leaf; }

void frontier_matches_a_list() {
    Random random(41);
    check::cases(2000, [&](long) {
        const std::size_t n = 1 + random.below(40);
        std::vector<int> key(n);
        for (std::size_t i = 0; i < n; ++i) key[i] = static_cast<int>(i);
        std::shuffle(key.begin(), key.end(), random.engine);
        const double tolerance = random.one_in(2) ? 0.0 : 0.25;
        Frontier<ByKey> frontier(tolerance, ByKey{&key});
        Naive naive{tolerance, key, {}, {}};
        std::size_t pushed = 0;
        while (pushed < n || !naive.all.empty()) {
            CHECK(frontier.empty() == naive.all.empty());
            if (pushed < n && (naive.all.empty() || random.one_in(2))) {
                const double score = static_cast<double>(random.below(16)) / 8.0;  // in steps of half the tolerance
                frontier.push(score, static_cast<std::int32_t>(pushed), note_of(static_cast<std::int32_t>(pushed)));
                naive.all.push_back({score, static_cast<std::int32_t>(pushed++), -1});
            } else {
                const std::int32_t leaf = naive.pop();
                CHECK(frontier.pop() == leaf);
                CHECK(frontier.note() == note_of(leaf));
            }
        }
        CHECK(frontier.empty());
    });
}

// Leaves that are equal in every respect leave in the order in which they came.
void frontier_keeps_the_order_of_equal_leaves() {
    const std::vector<int> key(5, 7);
    Frontier<ByKey> frontier(0.1, ByKey{&key});
    for (const std::int32_t leaf : {3, 0, 4, 1}) frontier.push(1.0, leaf);
    for (const std::int32_t leaf : {3, 0, 4, 1}) CHECK(frontier.pop() == leaf);
}

// Without ties, the note of the next leaf is known before it is popped.
void frontier_knows_the_next_note() {
    const std::vector<int> key(5, 0);
    Frontier<ByKey> frontier(0.0, ByKey{&key});
    CHECK(frontier.next_note() == 0);
    for (const std::int32_t leaf : {3, 0, 4, 1}) frontier.push(static_cast<double>(leaf), leaf, note_of(leaf));
    for (const std::int32_t leaf : {4, 3, 1, 0}) {
        CHECK(frontier.next_note() == note_of(leaf));
        CHECK(frontier.pop() == leaf);
    }
    CHECK(frontier.next_note() == 0);
}

}  // namespace

int main() { return check::run(frontier_matches_a_list, frontier_keeps_the_order_of_equal_leaves, frontier_knows_the_next_note); }
