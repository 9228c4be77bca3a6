// tests/cpp/test_binning.cpp: the best bins against every partition.
#include <algorithm>

#include "check.hpp"
#include "random.hpp"
#include "search/binning.hpp"

using namespace polytomy;

namespace {

struct Case {
    std::vector<Weight> counts, rows;
    BinRules rules;
    double totals[2] = {1.0, 2.0};  // more than the items have: missing cells count, too
    double smoothing;

    explicit Case(Random& random) : smoothing(random.one_in(2) ? 0.0 : 0.5) {
        const std::size_t n = 1 + random.below(9);
        const std::size_t most = random.one_in(2) ? 3 : 50;
        Weight weight = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const auto others = static_cast<Weight>(random.below(most));
            const auto events = static_cast<Weight>(random.below(most) + (others == 0 ? 1 : 0));
            counts.insert(counts.end(), {others, events});
            rows.push_back(random.one_in(2) ? others + events : static_cast<Weight>(1 + random.below(5)));
            totals[0] += static_cast<double>(others);
            totals[1] += static_cast<double>(events);
            weight += others + events;
        }
        rules.max_bins = 1 + random.below(5);
        rules.min_rows = static_cast<Weight>(1 + random.below(random.one_in(2) ? 1 : 6));
        rules.min_weight = random.one_in(2) ? 0 : weight / static_cast<Weight>(2 + random.below(9));
        rules.min_difference = random.one_in(2) ? 0.0 : 0.31415926 * random.unit();
        rules.rate_class = static_cast<int>(random.below(2));
    }
};

struct Run {
    double cost, rate;
    bool is_small;
};

Run run_of(const Case& c, std::size_t from, std::size_t to) {
    double sums[2] = {0.0, 0.0};
    Weight rows = 0;
    for (std::size_t i = from; i < to; ++i) {
        for (std::size_t k = 0; k < 2; ++k) sums[k] += static_cast<double>(c.counts[2 * i + k]);
        rows += c.rows[i];
    }
    const double weight = sums[0] + sums[1];
    double b = sums[0] / c.totals[0];
    double a = sums[1] / c.totals[1];
    const double difference = a - b;
    if (sums[0] == 0.0 || sums[1] == 0.0) {
        a += c.smoothing / std::min(c.totals[0], c.totals[1]);
        b += c.smoothing / std::min(c.totals[0], c.totals[1]);
    }
    const double cost = a == 0.0 || b == 0.0 ? kInfinity : -difference * std::log(a / b);
    const bool is_small = rows < c.rules.min_rows || weight < static_cast<double>(c.rules.min_weight);
    return {cost, sums[c.rules.rate_class] / weight, is_small};
}

bool follows(const std::vector<Run>& runs, Trend trend, double least) {
    bool has_risen = false, has_fallen = false, rises_after_fall = false, falls_after_rise = false;
    for (std::size_t r = 1; r < runs.size(); ++r) {
        const double before = runs[r - 1].rate;
        const double after = runs[r].rate;
        if (!(before <= after - least) && !(before >= after + least)) return false;
        if (after > before) {
            has_risen = true;
            rises_after_fall |= has_fallen;
        } else if (after < before) {
            has_fallen = true;
            falls_after_rise |= has_risen;
        }
    }
    switch (trend) {
        case Trend::ascending: return !has_fallen;
        case Trend::descending: return !has_risen;
        case Trend::peak: return !rises_after_fall;
        case Trend::valley: return !falls_after_rise;
        default: return true;
    }
}

// Returns the least cost of all partitions; bit i of `cuts` is a cut after item i.
double least_cost(const Case& c, Trend trend) {
    const std::size_t n = c.rows.size();
    double best = kInfinity;
    for (std::size_t cuts = 0; cuts < std::size_t{1} << (n - 1); ++cuts) {
        std::vector<Run> runs;
        std::size_t from = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (i + 1 < n && (cuts >> i & 1) == 0) continue;
            runs.push_back(run_of(c, from, i + 1));
            from = i + 1;
        }
        if (runs.size() > c.rules.max_bins) continue;
        bool is_allowed = follows(runs, trend, c.rules.min_difference);
        double cost = 0.0;
        for (const Run& run : runs) {
            cost += run.cost;
            is_allowed &= runs.size() == 1 || !run.is_small;
        }
        if (is_allowed) best = std::min(best, cost);
    }
    return best;
}

void best_bins_cost_the_least_of_all_partitions() {
    Random random(1);
    check::cases(3000, [&](long) {
        const Case c(random);
        const InformationValue value(c.totals[0], c.totals[1], c.smoothing);
        BinSearch search(value, 2, c.rules);
        const Case other(random);
        search.load(other.counts, other.rows);  // what was searched before must not matter
        CHECK(search.best(Trend::peak).ends.back() == other.rows.size());
        search.load(c.counts, c.rows);
        for (int trend = 0; trend <= static_cast<int>(Trend::valley); ++trend) {
            const Bins got = search.best(static_cast<Trend>(trend));
            const double want = least_cost(c, static_cast<Trend>(trend));
            CHECK_NEAR(got.cost, want, 1e-11);
            CHECK(!got.ends.empty() && got.ends.size() <= c.rules.max_bins && got.ends.back() == c.rows.size());
            std::vector<Run> runs;
            double cost = 0.0;
            std::size_t from = 0;
            for (const std::uint32_t end : got.ends) {
                CHECK(end > from);
                runs.push_back(run_of(c, from, end));
                CHECK(got.ends.size() == 1 || !runs.back().is_small);
                cost += runs.back().cost;
                from = end;
            }
            CHECK(follows(runs, static_cast<Trend>(trend), c.rules.min_difference));
            CHECK_NEAR(cost, want, 1e-11);
        }
    });
}

void no_items_have_no_bins() {
    const InformationValue value(1.0, 1.0, 0.5);
    BinSearch search(value, 2, {});
    search.load({}, {});
    CHECK(search.best(Trend::any).ends.empty());
}

}  // namespace

int main() { return check::run(best_bins_cost_the_least_of_all_partitions, no_items_have_no_bins); }
