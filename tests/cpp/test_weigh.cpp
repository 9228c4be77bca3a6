// tests/cpp/test_weigh.cpp: weights after a round against one row at a time; the same bits for any threads and any bound.
#include <algorithm>

#include "boost/weigh.hpp"
#include "check.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

constexpr double kUnits = 0x1p52;

struct Case {
    std::vector<Label> label;
    std::vector<double> share, votes, scores;
    std::vector<std::int32_t> leaf;

    Case(Random& random, std::size_t n, double size) {
        const std::size_t nodes = 1 + random.below(5);
        for (std::size_t v = 0; v < nodes; ++v) scores.push_back(std::round((random.unit() - 0.5) * size * 0x1p20) * 0x1p-20);
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            label.push_back(static_cast<Label>(random.below(2)));
            share.push_back(0.1 + random.unit());
            votes.push_back(random.one_in(10) ? 0.0 : std::round((random.unit() - 0.5) * size * 0x1p20) * 0x1p-20);
            leaf.push_back(static_cast<std::int32_t>(random.below(nodes)));
            sum += share.back();
        }
        for (double& s : share) s /= sum;
    }
    [[nodiscard]] Move move() const { return {leaf.data(), scores.data(), scores.size()}; }
    [[nodiscard]] Voters voters(std::vector<double>& at) const { return {label.data(), share.data(), label.size(), at.data()}; }
    [[nodiscard]] double pain(std::size_t i, double vote) const { return label[i] == 1 ? -vote : vote; }
    [[nodiscard]] double worst() const {
        double most = -kInfinity;
        for (std::size_t i = 0; i < label.size(); ++i) most = std::max(most, pain(i, votes[i]));
        return most;
    }
};

void same(const Weighed& a, const Weighed& b) {
    CHECK(a.log_loss == b.log_loss);
    CHECK(a.error == b.error);
    CHECK(a.worst == b.worst);
}

// The results about votes are the same for both kernels.
void check_votes(const Case& c, const std::vector<double>& votes, const Weighed& found) {
    double error = 0.0, worst = -kInfinity;
    for (std::size_t i = 0; i < votes.size(); ++i) {
        CHECK(votes[i] == c.votes[i] + c.scores[static_cast<std::size_t>(c.leaf[i])]);
        if ((votes[i] > 0.0) != (c.label[i] == 1)) error += c.share[i];
        worst = std::max(worst, c.pain(i, votes[i]));
    }
    CHECK_NEAR(found.error, error, 1e-13);
    CHECK(found.worst == worst);
}

void check_units(double weight, double total, Weight units) {
    const double expected = std::max(1.0, weight / total * kUnits);
    CHECK(units >= 1);
    CHECK_NEAR(static_cast<double>(units), expected, 0.51 + 1e-13 * expected);
}

void exponential(Random& random, std::size_t n, double size) {
    const Case c(random, n, size);
    std::vector<double> votes = c.votes, again = c.votes, later;
    std::vector<Weight> units(n), other(n);
    const Weighed found = weigh_exponential(c.voters(votes), c.move(), c.worst(), units.data(), 1);
    check_votes(c, votes, found);
    double total = 0.0;
    std::vector<double> weight;
    for (std::size_t i = 0; i < n; ++i) weight.push_back(c.share[i] * std::exp(c.pain(i, votes[i]) - found.worst));
    for (const double w : weight) total += w;
    for (std::size_t i = 0; i < n; ++i) check_units(weight[i], total, units[i]);
    CHECK_NEAR(found.log_loss, found.worst + std::log(total), 1e-12 * std::max(1.0, std::abs(found.worst)));
    same(found, weigh_exponential(c.voters(again), c.move(), kInfinity, other.data(), 3));
    CHECK(again == votes);
    CHECK(units == other);
    later = votes;  // like a resumed run, which only knows the votes
    same(found, weigh_exponential(c.voters(later), {}, kInfinity, other.data(), 2));
    CHECK(later == votes);
    CHECK(units == other);
}

void logistic(Random& random, std::size_t n, double size) {
    const Case c(random, n, size);
    const Response response{4.0, 0x1p-50};
    std::vector<double> votes = c.votes, again = c.votes;
    std::vector<Weight> own(n), rest(n), own_again(n), rest_again(n);
    const Weighed found = weigh_logistic(c.voters(votes), c.move(), response, own.data(), rest.data(), 1);
    check_votes(c, votes, found);
    double total = 0.0, bits = 0.0;
    std::vector<double> more, less;
    for (std::size_t i = 0; i < n; ++i) {
        const double against = std::exp(std::min(2.0 * c.pain(i, votes[i]), 700.0));
        const double p = 1.0 / (1.0 + against);
        const double lack = against * p;
        const double w = std::max({p * lack, lack / response.most, response.floor});
        more.push_back(c.share[i] * (w + lack / response.most) / 2.0);
        less.push_back(c.share[i] * (w - lack / response.most) / 2.0);
        total += more.back() + less.back();
        bits += c.share[i] * std::log2(1.0 + against);
    }
    CHECK_NEAR(found.total, total, 1e-12 * total);
    CHECK_NEAR(found.log_loss, std::log(bits), 1e-12);
    for (std::size_t i = 0; i < n; ++i) {
        check_units(more[i], total, own[i]);
        check_units(less[i], total, rest[i]);
    }
    same(found, weigh_logistic(c.voters(again), c.move(), response, own_again.data(), rest_again.data(), 3));
    CHECK(own == own_again && rest == rest_again && votes == again);
}

