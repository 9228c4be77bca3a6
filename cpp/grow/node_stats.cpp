// cpp/grow/node_stats.cpp: see node_stats.hpp.
#include "grow/node_stats.hpp"

#include <algorithm>
#include <utility>

#include "base/stopwatch.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kLeastPool = std::size_t{32} << 20;  // bytes of histograms always allowed
constexpr std::size_t kSpare = 8;                          // buffers kept for use again

// Half of what the codes take, and at least 32 MB.
std::size_t pool_limit(const CodedTable& table) {
    std::size_t bytes = 0;
    for (const CodeColumn& column : table.columns) bytes += table.rows * static_cast<std::size_t>(column.width);
    return std::max(kLeastPool, bytes / 2);
}

}  // namespace

std::vector<Weight> total_counts(const CodedTable& table, const Target& target) {
    std::vector<Weight> counts(target.classes, 0);
    for (std::size_t i = 0; i < table.rows; ++i) counts[target.label[i]] += target.units != nullptr ? target.units[i] : 1;
    return counts;
}

NodeStats::NodeStats(const StatsSource& source, int threads)
    : table_(source.table), target_(source.target), which_(source.which), small_(source.small), threads_(threads),
      rows_(table_.columns, table_.rows, threads), compact_(table_.columns, table_.has_missing), nodes_(1),
      pool_bytes_(pool_limit(table_)) {
    nodes_[0].small = is_small(table_.rows);
}

NodeStats::NodeStats(const StatsSource& source, std::span<Row> part, std::size_t share)
    : table_(source.table), target_(source.target), which_(source.which), small_(source.small), threads_(1),
      rows_(table_.columns, part, 1), compact_(table_.columns, table_.has_missing), nodes_(1),
      pool_bytes_(pool_limit(table_) / share) {
    nodes_[0].small = is_small(part.size());
}

Histograms NodeStats::view_of(const Buffer& buffer) const noexcept {
    const auto codes = static_cast<std::size_t>(table_.code_start.back());
    const Weight* rows = target_.units != nullptr ? buffer.data() + codes * target_.classes : nullptr;
    return {buffer.data(), rows, table_.code_start.data(), table_.has_missing.data(), target_.classes};
}

NodeHistograms NodeStats::collect(std::int32_t node) {
    const Lap lap(collecting_);
    if (at(node).small) {
        compact_.count(which_, rows_.members(node), target_);
        return {compact_.view(), &compact_};
    }
    if (at(node).held == 0) {
        if (subtraction_is_shorter(node)) {
            keep(node, subtracted(node));
        } else {
            Buffer buffer = fresh();
            count(node, node, buffer);
            keep(node, std::move(buffer));
        }
        serve(node);
    }
    return {view_of(pool_.at(at(node).held).buffer), nullptr};
}

Children NodeStats::scatter(std::int32_t node, std::size_t column, std::vector<Branch>&& branch_of_code,
                            std::size_t branches) {
    const Lap lap(splitting_);
    Children children{std::vector<Weight>(branches * target_.classes, 0), std::vector<std::int64_t>(branches, 0)};
    if (at(node).held != 0) {
        add_from_histograms(view_of(pool_.at(at(node).held).buffer), column, branch_of_code, children);
    } else {
        add_from_rows(node, column, branch_of_code, children);
    }
    at(node).first_child = rows_.n_nodes();
    at(node).children = static_cast<std::int32_t>(branches);
    rows_.split(node, column, std::move(branch_of_code), children.rows);
    for (const std::int64_t rows : children.rows) {
        Node child;
        child.small = child.served = is_small(static_cast<std::size_t>(rows));
        if (!child.small) ++at(node).unserved;
        nodes_.push_back(child);
    }
    if (at(node).unserved == 0) release(node);
    return children;
}

void NodeStats::release(std::int32_t node) {
    at(node).done = true;
    if (at(node).held != 0) spare_.push_back(take(node));
    if (spare_.size() > kSpare) spare_.pop_back();
    serve(node);
}

// A node that needs its parent's histograms no more; the last one to need them lets go of them.
void NodeStats::serve(std::int32_t node) {
    if (at(node).served) return;
    at(node).served = true;
    const std::int32_t parent = rows_.parent(node);
    if (parent >= 0 && --at(parent).unserved == 0) release(parent);
}

NodeStats::Buffer NodeStats::fresh() {
    const auto codes = static_cast<std::size_t>(table_.code_start.back());
    const std::size_t size = codes * (target_.classes + (target_.units != nullptr ? 1 : 0));
    if (spare_.empty()) return Buffer(size, 0);
    Buffer buffer = std::move(spare_.back());
    spare_.pop_back();
    std::fill(buffer.begin(), buffer.end(), 0);
    return buffer;
}

