// tests/cpp/test_vote.cpp: the votes of concatenated random trees, against one tree and one step at a time.
#include "check.hpp"
#include "predict/vote.hpp"
#include "random_trees.hpp"

using namespace polytomy;

namespace {

struct Forest {
    std::vector<std::int8_t> kind;
    std::vector<std::int32_t> feature, child, code_to_branch, missing_branch, default_branch, root;
    std::vector<std::int64_t> child_start{0}, threshold_start{0}, code_start{0};
    std::vector<double> threshold, scores;
    std::size_t outputs;

    Forest(Random& random, const std::vector<RandomTree>& trees, std::size_t n_outputs) : outputs(n_outputs) {
        const auto join = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
        const auto join_starts = [](auto& to, const auto& from) {
            const std::int64_t shift = to.back();
            for (std::size_t i = 1; i < from.size(); ++i) to.push_back(from[i] + shift);
        };
        for (const RandomTree& tree : trees) {
            const auto first = static_cast<std::int32_t>(kind.size());
            root.push_back(first);
            join(kind, tree.kind);
            join(feature, tree.feature);
            for (const std::int32_t c : tree.child) child.push_back(c + first);
            join(code_to_branch, tree.code_to_branch);
            join(missing_branch, tree.missing_branch);
            join(default_branch, tree.default_branch);
            join(threshold, tree.threshold);
            join_starts(child_start, tree.child_start);
            join_starts(threshold_start, tree.threshold_start);
            join_starts(code_start, tree.code_start);
        }
        for (std::size_t i = 0; i < kind.size() * outputs; ++i) scores.push_back(random.unit() - 0.5);
    }

    [[nodiscard]] ForestView view() const {
        return {{kind.data(), feature.data(), child_start.data(), child.data(), threshold_start.data(), threshold.data(),
                 code_start.data(), code_to_branch.data(), missing_branch.data(), default_branch.data(), kind.size()},
                root, scores.data(), outputs};
    }
};

void compare(Random& random, std::size_t rows) {
    const RandomTable table(random, rows);
    std::vector<RandomTree> trees;
    const std::size_t n_trees = random.below(8);
    for (std::size_t t = 0; t < n_trees; ++t) {  // rows move together in trees of forks unless they are deep
        const bool forks = random.one_in(2);
        trees.emplace_back(random, table, random.below(forks && random.one_in(4) ? 60 : 12), forks);
    }
    const Forest forest(random, trees, 1 + random.below(3));
    const std::size_t outputs = forest.outputs;
    std::vector<double> start(rows * outputs);
    for (double& vote : start) vote = random.unit();
    std::vector<double> want = start;  // added in the same order, so equal bit by bit
    for (std::size_t t = 0; t < n_trees; ++t) {
        for (std::size_t i = 0; i < rows; ++i) {
            std::size_t v = 0;
            while (trees[t].step(v, table, i) != v) v = trees[t].step(v, table, i);
            const std::size_t node = static_cast<std::size_t>(forest.root[t]) + v;
            for (std::size_t o = 0; o < outputs; ++o) want[i * outputs + o] += forest.scores[node * outputs + o];
        }
    }
    for (const int threads : {1, 3}) {
        std::vector<double> votes = start;
        vote(forest.view(), table.views, votes.data(), rows, threads);
        CHECK(votes == want);
    }
}

void votes_match_single_trees() {
    Random random(31);
    check::cases(300, [&](long number) { compare(random, random.below(number < 10 ? 2 : 60)); });
    check::cases(4, [&](long) { compare(random, 9000 + random.below(300)); });  // many blocks, three threads
}

}  // namespace

int main() { return check::run(votes_match_single_trees); }
