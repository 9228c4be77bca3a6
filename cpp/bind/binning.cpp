// cpp/bind/binning.cpp: see binning.hpp.
#include "bind/binning.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <tuple>
#include <variant>

#include "base/parallel.hpp"
#include "bind/tables.hpp"
#include "encode/value_counts.hpp"
#include "search/binning.hpp"
#include "search/greedy_cuts.hpp"

using namespace nb::literals;

namespace polytomy {
namespace {

using Rules = std::tuple<std::size_t, Weight, Weight, double, int>;
using Objective = std::variant<int, std::tuple<double, double, double>>;  // an index, or the totals of InformationValue

// Returns for each column the ends of its bins, their cost, and which of the trends they follow.
nb::list best_bins_py(const In2<Weight>& counts, const In<Weight>& rows, const In<std::int64_t>& item_start,
                      const Objective& objective, const Rules& rules, const std::vector<int>& trends, int threads) {
    require(rows.shape(0) == counts.shape(0), "best_bins: there must be one number of rows per item");
    require(item_start.shape(0) >= 1 && !trends.empty(), "best_bins: there must be an item_start and a trend");
    const std::size_t columns = item_start.shape(0) - 1;
    const std::int64_t* const start = item_start.data();
    for (std::size_t j = 0; j < columns; ++j) {
        require(0 <= start[j] && start[j] <= start[j + 1] && start[j + 1] - start[j] < 65536, "best_bins: bad item_start");
    }
    require(start[columns] <= static_cast<std::int64_t>(rows.shape(0)), "best_bins: item_start exceeds the items");
    const auto& [max_bins, min_rows, min_weight, min_difference, rate_class] = rules;
    require(rate_class < static_cast<int>(counts.shape(1)), "best_bins: no such class");
    const bool by_value = std::holds_alternative<std::tuple<double, double, double>>(objective);
    require(!by_value || counts.shape(1) == 2, "best_bins: the information value needs two classes");
    const BinRules held{max_bins, min_rows, min_weight, min_difference, rate_class};
    const auto totals = by_value ? std::get<1>(objective) : std::tuple{1.0, 1.0, 0.0};
    const InformationValue value(std::get<0>(totals), std::get<1>(totals), std::get<2>(totals));
    const Index& index = by_value ? value : builtin_index(static_cast<IndexKind>(std::get<0>(objective)));
    std::vector<Bins> best(columns);
    std::vector<int> chosen(columns, trends.front());
    {
        Release free;
        parallel_blocks(columns, worth(columns, 1, threads), [&](std::size_t, std::size_t from, std::size_t to) {
            const std::size_t classes = counts.shape(1);
            BinSearch search(index, classes, held);
            for (std::size_t j = from; j < to; ++j) {
                const auto at = static_cast<std::size_t>(start[j]);
                const std::size_t n = static_cast<std::size_t>(start[j + 1]) - at;
                search.load({counts.data() + at * classes, n * classes}, {rows.data() + at, n});
                best[j] = search.best(static_cast<Trend>(trends.front()));
                for (std::size_t t = 1; t < trends.size(); ++t) {
                    Bins other = search.best(static_cast<Trend>(trends[t]));
                    if (other.cost >= best[j].cost) continue;
                    best[j] = std::move(other);
                    chosen[j] = trends[t];
                }
            }
        });
    }
    nb::list out;
    for (std::size_t j = 0; j < columns; ++j) out.append(nb::make_tuple(to_numpy(std::move(best[j].ends)), best[j].cost, chosen[j]));
    return out;
}

// Returns the distinct values of the only column of a table, and the totals below each of them.
auto value_counts_py(const ValueTable& table, const In<Weight>& first, const In<Weight>& second) {
    require(table.columns.size() == 1, "value_counts: there must be one column");
    require(first.shape(0) == table.rows && second.shape(0) == table.rows, "value_counts: one component per row");
    ValueCounts counts;
    {
        Release free;
        counts = value_counts(table.columns[0], table.rows, first.data(), second.data());
    }
    return std::make_tuple(to_numpy(std::move(counts.values)), to_numpy(std::move(counts.rows)),
                           to_numpy(std::move(counts.first)), to_numpy(std::move(counts.second)));
}

Fresh<std::int64_t> greedy_cuts_py(const In<Weight>& first, const In<Weight>& second, std::size_t leaves, Weight least) {
    require(first.shape(0) == second.shape(0), "greedy_cuts: components must have the same length");
    std::vector<std::int64_t> cuts;
    {
        Release free;
        cuts = greedy_cuts(span_of(first), span_of(second), leaves, least);
    }
    return to_numpy(std::move(cuts));
}

}  // namespace

void bind_binning(nb::module_& m) {
    m.attr("TRENDS") = nb::make_tuple("any", "ascending", "descending", "peak", "valley");  // Trend
    m.def("best_bins", &best_bins_py, "counts"_a.noconvert(), "rows"_a.noconvert(), "item_start"_a.noconvert(),
          "objective"_a, "rules"_a, "trends"_a, "threads"_a);
    m.def("value_counts", &value_counts_py, "table"_a, "first"_a.noconvert(), "second"_a.noconvert());
    m.def("greedy_cuts", &greedy_cuts_py, "first"_a.noconvert(), "second"_a.noconvert(), "leaves"_a, "least"_a);
}

}  // namespace polytomy
