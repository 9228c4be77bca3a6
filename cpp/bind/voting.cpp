// cpp/bind/voting.cpp: the bindings of the kernels that vote.
#include "bind/voting.hpp"

#include <vector>

#include "bind/tables.hpp"
#include "predict/lookup.hpp"
#include "predict/vote.hpp"

namespace polytomy {
namespace {

using namespace nb::literals;

// The arrays of a LookupView, kept alive as long as it is in use.
struct Lookups {
    LookupView view{};
    std::vector<nb::object> owners;

    Lookups(const In<std::int32_t>& column, const In<std::uint8_t>& by_code, const In<std::int64_t>& threshold_start,
            const In<double>& threshold, const In<std::int64_t>& place_start, const In2<double>& scores)
        : view{span_of(column), by_code.data(), threshold_start.data(), threshold.data(), place_start.data(),
               scores.data(), scores.shape(1)},
          owners{nb::cast(column), nb::cast(by_code), nb::cast(threshold_start), nb::cast(threshold),
                 nb::cast(place_start), nb::cast(scores)} {
        const std::size_t n = column.shape(0);
        require(by_code.shape(0) == n && threshold_start.shape(0) == n + 1 && place_start.shape(0) == n + 1,
                "Lookups: arrays must have one entry per column, those of starts one more");
        require(place_start.data()[0] == 0 && static_cast<std::size_t>(place_start.data()[n]) == scores.shape(0),
                "Lookups: there must be one row of scores per place");
        require(threshold_start.data()[0] == 0 && static_cast<std::size_t>(threshold_start.data()[n]) == threshold.shape(0),
                "Lookups: threshold_start does not match the thresholds");
        for (std::size_t j = 0; j < n; ++j) {
            const auto thresholds = threshold_start.data()[j + 1] - threshold_start.data()[j];
            const auto places = place_start.data()[j + 1] - place_start.data()[j];
            require(by_code.data()[j] != 0 ? thresholds == 0 && places >= 2 : thresholds >= 0 && places == thresholds + 3,
                    "Lookups: there must be a place for each value, for missing cells and for new values");
        }
    }
};

void look_up_py(const Lookups& lookups, const ValueTable& table, const Out2<double>& votes, int threads) {
    require(votes.shape(0) == table.rows && votes.shape(1) == lookups.view.outputs, "look_up: votes must have shape (rows, outputs)");
    for (std::size_t j = 0; j < lookups.view.column.size(); ++j) {
        const auto column = static_cast<std::size_t>(lookups.view.column[j]);
        require(column < table.columns.size(), "look_up: no such column");
        require(lookups.view.by_code[j] == 0 || table.columns[column].type == ValueType::i32, "look_up: codes must be int32");
    }
    Release free;
    look_up(lookups.view, table.columns, votes.data(), table.rows, threads);
}

void vote_py(const TreeArrays& trees, const In<std::int32_t>& root, const In2<double>& scores, const ValueTable& table,
             const Out2<double>& votes, int threads) {
    require(scores.shape(0) == trees.view.nodes, "vote: there must be one row of scores per node");
    require(votes.shape(0) == table.rows && votes.shape(1) == scores.shape(1), "vote: votes must have shape (rows, outputs)");
    for (const std::int32_t r : span_of(root)) {
        require(r >= 0 && static_cast<std::size_t>(r) < trees.view.nodes, "vote: no such root");
    }
    Release free;
    vote({trees.view, span_of(root), scores.data(), scores.shape(1)}, table.columns, votes.data(), table.rows,
         threads);
}

}  // namespace

void bind_voting(nb::module_& m) {
    nb::class_<Lookups>(m, "Lookups")
        .def(nb::init<const In<std::int32_t>&, const In<std::uint8_t>&, const In<std::int64_t>&, const In<double>&,
                      const In<std::int64_t>&, const In2<double>&>(),
             "column"_a.noconvert(), "by_code"_a.noconvert(), "threshold_start"_a.noconvert(), "threshold"_a.noconvert(),
             "place_start"_a.noconvert(), "scores"_a.noconvert());
    m.def("look_up", &look_up_py, "lookups"_a, "table"_a, "votes"_a.noconvert(), "threads"_a);
    m.def("vote", &vote_py, "trees"_a, "root"_a.noconvert(), "scores"_a.noconvert(), "table"_a, "votes"_a.noconvert(),
          "threads"_a);
}

}  // namespace polytomy
