// tests/cpp/test_index.cpp: the built-in index functions against their textbook formulas.
#include "check.hpp"
#include "naive_search.hpp"

using namespace polytomy;

namespace {

std::vector<double> values(IndexKind kind, const std::vector<std::vector<Weight>>& items, std::size_t stride) {
    const std::size_t classes = items[0].size();
    std::vector<double> counts(classes * stride, -1.0), out(items.size() + 1, -7.0);
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (std::size_t c = 0; c < classes; ++c) counts[c * stride + i] = static_cast<double>(items[i][c]);
    }
    builtin_index(kind).values(counts.data(), stride, items.size(), classes, out.data());
    CHECK(out.back() == -7.0);
    out.pop_back();
    return out;
}

double value(IndexKind kind, const std::vector<Weight>& counts) { return values(kind, {counts}, 1)[0]; }

double textbook(IndexKind kind, const std::vector<Weight>& counts) {
    long double n = 0.0L, roots = 0.0L, squares = 0.0L, logs = 0.0L, most = 0.0L;
    for (const Weight w : counts) n += static_cast<long double>(w);
    if (n == 0.0L) return 0.0;
    for (const Weight w : counts) {
        const auto c = static_cast<long double>(w);
        roots += std::sqrt(c);
        squares += c * c;
        if (w > 0) logs += c * std::log2(n / c);
        most = std::max(most, c);
    }
    switch (kind) {
        case IndexKind::sqrt: return static_cast<double>(roots * roots - n);
        case IndexKind::gini: return static_cast<double>(2.0L * (n - squares / n));
        case IndexKind::entropy: return static_cast<double>(logs);
        default: return static_cast<double>(2.0L * (n - most));
    }
}

void values_match_the_textbook_formulas() {
    Random random(1);
    check::cases(400, [&](long) {
        const std::size_t classes = 1 + random.below(6);
        const std::size_t n = 1 + random.below(20);
        std::vector<std::vector<Weight>> items;
        for (const Item& item : random_items(random, n, classes)) items.push_back(item.counts);
        items[0].assign(classes, 0);
        for (const IndexKind kind : kKinds) {
            const std::vector<double> got = values(kind, items, n + random.below(4));
            for (std::size_t i = 0; i < n; ++i) {
                const auto sum = static_cast<double>(std::accumulate(items[i].begin(), items[i].end(), Weight{0}));
                CHECK_NEAR(got[i], textbook(kind, items[i]), 2e-15 * sum);
                CHECK_NEAR(got[i], naive_value(kind, items[i]), 4e-15 * got[i]);
                CHECK(got[i] >= 0.0);
            }
        }
    });
}

// Pure and empty count vectors give exactly 0, two equal classes their number of rows.
void values_of_pure_and_even_counts_are_exact() {
    for (const IndexKind kind : kKinds) {
        for (std::size_t classes = 1; classes < 5; ++classes) {
            CHECK(value(kind, std::vector<Weight>(classes, 0)) == 0.0);
            for (std::size_t c = 0; c < classes; ++c) {
                for (const Weight w : {Weight{1}, Weight{3}, Weight{1000003}, Weight{1} << 53}) {
                    std::vector<Weight> counts(classes, 0);
                    counts[c] = w;
                    CHECK(value(kind, counts) == 0.0);
                }
            }
        }
        CHECK_NEAR(value(kind, {500, 500}), 1000.0, 1e-12);
        CHECK_NEAR(value(kind, {500, 0, 500}), 1000.0, 1e-12);
    }
}

// A single row of another class among a thousand million is not lost to rounding.
void values_keep_their_digits_with_a_single_row() {
    const Weight many = 1000000000;
    const double n = 1e9;
    const double bits = (n * std::log1p(1.0 / n) + std::log(n + 1.0)) / std::log(2.0);
    for (const std::vector<Weight>& counts : {std::vector<Weight>{many, 1}, {1, many}, {0, many, 1}}) {
        CHECK_NEAR(value(IndexKind::sqrt, counts), 2.0 * std::sqrt(n), 1e-14 * 2.0 * std::sqrt(n));
        CHECK_NEAR(value(IndexKind::gini, counts), 4.0 * n / (n + 1.0), 1e-14 * 4.0);
        CHECK_NEAR(value(IndexKind::entropy, counts), bits, 1e-14 * bits);
        CHECK(value(IndexKind::error, counts) == 2.0);
    }
}

