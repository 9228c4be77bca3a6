// cpp/grow/column_path.hpp: constraints on the columns that a path may ask about, and what asking costs.
//
// A column is asked on a path if a node above splits on it. Some columns come first: they alone are searched as long as one
// that has not been asked has a split that gains. Some may be asked only below others. A column with a cost takes it off
// the gain of its splits, for the rows asked, unless it has been asked above.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "grow/rules.hpp"

namespace polytomy {

// The columns asked above a node, ascending; null if there are none, or if no constraint depends on them.
using AskedColumns = std::shared_ptr<const std::vector<std::int32_t>>;

class ColumnPath {
 public:
    ColumnPath(const GrowthRules& rules, std::vector<std::int32_t> columns) : rules_(&rules), columns_(std::move(columns)) {}

    [[nodiscard]] bool matters() const noexcept {
        return !rules_->first_columns.empty() || !rules_->after_columns.empty() || !rules_->column_costs.empty();
    }
    // The columns asked above the children of a node that splits on `column`.
    [[nodiscard]] AskedColumns below(const AskedColumns& above, std::int32_t column) const {
        if (!matters() || was_asked(above, column)) return above;
        auto asked = above ? std::make_shared<std::vector<std::int32_t>>(*above) : std::make_shared<std::vector<std::int32_t>>();
        asked->insert(std::lower_bound(asked->begin(), asked->end(), column), column);
        return asked;
    }
    // Whether what must be asked above a column has been asked.
    [[nodiscard]] bool may_ask(const AskedColumns& above, std::int32_t column) const {
        const auto at = static_cast<std::size_t>(column);
        if (rules_->after_columns.empty() || rules_->after_columns[at].empty()) return true;
        const auto was = [&](std::int32_t other) { return was_asked(above, other); };
        return std::any_of(rules_->after_columns[at].begin(), rules_->after_columns[at].end(), was);
    }
    // The columns that a node may split on.
    [[nodiscard]] std::vector<std::int32_t> allowed(const AskedColumns& above) const {
        std::vector<std::int32_t> found;
        std::copy_if(columns_.begin(), columns_.end(), std::back_inserter(found),
                     [&](std::int32_t column) { return may_ask(above, column); });
        return found;
    }
    // Those of the allowed columns that come first here.
    [[nodiscard]] std::vector<std::int32_t> first(const AskedColumns& above, std::span<const std::int32_t> allowed) const {
        std::vector<std::int32_t> found;
        for (const std::int32_t column : rules_->first_columns) {
            const bool may = std::binary_search(allowed.begin(), allowed.end(), column);
            if (may && !was_asked(above, column)) found.push_back(column);
        }
        return found;
    }
    // The cost of each column at a node, for one unit of `scale`; empty if no column has a cost.
    [[nodiscard]] std::vector<double> costs(const AskedColumns& above, double scale) const {
        std::vector<double> found;
        for (std::size_t j = 0; j < rules_->column_costs.size(); ++j) {
            found.push_back(was_asked(above, static_cast<std::int32_t>(j)) ? 0.0 : rules_->column_costs[j] * scale);
        }
        return found;
    }

 private:
    [[nodiscard]] static bool was_asked(const AskedColumns& above, std::int32_t column) {
        return above && std::binary_search(above->begin(), above->end(), column);
    }

    const GrowthRules* rules_;
    std::vector<std::int32_t> columns_;  // that any family can split on
};

}  // namespace polytomy