// Add the rows of the nodes first..last, whose ranges of rows follow each other.
void NodeStats::count(std::int32_t first, std::int32_t last, Buffer& into) {
    const auto codes = static_cast<std::size_t>(table_.code_start.back());
    Weight* rows = target_.units != nullptr ? into.data() + codes * target_.classes : nullptr;
    const bool all = rows_.everything_in_order(first);
    const Row* members = all ? nullptr : rows_.members(first).data();
    std::size_t n = 0;
    for (std::int32_t v = first; v <= last; ++v) n += rows_.size(v);
    accumulate(table_.columns, which_, members, n, target_, table_.code_start.data(), into.data(), rows, threads_);
}

bool NodeStats::subtraction_is_shorter(std::int32_t node) {
    const std::int32_t parent = rows_.parent(node);
    if (parent < 0 || at(parent).held == 0) return false;
    std::size_t unknown = 0;
    for (std::int32_t v = at(parent).first_child; v < at(parent).first_child + at(parent).children; ++v) {
        if (v != node && at(v).held == 0) unknown += rows_.size(v);
    }
    return unknown < rows_.size(node);
}

// The parent's histograms, which it needs no more, minus its other children's. What is counted on the way is kept
// where it may be asked for; the others are counted together.
NodeStats::Buffer NodeStats::subtracted(std::int32_t node) {
    const std::int32_t parent = rows_.parent(node);
    const std::int32_t first = at(parent).first_child;
    const std::int32_t end = first + at(parent).children;
    Buffer result = take(parent);
    const auto subtract = [&](const Buffer& other) {
        for (std::size_t i = 0; i < result.size(); ++i) result[i] -= other[i];
    };
    std::vector<std::pair<std::int32_t, Buffer>> counted;
    Buffer together;
    const auto passing = [&](std::int32_t v) { return v != node && at(v).held == 0 && (at(v).small || at(v).done); };
    for (std::int32_t v = first; v < end; ++v) {
        if (v == node) continue;
        if (at(v).held != 0) {
            subtract(pool_.at(at(v).held).buffer);
        } else if (passing(v)) {
            std::int32_t last = v;
            while (last + 1 < end && passing(last + 1)) ++last;
            if (together.empty()) together = fresh();
            count(v, last, together);
            v = last;
        } else {
            counted.emplace_back(v, fresh());
            count(v, v, counted.back().second);
            subtract(counted.back().second);
        }
    }
    if (!together.empty()) {
        subtract(together);
        spare_.push_back(std::move(together));
    }
    for (auto& [sibling, buffer] : counted) {
        keep(sibling, std::move(buffer));
        serve(sibling);
    }
    return result;
}

NodeStats::Buffer NodeStats::take(std::int32_t node) {
    const auto found = pool_.find(at(node).held);
    Buffer buffer = std::move(found->second.buffer);
    pool_.erase(found);
    at(node).held = 0;
    return buffer;
}

void NodeStats::keep(std::int32_t node, Buffer&& buffer) {
    const std::size_t bytes = buffer.size() * sizeof(Weight);
    at(node).held = ++arrivals_;
    pool_.emplace(arrivals_, Held{node, std::move(buffer)});
    while (pool_.size() > 1 && pool_.size() * bytes > pool_bytes_) spare_.push_back(take(pool_.begin()->second.node));
    while (spare_.size() > kSpare) spare_.pop_back();
}

void NodeStats::add_from_histograms(const Histograms& held, std::size_t column, const std::vector<Branch>& branch,
                                    Children& to) const {
    for (std::size_t v = 0; v < branch.size(); ++v) {
        if (branch[v] == kUnseen) continue;  // nothing to add
        const auto b = static_cast<std::size_t>(branch[v]);
        const Weight* counts = held.counts_of(column, v);
        for (std::size_t c = 0; c < held.classes; ++c) to.counts[b * held.classes + c] += counts[c];
        to.rows[b] += held.rows_of(column, v);
    }
}

void NodeStats::add_from_rows(std::int32_t node, std::size_t column, const std::vector<Branch>& branch, Children& to) {
    const std::span<const Row> members = rows_.members(node);
    with_codes(table_.columns[column], [&](const auto* cells) {
        for (const Row row : members) {
            const auto b = static_cast<std::size_t>(branch[cells[row]]);
            to.counts[b * target_.classes + target_.label[row]] += target_.units != nullptr ? target_.units[row] : 1;
            ++to.rows[b];
        }
    });
}

}  // namespace polytomy
