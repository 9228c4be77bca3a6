// cpp/bind/run_input.hpp: the arguments of runs (targets, families, tables, callables) and what keeps them alive.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "bind/index_argument.hpp"
#include "bind/tables.hpp"
#include "grow/growth.hpp"

namespace polytomy {

using Layers = std::vector<std::pair<In<Label>, In<Weight>>>;
using ResidueArgument = std::optional<std::tuple<In<Weight>, double, In<double>>>;
using FamilyArgument = std::tuple<int, nb::list, std::optional<nb::callable>>;
using PriceArgument = std::optional<nb::callable>;

template <class T>
Fresh<T> copied(std::span<const T> values) {
    return to_numpy(std::vector<T>(values.begin(), values.end()));
}

// A target with the arrays that own it.
struct TargetHolder {
    std::vector<Layer> layers;
    std::vector<nb::object> owners;
    Target target{};

    TargetHolder(const In<Label>& labels, const std::optional<In<Weight>>& units, const Layers& more, std::size_t classes,
                 const ResidueArgument& residues, std::size_t rows)
        : owners{nb::cast(labels), nb::cast(units)} {
        require(labels.shape(0) == rows && (!units || units->shape(0) == rows), "target: one label and one weight per row");
        require(more.empty() || units, "target: layers need weights");
        for (const auto& [label, weight] : more) {
            require(label.shape(0) == rows && weight.shape(0) == rows, "target: one label and one weight per row");
            layers.push_back({label.data(), weight.data()});
            owners.push_back(nb::cast(label));
            owners.push_back(nb::cast(weight));
        }
        target = {labels.data(), data_or_null(units), classes, layers};
        if (!residues) return;
        const auto& [amount, unit, value] = *residues;
        require(amount.shape(0) == rows && value.shape(0) == rows, "target: one residue and one value per row");
        target.residues = RowResidues{amount.data(), unit, value.data()};
        owners.push_back(nb::cast(amount));
        owners.push_back(nb::cast(value));
    }
};

// A user's family: a callable (rows, impurity, largest, prices, floor) -> [(arity, gain, branches, id)].
class PythonFamily final : public OwnFamily {
 public:
    PythonFamily(nb::callable propose, std::int32_t column) : propose_(std::move(propose)), column_(column) {}
    [[nodiscard]] nb::object* held() noexcept { return &propose_; }
    void propose(const Node& node, std::vector<Option>& options) const override {
        const Hold locked;
        const nb::object answer = propose_(copied(node.rows), node.impurity, node.largest, copied(node.prices), node.floor);
        std::uint32_t place = 0;
        for (const nb::handle item : answer) {
            const auto [arity, gain, branches, id] = nb::cast<std::tuple<std::int32_t, double, In<Branch>, std::int32_t>>(item);
            require(branches.shape(0) == node.rows.size(), "own family: one branch per row");
            Option option;
            option.arity = arity;
            option.gain = gain;
            option.column = column_;
            option.first = {place++};
            option.second.assign(branches.data(), branches.data() + branches.shape(0));
            for (const Branch b : option.second) require(b >= 0 && b < arity, "own family: no such branch");
            option.own = id;
            options.push_back(std::move(option));
        }
    }

 private:
    nb::callable propose_;
    std::int32_t column_;
};

// Copies of a price function share its callable; the last one acquires the interpreter lock to let go of it.
inline std::shared_ptr<nb::callable> shared_callable(const nb::callable& function) {
    return {new nb::callable(function), [](nb::callable* held) {
                const Hold locked;
                delete held;
            }};
}

// Constraints on columns must be about columns of the table.
inline void require_columns(const GrowthRules& rules, std::size_t columns) {
    const auto exists = [columns](std::int32_t j) { return j >= 0 && static_cast<std::size_t>(j) < columns; };
    require(std::all_of(rules.first_columns.begin(), rules.first_columns.end(), exists), "GrowthRun: no such column");
    const auto one_each = [columns](std::size_t n) { return n == 0 || n == columns; };
    require(one_each(rules.directions.size()) && one_each(rules.column_costs.size()) && one_each(rules.after_columns.size()),
            "GrowthRun: constraints have one entry per column");
}

// The arrays that a run reads, and the callables that it calls.
struct RunInput {
    std::vector<nb::object> owners;
    CodedTable table{};
    std::vector<std::unique_ptr<PythonFamily>> own_families;
    std::vector<Family> families;
    IndexHolder index;
    std::shared_ptr<nb::callable> price_;
    GrowthRules rules;

    // Calls visit(object) for each callable. The garbage collector calls this, so it must not allocate.
    template <class Visit>
    void each_held(Visit&& visit) {
        if (index.held() != nullptr) visit(*index.held());
        if (price_) visit(*price_);
        for (const auto& family : own_families) visit(*family->held());
    }

    RunInput(const nb::object& code_table, std::size_t rows, const In<std::int64_t>& code_start,
             const In<std::uint8_t>& has_missing, const std::vector<FamilyArgument>& asked, const GrowthRules& given,
             const IndexArgument& index_argument, const PriceArgument& price)
        : owners{code_table, nb::cast(code_start), nb::cast(has_missing)}, index(index_argument), rules(given) {
        std::span<const CodeColumn> columns;
        if (!code_table.is_none()) {
            const auto& codes = nb::cast<const CodeTable&>(code_table);
            columns = codes.columns;
            rows = codes.rows;
            require(has_missing.shape(0) == columns.size(), "GrowthRun: one entry per column");
        }
        require(code_start.shape(0) == has_missing.shape(0) + 1, "GrowthRun: code_start has one entry more than columns");
        table = {columns, span_of(code_start), span_of(has_missing), rows};
        rules.index = index.get();
        require_columns(rules, table.n_columns());
        if (price) {
            price_ = shared_callable(*price);
            rules.price = [shared = price_](std::int64_t k) {
                const Hold locked;
                return nb::cast<double>((*shared)(k));
            };
        }
        for (const auto& [kind, listed, propose] : asked) {
            const auto of_family = nb::cast<std::vector<std::int32_t>>(listed);
            for (const std::int32_t j : of_family) {
                require(j >= 0 && static_cast<std::size_t>(j) < table.n_columns(), "GrowthRun: no such column");
            }
            Family family{static_cast<FamilyKind>(kind), of_family};
            if (propose) {
                own_families.push_back(
                    std::make_unique<PythonFamily>(*propose, static_cast<std::int32_t>(table.n_columns())));
                family.own = own_families.back().get();
            }
            families.push_back(std::move(family));
        }
    }
};

}  // namespace polytomy
