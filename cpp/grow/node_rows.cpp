// cpp/grow/node_rows.cpp: see node_rows.hpp.
#include "grow/node_rows.hpp"

#include <numeric>
#include <utility>

#include "grow/scatter.hpp"
#include "base/stopwatch.hpp"

namespace polytomy {

NodeRows::NodeRows(std::span<const CodeColumn> columns, std::size_t n_rows, int threads)
    : columns_(columns), threads_(threads), ranges_{{0, n_rows, -1}} {}

NodeRows::NodeRows(std::span<const CodeColumn> columns, std::span<Row> part, int threads)
    : columns_(columns), threads_(threads), moved_(true), ranges_{{0, part.size(), -1}}, members_(part) {}

std::span<Row> NodeRows::members(std::int32_t node) {
    if (members_.empty()) {
        own_.resize(ranges_[0].size);
        std::iota(own_.begin(), own_.end(), Row{0});
        members_ = own_;
    }
    // What waits above the node, the highest first.
    std::vector<std::int32_t> above;
    if (!waiting_.empty()) {
        for (std::int32_t v = parent(node); v >= 0; v = parent(v)) {
            if (!waiting_.contains(v)) break;  // its rows were permuted, and so were those above
            above.push_back(v);
        }
    }
    for (; !above.empty(); above.pop_back()) permute(above.back());
    return {begin(node), size(node)};
}

void NodeRows::split(std::int32_t node, std::size_t column, std::vector<Branch>&& branch_of_code,
                     std::span<const std::int64_t> sizes) {
    std::size_t next = range(node).begin;
    for (const std::int64_t size : sizes) {
        ranges_.push_back({next, static_cast<std::size_t>(size), node});
        next += static_cast<std::size_t>(size);
    }
    waiting_.insert_or_assign(node, Split{column, std::move(branch_of_code), sizes.size()});
}

void NodeRows::permute(std::int32_t node) {
    const Lap lap(seconds_);
    const auto found = waiting_.find(node);
    const Split split = std::move(found->second);
    waiting_.erase(found);
    scratch_.resize(members_.size());
    std::vector<std::int64_t> sizes(split.branches);
    scatter(begin(node), size(node), columns_[split.column], split.branch_of_code, scratch_.data(), sizes, threads_);
    moved_ = true;
}

}  // namespace polytomy
