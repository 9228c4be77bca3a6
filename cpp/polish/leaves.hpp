// cpp/polish/leaves.hpp: what leaves hold, and what groupings of the rows of a node pay for their description.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "search/groups.hpp"
#include "search/index.hpp"

namespace polytomy {

// What the leaves below a node hold; `first` is the place of the first of them in depth-first order.
struct Leaves {
    std::size_t first = 0, classes = 0;
    std::vector<Weight> counts;  // leaves x classes
    std::vector<std::int64_t> rows, observed;

    Leaves() = default;
    Leaves(std::size_t begin, std::size_t end, std::size_t n_classes)
        : first(begin), classes(n_classes), counts((end - begin) * n_classes, 0), rows(end - begin, 0),
          observed(end - begin, 0) {}

    [[nodiscard]] std::span<const Weight> counts_of(std::size_t leaf) const {
        return {counts.data() + (leaf - first) * classes, classes};
    }
    [[nodiscard]] Weight weight_of(std::size_t leaf) const {
        const std::span<const Weight> own = counts_of(leaf);
        return std::accumulate(own.begin(), own.end(), Weight{0});
    }
    [[nodiscard]] std::int64_t rows_of(std::size_t leaf) const { return rows[leaf - first]; }
    [[nodiscard]] std::int64_t observed_of(std::size_t leaf) const { return observed[leaf - first]; }
    // The counts of the leaves begin..end-1 together.
    [[nodiscard]] std::vector<double> total(std::size_t begin, std::size_t end) const {
        std::vector<double> sum(classes, 0.0);
        for (std::size_t leaf = begin; leaf < end; ++leaf) {
            for (std::size_t c = 0; c < classes; ++c) sum[c] += static_cast<double>(counts_of(leaf)[c]);
        }
        return sum;
    }
};

// What a grouping of categories costs for its description, at a node with these counts. F/2 is a loss, hence half of the charge
// that growth takes from a gain.
class GroupingCost {
 public:
    GroupingCost() = default;
    GroupingCost(std::span<const double> counts, const Index& index, double cases_per_unit, std::size_t branches)
        : branches_(static_cast<int>(branches)) {
        const auto present = static_cast<std::size_t>(std::count_if(counts.begin(), counts.end(), [](double n) { return n > 0.0; }));
        double impurity = 0.0;
        index.values(counts.data(), 1, 1, counts.size(), &impurity);
        const double cases = std::accumulate(counts.begin(), counts.end(), 0.0) * cases_per_unit;
        per_log_ = cases > 0.0 ? charge_per_log(impurity, cases, present) : 0.0;
        dimensions_ = static_cast<int>(present) - 1;
    }
    // The cost of dividing this many categories into one group for each branch.
    [[nodiscard]] double of(std::size_t categories) const {
        return description_charge(categories, branches_, dimensions_, per_log_) / 2.0;
    }

 private:
    int branches_ = 2, dimensions_ = 1;
    double per_log_ = 0.0;
};

}  // namespace polytomy