// The least sum over the cuts of an ordered list, with the bits of single values.
void least_split_is_the_least_of_its_values() {
    Random random(3);
    check::cases(400, [&](long) {
        const std::size_t n = 1 + random.below(21);
        std::vector<double> first(n), second(n);
        double a = 0.0, b = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
            first[j] = a += static_cast<double>(random.below(4));
            second[j] = b += static_cast<double>(random.below(1000000));
        }
        a += static_cast<double>(random.below(4));
        for (const IndexKind kind : {IndexKind::gini, IndexKind::sqrt}) {
            const auto one = [&](double x, double y) { return value(kind, {static_cast<Weight>(x), static_cast<Weight>(y)}); };
            double least = kInfinity;
            for (std::size_t j = 0; j < n; ++j) least = std::min(least, one(first[j], second[j]) + one(a - first[j], b - second[j]));
            CHECK(builtin_index(kind).least_split(first.data(), second.data(), a, b, n) == least);
        }
    });
}

// Few runs are evaluated in another loop than many.
void least_total_is_the_least_of_its_runs() {
    Random random(4);
    check::cases(400, [&](long) {
        const std::size_t n = 1 + random.below(40);
        std::vector<double> first(n + kPadding), second(n + kPadding), rest(n + kPadding, kInfinity);
        const auto start = static_cast<double>(random.below(50));
        double a = start, b = start;
        for (std::size_t j = 0; j < n; ++j) {
            first[j] = a += static_cast<double>(random.below(4));
            second[j] = b += static_cast<double>(1 + random.below(1000));
            rest[j] = random.unit() * 100.0;
        }
        for (const IndexKind kind : {IndexKind::gini, IndexKind::sqrt}) {
            double least = kInfinity;
            for (std::size_t j = 0; j < n; ++j) {
                least = std::min(least, value(kind, {static_cast<Weight>(first[j] - start), static_cast<Weight>(second[j] - start)}) + rest[j]);
            }
            CHECK_NEAR(builtin_index(kind).least_total(first.data(), second.data(), start, start, rest.data(), n), least, 1e-13 * least);
        }
    });
}

// Homogeneous, superadditive, at least twice the error, and independent of empty classes.
void values_have_the_properties_of_an_index() {
    Random random(2);
    check::cases(400, [&](long) {
        const std::size_t classes = 1 + random.below(5);
        const std::vector<Item> two = random_items(random, 2, classes);
        const Item both = total_of(two, classes);
        std::vector<Weight> doubled = both.counts, padded = both.counts;
        for (Weight& w : doubled) w *= 2;
        padded.insert(padded.begin() + static_cast<std::ptrdiff_t>(random.below(classes + 1)), 0);
        const auto sum = static_cast<double>(std::accumulate(both.counts.begin(), both.counts.end(), Weight{0}));
        for (const IndexKind kind : kKinds) {
            const double f = value(kind, both.counts);
            CHECK_NEAR(value(kind, doubled), 2.0 * f, 1e-14 * sum);
            CHECK_NEAR(value(kind, padded), f, 1e-14 * sum);
            CHECK(f >= value(kind, two[0].counts) + value(kind, two[1].counts) - 1e-14 * sum);
            CHECK(f >= value(IndexKind::error, both.counts) - 1e-14 * sum);
        }
    });
}

