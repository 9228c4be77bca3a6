// cpp/search/categories.cpp: see categories.hpp.
#include "search/categories.hpp"

#include <algorithm>

namespace polytomy {

Categories held_categories(const Histograms& node, std::size_t column) {
    Categories held;
    const std::size_t n = node.n_codes(column);
    held.codes.reserve(n);
    held.counts.reserve(n * node.classes);
    held.rows.reserve(n);
    for (std::size_t v = 0; v < n; ++v) {
        const Weight* counts = node.counts_of(column, v);
        if (std::all_of(counts, counts + node.classes, [](Weight w) { return w == 0; })) continue;
        held.codes.push_back(static_cast<std::uint32_t>(v));
        held.counts.insert(held.counts.end(), counts, counts + node.classes);
        held.rows.push_back(node.rows_of(column, v));
        held.missing_last = v + 1 == n && node.has_missing[column] != 0;
    }
    return held;
}

std::vector<double> item_values(const Categories& held, std::size_t classes, const Index& index) {
    const std::size_t n = held.codes.size();
    std::vector<double> batch(classes * n), value(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < classes; ++c) batch[c * n + i] = static_cast<double>(held.counts[i * classes + c]);
    }
    index.values(batch.data(), n, n, classes, value.data());
    return value;
}

}  // namespace polytomy
