// cpp/grow/histogram_pool.cpp: see histogram_pool.hpp.
#include "grow/histogram_pool.hpp"

#include <algorithm>
#include <list>
#include <utility>

#include "base/stopwatch.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kLeastMemory = std::size_t{32} << 20;
constexpr std::size_t kSpare = 64;  // buffers; as many as a tree of boosting uses

}  // namespace

struct HistogramPool::Request {
    struct Subtraction {
        std::int32_t node;
        Buffer result;                      // starts as the parent's histograms
        std::vector<std::int32_t> minus;    // siblings whose histograms are known or will be kept
        Buffer minus_rest;                  // the other siblings together; empty if there are none
    };
    std::vector<CountRequest> counts;
    std::list<std::pair<std::int32_t, Buffer>> counted;  // a list: the requests point at the buffers
    std::list<Subtraction> subtractions;
};

std::size_t default_pool_memory(const CodedTable& table) {
    std::size_t bytes = 0;
    for (const CodeColumn& column : table.columns) bytes += table.rows * static_cast<std::size_t>(column.width);
    return std::max(kLeastMemory, bytes / 2);
}

HistogramPool::HistogramPool(const CodedTable& table, RowSource& source, const PoolSettings& settings,
                             std::size_t root_rows)
    : table_(table), source_(source), local_(source.local()), settings_(settings), nodes_(1) {
    if (local_ == nullptr) settings_.small = 0;  // compact histograms need the rows themselves
    nodes_[0].rows = root_rows;
    nodes_[0].small = counts_as_small(root_rows);
}

void HistogramPool::restart(std::size_t root_rows) {
    while (!pool_.empty()) recycle(take(pool_.begin()->second.node));
    nodes_.assign(1, Node{});
    nodes_[0].rows = root_rows;
    nodes_[0].small = counts_as_small(root_rows);
}

double HistogramPool::counting() const noexcept { return collecting_ - (local_ != nullptr ? local_->moving() : 0.0); }
double HistogramPool::moving() const noexcept { return splitting_ + (local_ != nullptr ? local_->moving() : 0.0); }

Histograms HistogramPool::view_of(const Buffer& buffer) const noexcept {
    const Weight* rows = with_rows() ? buffer.data() + table_.n_codes() * settings_.classes : nullptr;
    return {buffer.data(), rows, table_.code_start.data(), table_.has_missing.data(), settings_.classes};
}

NodeHistograms HistogramPool::histograms(std::int32_t node, const DrawnColumns& drawn) {
    if (at(node).small) {  // not timed: reading the clock would take a tenth of the time
        const CompactHistograms& compact = local_->compact(node, drawn, settings_.classes_present, with_rows());
        return {compact.view(), &compact};
    }
    if (settings_.counts_drawn && drawn) return {count_drawn(node, *drawn), nullptr};
    if (at(node).held == 0) prepare({&node, 1});
    return {view_of(buffer_of(node)), nullptr};
}

Histograms HistogramPool::count_drawn(std::int32_t node, std::span<const std::int32_t> columns) {
    const Lap lap(collecting_);
    const std::size_t classes = settings_.classes;
    drawn_.resize(table_.n_codes() * (classes + (with_rows() ? 1 : 0)));
    Weight* const rows = with_rows() ? drawn_.data() + table_.n_codes() * classes : nullptr;
    for (const std::int32_t j : columns) {
        const auto column = static_cast<std::size_t>(j);
        const auto first = static_cast<std::size_t>(table_.code_start[column]);
        const auto n = static_cast<std::size_t>(table_.code_start[column + 1]) - first;
        std::fill_n(drawn_.data() + first * classes, n * classes, Weight{0});
        if (rows != nullptr) std::fill_n(rows + first, n, Weight{0});
    }
    local_->count_columns(node, columns, drawn_.data(), rows);
    return view_of(drawn_);
}

