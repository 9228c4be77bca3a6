// tests/cpp/test_assignment.cpp: codes to branches at the least cost, against all assignments of a few codes.
#include <algorithm>
#include <numeric>
#include <set>

#include "check.hpp"
#include "polish/assignment.hpp"
#include "random.hpp"

using namespace polytomy;

namespace {

struct Costs {
    std::size_t codes, branches;
    std::vector<double> cost, missing;

    // Few different costs make many ties, negative ones are allowed.
    Costs(Random& random, std::size_t codes_, std::size_t branches_, bool with_missing) : codes(codes_), branches(branches_) {
        const bool ties = random.one_in(2);
        const auto draw = [&] { return ties ? static_cast<double>(random.below(4)) - 1.0 : random.unit() - 0.5; };
        for (std::size_t i = 0; i < codes * branches; ++i) cost.push_back(draw());
        for (std::size_t b = 0; with_missing && b < branches; ++b) missing.push_back(draw());
    }
    [[nodiscard]] double total(const std::vector<Branch>& branch) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < codes; ++i) sum += cost[i * branches + static_cast<std::size_t>(branch[i])];
        if (!missing.empty()) sum += missing[static_cast<std::size_t>(branch[codes])];
        return sum;
    }
};

bool uses_all(const std::vector<Branch>& branch, std::size_t branches) {
    return std::set<Branch>(branch.begin(), branch.end()).size() == branches;
}

// Whether the codes of each branch follow each other.
bool are_ranges(const std::vector<Branch>& branch, std::size_t codes) {
    std::set<Branch> ended;
    for (std::size_t i = 1; i < codes; ++i) {
        if (branch[i] != branch[i - 1]) ended.insert(branch[i - 1]);
        if (ended.count(branch[i]) > 0) return false;
    }
    return true;
}

// Calls visit(branches) for every way to give the branches in `order` one range each.
template <class Visit>
void each_cut(std::size_t codes, const std::vector<Branch>& order, Visit&& visit) {
    for (std::size_t cuts = 0; cuts < std::size_t{1} << (codes - 1); ++cuts) {
        std::vector<Branch> branch;
        std::size_t place = 0;
        for (std::size_t i = 0; i < codes && place < order.size(); ++i) {
            branch.push_back(order[place]);
            place += cuts >> i & 1;
        }
        if (place + 1 == order.size()) visit(branch);
    }
}

// Calls visit(branches) for all ranges, in this order or its reverse only if `one_order`. Missing cells, if there are any,
// go to every branch, or have one to themselves.
template <class Visit>
void each_ranges(std::size_t codes, const std::vector<Branch>& order, bool with_missing, bool one_order, Visit&& visit) {
    for (Branch apart = -1; apart < (with_missing ? static_cast<Branch>(order.size()) : 0); ++apart) {
        std::vector<Branch> ranged;
        for (const Branch b : order) {
            if (b != apart) ranged.push_back(b);
        }
        const auto complete = [&](std::vector<Branch> branch) {
            if (!with_missing) visit(branch);
            for (Branch b = 0; with_missing && b < static_cast<Branch>(order.size()); ++b) {
                if (apart >= 0 && b != apart) continue;
                branch.push_back(b);
                visit(branch);
                branch.pop_back();
            }
        };
        if (one_order) {
            each_cut(codes, ranged, complete);
            std::reverse(ranged.begin(), ranged.end());
            each_cut(codes, ranged, complete);
            continue;
        }
        std::sort(ranged.begin(), ranged.end());
        do each_cut(codes, ranged, complete);
        while (std::next_permutation(ranged.begin(), ranged.end()));
    }
}

// Calls visit(branches) for every assignment of n items.
template <class Visit>
void each_assignment(std::size_t n, std::size_t branches, Visit&& visit) {
    std::vector<Branch> branch(n, 0);
    while (true) {
        visit(branch);
        std::size_t i = 0;
        while (i < n && static_cast<std::size_t>(++branch[i]) == branches) branch[i++] = 0;
        if (i == n) return;
    }
}

void groups_cost_as_little_as_possible() {
    Random random(1);
    Assignment assignment;
    check::cases(2000, [&](long) {
        const std::size_t branches = 2 + random.below(3);
        Costs costs(random, 1 + random.below(6), branches, false);
        if (random.one_in(2)) {  // one branch is always the cheapest, so that the others must be filled
            for (std::size_t i = 0; i < costs.codes; ++i) costs.cost[i * branches] -= 5.0;
        }
        double least = kInfinity;
        each_assignment(costs.codes, branches, [&](const std::vector<Branch>& branch) {
            if (uses_all(branch, branches)) least = std::min(least, costs.total(branch));
        });
        std::vector<Branch> chosen;
        CHECK_NEAR(assignment.groups(costs.cost, branches), least, 1e-12);
        CHECK_NEAR(assignment.groups(costs.cost, branches, &chosen), least, 1e-12);
        if (least == kInfinity) return;
        CHECK(uses_all(chosen, branches));
        CHECK_NEAR(costs.total(chosen), least, 1e-12);
    });
}

void check_ranges(Random& random, Assignment& assignment, std::size_t codes, std::size_t branches, bool one_order) {
    const Costs costs(random, codes, branches, random.one_in(2));
    std::vector<Branch> order(branches);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random.engine);
    double least = kInfinity;
    each_ranges(codes, order, !costs.missing.empty(), one_order, [&](const std::vector<Branch>& branch) {
        least = std::min(least, costs.total(branch));
    });
    std::vector<Branch> chosen;
    CHECK_NEAR(assignment.ranges(costs.cost, costs.missing, order), least, 1e-12);
    CHECK_NEAR(assignment.ranges(costs.cost, costs.missing, order, &chosen), least, 1e-12);
    if (least == kInfinity) return;
    CHECK(chosen.size() == codes + (costs.missing.empty() ? 0 : 1));
    CHECK(uses_all(chosen, branches) && are_ranges(chosen, codes));
    CHECK_NEAR(costs.total(chosen), least, 1e-12);
}

void ranges_cost_as_little_as_possible_in_any_order() {
    Random random(2);
    Assignment assignment;
    check::cases(2000, [&](long) { check_ranges(random, assignment, 1 + random.below(6), 2 + random.below(3), false); });
    check::cases(20, [&](long) { check_ranges(random, assignment, 5 + random.below(3), kMostInAnyOrder, false); });
}

void ranges_of_many_branches_keep_an_order_or_its_reverse() {
    Random random(3);
    Assignment assignment;
    check::cases(400, [&](long) { check_ranges(random, assignment, 5 + random.below(6), 7 + random.below(2), true); });
}

}  // namespace

int main() {
    return check::run(groups_cost_as_little_as_possible, ranges_cost_as_little_as_possible_in_any_order,
                      ranges_of_many_branches_keep_an_order_or_its_reverse);
}
