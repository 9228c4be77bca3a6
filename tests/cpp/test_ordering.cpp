// tests/cpp/test_ordering.cpp: orders of categories against exact fractions and Jacobi eigenvectors.
#include "check.hpp"
#include "naive_search.hpp"
#include "search/ordering.hpp"

using namespace polytomy;

namespace {

using Matrix = std::vector<std::vector<double>>;

std::vector<Weight> flat(const std::vector<Item>& items) {
    std::vector<Weight> counts;
    for (const Item& item : items) counts.insert(counts.end(), item.counts.begin(), item.counts.end());
    return counts;
}

// Returns the same weights in fixed point; rounding must not reorder equal items.
std::vector<Weight> fixed_point(const std::vector<Weight>& counts) {
    const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), Weight{0}));
    std::vector<Weight> fixed;
    for (const Weight w : counts) fixed.push_back(std::llrint(static_cast<double>(w) * (0x1p53 / total)));
    return fixed;
}

// Compares h / (h + t) by cross multiplication; bubble sort keeps equal items in place.
void share_order_matches_exact_fractions() {
    Random random(6);
    check::cases(400, [&](long) {
        const std::size_t classes = 2 + random.below(3);
        const std::size_t heads = random.below(classes);
        const std::size_t tails = (heads + 1 + random.below(classes - 1)) % classes;
        std::vector<Item> items(random.below(20));
        for (Item& item : items) {
            for (std::size_t c = 0; c < classes; ++c) item.counts.push_back(static_cast<Weight>(random.below(9)));
            item.counts[random.one_in(2) ? heads : tails] += 1;
        }
        std::vector<std::uint32_t> want(items.size());
        std::iota(want.begin(), want.end(), 0U);
        const auto above = [&](std::uint32_t a, std::uint32_t b) {
            const auto& x = items[a].counts;
            const auto& y = items[b].counts;
            return x[heads] * (y[heads] + y[tails]) > y[heads] * (x[heads] + x[tails]);
        };
        for (std::size_t round = 0; round < want.size(); ++round) {
            for (std::size_t i = 1; i < want.size(); ++i) {
                if (above(want[i - 1], want[i])) std::swap(want[i - 1], want[i]);
            }
        }
        CHECK(order_by_share(flat(items), classes, heads, tails) == want);
        CHECK(order_by_share(fixed_point(flat(items)), classes, heads, tails) == want);
    });
    CHECK(order_by_share({}, 2, 1, 0).empty());
    CHECK((order_by_share({3, 1, 2}, 1, 0, 0) == std::vector<std::uint32_t>{0, 1, 2}));  // with one class all items are equal
}

// Returns the eigenvectors of a symmetric matrix as columns; the matrix becomes diagonal.
Matrix jacobi(Matrix& m) {
    const std::size_t n = m.size();
    Matrix v(n, std::vector<double>(n, 0.0));
    for (std::size_t i = 0; i < n; ++i) v[i][i] = 1.0;
    for (std::size_t turn = 0; turn < 60 * n * n; ++turn) {
        const std::size_t p = turn / n % n;
        const std::size_t q = turn % n;
        if (p >= q || m[p][q] == 0.0) continue;
        const double angle = 0.5 * std::atan2(2.0 * m[p][q], m[q][q] - m[p][p]);
        const double c = std::cos(angle), s = std::sin(angle);
        const auto turned = [&](double& x, double& y) {
            const double old = x;
            x = c * old - s * y;
            y = s * old + c * y;
        };
        for (std::size_t i = 0; i < n; ++i) turned(m[i][p], m[i][q]);
        for (std::size_t i = 0; i < n; ++i) turned(m[p][i], m[q][i]);
        for (std::size_t i = 0; i < n; ++i) turned(v[i][p], v[i][q]);
    }
    return v;
}

// Class shares minus their weighted mean, and the weighted covariance.
Matrix deviations(const std::vector<Item>& items, std::size_t classes, Matrix& covariance) {
    const std::vector<Weight> total = total_of(items, classes).counts;
    const auto all = static_cast<double>(std::accumulate(total.begin(), total.end(), Weight{0}));
    covariance.assign(classes, std::vector<double>(classes, 0.0));
    Matrix share;
    for (const Item& item : items) {
        const auto sum = static_cast<double>(std::accumulate(item.counts.begin(), item.counts.end(), Weight{0}));
        share.emplace_back();
        for (std::size_t c = 0; c < classes; ++c) {
            share.back().push_back(static_cast<double>(item.counts[c]) / sum - static_cast<double>(total[c]) / all);
        }
        for (std::size_t a = 0; a < classes; ++a) {
            for (std::size_t b = 0; b < classes; ++b) covariance[a][b] += sum / all * share.back()[a] * share.back()[b];
        }
    }
    return share;
}

