// tests/cpp/test_runs_ordered.cpp: runs whose values go in one direction, against all cuts.
#include "check.hpp"
#include "naive_search.hpp"
#include "search/runs.hpp"

using namespace polytomy;

namespace {

const std::vector<double> kRanks{0.0, 1.0};

double value_of(const Item& item) {
    return static_cast<double>(item.counts[1]) / static_cast<double>(item.counts[0] + item.counts[1]);
}

// The best gain of each number of runs whose values are in order and within the range, by trying all cuts and all
// places of the missing rows: a run of their own, or one of two runs.
std::vector<double> naive_gains(const std::vector<Item>& items, const std::optional<Item>& missing, const SearchParams& params,
                                int direction, const ValueLimits& limits) {
    std::vector<double> gains(items.size() + 2, -kInfinity);
    const auto offer = [&](const std::vector<Item>& runs, std::size_t ordered) {
        for (const Item& run : runs) {
            if (value_of(run) < limits.low || value_of(run) > limits.high) return;
        }
        for (std::size_t r = 0; r + 1 < ordered; ++r) {
            if ((value_of(runs[r + 1]) - value_of(runs[r])) * direction < 0.0) return;
        }
        gains[runs.size()] = std::max(gains[runs.size()], params.node_value - cost_of(runs, params));
    };
    for (std::size_t mask = 0; mask < std::size_t{1} << (items.size() - 1); ++mask) {
        std::vector<Item> runs{items[0]};
        for (std::size_t i = 1; i < items.size(); ++i) {
            if ((mask >> (i - 1) & 1) != 0) runs.push_back(items[i]);
            else runs.back().add(items[i]);
        }
        if (!missing) {
            offer(runs, runs.size());
            continue;
        }
        for (std::size_t r = 0; r < runs.size() && runs.size() == 2; ++r) {
            std::vector<Item> joined = runs;
            joined[r].add(*missing);
            offer(joined, 2);
        }
        runs.push_back(*missing);
        offer(runs, runs.size() - 1);
    }
    return gains;
}

void ordered_runs_match_all_cuts() {
    Random random(31);
    std::size_t found = 0;
    check::cases(1500, [&](long) {
        const std::size_t n = 1 + random.below(8);
        std::vector<Item> items = random_items(random, n + 1, 2);
        std::optional<Item> missing;
        if (random.one_in(3)) missing = items.back();
        if (!missing) items.pop_back();
        const Item total = total_of(items, 2);
        if (missing) items.pop_back();
        SearchParams params{kKinds[random.below(3)], 1, 0.0, 0};
        params.node_value = naive_value(params.kind, total.counts);
        const int direction = random.one_in(2) ? 1 : -1;
        ValueLimits limits{.ranks = kRanks};
        if (random.one_in(2)) limits.low = value_of(total) * random.unit();
        if (random.one_in(2)) limits.high = 1.0 - (1.0 - value_of(total)) * random.unit();
        RunSearch search(builtin_index(params.kind), 2, 1, params.node_value, 0, limits);
        search.clear(items.size());
        for (const Item& item : items) search.add_item(item.counts.data(), item.rows);
        if (missing) search.set_missing(missing->counts.data(), missing->rows);
        search.keep_order(direction);
        const std::vector<double> want = naive_gains(items, missing, params, direction, limits);
        const double near = 1e-9 * params.node_value;
        const double binary = search.best_binary().gain;
        CHECK(want[2] == -kInfinity ? binary == -kInfinity : std::abs(binary - std::max(0.0, want[2])) <= near);
        CHECK(search.best_binary_gain() == binary);
        search.drop_useless_cuts();
        const std::vector<Runs> got = search.best_runs(6, false);
        for (std::size_t k = 3; k < want.size() && k <= 6; ++k) {
            CHECK(want[k] == -kInfinity ? got[k - 2].gain == -kInfinity : got[k - 2].gain <= std::max(0.0, want[k]) + near);
            if (limits.bind()) continue;  // a better partition may cut inside a block
            // An option that gains no more than a smaller one may be missing: its cuts were useless.
            const double fewer = *std::max_element(want.begin() + 2, want.begin() + static_cast<std::ptrdiff_t>(k));
            if (want[k] <= fewer + near) continue;
            ++found;
            CHECK_NEAR(got[k - 2].gain, want[k], near);
        }
    });
    CHECK(found > 100);
}

}  // namespace

int main() { return check::run(ordered_runs_match_all_cuts); }
