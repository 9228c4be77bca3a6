// cpp/bind/weighing.cpp: see weighing.hpp.
#include "bind/weighing.hpp"

#include <algorithm>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

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

// Of rows in parts: the number of rows of all parts comes with the sample.
using PartSample = std::tuple<In<Label>, std::optional<In<double>>, std::size_t>;

Voters part_of(const PartSample& sample, const Out2<double>& votes) {
    const auto& [labels, shares, all] = sample;
    Voters voters = voters_of({labels, shares}, votes);
    voters.all = all;
    return voters;
}

RowSums sum_exponential_py(const PartSample& sample, const Out2<double>& votes, const Leaves& leaves, double shift,
                           const std::optional<Out<Weight>>& weights, int threads) {
    const Voters voters = part_of(sample, votes);
    const Move move = move_of(leaves, voters.n);
    require(!weights || weights->shape(0) == voters.n, "weigh: there must be units for every row");
    Release free;
    return sum_exponential(voters, move, shift, weights ? weights->data() : nullptr, threads);
}

RowSums sum_logistic_py(const PartSample& sample, const Out2<double>& votes, const Leaves& leaves,
                        std::pair<double, double> response, const Out<Weight>& own, const Out<Weight>& other, int threads) {
    const Voters voters = part_of(sample, votes);
    const Move move = move_of(leaves, voters.n);
    require(own.shape(0) == voters.n && other.shape(0) == voters.n, "weigh: there must be units for every row");
    Release free;
    return sum_logistic(voters, move, {response.first, response.second}, own.data(), other.data(), threads);
}

// What a result depends on besides sums: the number of rows of all parts, and whether they have the same share.
Voters all_rows(std::size_t n_all, bool equal) {
    static constexpr double kAny = 0.0;
    return {nullptr, equal ? nullptr : &kAny, n_all, nullptr};
}

using SumsState = std::tuple<ExactSum::State, ExactSum::State, ExactSum::State, double, double>;

void bind_sums(nb::module_& m) {
    nb::class_<ExactSum>(m, "ExactSum")
        .def_static("of", [](const In<double>& terms) {
            const auto is_valid = [](double term) { return term >= 0.0 && term <= 0x1p900; };
            const auto all = span_of(terms);
            require(std::all_of(all.begin(), all.end(), is_valid), "ExactSum: terms must be from 0 to 2^900");
            return open_sum(all);
        }, "terms"_a.noconvert())
        .def("value", [](const ExactSum& sum) { return sum.value(); })
        .def("__add__", [](ExactSum one, const ExactSum& other) { one.add(other); return one; })
        .def("__getstate__", &ExactSum::state)
        .def("__setstate__", [](ExactSum& sum, const ExactSum::State& state) { new (&sum) ExactSum(ExactSum::of(state)); });
    nb::class_<RowSums>(m, "RowSums")
        .def_ro("worst", &RowSums::worst)
        .def("total", [](const RowSums& sums, double shift) { return sums.total.value(static_cast<int>(shift)); }, "shift"_a)
        .def("__add__", [](RowSums one, const RowSums& other) { one.add(other); return one; })
        .def("__getstate__", [](const RowSums& s) {
            return SumsState{s.loss.state(), s.wrong.state(), s.total.state(), s.n_wrong, s.worst};
        })
        .def("__setstate__", [](RowSums& sums, const SumsState& s) {
            const auto& [loss, wrong, total, n_wrong, worst] = s;
            new (&sums) RowSums{ExactSum::of(loss), ExactSum::of(wrong), ExactSum::of(total), n_wrong, worst};
        });
}

}  // namespace

void bind_weighing(nb::module_& m) {
    bind_sums(m);
    m.def("sum_exponential", &sum_exponential_py, "sample"_a.noconvert(), "votes"_a.noconvert(),
          "leaves"_a.noconvert().none(), "shift"_a, "weights"_a.noconvert().none(), "threads"_a);
    m.def("sum_logistic", &sum_logistic_py, "sample"_a.noconvert(), "votes"_a.noconvert(), "leaves"_a.noconvert().none(),
          "response"_a, "own"_a.noconvert(), "other"_a.noconvert(), "threads"_a);
    m.def("weighed_exponential", [](const RowSums& sums, double shift, std::size_t n_all, bool equal) {
        return as_tuple(weighed_exponential(all_rows(n_all, equal), sums, shift));
    }, "sums"_a, "shift"_a, "n_all"_a, "equal"_a);
    m.def("weighed_logistic", [](const RowSums& sums, std::size_t n_all, bool equal) {
        return as_tuple(weighed_logistic(all_rows(n_all, equal), sums));
    }, "sums"_a, "n_all"_a, "equal"_a);
    m.def("write_units", [](const Out<Weight>& weights, double total, int threads) {
        Release free;
        write_units(weights.data(), weights.shape(0), total, threads);
    }, "weights"_a.noconvert(), "total"_a, "threads"_a);
    m.def("exact_sum", [](const In<double>& terms) { return exact_sum(span_of(terms)); }, "terms"_a.noconvert());
    m.def("weigh_exponential", &weigh_exponential_py, "sample"_a.noconvert(), "votes"_a.noconvert(),
          "leaves"_a.noconvert().none(), "worst"_a, "units"_a.noconvert(), "threads"_a);
    m.def("weigh_logistic", &weigh_logistic_py, "sample"_a.noconvert(), "votes"_a.noconvert(),
          "leaves"_a.noconvert().none(), "response"_a, "own"_a.noconvert(), "other"_a.noconvert(), "threads"_a);
}

}  // namespace polytomy