// If the first component is distinct, the order ascends along it, with its largest entry positive.
void component_order_matches_jacobi() {
    Random random(7);
    int judged = 0;
    check::cases(400, [&](long) {
        const std::size_t classes = 2 + random.below(5);
        const std::vector<Item> items = random_items(random, 1 + random.below(30), classes);
        const std::vector<std::uint32_t> order = order_by_component(flat(items), classes);
        std::vector<std::uint32_t> sorted = order;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t i = 0; i < items.size(); ++i) CHECK(sorted[i] == i);
        Matrix covariance;
        const Matrix share = deviations(items, classes, covariance);
        const Matrix vectors = jacobi(covariance);
        std::size_t first = 0;
        for (std::size_t c = 1; c < classes; ++c) first = covariance[c][c] > covariance[first][first] ? c : first;
        for (std::size_t c = 0; c < classes; ++c) {
            if (c != first && !(covariance[c][c] < 0.8 * covariance[first][first])) return;
        }
        std::vector<double> axis;
        for (std::size_t c = 0; c < classes; ++c) axis.push_back(vectors[c][first]);
        double most = 0.0, least = 0.0;
        for (const double x : axis) most = std::max(most, x), least = std::min(least, x);
        if (std::abs(most + least) < 1e-6) return;  // rounding decides which entry is the largest
        ++judged;
        const auto score = [&](std::uint32_t i) {
            const double along = std::inner_product(axis.begin(), axis.end(), share[i].begin(), 0.0);
            return most > -least ? along : -along;
        };
        for (std::size_t i = 1; i < items.size(); ++i) CHECK(score(order[i - 1]) <= score(order[i]) + 1e-7);
        const std::vector<Weight> counts = flat(items);
        if (*std::max_element(counts.begin(), counts.end()) > 1000) return;  // rounding changes the shares themselves
        CHECK(order_by_component(fixed_point(counts), classes) == order);
    });
    CHECK(judged > 150);
}

void component_order_keeps_equal_items_in_place() {
    CHECK(order_by_component({}, 3).empty());
    CHECK((order_by_component({4, 2, 2, 4, 2, 2, 4, 2, 2}, 3) == std::vector<std::uint32_t>{0, 1, 2}));
    CHECK((order_by_component({5, 3, 9}, 1) == std::vector<std::uint32_t>{0, 1, 2}));
    CHECK((order_by_component({1, 0, 0, 8, 0, 0}, 3) == std::vector<std::uint32_t>{0, 1}));
}

// The row with the largest variance is orthogonal to the component: classes 2..7 together vary more.
void component_is_found_from_an_orthogonal_start() {
    const std::vector<Weight> four{12, 4, 8, 8,  8,  8,  8, 8, 4, 12, 8, 8, 8, 8, 8,  8,
                                   8,  8, 11, 11, 11, 5, 5, 5, 8, 8,  5, 5, 5, 11, 11, 11};
    std::vector<Weight> counts = four;
    counts.insert(counts.end(), four.begin(), four.end());
    const std::vector<std::uint32_t> order = order_by_component(counts, 8);
    CHECK((order == std::vector<std::uint32_t>{3, 7, 0, 1, 4, 5, 2, 6}));
}

// Two classes mirror each other, so the axis has two entries of equal size; rounding must not decide its sign.
void component_of_mirrored_classes_keeps_its_sign() {
    const std::vector<Weight> counts{0, 6, 2, 5, 1, 2, 2, 4, 2, 1, 5, 2, 3, 3, 2, 5, 1, 2, 4, 2, 2, 1, 5, 2, 3, 3, 2};
    CHECK(order_by_component(fixed_point(counts), 3) == order_by_component(counts, 3));
}

}  // namespace

int main() {
    return check::run(share_order_matches_exact_fractions,
                      component_order_matches_jacobi,
                      component_order_keeps_equal_items_in_place,
                      component_is_found_from_an_orthogonal_start,
                      component_of_mirrored_classes_keeps_its_sign);
}
