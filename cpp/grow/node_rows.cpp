// cpp/grow/node_rows.cpp: see node_rows.hpp.
#include "grow/node_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/stopwatch.hpp"
#include "grow/scatter.hpp"

namespace polytomy {

NodeRows::NodeRows(std::span<const CodeColumn> columns, std::size_t n_rows, int threads)
    : columns_(columns), threads_(threads), ranges_{{.size = n_rows}} {}

NodeRows::NodeRows(std::span<const CodeColumn> columns, std::span<Row> part, int threads)
    : columns_(columns), threads_(threads), moved_(true), ranges_{{.size = part.size()}}, members_(part) {}

void NodeRows::restart(std::size_t n_rows, StartRows rows) {
    ranges_.assign(1, Range{.size = rows ? rows->size() : n_rows});
    deferred_.clear();
    permuted_.clear();
    moved_ = rows.has_value();
    members_ = {};
    if (rows) {
        own_.assign(rows->begin(), rows->end());
        members_ = own_;
    }
}

std::span<Row> NodeRows::members(std::int32_t node) {
    const bool is_new = members_.empty();
    permute_above(node);
    // The first split of all rows writes them in their new order; it need not read the old one.
    if (is_new && !moved_) std::iota(own_.begin(), own_.end(), Row{0});
    return {begin(node), size(node)};
}

// Carry out the deferred splits above a node, from the top.
void NodeRows::permute_above(std::int32_t node) {
    if (members_.empty()) {
        own_.resize(range(0).size);
        members_ = own_;
    }
    if (deferred_.empty()) return;
    std::vector<std::int32_t> above;
    for (std::int32_t v = range(node).parent; v >= 0; v = range(v).parent) {
        if (!deferred_.contains(v)) break;  // its rows have been permuted, and so have those of its ancestors
        above.push_back(v);
    }
    for (; !above.empty(); above.pop_back()) permute(above.back());
}

void NodeRows::split(Move&& move) {
    if (move.column < 0) permute_by_row(move.node, move.branch_of_row, move.sizes);
    const auto first = static_cast<std::size_t>(move.first_child);
    ranges_.resize(std::max(ranges_.size(), first + move.sizes.size()));
    std::size_t next = range(move.node).begin;
    for (std::size_t b = 0; b < move.sizes.size(); ++b) {
        const auto size = static_cast<std::size_t>(move.sizes[b]);
        ranges_[first + b] = {.begin = next, .size = size, .parent = move.node};
        next += size;
    }
    range(move.node).first_child = move.first_child;
    range(move.node).children = static_cast<std::int32_t>(move.sizes.size());
    deferred_.erase(move.node);
    if (std::erase(permuted_, move.node) == 0 && move.column >= 0) {
        deferred_.emplace(move.node, Deferred{static_cast<std::size_t>(move.column), std::move(move.branch_of_code)});
    }
}

void NodeRows::undo_split(std::int32_t node) {
    range(node).first_child = -1;
    range(node).children = 0;
    deferred_.erase(node);
}

void NodeRows::permute(std::int32_t node) {
    const auto found = deferred_.find(node);
    const Deferred split = std::move(found->second);
    deferred_.erase(found);
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(range(node).children));
    permute(node, split.column, split.branch_of_code, sizes);
}

void NodeRows::permute(std::int32_t node, std::size_t column, std::span<const Branch> branch_of_code, std::span<std::int64_t> sizes) {
    const Lap lap(seconds_);
    if (everything_in_order(node)) {
        scatter(nullptr, size(node), columns_[column], branch_of_code, begin(node), sizes, threads_);
    } else {
        partition(begin(node), size(node), columns_[column], branch_of_code, scratch_, sizes, threads_);
    }
    moved_ = true;
}

void NodeRows::permute_ahead(const Move& move, std::span<std::int64_t> sizes) {
    permute_above(move.node);
    deferred_.erase(move.node);
    permute(move.node, static_cast<std::size_t>(move.column), move.branch_of_code, sizes);
    permuted_.push_back(move.node);
}

void NodeRows::permute_by_row(std::int32_t node, std::span<const Branch> branch, std::span<const std::int64_t> sizes) {
    const std::span<Row> rows = members(node);
    const Lap lap(seconds_);
    std::vector<std::size_t> next(sizes.size(), 0);
    for (std::size_t b = 1; b < sizes.size(); ++b) next[b] = next[b - 1] + static_cast<std::size_t>(sizes[b - 1]);
    if (scratch_.size() < rows.size()) scratch_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) scratch_[next[static_cast<std::size_t>(branch[i])]++] = rows[i];
    std::copy_n(scratch_.begin(), rows.size(), rows.begin());
    moved_ = true;
}

void NodeRows::read_leaves(std::span<const std::int32_t> leaf_name, std::int32_t* leaf) {
    const auto name = [&](std::int32_t node) { return leaf_name[static_cast<std::size_t>(node)]; };
    std::vector<std::int32_t> pending{0};
    while (!pending.empty()) {
        const std::int32_t node = pending.back();
        pending.pop_back();
        const std::int32_t first = range(node).first_child;
        const std::int32_t end = first + range(node).children;
        const auto split = deferred_.find(node);
        bool all_leaves = split != deferred_.end();
        for (std::int32_t child = first; child < end && all_leaves; ++child) all_leaves = is_leaf(child);
        if (all_leaves) {  // the children need not be permuted to know which rows they hold
            std::vector<std::int32_t> name_of_code(split->second.branch_of_code.size(), -1);
            for (std::size_t code = 0; code < name_of_code.size(); ++code) {
                const Branch b = split->second.branch_of_code[code];
                if (b != kUnseen) name_of_code[code] = name(first + b);
            }
            const std::int32_t* named = name_of_code.data();
            const bool in_order = everything_in_order(node);
            const std::span<Row> rows = in_order ? std::span<Row>{} : members(node);
            with_codes(columns_[split->second.column], [&](const auto* codes) {
                if (in_order) {
                    for (std::size_t i = 0; i < size(node); ++i) leaf[i] = named[codes[i]];
                } else {
                    for (const Row row : rows) leaf[row] = named[codes[row]];
                }
            });
        } else if (is_leaf(node)) {
            if (everything_in_order(node)) {
                std::fill_n(leaf, size(node), name(node));
            } else {
                for (const Row row : members(node)) leaf[row] = name(node);
            }
        } else {
            for (std::int32_t child = first; child < end; ++child) pending.push_back(child);
        }
    }
}

}  // namespace polytomy
