// tests/cpp/test_runs.cpp: the run search against all cuts and all placements of the missing rows.
#include "check.hpp"
#include "naive_search.hpp"
#include "search/runs.hpp"

using namespace polytomy;

namespace {

struct Case {
    std::size_t classes;
    std::vector<Item> items;
    std::optional<Item> missing;
    SearchParams params{};

    Case(Random& random, std::size_t n, std::size_t classes_, bool with_missing) : classes(classes_) {
        items = random_items(random, n + (with_missing ? 1 : 0), classes);
        std::size_t rows = 1;
        for (const Item& item : items) rows = std::max(rows, static_cast<std::size_t>(item.rows));
        params.kind = kKinds[random.below(4)];
        params.min_rows = static_cast<Weight>(random.below(random.one_in(2) ? 2 : rows + 1));
        const Item total = total_of(items, classes);
        if (random.one_in(3)) params.min_weight = total.weight() / static_cast<Weight>(2 + random.below(9));
        params.node_value = naive_value(params.kind, total.counts);
        if (!with_missing) return;
        missing = items.back();
        items.pop_back();
    }

    [[nodiscard]] RunSearch search() const {
        return {builtin_index(params.kind), classes, params.min_rows, params.node_value, params.min_weight};
    }

    void load(RunSearch& search, std::size_t room) const {
        search.clear(items.size() + room);
        for (const Item& item : items) search.add_item(item.counts.data(), item.rows);
        if (missing) search.set_missing(missing->counts.data(), missing->rows);
        else if (room == 1) search.set_missing(items[0].counts.data(), 0);  // with 0 rows, nothing is missing
    }
};

void check_option(const Runs& got, const Chosen& want, const Case& c) {
    CHECK_NEAR(got.gain, want.gain, 1e-11 * c.params.node_value);
    std::vector<std::uint32_t> key = got.ends;
    if (got.gain >= 0.0 && c.missing) key.push_back(static_cast<std::uint32_t>(got.missing));
    if (!c.missing || got.gain < 0.0) CHECK(got.missing == kUnseen);
    CHECK(key == want.key);
}

// Bounds hold, do not decrease, and are no larger than the gain with every item alone.
void check_bounds(const std::vector<double>& bounds, const std::vector<Runs>& got, const Case& c) {
    double finest = c.params.node_value - cost_of(c.items, {c.params.kind, 0, 0.0});
    if (c.missing) finest -= naive_value(c.params.kind, c.missing->counts);
    CHECK(bounds.size() == got.size());
    for (std::size_t k = 0; k < bounds.size(); ++k) {
        CHECK(got[k].gain <= bounds[k] + 1e-13 * c.params.node_value);
        CHECK(bounds[k] <= finest + 1e-11 * c.params.node_value);
        CHECK(k == 0 || bounds[k] >= bounds[k - 1] - 1e-13 * c.params.node_value);
    }
}

// The test that stops early agrees with the bounds, also if one of them is what is needed.
void check_may_gain(RunSearch& search, const std::vector<double>& bounds, Random& random) {
    std::vector<double> needed;
    for (const double bound : bounds) needed.push_back(random.one_in(3) ? bound : bound * (0.5 + 0.8 * random.unit()));
    if (random.one_in(2)) std::transform(needed.begin(), needed.end(), bounds.begin(), needed.begin(), [](double a, double b) { return std::max(a, b); });
    bool exceeds = false;
    for (std::size_t cut = 1; cut < bounds.size(); ++cut) exceeds |= bounds[cut] > needed[cut];
    CHECK(search.may_gain(needed) == exceeds);
}

// One object searches for binary and multi-way options and is reused for other items after clear().
void runs_match_all_cuts() {
    Random random(3);
    check::cases(600, [&](long number) {
        const std::size_t n = number % 20 == 0 ? 8 + random.below(3) : 1 + random.below(7);
        const bool many = number % 6 == 5;  // so many classes that only counts that are not 0 are kept
        Case c(random, n, many ? RunSearch::kManyClasses + 1 + random.below(9) : 1 + random.below(4), random.one_in(2));
        RunSearch search = c.search();
        for (int again = 0; again < 3; ++again) {
            std::shuffle(c.items.begin(), c.items.end(), random.engine);
            c.load(search, random.below(3));
            CHECK(search.size() == n);
            const auto max_arity = static_cast<int>(2 + random.below(8));
            const std::vector<double> early = again == 0 ? search.gain_bounds(max_arity) : std::vector<double>{};
            const std::vector<Chosen> want = naive_runs(c.items, c.missing, c.params);
            check_option(search.best_binary(), want.size() > 2 ? want[2] : Chosen{}, c);
            CHECK(search.best_binary_gain() == search.best_binary().gain);
            const std::vector<double> bounds = search.gain_bounds(max_arity);
            CHECK(again > 0 || bounds == early);
            check_may_gain(search, bounds, random);
            const std::vector<Runs> got = search.best_runs(max_arity, false);
            CHECK(got.size() + 1 == static_cast<std::size_t>(max_arity));
            for (std::size_t k = 2; k < got.size() + 2; ++k) {
                check_option(got[k - 2], k < want.size() ? want[k] : Chosen{}, c);
            }
            check_bounds(bounds, got, c);
        }
    });
}

// For items sorted by class share, the shortcut finds the same as the full program, also if runs need many rows; with
// missing rows it must not be used.
void runs_by_class_share_equal_the_full_search() {
    Random random(4);
    check::cases(500, [&](long) {
        Case c(random, 1 + random.below(random.one_in(10) ? 120 : 30), 2, random.one_in(5));
        const auto share = [](const Item& item) {
            return static_cast<double>(item.counts[1]) / static_cast<double>(item.counts[0] + item.counts[1]);
        };
        std::stable_sort(c.items.begin(), c.items.end(), [&](auto& a, auto& b) { return share(a) < share(b); });
        const int max_arity = static_cast<int>(2 + random.below(9));
        RunSearch full = c.search(), quick = c.search();
        for (RunSearch* search : {&full, &quick}) {
            c.load(*search, 0);
            (void)search->best_binary();
        }
        const std::vector<double> bounds = full.gain_bounds(max_arity);
        for (int again = 0; again < 4; ++again) check_may_gain(full, bounds, random);
        const std::vector<Runs> want = full.best_runs(max_arity, false);
        check_bounds(bounds, want, c);
        const std::vector<Runs> got = quick.best_runs(max_arity, true);
        for (std::size_t k = 0; k < want.size(); ++k) {
            CHECK_NEAR(got.at(k).gain, want[k].gain, 1e-12 * c.params.node_value);
            CHECK(got[k].ends == want[k].ends && got[k].missing == want[k].missing);
        }
    });
}

// The screen rejects partitions into three or more runs only if the full program agrees; without missing rows and limits
// on runs, whenever it agrees. If it does not, the cuts that it leaves contain every option that wins.
void screen_agrees_with_the_full_search() {
    Random random(5);
    std::size_t ruled_out = 0;
    std::size_t kept = 0;
    std::size_t winners = 0;
    check::cases(400, [&](long) {
        const std::size_t most_items = random.one_in(20) ? 600 : random.one_in(4) ? 110 : 20;  // two rounds of blocks, one, none
        Case c(random, 1 + random.below(most_items), 2 + random.below(2), random.one_in(4));
        RunSearch search = c.search();
        c.load(search, 0);
        const int widest = static_cast<int>(std::min<std::size_t>(c.items.size() + 1, 12));
        const std::vector<Runs> runs = search.best_runs(std::max(3, widest), false);
        const double best = std::max(0.0, runs[0].gain);
        const double price = best * (0.3 + 1.2 * random.unit());
        const double limit = best * (random.one_in(2) ? 0.0 : 0.3 * random.unit());
        double most = -kInfinity;
        for (std::size_t a = 1; a < runs.size(); ++a) {
            most = std::max(most, runs[a].gain - price * static_cast<double>(a + 1));
        }
        double sides = kInfinity;
        CHECK(search.best_binary_gain(random.one_in(3) ? nullptr : &sides) == runs[0].gain);
        if (search.is_plain() && search.classes() == 2 && random.one_in(2)) {  // items that were put aside are the same
            RunSearch::Items aside;
            search.swap_items(aside);
            Case other(random, 1 + random.below(30), 2, random.one_in(2));
            other.load(search, 0);
            search.swap_items(aside);
        }
        const bool none = search.only_binary_can_win(price, limit, sides);
        if (none) CHECK(most <= limit + 1e-11 * c.params.node_value);
        const bool plain = !c.missing && c.params.min_rows <= 1 && c.params.min_weight <= 0;
        const bool every_arity = c.items.size() + 1 <= static_cast<std::size_t>(widest);
        if (plain && every_arity && most <= limit - 1e-11 * c.params.node_value) CHECK(none);
        ++(none ? ruled_out : kept);
        if (none) return;
        if (search.is_plain() && every_arity) {
            const RunSearch::PricedRuns priced = search.priced_runs();
            CHECK(priced.arity > 2);
            CHECK_NEAR(priced.gain - price * (priced.arity - 1), most, 1e-11 * c.params.node_value);
        }
        const std::vector<Runs> left = search.best_runs(std::max(3, widest), false);
        for (std::size_t a = 1; a < runs.size(); ++a) {
            if (runs[a].gain - price * static_cast<double>(a + 1) <= limit) continue;
            CHECK(left[a].gain == runs[a].gain && left[a].ends == runs[a].ends && left[a].missing == runs[a].missing);
            ++winners;
        }
    });
    CHECK(ruled_out > 50 && kept > 50 && winners > 50);
}

// One run of any length and place differs from the rest. At a price just below what it gains, the screen must keep it; at a
// price just above, it must not.
void screen_is_exact_for_a_run_that_differs() {
    Random random(6);
    check::cases(6000, [&](long) {
        const std::size_t n = 3 + random.below(random.one_in(5) ? 250 : 40);
        const std::size_t begin = random.below(n - 1);
        const std::size_t end = begin + 1 + random.below(n - begin);
        const std::size_t share = 1 + random.below(9), other = random.below(11);  // of the first class, in tenths
        const Weight unit = random.one_in(2) ? 1 : Weight{1} << 30;
        const IndexKind kind = random.one_in(2) ? IndexKind::gini : IndexKind::sqrt;
        std::vector<Item> items;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t tenths = i >= begin && i < end ? other : share;
            Item item{{0, 0}, static_cast<Weight>(1 + random.below(12))};
            for (Weight row = 0; row < item.rows; ++row) item.counts[random.below(10) < tenths ? 0 : 1] += unit;
            items.push_back(item);
        }
        const double node_value = naive_value(kind, total_of(items, 2).counts);
        if (node_value == 0.0) return;
        RunSearch search(builtin_index(kind), 2, 1, node_value);
        search.clear(n);
        for (const Item& item : items) search.add_item(item.counts.data(), item.rows);
        const std::vector<Runs> runs = search.best_runs(static_cast<int>(std::min<std::size_t>(n, 12)), false);
        double price = 0.0;
        for (std::size_t a = 1; a < runs.size(); ++a) price = std::max(price, runs[a].gain / static_cast<double>(a + 1));
        if (price < 1e-9 * node_value) return;
        double sides = kInfinity;
        (void)search.best_binary_gain(&sides);
        CHECK(!search.only_binary_can_win(price * (1.0 - 1e-9), 0.0, sides));
        // Averages over more than twelve runs could be larger only by chance; half as much again is out of reach.
        CHECK(search.only_binary_can_win(price * (n <= 12 ? 1.0 + 1e-9 : 1.5), 0.0, sides));
    });
}