// Rows in two parts give the result and the units of all rows together.
void parts(Random& random, std::size_t n, double size, bool equal) {
    const Case c(random, n, size);
    const std::size_t cut = random.below(n + 1);
    const Response response{4.0, 0x1p-50};
    std::vector<double> votes = c.votes, again = c.votes;
    std::vector<Weight> one(n), two(n), own(n), other(n);
    const auto part = [&](std::vector<double>& at, std::size_t first, std::size_t rows) {
        return Voters{c.label.data() + first, equal ? nullptr : c.share.data() + first, rows, at.data() + first, n};
    };
    const auto step = [&](std::size_t first) { return Move{c.leaf.data() + first, c.scores.data(), c.scores.size()}; };
    const auto added = [&](auto&& sums_of) {
        RowSums sums = sums_of(cut, n - cut);
        sums.add(sums_of(0, cut));
        return sums;
    };
    const Voters all = part(votes, 0, n);
    const Weighed whole = weigh_exponential(all, c.move(), c.worst(), one.data(), 1);
    const double shift = std::ceil(whole.worst * 1.4427);
    added([&](std::size_t first, std::size_t rows) { return sum_exponential(part(again, first, rows), step(first), 0.0, nullptr, 1); });
    const RowSums sums = added([&](std::size_t first, std::size_t rows) {
        return sum_exponential(part(again, first, rows), {}, shift, own.data() + first, 1);
    });
    const Weighed found = weighed_exponential(all, sums, shift);
    same(whole, found);
    write_units(own.data(), cut, found.total, 1);
    write_units(own.data() + cut, n - cut, found.total, 1);
    CHECK(votes == again && own == one);

    votes = again = c.votes;
    const Weighed logistic = weigh_logistic(all, c.move(), response, one.data(), two.data(), 1);
    const Weighed in_parts = weighed_logistic(all, added([&](std::size_t first, std::size_t rows) {
        return sum_logistic(part(again, first, rows), step(first), response, own.data() + first, other.data() + first, 1);
    }));
    same(logistic, in_parts);
    CHECK(logistic.total == in_parts.total);
    write_units(own.data(), n, in_parts.total, 1);
    write_units(other.data(), n, in_parts.total, 1);
    CHECK(votes == again && own == one && other == two);
}

void parts_add_up_to_all_rows() {
    Random random(36);
    check::cases(40, [&](long i) { parts(random, 1 + random.below(2000), i % 2 == 0 ? 1.0 : 20.0, i % 3 == 0); });
}

void weights_match_one_row_at_a_time() {
    Random random(35);
    check::cases(60, [&](long i) {
        const double sizes[] = {1.0, 20.0, 3000.0};
        const std::size_t n = i == 0 ? 50001 : 1 + random.below(2000);
        exponential(random, n, sizes[i % 3]);
        logistic(random, n, sizes[i % 2]);
    });
}

// A step so long that the bound is far above the actual votes.
void weights_survive_a_long_step() {
    const std::vector<Label> label{1, 0, 1};
    const std::vector<double> share{0.5, 0.25, 0.25};
    const std::vector<std::int32_t> leaf{1, 0, 1};
    const std::vector<double> scores{-5000.0, 5000.0};
    std::vector<double> votes{1.0, -2.0, 3.0};
    std::vector<Weight> units(3);
    const Weighed w = weigh_exponential({label.data(), share.data(), 3, votes.data()},
                                        {leaf.data(), scores.data(), 2}, -1.0, units.data(), 1);
    const double total = 0.5 + 0.25 * std::exp(-1.0) + 0.25 * std::exp(-2.0);
    CHECK(w.worst == -5001.0);
    CHECK(w.error == 0.0);
    CHECK_NEAR(w.log_loss, -5001.0 + std::log(total), 1e-9);
    check_units(0.5, total, units[0]);
    check_units(0.25 * std::exp(-1.0), total, units[1]);
}

}  // namespace

int main() { return check::run(weights_match_one_row_at_a_time, parts_add_up_to_all_rows, weights_survive_a_long_step); }
