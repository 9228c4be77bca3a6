// cpp/grow/histograms.hpp: class histograms of a node's rows over columns of codes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/types.hpp"

namespace polytomy {

// A class and a weight for every row.
struct Layer {
    const Label* label;
    const Weight* units;
};

// A row that counts for several components has an impurity of its own, which no split can remove; that of a node is the
// sum over its rows, its residue. Only the rest of F(node) can be gained.
struct RowResidues {
    const Weight* amount;  // of each row, in a unit of its own
    double unit;           // in units of F
    const double* value;   // equal for rows that are alike: a node of such rows only is pure
};

// The residue of a node, in the unit of its rows', and whether all of them are alike.
struct Residue {
    Weight amount = 0;
    bool alike = true;
};

// Every row adds a vector of counts to the nodes it reaches, given in layers: a class and a weight each. Rows of one
// class have one layer; soft labels, AdaBoost.MH and least squares have several.
struct Target {
    const Label* label;   // the first layer's class of each row
    const Weight* units;  // its weight, or null if every row weighs 1
    std::size_t classes;
    std::span<const Layer> more = {};  // further layers; then `units` is not null
    std::optional<RowResidues> residues = std::nullopt;
    const Weight* pairs = nullptr;  // if not null: what each row adds to two counts, over all layers
    const std::uint8_t* pairs_in_records = nullptr;  // the same, if the records that are counted have it (row_codes.hpp)
};

// Call visit(label, units) for every layer.
template <class Visit>
void each_layer(const Target& target, Visit&& visit) {
    visit(target.label, target.units);
    for (const Layer& layer : target.more) visit(layer.label, layer.units);
}

// Add every row's weight to counts[(code_start[j] + code) * classes + class] for the columns in `which`. If there are
// weights and rows[] is not null, count the rows of each code in it; without weights the counts are the rows, and rows[]
// is not touched. A null `members` means the rows 0..n-1. The cells of a column are `stride` apart: more than 1 if rows are
// stored one after the other (row_codes.hpp), and then `members` is not null.
void accumulate(std::span<const CodeColumn> columns, std::span<const std::int32_t> which, const Row* members,
                std::size_t n, const Target& target, const std::int64_t* code_start, Weight* counts, Weight* rows,
                int threads, std::size_t stride = 1);

}  // namespace polytomy
