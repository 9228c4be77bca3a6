// tests/cpp/test_menu.cpp: what k branches need to beat a binary option, and the choice among columns.
#include "check.hpp"
#include "random_node.hpp"

using namespace polytomy;

namespace {

struct Priced {
    double gain = -kInfinity;
    double charge = 0.0;
    std::int32_t column = -1;
};

double any_worth(Random& random) {
    const double worth = random.unit() * 2.0 - 1.0;
    return random.one_in(8) ? 0.0 : worth;
}

// Score: the worth by the price, unless it is negative.
double score(double worth, double price) { return worth > 0.0 ? worth / price : worth; }

void needed_worth_decides_as_the_scores_do() {
    Random random(21);
    int negative = 0;
    check::cases(20000, [&](long) {
        const int k = 3 + static_cast<int>(random.below(6));
        Prices prices{};
        prices.fill(1.0);
        prices[static_cast<std::size_t>(k - 2)] = 1.0 + random.unit() * (k - 2);
        const Query query = to_query({}, 9, prices, 1);
        const double binary = any_worth(random), wide = any_worth(random);
        const double difference = score(wide, prices[static_cast<std::size_t>(k - 2)]) - score(binary, 1.0);
        if (std::abs(difference) < 1e-9) return;
        CHECK((wide > needed_worth(query, k, binary)) == (difference > 0.0));
        negative += binary < 0.0 ? 1 : 0;
    });
    CHECK(negative > 1000);
}

void needed_worth_at_a_branch_price_decides_as_the_differences_do() {
    Random random(22);
    check::cases(20000, [&](long) {
        const int k = 3 + static_cast<int>(random.below(6));
        Prices prices{};
        prices.fill(1.0);
        Query query = to_query({}, 9, prices, 1);
        query.branch_price = random.unit() * 0.3;
        const double binary = any_worth(random), wide = any_worth(random);
        const double difference = (wide - query.branch_price * (k - 1)) - (binary - query.branch_price);
        if (std::abs(difference) < 1e-9) return;
        CHECK((wide > needed_worth(query, k, binary)) == (difference > 0.0));
    });
}

void widest_that_may_win_is_the_widest_whose_bound_is_enough() {
    Random random(23);
    check::cases(5000, [&](long) {
        Prices prices{};
        for (double& price : prices) price = 1.0 + random.unit() * 3.0;
        prices[0] = 1.0;
        SearchParams params{IndexKind::gini, 1, 1.0};
        Query query = to_query(params, 2 + random.below(8), prices, 1);
        query.branch_price = random.one_in(2) ? random.unit() * 0.2 : 0.0;
        const double binary = any_worth(random);
        std::vector<double> bounds(random.below(9));
        for (double& bound : bounds) bound = any_worth(random);
        int widest = 2;
        for (int k = 3; k <= query.max_arity; ++k) {
            if (static_cast<std::size_t>(k - 2) >= bounds.size()) break;
            if (bounds[static_cast<std::size_t>(k - 2)] > needed_worth(query, k, binary)) widest = k;
        }
        CHECK(widest_that_may_win(bounds, binary, query) == widest);
    });
}

// The one worth most, and of those within the tie tolerance the one listed first.
void best_by_arity_compares_worths() {
    Random random(24);
    check::cases(2000, [&](long) {
        const SearchParams params{IndexKind::gini, 1, 10.0};
        const Query query = to_query(params, 9, kFree, 1);
        std::vector<std::vector<Priced>> columns(1 + random.below(4));
        for (std::size_t j = 0; j < columns.size(); ++j) {
            columns[j].resize(random.below(4));
            for (Priced& option : columns[j]) {
                if (random.one_in(5)) continue;  // no option of that arity
                option = {static_cast<double>(random.below(4)) + 1e-13 * random.unit(),
                          static_cast<double>(random.below(4)), static_cast<std::int32_t>(j)};
            }
        }
        std::vector<std::int32_t> want(4, -1);
        for (std::size_t a = 0; a < want.size(); ++a) {
            double most = -kInfinity;
            for (const auto& options : columns) {
                if (a < options.size()) most = std::max(most, options[a].gain - options[a].charge);
            }
            for (std::size_t j = columns.size(); j-- > 0 && most > -kInfinity;) {
                if (a >= columns[j].size()) continue;
                if (columns[j][a].gain - columns[j][a].charge >= most - 1e-11) want[a] = static_cast<std::int32_t>(j);
            }
        }
        std::vector<Priced> got = best_by_arity(std::move(columns), query);
        got.resize(want.size());
        for (std::size_t a = 0; a < want.size(); ++a) CHECK(got[a].column == want[a]);
    });
}

void a_charge_allows_negative_worths() {
    Query query = to_query({}, 4, kFree, 1);
    CHECK(worth_to_beat(query) == 0.0);
    query.charge = 0.5;
    CHECK(worth_to_beat(query) == -kInfinity);
    query.floor = -0.25;
    CHECK(worth_to_beat(query) == -0.25);
}

}  // namespace

int main() {
    return check::run(needed_worth_decides_as_the_scores_do,
                      needed_worth_at_a_branch_price_decides_as_the_differences_do,
                      widest_that_may_win_is_the_widest_whose_bound_is_enough,
                      best_by_arity_compares_worths,
                      a_charge_allows_negative_worths);
}
