// cpp/prune/fold_leaves.cpp: see fold_leaves.hpp.
#include "prune/fold_leaves.hpp"

#include <type_traits>

#include "grow/grown_tree.hpp"
#include "grow/local_rows.hpp"

namespace polytomy {
namespace {

// Some rows of a table and a target, copied.
struct Part {
    std::vector<std::vector<std::byte>> bytes;
    std::vector<CodeColumn> columns;
    std::vector<std::vector<Label>> label;   // layer by layer
    std::vector<std::vector<Weight>> units;  // empty without weights
    std::vector<Layer> more;
    std::vector<Weight> residue;
    std::vector<double> value;
    std::size_t rows = 0;

    Part(const CodedTable& table, const Target& target, std::span<const Row> chosen) : rows(chosen.size()) {
        for (const CodeColumn& column : table.columns) {
            with_codes(column, [&](const auto* codes) {
                using Code = std::remove_cvref_t<decltype(*codes)>;
                std::vector<std::byte> taken(chosen.size() * sizeof(Code));
                auto* out = reinterpret_cast<Code*>(taken.data());
                for (std::size_t i = 0; i < chosen.size(); ++i) out[i] = codes[chosen[i]];
                bytes.push_back(std::move(taken));
            });
            columns.push_back({bytes.back().data(), column.width, column.n_codes});
        }
        const auto taken = [&]<class T>(const T* values) {
            std::vector<T> out;
            out.reserve(chosen.size());
            for (const Row row : chosen) out.push_back(values[row]);
            return out;
        };
        each_layer(target, [&](const Label* labels, const Weight* weights) {
            label.push_back(taken(labels));
            if (weights != nullptr) units.push_back(taken(weights));
        });
        for (std::size_t i = 1; i < label.size(); ++i) more.push_back({label[i].data(), units[i].data()});
        if (!target.residues) return;
        residue = taken(target.residues->amount);
        value = taken(target.residues->value);
    }
    Part(const Part&) = delete;  // parts of it point at others
    Part& operator=(const Part&) = delete;

    // The target of these rows, like that of all of them.
    [[nodiscard]] Target target(const Target& all) const noexcept {
        Target part{label[0].data(), units.empty() ? nullptr : units[0].data(), all.classes, more};
        if (all.residues) part.residues = RowResidues{residue.data(), all.residues->unit, value.data()};
        return part;
    }
};

}  // namespace

FoldLeaves fold_leaves(const FoldRows& all, std::span<const std::int32_t> fold, std::int32_t which,
                       std::span<const Family> families, const GrowthRules& rules, const FoldPruning& pruning) {
    const auto& [table, target, bins] = all;
    std::vector<Row> inside, outside;
    for (std::size_t row = 0; row < fold.size(); ++row) {
        (fold[row] == which ? outside : inside).push_back(static_cast<Row>(row));
    }
    const std::size_t classes = target.classes;
    const Part training(table, target, inside), held(table, target, outside);
    const CodedTable rest{training.columns, table.code_start, table.has_missing, training.rows};
    const std::vector<std::int32_t> columns = columns_of(families);
    LocalRows rows(rest, training.target(target), columns, rules.threads);
    Growth run(GrowthSample{rest, &rows, rows.total(), target.units != nullptr}, {families.begin(), families.end()}, rules);
    while (run.step()) {
    }

    const GrownTree grown = grown_tree(run);
    std::vector<std::int64_t> n_thresholds;
    for (std::size_t v = 0; v + 1 < grown.threshold_start.size(); ++v) {
        n_thresholds.push_back(grown.threshold_start[v + 1] - grown.threshold_start[v]);
    }
    const std::vector<Weight>& counts = run.nodes().counts;
    const PrunableTree shape{grown.kind, grown.feature, grown.child_start, grown.child, n_thresholds, counts, classes};
    const MergedPrunings prunings(shape, pruning.prices, pruning.most);
    const MergedPrunings::Pruning kept = prunings.at(prunings.best(pruning.leaf_price, pruning.most));

    FoldLeaves found;
    found.parent = kept.parent;
    const std::size_t n = kept.parent.size();
    found.counts.assign(n * classes, 0);
    for (std::size_t v = 0; v < kept.state.size(); ++v) {
        if (kept.state[v] == MergedPrunings::kGone) continue;
        const std::size_t to = static_cast<std::size_t>(kept.number[v]) * classes;
        for (std::size_t c = 0; c < classes; ++c) found.counts[to + c] += counts[v * classes + c];
    }
    std::vector<std::int32_t> leaf(outside.size());
    route_codes(run, bins, held.columns, leaf);
    for (std::int32_t& v : leaf) v = kept.number[static_cast<std::size_t>(v)];
    std::vector<Weight> reached(n * classes, 0);
    each_layer(held.target(target), [&](const Label* label, const Weight* units) {
        for (std::size_t i = 0; i < leaf.size(); ++i) {
            reached[static_cast<std::size_t>(leaf[i]) * classes + label[i]] += units == nullptr ? 1 : units[i];
        }
    });
    if (target.residues) {
        found.leaf_of_row.resize(fold.size());
        for (std::size_t i = 0; i < leaf.size(); ++i) found.leaf_of_row[outside[i]] = leaf[i];
        leaf.resize(inside.size());
        run.read_leaves(leaf.data());
        for (std::size_t i = 0; i < leaf.size(); ++i) {
            found.leaf_of_row[inside[i]] = kept.number[static_cast<std::size_t>(leaf[i])];
        }
    }
    std::vector<bool> is_split(n, false);
    for (const std::int32_t parent : kept.parent) {
        if (parent >= 0) is_split[static_cast<std::size_t>(parent)] = true;
    }
    for (std::size_t v = 0; v < n; ++v) {
        if (is_split[v]) continue;
        found.leaves.push_back(static_cast<std::int32_t>(v));
        const auto from = reached.begin() + static_cast<std::ptrdiff_t>(v * classes);
        found.held_out.insert(found.held_out.end(), from, from + static_cast<std::ptrdiff_t>(classes));
    }
    return found;
}

}  // namespace polytomy
