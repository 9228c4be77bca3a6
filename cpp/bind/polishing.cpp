// cpp/bind/polishing.cpp: see polishing.hpp.
#include "bind/polishing.hpp"

#include <algorithm>

#include "bind/run_input.hpp"
#include "polish/polish.hpp"

namespace polytomy {
namespace {

using namespace nb::literals;

using TargetArgument = std::tuple<In<Label>, std::optional<In<Weight>>, nb::list, std::size_t>;
using TreeArgument = std::tuple<In<std::int64_t>, In<std::int32_t>, In<std::int32_t>, In<std::int64_t>, In<Branch>>;
using RulesArgument = std::tuple<double, double, std::size_t, std::int64_t, Weight, int, int, std::vector<std::int32_t>,
                                 std::vector<std::vector<std::int32_t>>, double>;  // PolishRules but the index

// Checks that rows can be routed: children come after their parents, and codes have branches.
void check_tree(const TreeOnCodes& tree, const CodeTable& codes) {
    const std::size_t n = tree.column.size();
    require(n > 0 && tree.child_start.size() == n + 1 && tree.code_start.size() == n + 1, "polish: one entry per node");
    require(tree.child_start[0] == 0 && tree.child_start[n] == static_cast<std::int64_t>(tree.child.size()) &&
                tree.code_start[0] == 0 && tree.code_start[n] == static_cast<std::int64_t>(tree.branch_of_code.size()),
            "polish: starts do not match their arrays");
    for (std::size_t v = 0; v < n; ++v) {
        const std::int64_t branches = tree.child_start[v + 1] - tree.child_start[v];
        const std::int64_t n_codes = tree.code_start[v + 1] - tree.code_start[v];
        require(branches >= 0 && n_codes >= 0 && (branches == 0) == (tree.column[v] < 0), "polish: a split needs branches");
        if (branches == 0) continue;
        const auto column = static_cast<std::size_t>(tree.column[v]);
        require(column < codes.columns.size() && n_codes == codes.columns[column].n_codes, "polish: one branch per code");
        for (std::int64_t i = tree.child_start[v]; i < tree.child_start[v + 1]; ++i) {
            const std::int32_t child = tree.child[static_cast<std::size_t>(i)];
            require(child > static_cast<std::int32_t>(v) && static_cast<std::size_t>(child) < n, "polish: no such child");
        }
        for (std::int64_t i = tree.code_start[v]; i < tree.code_start[v + 1]; ++i) {
            const Branch b = tree.branch_of_code[static_cast<std::size_t>(i)];
            require(b >= 0 && b < branches, "polish: no such branch");
        }
    }
}

auto polish_py(const CodeTable& codes, const In<std::uint8_t>& use, const In<std::uint8_t>& has_missing,
               const TargetArgument& target, const TreeArgument& tree, const IndexArgument& index,
               const RulesArgument& rules) {
    require(use.shape(0) == codes.columns.size() && has_missing.shape(0) == codes.columns.size(), "polish: one entry per column");
    const auto& [labels, units, listed, classes] = target;
    const auto more = nb::cast<Layers>(listed);
    const auto& [child_start, child, column, code_start, branch_of_code] = tree;
    const TargetHolder held(labels, units, more, classes, std::nullopt, codes.rows);
    const IndexHolder holder(index);
    const TreeOnCodes shape{span_of(child_start), span_of(child), span_of(column), span_of(code_start), span_of(branch_of_code)};
    check_tree(shape, codes);
    const auto& [share, question, observed, rows, weight, passes, threads, first, after, cases] = rules;
    const auto exists = [&](std::int32_t j) { return j >= 0 && static_cast<std::size_t>(j) < codes.columns.size(); };
    require(std::all_of(first.begin(), first.end(), exists), "polish: no such column");
    require(after.empty() || after.size() == codes.columns.size(), "polish: one entry per column");
    PolishedTree found;
    {
        Release free;
        found = polish({codes.columns, span_of(use), span_of(has_missing), codes.rows}, held.target, shape,
                       {holder.get(), share, question, observed, rows, weight, passes, threads, first, after, cases});
    }
    return std::make_tuple(found.passes, to_numpy(std::move(found.column)), to_numpy(std::move(found.code_start)),
                           to_numpy(std::move(found.branch_of_code)), to_numpy(std::move(found.changed)),
                           to_numpy(std::move(found.counts)), to_numpy(std::move(found.rows)), to_numpy(std::move(found.leaf)));
}

}  // namespace

void bind_polishing(nb::module_& m) {
    m.def("polish", &polish_py, "codes"_a, "use"_a.noconvert(), "has_missing"_a.noconvert(), "target"_a, "tree"_a, "index"_a,
          "rules"_a);
}

}  // namespace polytomy