// Codes are added in another way if their sums are not too large for it. If all have both classes, no cut is useless.
void codes_are_added_like_items() {
    Random random(7);
    check::cases(200, [&](long) {
        const std::size_t n = 1 + random.below(40);
        const Weight unit = random.one_in(2) ? 1 : Weight{1} << (random.one_in(2) ? 30 : 43);  // sums stay below 2^53
        const Weight least = random.one_in(2) ? 1 : 0;
        std::vector<Weight> counts;
        for (std::size_t i = 0; i < n; ++i) {
            counts.push_back(static_cast<Weight>(random.below(20)) * unit + 1);
            counts.push_back(static_cast<Weight>(random.below(2)) * unit + least);
        }
        if (random.one_in(10)) counts = {(Weight{1} << 52) - 1, 0, 1, Weight{1} << 52};  // the largest sums
        std::vector<Weight> codes = counts;  // some of them without weight
        if (random.one_in(3)) codes.insert(codes.begin() + 2 * static_cast<std::ptrdiff_t>(random.below(codes.size() / 2)), 2, 0);
        const auto sums = [&](bool drop, auto&& add) {
            RunSearch search(builtin_index(IndexKind::gini), 2, 1, 1.0);
            search.clear(codes.size());
            add(search);
            if (drop) search.drop_useless_cuts();
            RunSearch::Items items;
            search.swap_items(items);
            CHECK(drop ? items.n <= counts.size() / 2 : items.n == counts.size() / 2);
            std::vector<double> all;
            for (std::size_t c = 0; c < 2; ++c) {
                const double* first = items.prefix.data() + c * items.stride;
                all.insert(all.end(), first, first + items.n + 1);
            }
            return all;
        };
        for (const bool drop : {false, true}) {
            const std::vector<double> want = sums(drop, [&](RunSearch& search) {
                for (std::size_t i = 0; i < counts.size(); i += 2) search.add_item(counts.data() + i, 1);
            });
            CHECK(sums(drop, [&](RunSearch& search) { search.add_codes(codes.data(), nullptr, codes.size() / 2); }) == want);
            const std::size_t split = 2 * random.below(codes.size() / 2);  // the rest in a second call
            CHECK(sums(drop, [&](RunSearch& search) {
                search.add_codes(codes.data(), nullptr, split / 2);
                search.add_codes(codes.data() + split, nullptr, (codes.size() - split) / 2);
            }) == want);
        }
    });
}

