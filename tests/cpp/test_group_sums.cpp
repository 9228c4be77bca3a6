// tests/cpp/test_group_sums.cpp: moments of groups of rows; against the sums of terms that are written out.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "encode/group_sums.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

struct Drawn {
    std::vector<double> values, weights, further;
    std::vector<Row> rows;
    std::vector<std::int32_t> group;
    std::vector<double> anchors;
};

Drawn draw(Random& random, std::size_t n, std::size_t chosen, std::size_t groups) {
    Drawn drawn;
    for (std::size_t i = 0; i < n; ++i) {
        drawn.values.push_back(random.unit() - 0.25);
        drawn.weights.push_back(0.1 + random.unit());
    }
    for (std::size_t i = 0; i < chosen; ++i) {
        drawn.rows.push_back(static_cast<Row>(random.below(n)));
        drawn.further.push_back(random.unit());
        drawn.group.push_back(static_cast<std::int32_t>(random.below(groups)));
    }
    const int step = static_cast<int>(std::bit_width(chosen + n)) - 52;
    for (int term = 0; term < 4; ++term) {
        for (int level = 0; level < 3; ++level) drawn.anchors.push_back(std::ldexp(1.5, 24 + level * step));
    }
    return drawn;
}

// The totals of `group_sums` of terms that are written out first.
std::vector<double> plain(const Drawn& drawn, const MomentTerms& terms, std::size_t groups) {
    const std::size_t width = terms.width();
    std::vector<std::vector<double>> columns(width);
    for (std::size_t i = 0; i < drawn.group.size(); ++i) {
        const std::size_t row = terms.rows != nullptr ? terms.rows[i] : i;
        const double weight = terms.weights != nullptr ? terms.weights[row] : 1.0;
        const double far = terms.values[row] - terms.centre;
        columns[0].push_back(weight);
        columns[1].push_back(far * weight);
        columns[2].push_back(far * far * weight);
        if (width == 4) columns[3].push_back(terms.further[i] * weight);
    }
    std::vector<const double*> pointers;
    for (const auto& column : columns) pointers.push_back(column.data());
    std::vector<double> sums(groups * width * kSumLevels, 0.0), out;
    group_sums(drawn.group, pointers, terms.anchors, sums.data());
    for (std::size_t i = 0; i < sums.size(); i += kSumLevels) out.push_back(sums[i] + (sums[i + 1] + sums[i + 2]));
    return out;
}

void compare(Random& random, std::size_t n, std::size_t chosen, std::size_t groups) {
    const bool has_rows = chosen != n;
    const Drawn drawn = draw(random, n, chosen, groups);
    const bool has_weights = random.one_in(2), has_further = random.one_in(2);
    const MomentTerms terms{has_rows ? drawn.rows.data() : nullptr, drawn.values.data(),
                            has_weights ? drawn.weights.data() : nullptr, has_further ? drawn.further.data() : nullptr, 0.125,
                            std::span(drawn.anchors).first(has_further ? 12 : 9)};
    const std::vector<double> want = plain(drawn, terms, groups);
    for (const int threads : {0, 1, 3}) {
        std::vector<double> got(want.size(), -1.0);
        group_moments(drawn.group, terms, groups, threads, got.data());
        CHECK(got == want);
    }
}

void group_moments_match_sums_of_terms() {
    Random random(31);
    check::cases(200, [&](long) {
        const std::size_t n = 1 + random.below(300);
        compare(random, n, random.one_in(3) ? n : random.below(n), 1 + random.below(random.one_in(2) ? 4 : 400));
    });
    compare(random, 200000, 200000, 5);  // enough for three threads
    compare(random, 200000, 150000, 90000);
}

}  // namespace

int main() { return check::run(group_moments_match_sums_of_terms); }