// The index of AdaBoost.MH: the sqrt index summed over pairs of components.
void pairs_index_sums_over_pairs() {
    Random random(3);
    check::cases(200, [&](long) {
        const std::size_t classes = 2 * (1 + random.below(4));
        const std::vector<Item> two = random_items(random, 2, classes);
        const Item both = total_of(two, classes);
        double expected = 0.0;
        for (std::size_t c = 0; c < classes; c += 2) {
            expected += naive_value(IndexKind::sqrt, {both.counts[c], both.counts[c + 1]});
        }
        const double f = value(IndexKind::pairs, both.counts);
        CHECK_NEAR(f, expected, 4e-15 * expected);
        CHECK(f >= value(IndexKind::pairs, two[0].counts) + value(IndexKind::pairs, two[1].counts) - 1e-14 * f);
    });
    CHECK(value(IndexKind::pairs, {5, 0, 0, 5, 0, 5}) == 0.0);
}

// Rows n in a length L: positive, homogeneous and superadditive, with gains of log-likelihood or squared density.
void density_indices_gain_what_a_split_adds() {
    Random random(8);
    check::cases(500, [&](long) {
        const auto rows = [&] { return static_cast<Weight>(random.below(random.one_in(3) ? 3 : 1000000)); };
        const auto length = [&] { return static_cast<Weight>(1 + random.below(random.one_in(3) ? 5 : 1000000000)); };
        const std::vector<Weight> a{rows(), length()}, b{rows(), length()}, both{a[0] + b[0], a[1] + b[1]};
        const auto likelihood = [](const std::vector<Weight>& c) {
            const auto n = static_cast<double>(c[0]);
            return n > 0.0 ? n * std::log(n / static_cast<double>(c[1])) : 0.0;
        };
        const auto square = [](const std::vector<Weight>& c) {
            const auto n = static_cast<double>(c[0]);
            return n * n / static_cast<double>(c[1]);
        };
        const auto gain = [&](IndexKind kind) { return value(kind, both) - value(kind, a) - value(kind, b); };
        const double slack = 1e-13 * (value(IndexKind::likelihood, both) + 1.0);
        CHECK_NEAR(gain(IndexKind::likelihood), likelihood(a) + likelihood(b) - likelihood(both), slack);
        CHECK(gain(IndexKind::likelihood) >= -slack);
        const double wide = 1e-13 * (4194304.0 * static_cast<double>(both[0]) + square(a) + square(b) + 1.0);
        CHECK_NEAR(gain(IndexKind::squared_density), square(a) + square(b) - square(both), wide);
        CHECK(value(IndexKind::likelihood, a) >= 0.0);
        CHECK_NEAR(value(IndexKind::likelihood, {2 * a[0], 2 * a[1]}), 2.0 * value(IndexKind::likelihood, a), slack);
    });
    for (const IndexKind kind : {IndexKind::likelihood, IndexKind::squared_density}) {
        CHECK(value(kind, {0, 7}) == 0.0);
        CHECK(builtin_index(kind).empty_runs());
    }
    CHECK(value(IndexKind::likelihood, {Weight{1} << 53, 1}) > 0.0);
    CHECK(!builtin_index(IndexKind::gini).empty_runs());
}

// The tangent is at least F and equals it at the counts, also if it is taken from differences.
void gradients_are_tangents() {
    // Has the gradient of the base class.
    class Differences final : public Index {
     public:
        explicit Differences(IndexKind kind) : index_(builtin_index(kind)) {}
        void values(const double* counts, std::size_t stride, std::size_t n, std::size_t classes, double* out) const override {
            index_.values(counts, stride, n, classes, out);
        }

     private:
        const Index& index_;
    };
    Random random(9);
    check::cases(1000, [&](long) {
        const IndexKind kinds[] = {IndexKind::sqrt, IndexKind::gini, IndexKind::entropy, IndexKind::error, IndexKind::poisson};
        const IndexKind kind = kinds[random.below(5)];
        const std::size_t classes = kind == IndexKind::poisson ? 2 : 2 + random.below(4);
        std::vector<Weight> at(classes), other(classes);
        std::vector<double> counts(classes), exact(classes), near(classes);
        for (std::size_t c = 0; c < classes; ++c) {
            at[c] = static_cast<Weight>(1 + random.below(1000));
            other[c] = static_cast<Weight>(random.below(1000));
            counts[c] = static_cast<double>(at[c]);
        }
        const Index& index = builtin_index(kind);
        index.gradient(counts.data(), classes, 0.25, exact.data());
        Differences(kind).gradient(counts.data(), classes, 0.25, near.data());
        double own = 0.0, tangent = 0.0;
        for (std::size_t c = 0; c < classes; ++c) {
            if (kind != IndexKind::error) CHECK_NEAR(near[c], exact[c], 1e-6 * (1.0 + exact[c]));
            own += exact[c] * counts[c];
            tangent += exact[c] * static_cast<double>(other[c]);
        }
        CHECK_NEAR(own, value(kind, at), 1e-12 * (own + 1.0));
        CHECK(tangent >= value(kind, other) - 1e-9);
    });
}

