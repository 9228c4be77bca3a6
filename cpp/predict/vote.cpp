// cpp/predict/vote.cpp: see vote.hpp.
#include "predict/vote.hpp"

#include <utility>
#include <vector>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"
#include "predict/block.hpp"

namespace polytomy {
namespace {

using Nodes = std::array<std::int32_t, kBlock>;

// All data of a node that routing needs, in half a cache line. A leaf has no split.
struct Step {
    NodeKind kind = NodeKind::leaf;
    std::int32_t slot = 0;     // index of its column among those read
    std::int32_t missing = 0;  // branches: `other` for values that training did not see
    std::int32_t other = 0;
    std::int64_t begin = 0;  // where its thresholds or codes begin
    std::int32_t size = 0;
    std::int32_t child = 0;  // where its children's numbers begin
};

// A split with one threshold. A leaf is its own child, so that all rows can make the same number of steps.
struct Fork {
    double threshold;
    std::int32_t slot;
    std::int32_t missing;  // the child for missing cells
    std::int32_t child[2];
};

// The splits of all trees, prepared for routing, and the columns that they read.
class Plan {
 public:
    std::vector<std::size_t> columns;
    std::vector<Step> steps;
    std::vector<Fork> forks;
    std::vector<int> levels;  // for each tree: the number of steps that rows make together; kAlone if they are routed one by one

    static constexpr int kAlone = -1;

    Plan(const ForestView& forest, std::span<const ValueColumn> table)
        : trees_(forest.trees), table_(table), slot_(table.size(), -1) {
        for (std::size_t v = 0; v < forest.trees.nodes; ++v) add(v);
        for (const std::int32_t root : forest.root) levels.push_back(levels_below(root));
    }

 private:
    const TreeView& trees_;
    std::span<const ValueColumn> table_;
    std::vector<std::int32_t> slot_;

    void add(std::size_t v) {
        const auto node = static_cast<std::int32_t>(v);
        const auto kind = static_cast<NodeKind>(trees_.kind[v]);
        if (kind == NodeKind::leaf || kind == NodeKind::own) {
            steps.emplace_back();
            forks.push_back({0.0, 0, node, {node, node}});
            return;
        }
        const auto column = static_cast<std::size_t>(trees_.feature[v]);
        if (slot_[column] < 0) {
            slot_[column] = static_cast<std::int32_t>(columns.size());
            columns.push_back(column);
        }
        const std::int64_t* start = kind == NodeKind::codes ? trees_.code_start : trees_.threshold_start;
        const Branch other = trees_.default_branch[v];
        const Branch missing = trees_.missing_branch[v] == kUnseen ? other : trees_.missing_branch[v];
        steps.push_back({kind, slot_[column], missing, other, start[v], static_cast<std::int32_t>(start[v + 1] - start[v]),
                         static_cast<std::int32_t>(trees_.child_start[v])});
        const std::int32_t* child = trees_.child + trees_.child_start[v];
        const bool fork = is_fork(v);
        forks.push_back({fork ? trees_.threshold[start[v]] : 0.0, slot_[column], child[missing], {child[0], child[1]}});
    }

    // A fork does not distinguish missing labels from new ones.
    [[nodiscard]] bool is_fork(std::size_t v) const {
        const Step& step = steps[v];
        if (step.kind == NodeKind::leaf) return true;
        const bool one = step.kind == NodeKind::intervals && step.size == 1;
        return one && (step.missing == step.other || table_[static_cast<std::size_t>(trees_.feature[v])].type != ValueType::rank);
    }

