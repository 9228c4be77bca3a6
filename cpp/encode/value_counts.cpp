// cpp/encode/value_counts.cpp: see value_counts.hpp.
#include "encode/value_counts.hpp"

#include "encode/radix.hpp"

namespace polytomy {
namespace {

template <class Key>
struct Cell {
    Key key;
    Row row;
};

template <class T>
ValueCounts value_counts_as(const ValueColumn& column, std::size_t n_rows, const Weight* first, const Weight* second) {
    std::vector<Cell<KeyOf<T>>> cells;
    cells.reserve(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
        const T value = load<T>(column, row);
        if (!is_missing(value)) cells.push_back({to_key(value), static_cast<Row>(row)});
    }
    radix_sort(cells, [](const auto& cell) { return cell.key; });
    ValueCounts out;
    out.values.reserve(cells.size());
    for (auto* totals : {&out.rows, &out.first, &out.second}) totals->reserve(cells.size() + 1);
    Weight rows = 0, a = 0, b = 0;
    const auto add_totals = [&] {
        out.rows.push_back(rows);
        out.first.push_back(a);
        out.second.push_back(b);
    };
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i == 0 || cells[i].key != cells[i - 1].key) {
            out.values.push_back(from_key<T>(cells[i].key));
            add_totals();
        }
        ++rows;
        a += first[cells[i].row];
        b += second[cells[i].row];
    }
    add_totals();
    return out;
}

}  // namespace

ValueCounts value_counts(const ValueColumn& column, std::size_t n_rows, const Weight* first, const Weight* second) {
    ValueCounts out;
    with_values(column, [&](auto value) { out = value_counts_as<decltype(value)>(column, n_rows, first, second); });
    return out;
}

}  // namespace polytomy