// A class that a leaf does not have costs about as much as one more case of it.
void gradients_at_zero_are_those_of_a_small_weight() {
    const double counts[] = {100.0, 0.0}, least = 0.25;
    for (const IndexKind kind : kKinds) {
        double slope[2];
        builtin_index(kind).gradient(counts, 2, least, slope);
        CHECK_NEAR(slope[0], 0.0, 1e-12);
        CHECK_NEAR(slope[1], value(kind, {100, 1}), 0.1 * value(kind, {100, 1}));
    }
    double slope[2];
    const double none[] = {0.0, 100.0};
    builtin_index(IndexKind::poisson).gradient(none, 2, least, slope);
    CHECK(std::isfinite(slope[0]) && slope[0] > 0.0);
    CHECK(slope[1] == 0.0);
}

// The tangent is at least F, equals it at the node, and the test answers whether their difference exceeds the limit.
void deviation_tests_compare_with_the_tangent() {
    Random random(6);
    const auto count = [&] { return static_cast<Weight>(random.below(random.one_in(2) ? 20 : 100000)); };
    check::cases(2000, [&](long) {
        const IndexKind kind = random.one_in(2) ? IndexKind::gini : IndexKind::sqrt;
        const std::vector<Weight> node{1 + count(), 1 + count()}, run{count(), count()};
        const auto dot = [](const double* factor, const std::vector<Weight>& c) {
            return factor[0] * static_cast<double>(c[0]) + factor[1] * static_cast<double>(c[1]);
        };
        const double limit = (0.01 + random.unit()) * naive_value(kind, node);
        const DeviationTest test =
            builtin_index(kind).deviation_test(static_cast<double>(node[0]), static_cast<double>(node[1]), limit);
        const double tangent = dot(test.tangent, run);
        const double deviation = tangent - naive_value(kind, run);
        CHECK_NEAR(dot(test.tangent, node), naive_value(kind, node), 1e-13 * naive_value(kind, node));
        CHECK(deviation >= -1e-12 * tangent);
        if (std::abs(deviation - limit) < 1e-9 * (tangent + limit)) return;
        const double across = dot(test.across, run);
        const double needed = test.factor * std::max(dot(test.along, run), test.least) - test.shift;
        CHECK((across * across > needed) == (deviation > limit));
    });
}

void values_accept_an_empty_batch() {
    for (const IndexKind kind : kKinds) {
        double out = -7.0;
        for (std::size_t classes = 0; classes < 4; ++classes) {
            builtin_index(kind).values(nullptr, 0, 0, classes, &out);
            CHECK(out == -7.0);
        }
        CHECK(builtin_index(kind).parallel());
        CHECK(&builtin_index(kind) == &builtin_index(kind));
    }
}

}  // namespace

int main() {
    return check::run(values_match_the_textbook_formulas,
                      values_of_pure_and_even_counts_are_exact,
                      values_keep_their_digits_with_a_single_row,
                      least_split_is_the_least_of_its_values,
                      least_total_is_the_least_of_its_runs,
                      values_have_the_properties_of_an_index,
                      pairs_index_sums_over_pairs,
                      density_indices_gain_what_a_split_adds,
                      gradients_are_tangents,
                      gradients_at_zero_are_those_of_a_small_weight,
                      deviation_tests_compare_with_the_tangent,
                      values_accept_an_empty_batch);
}