    // Moving rows together needs no branches, so none are mispredicted: twice as fast on trees of 8 leaves. But all rows
    // make as many steps as the deepest, which is slow for a long chain of splits.
    [[nodiscard]] int levels_below(std::int32_t root) const {
        constexpr int kDeepest = 12;
        int deepest = 0;
        std::vector<std::pair<std::int32_t, int>> waiting{{root, 0}};
        while (!waiting.empty()) {
            const auto [node, depth] = waiting.back();
            waiting.pop_back();
            const auto v = static_cast<std::size_t>(node);
            if (depth > kDeepest || !is_fork(v)) return kAlone;
            deepest = std::max(deepest, depth);
            if (steps[v].kind == NodeKind::leaf) continue;
            for (auto c = trees_.child_start[v]; c < trees_.child_start[v + 1]; ++c) {
                waiting.emplace_back(trees_.child[c], depth + 1);
            }
        }
        return deepest;
    }
};

Branch branch_of(const Step& step, const TreeView& trees, double value) noexcept {
    if (step.kind == NodeKind::codes) {
        const auto code = static_cast<std::int32_t>(value);
        if (code == kMissing) return step.missing;
        if (code < 0 || code >= step.size) return step.other;
        const Branch branch = trees.code_to_branch[step.begin + code];
        return branch == kUnseen ? step.other : branch;
    }
    if (std::isnan(value)) return is_new_label(value) ? step.other : step.missing;
    const double* begin = trees.threshold + step.begin;
    if (step.size <= 8) {  // counting is branch-free and faster than a search in short lists
        Branch branch = 0;
        for (std::int32_t i = 0; i < step.size; ++i) branch += static_cast<Branch>(value > begin[i]);
        return branch;
    }
    return static_cast<Branch>(std::lower_bound(begin, begin + step.size, value) - begin);
}

// Routes one row after the other.
void walk_alone(const Plan& plan, const TreeView& trees, const std::vector<Block>& values, std::size_t rows, Nodes& at) {
    for (std::size_t i = 0; i < rows; ++i) {
        auto v = static_cast<std::size_t>(at[i]);
        while (plan.steps[v].kind != NodeKind::leaf) {
            const Step& step = plan.steps[v];
            const Branch branch = branch_of(step, trees, values[static_cast<std::size_t>(step.slot)][i]);
            v = static_cast<std::size_t>(trees.child[step.child + branch]);
        }
        at[i] = static_cast<std::int32_t>(v);
    }
}

// Moves all rows one level down, `levels` times.
void walk_together(const Plan& plan, int levels, const std::vector<Block>& values, std::size_t rows, Nodes& at) {
    for (int level = 0; level < levels; ++level) {
        for (std::size_t i = 0; i < rows; ++i) {
            const Fork& fork = plan.forks[static_cast<std::size_t>(at[i])];
            const double value = values[static_cast<std::size_t>(fork.slot)][i];
            const std::int32_t next = fork.child[value > fork.threshold ? 1 : 0];
            at[i] = std::isnan(value) ? fork.missing : next;
        }
    }
}

}  // namespace

void vote(const ForestView& forest, std::span<const ValueColumn> columns, double* votes, std::size_t n, int threads) {
    const Plan plan(forest, columns);
    const std::size_t outputs = forest.outputs;
    constexpr std::size_t kGrain = 20000;  // pairs of a row and a tree per thread for which starting it pays off
    const std::size_t grain = kGrain / std::max<std::size_t>(1, forest.root.size());
    parallel_blocks(n, worth(n, grain, threads), [&](std::size_t, std::size_t first, std::size_t last) {
        std::vector<Block> values(plan.columns.size());
        Nodes at;
        each_block(first, last, [&](std::size_t begin, std::size_t rows) {
            poll(8 * rows * (values.size() + forest.root.size() * outputs));
            for (std::size_t s = 0; s < values.size(); ++s) read_block(columns[plan.columns[s]], begin, rows, values[s]);
            for (std::size_t t = 0; t < forest.root.size(); ++t) {
                at.fill(forest.root[t]);
                if (plan.levels[t] == Plan::kAlone) {
                    walk_alone(plan, forest.trees, values, rows, at);
                } else {
                    walk_together(plan, plan.levels[t], values, rows, at);
                }
                for (std::size_t i = 0; i < rows; ++i) {
                    const double* scores = forest.scores + static_cast<std::size_t>(at[i]) * outputs;
                    for (std::size_t o = 0; o < outputs; ++o) votes[(begin + i) * outputs + o] += scores[o];
                }
            }
        });
    });
}

}  // namespace polytomy
