// cpp/bind/weighing.cpp: see weighing.hpp.
#include "bind/weighing.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "base/exact_sum.hpp"
#include "bind/tables.hpp"
#include "boost/leaves.hpp"
#include "boost/weigh.hpp"

using namespace nb::literals;

namespace polytomy {
namespace {

using Sample = std::pair<In<Label>, std::optional<In<double>>>;
using Leaves = std::optional<std::pair<In<std::int32_t>, In2<double>>>;

Voters voters_of(const Sample& sample, const Out2<double>& votes) {
    const auto& [labels, shares] = sample;
    const std::size_t n = labels.shape(0);
    require((!shares || shares->shape(0) == n) && votes.shape(0) == n && votes.shape(1) == 1, "weigh: there must be one share and one vote per row");
    return {labels.data(), data_or_null(shares), n, votes.data()};
}

Move move_of(const Leaves& leaves, std::size_t n) {
    if (!leaves) return {};
    const auto& [leaf, scores] = *leaves;
    require(leaf.shape(0) == n, "weigh: there must be one leaf per row");
    require(scores.shape(1) == 1, "weigh: there must be one score per node");
    require(all_in(span_of(leaf), scores.shape(0)), "weigh: no such leaf");
    return {leaf.data(), scores.data(), scores.shape(0)};
}

nb::tuple as_tuple(const Weighed& w) { return nb::make_tuple(w.log_loss, w.error, w.worst, w.total); }

nb::tuple weigh_exponential_py(const Sample& sample, const Out2<double>& votes, const Leaves& leaves, double worst,
                               const Out<Weight>& units, int threads) {
    const Voters voters = voters_of(sample, votes);
    const Move move = move_of(leaves, voters.n);
    require(units.shape(0) == voters.n, "weigh: there must be units for every row");
    Weighed weighed{};
    {
        Release free;
        weighed = weigh_exponential(voters, move, worst, units.data(), threads);
    }
    return as_tuple(weighed);
}

nb::tuple weigh_logistic_py(const Sample& sample, const Out2<double>& votes, const Leaves& leaves,
                            std::pair<double, double> response, const Out<Weight>& own, const Out<Weight>& other,
                            int threads) {
    const Voters voters = voters_of(sample, votes);
    const Move move = move_of(leaves, voters.n);
    require(own.shape(0) == voters.n && other.shape(0) == voters.n, "weigh: there must be units for every row");
    Weighed weighed{};
    {
        Release free;
        weighed = weigh_logistic(voters, move, {response.first, response.second}, own.data(), other.data(), threads);
    }
    return as_tuple(weighed);
}

}  // namespace

void bind_weighing(nb::module_& m) {
    m.def("exact_sum", [](const In<double>& terms) { return exact_sum(span_of(terms)); }, "terms"_a.noconvert());
    m.def("weigh_exponential", &weigh_exponential_py, "sample"_a.noconvert(), "votes"_a.noconvert(),
          "leaves"_a.noconvert().none(), "worst"_a, "units"_a.noconvert(), "threads"_a);
    m.def("weigh_logistic", &weigh_logistic_py, "sample"_a.noconvert(), "votes"_a.noconvert(),
          "leaves"_a.noconvert().none(), "response"_a, "own"_a.noconvert(), "other"_a.noconvert(), "threads"_a);
}

}  // namespace polytomy