void HistogramPool::prepare(std::span<const std::int32_t> nodes) {
    if (settings_.counts_drawn) return;
    const Lap lap(collecting_);
    std::vector<std::int32_t> wanted;
    for (const std::int32_t node : nodes) {
        if (at(node).held == 0 && !at(node).small) wanted.push_back(node);
    }
    if (wanted.empty()) return;
    // The smallest first, so that of siblings the largest is left for subtraction.
    std::stable_sort(wanted.begin(), wanted.end(), [this](auto a, auto b) { return at(a).rows < at(b).rows; });
    Request request;
    for (const std::int32_t node : wanted) {
        if (at(node).coming) continue;
        if (subtraction_is_shorter(node)) {
            plan_subtraction(node, request);
        } else {
            request.counted.emplace_back(node, fresh());
            ask(request, node, node, request.counted.back().second);
        }
        at(node).coming = true;
    }
    if (!request.counts.empty()) source_.count(request.counts);
    for (Request::Subtraction& subtraction : request.subtractions) {
        Buffer& result = subtraction.result;
        const auto subtract = [&result](const Buffer& other) {
            for (std::size_t i = 0; i < result.size(); ++i) result[i] -= other[i];
        };
        for (const std::int32_t sibling : subtraction.minus) {
            if (at(sibling).held != 0) {
                subtract(buffer_of(sibling));
            } else {
                const auto same = [sibling](const auto& entry) { return entry.first == sibling; };
                subtract(std::find_if(request.counted.begin(), request.counted.end(), same)->second);
            }
        }
        if (!subtraction.minus_rest.empty()) {
            subtract(subtraction.minus_rest);
            recycle(std::move(subtraction.minus_rest));
        }
    }
    for (const Request::Subtraction& subtraction : request.subtractions) {
        for (const std::int32_t sibling : subtraction.minus) at(sibling).pinned = false;
    }
    for (auto& [node, buffer] : request.counted) keep(node, std::move(buffer));
    for (Request::Subtraction& subtraction : request.subtractions) keep(subtraction.node, std::move(subtraction.result));
}

void HistogramPool::ask(Request& request, std::int32_t first, std::int32_t last, Buffer& into) const {
    Weight* rows = with_rows() ? into.data() + table_.n_codes() * settings_.classes : nullptr;
    std::size_t n_rows = 0;
    for (std::int32_t v = first; v <= last; ++v) n_rows += nodes_[static_cast<std::size_t>(v)].rows;
    request.counts.push_back({first, last, n_rows, into.data(), rows});
}

bool HistogramPool::subtraction_is_shorter(std::int32_t node) {
    const std::int32_t parent = at(node).parent;
    if (parent < 0 || at(parent).held == 0 || !source_.additive()) return false;
    std::size_t unknown = 0;
    for (std::int32_t v = at(parent).first_child; v < at(parent).first_child + at(parent).children; ++v) {
        if (v != node && at(v).held == 0 && !at(v).coming) unknown += at(v).rows;
    }
    return unknown < at(node).rows;
}

// The parent's histograms, which it does not need any more, minus its other children's. A sibling that may be looked
// at later is counted on its own and kept; the others are counted together.
void HistogramPool::plan_subtraction(std::int32_t node, Request& request) {
    const std::int32_t parent = at(node).parent;
    const std::int32_t first = at(parent).first_child;
    const std::int32_t end = first + at(parent).children;
    Request::Subtraction& subtraction = request.subtractions.emplace_back();
    subtraction.node = node;
    subtraction.result = at(parent).pinned ? buffer_of(parent) : take(parent);
    const auto unknown = [&](std::int32_t v) { return v != node && at(v).held == 0 && !at(v).coming; };
    const auto passing = [&](std::int32_t v) { return unknown(v) && (at(v).small || at(v).done); };
    for (std::int32_t v = first; v < end; ++v) {
        if (v == node) continue;
        if (!unknown(v)) {
            at(v).pinned = at(v).held != 0;  // a child of v must not use up the histograms of v in the same request
            subtraction.minus.push_back(v);
        } else if (passing(v)) {
            std::int32_t last = v;
            while (last + 1 < end && passing(last + 1)) ++last;
            if (subtraction.minus_rest.empty()) subtraction.minus_rest = fresh();
            ask(request, v, last, subtraction.minus_rest);
            v = last;
        } else {
            request.counted.emplace_back(v, fresh());
            ask(request, v, v, request.counted.back().second);
            at(v).coming = true;
            subtraction.minus.push_back(v);
        }
    }
}

