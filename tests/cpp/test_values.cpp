// tests/cpp/test_values.cpp: splits with one child per category, with the missing rows alone or in any child.
#include "check.hpp"
#include "random_node.hpp"
#include "search/values.hpp"

using namespace polytomy;

namespace {

// Returns the options of all columns: the missing rows in the first of the cheapest children, then alone.
std::vector<ValueOption> naive_options(const Node& node, const SearchParams& params, std::size_t max_arity) {
    std::vector<ValueOption> options;
    for (const std::int32_t j : node.columns) {
        const Node::PresentCodes held = node.present_codes(j);
        const auto offer = [&](const std::vector<Candidate>& ways, std::size_t arity, bool joins) {
            const Chosen chosen = choose(ways, params);
            if (chosen.gain < 0.0 || arity < 2 || arity > max_arity) return;
            const Branch child = joins ? static_cast<Branch>(chosen.key[0]) : kUnseen;
            options.push_back({chosen.gain, j, static_cast<std::int32_t>(arity), child});
        };
        std::vector<Item> children = held.items;
        if (held.missing) {
            std::vector<Candidate> ways;
            for (std::size_t i = 0; i < children.size(); ++i) {
                std::vector<Item> joined = children;
                joined[i].add(*held.missing);
                ways.push_back({cost_of(joined, params), {static_cast<std::uint32_t>(i)}});
            }
            offer(ways, children.size(), true);
            children.push_back(*held.missing);
        }
        offer({{cost_of(children, params), {0}}}, children.size(), false);
    }
    return options;
}

void values_match_all_joins() {
    Random random(13);
    int joined = 0;
    check::cases(1000, [&](long) {
        const Node node(random, 1 + random.below(4), random.below(30), 1 + random.below(4), 1, 8);
        const SearchParams params = node.random_params(random);
        const std::size_t max_arity = 2 + random.below(8);
        const auto query = to_query(params, max_arity, kFree, 1);
        const std::vector<ValueOption> want = naive_options(node, params, max_arity);
        const std::vector<ValueOption> got = value_options(node.histograms(), node.columns, query);
        CHECK(got.size() == want.size());
        for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
            CHECK_NEAR(got[i].gain, want[i].gain, 1e-11 * params.node_value);
            CHECK(got[i].column == want[i].column && got[i].arity == want[i].arity && got[i].joins == want[i].joins);
            joined += got[i].joins != kUnseen ? 1 : 0;
        }
    });
    CHECK(joined > 100);
}

// The missing rows may bring one child up to min_rows, but not two.
void values_let_missing_rows_complete_one_child() {
    const std::int64_t code_start[] = {0, 3};
    const std::uint8_t has_missing[] = {1};
    const std::int32_t columns[] = {0};
    const SearchParams params{IndexKind::gini, 3, naive_value(IndexKind::gini, {5, 5})};
    const Weight saved[] = {4, 1, 1, 1, 0, 3};  // categories of 5 and 2 rows, 3 rows missing
    const Histograms node{saved, nullptr, code_start, has_missing, 2};
    const std::vector<ValueOption> got = value_options(node, columns, to_query(params, 5, kFree, 1));
    CHECK(got.size() == 1 && got[0].arity == 2 && got[0].joins == 1);
    for (const std::vector<Weight>& lost : {std::vector<Weight>{2, 0, 1, 1, 2, 4}, {4, 4, 1, 0, 0, 1}}) {
        const Histograms other{lost.data(), nullptr, code_start, has_missing, 2};
        CHECK(value_options(other, columns, to_query(params, 5, kFree, 1)).empty());
    }
}

// The same weights with other classes: all joins cost the same up to rounding, so the first is chosen.
void values_resolve_ties_to_the_first() {
    Random random(27);
    const std::int64_t code_start[] = {0, 7};
    const std::uint8_t has_missing[] = {1};
    const std::int32_t columns[] = {0};
    check::cases(200, [&](long) {
        std::vector<Weight> own, counts;
        for (int c = 0; c < 5; ++c) own.push_back(static_cast<Weight>(1 + random.below(std::size_t{1} << 40)));
        for (int i = 0; i < 6; ++i) {
            std::shuffle(own.begin(), own.end(), random.engine);
            counts.insert(counts.end(), own.begin(), own.end());
        }
        counts.insert(counts.end(), 5, static_cast<Weight>(1 + random.below(std::size_t{1} << 40)));
        std::vector<Weight> total(5, 0);
        for (std::size_t i = 0; i < counts.size(); ++i) total[i % 5] += counts[i];
        for (const IndexKind kind : kKinds) {
            const Histograms node{counts.data(), nullptr, code_start, has_missing, 5};
            const auto query = to_query({kind, 1, naive_value(kind, total)}, 9, kFree, 1);
            CHECK(value_options(node, columns, query).at(0).joins == 0);
        }
    });
}

void values_of_one_category_have_no_options() {
    const std::int64_t code_start[] = {0, 3, 4};
    const std::uint8_t has_missing[] = {0, 1};
    const std::int32_t columns[] = {0, 1};
    const Weight counts[] = {0, 0, 3, 2, 0, 0, 3, 2};  // one category only; everything missing
    const Histograms node{counts, nullptr, code_start, has_missing, 2};
    const SearchParams params{IndexKind::gini, 1, naive_value(IndexKind::gini, {3, 2})};
    CHECK(value_options(node, columns, to_query(params, 5, kFree, 1)).empty());
    CHECK(value_options(node, {}, to_query(params, 5, kFree, 1)).empty());
}

}  // namespace

int main() {
    return check::run(values_match_all_joins,
                      values_let_missing_rows_complete_one_child,
                      values_resolve_ties_to_the_first,
                      values_of_one_category_have_no_options);
}