// With equal items no cut gains anything, so the cuts are 1, 2, ... and the missing rows join the first run.
void runs_resolve_ties_to_the_lowest_cuts() {
    for (const IndexKind kind : kKinds) {
        for (const Weight unit : {Weight{1}, Weight{1} << 44}) {
            const std::vector<Weight> counts{2 * unit, unit};
            RunSearch search(builtin_index(kind), 2, 1, naive_value(kind, {12 * unit, 6 * unit}));
            search.clear(5);
            for (int i = 0; i < 5; ++i) search.add_item(counts.data(), 3);
            search.set_missing(counts.data(), 3);
            CHECK((search.best_binary().ends == std::vector<std::uint32_t>{1}));
            const std::vector<Runs> got = search.best_runs(6, false);
            CHECK((got[2].ends == std::vector<std::uint32_t>{1, 2, 3}));
            CHECK((got[4].ends == std::vector<std::uint32_t>{1, 2, 3, 4, 5}));
            CHECK(got[2].missing == 0 && got[4].missing == 5);
            for (const Runs& option : got) CHECK(option.gain == 0.0);
        }
    }
}

void runs_of_too_few_items_have_no_options() {
    const std::vector<Weight> counts{3, 2};
    RunSearch search(builtin_index(IndexKind::gini), 2, 1, 4.8);
    for (int held = 0; held < 3; ++held) {  // nothing, missing rows only, one item only
        search.clear(1);
        if (held == 1) search.set_missing(counts.data(), 5);
        if (held == 2) search.add_item(counts.data(), 5);
        CHECK(search.best_binary().gain == -kInfinity);
        for (const Runs& option : search.best_runs(4, false)) CHECK(option.gain == -kInfinity && option.ends.empty());
    }
}

}  // namespace

int main() {
    return check::run(runs_match_all_cuts,
                      runs_by_class_share_equal_the_full_search,
                      screen_agrees_with_the_full_search,
                      screen_is_exact_for_a_run_that_differs, codes_are_added_like_items,
                      runs_resolve_ties_to_the_lowest_cuts,
                      runs_of_too_few_items_have_no_options);
}