std::vector<Children> HistogramPool::move(std::vector<Move>&& moves) {
    if (local_ == nullptr) {  // the counts of children come from the histograms of the nodes that are split
        std::vector<std::int32_t> nodes;
        for (const Move& move : moves) nodes.push_back(move.node);
        prepare(nodes);
    }
    const Lap lap(splitting_);
    std::vector<Children> all;
    for (Move& move : moves) {
        const std::size_t branches = move.sizes.size();
        if (local_ == nullptr && at(move.node).held == 0) prepare({&move.node, 1});  // dropped from a small pool
        all.push_back(children_of(move, branches));
        const Children& children = all.back();
        move.sizes = children.rows;
        move.first_child = n_nodes();
        at(move.node).first_child = n_nodes();
        at(move.node).children = static_cast<std::int32_t>(branches);
        at(move.node).unserved = 0;
        for (const std::int64_t rows : children.rows) {
            Node child;
            child.rows = static_cast<std::size_t>(rows);
            child.parent = move.node;
            child.small = counts_as_small(child.rows);
            child.served = child.small || settings_.counts_drawn;
            if (!child.served) ++at(move.node).unserved;
            nodes_.push_back(child);
        }
    }
    std::vector<std::int32_t> split;
    for (const Move& move : moves) split.push_back(move.node);
    std::vector<std::vector<Residue>> residues = source_.move(std::move(moves));
    for (std::size_t i = 0; i < residues.size(); ++i) all[i].residues = std::move(residues[i]);
    for (const std::int32_t node : split) {
        if (at(node).unserved == 0) release(node);
    }
    return all;
}

Children HistogramPool::children_of(const Move& move, std::size_t branches) {
    const std::size_t classes = settings_.classes;
    Children children{std::vector<Weight>(branches * classes, 0), std::vector<std::int64_t>(branches, 0)};
    if (move.column < 0 || at(move.node).held == 0) {
        local_->add_children(move, children.counts, children.rows);
        return children;
    }
    const Histograms held = view_of(buffer_of(move.node));
    const auto column = static_cast<std::size_t>(move.column);
    const bool rows_known = !settings_.weighted || held.rows != nullptr;
    for (std::size_t v = 0; v < move.branch_of_code.size(); ++v) {
        if (move.branch_of_code[v] == kUnseen) continue;
        const auto b = static_cast<std::size_t>(move.branch_of_code[v]);
        const Weight* counts = held.counts_of(column, v);
        for (std::size_t c = 0; c < classes; ++c) children.counts[b * classes + c] += counts[c];
        if (rows_known) children.rows[b] += held.rows_of(column, v);
    }
    if (!rows_known) local_->add_child_rows(move, children.rows);
    return children;
}

void HistogramPool::release(std::int32_t node) {
    at(node).done = true;
    if (at(node).held != 0) recycle(take(node));
    serve(node);
    forget(node);
}

// The source may forget a released node once its siblings do not need its histograms for a subtraction any more.
void HistogramPool::forget(std::int32_t node) {
    const std::int32_t parent = at(node).parent;
    if (!at(node).done || at(node).forgotten || at(node).children > 0 || (parent >= 0 && at(parent).unserved > 0)) return;
    at(node).forgotten = true;
    source_.release(node);
}

// A node does not need its parent's histograms any more; the last child to say so frees them.
void HistogramPool::serve(std::int32_t node) {
    if (at(node).served) return;
    at(node).served = true;
    const std::int32_t parent = at(node).parent;
    if (parent < 0 || --at(parent).unserved > 0) return;
    release(parent);
    for (std::int32_t v = at(parent).first_child; v < at(parent).first_child + at(parent).children; ++v) forget(v);
}

HistogramPool::Buffer HistogramPool::fresh() {
    const std::size_t size = table_.n_codes() * (settings_.classes + (with_rows() ? 1 : 0));
    if (spare_.empty()) return Buffer(size, 0);
    Buffer buffer = std::move(spare_.back());
    spare_.pop_back();
    std::fill(buffer.begin(), buffer.end(), 0);
    return buffer;
}

void HistogramPool::recycle(Buffer&& buffer) {
    // One is kept in any case: it is needed for the next node, and new pages take longer than clearing old ones.
    const std::size_t bytes = buffer.size() * sizeof(Weight);
    const bool fits = spare_.empty() || (spare_.size() + 1) * bytes <= settings_.memory;
    if (spare_.size() < kSpare && fits) spare_.push_back(std::move(buffer));
}

HistogramPool::Buffer HistogramPool::take(std::int32_t node) {
    const auto found = pool_.find(at(node).held);
    Buffer buffer = std::move(found->second.buffer);
    pool_.erase(found);
    at(node).held = 0;
    return buffer;
}

void HistogramPool::keep(std::int32_t node, Buffer&& buffer) {
    const std::size_t bytes = buffer.size() * sizeof(Weight);
    at(node).coming = false;
    at(node).held = ++arrivals_;
    pool_.emplace(arrivals_, Held{node, std::move(buffer)});
    while (pool_.size() > 1 && pool_.size() * bytes > settings_.memory) recycle(take(pool_.begin()->second.node));
    serve(node);
}

}  // namespace polytomy
