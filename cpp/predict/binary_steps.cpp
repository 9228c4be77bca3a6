// cpp/predict/binary_steps.cpp: see binary_steps.hpp.
#include "predict/binary_steps.hpp"

#include <array>

namespace polytomy {
namespace {

// The columns may be separate arrays, between which pointers must not be subtracted.
std::ptrdiff_t distance(const std::byte* from, const std::byte* to) noexcept {
    return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from));
}

}  // namespace

std::optional<Forks> Forks::of(const TreeView& tree, std::span<const ValueColumn> columns) {
    Forks forks;
    const std::size_t nodes = tree.nodes;
    for (std::size_t v = 0; v < nodes; ++v) {
        const auto kind = static_cast<NodeKind>(tree.kind[v]);
        if (kind == NodeKind::codes) return std::nullopt;
        if (kind != NodeKind::intervals) continue;
        const ValueColumn& column = columns[static_cast<std::size_t>(tree.feature[v])];
        if (forks.data_ == nullptr) {
            if (column.type != ValueType::f32 && column.type != ValueType::f64) return std::nullopt;
            forks.data_ = column.data;
            forks.stride_ = column.stride;
            forks.type_ = column.type;
        }
        if (column.type != forks.type_ || column.stride != forks.stride_) return std::nullopt;
    }
    forks.forks_.resize(nodes);
    for (std::size_t v = 0; v < nodes; ++v) forks.add_node(tree, columns, v);
    return forks;
}

void Forks::add_node(const TreeView& tree, std::span<const ValueColumn> columns, std::size_t v) {
    const auto self = static_cast<std::int32_t>(v);
    if (static_cast<NodeKind>(tree.kind[v]) != NodeKind::intervals) {
        forks_[v] = {0.0, 0, self, {self, self}, self};
        return;
    }
    const std::int32_t* child = tree.child + tree.child_start[v];
    const Branch missing = tree.missing_branch[v] == kUnseen ? tree.default_branch[v] : tree.missing_branch[v];
    const auto from = static_cast<std::size_t>(tree.threshold_start[v]);
    const auto to = static_cast<std::size_t>(tree.threshold_start[v + 1]);
    const std::ptrdiff_t offset = distance(data_, columns[static_cast<std::size_t>(tree.feature[v])].data);
    const Fork like{0.0, offset, child[missing], {child[0], child[0]}, kInner};
    if (from == to) {  // it only matters whether the cell is missing
        forks_[v] = like;
        return;
    }
    // The top fork must have the number of the node, so it is moved there.
    const std::int32_t top = add_ranges(like, {tree.threshold + from, to - from}, child);
    forks_[v] = forks_[static_cast<std::size_t>(top)];
    forks_.pop_back();
}

// Adds the forks for n thresholds and n + 1 children, each fork after those below it, and returns the top one.
std::int32_t Forks::add_ranges(const Fork& like, std::span<const double> thresholds, const std::int32_t* child) {
    if (thresholds.empty()) return child[0];
    const std::size_t middle = thresholds.size() / 2;
    Fork fork = like;
    fork.threshold = thresholds[middle];
    fork.next[0] = add_ranges(like, thresholds.first(middle), child);
    fork.next[1] = add_ranges(like, thresholds.subspan(middle + 1), child + middle + 1);
    forks_.push_back(fork);
    return static_cast<std::int32_t>(forks_.size()) - 1;
}

template <class T>
void Forks::route_as(std::int32_t* node, std::size_t begin, std::size_t end) const {
    constexpr std::size_t kLanes = 16;  // rows that are routed at the same time
    constexpr int kSteps = 3;           // steps between checks for rows that have arrived
    struct Lane {
        const std::byte* row;
        std::int32_t at;
        std::int32_t* out;
    };
    std::array<Lane, kLanes> lanes;
    std::int32_t nowhere = 0;
    std::size_t next = begin;
    std::size_t left = end - begin;
    const auto start = [&](Lane& lane) {
        if (next == end) {  // the lane stays idle at its last leaf
            lane.out = &nowhere;
            return;
        }
        lane = {data_ + static_cast<std::ptrdiff_t>(next) * stride_, node[next], node + next};
        ++next;
    };
    const Fork* const forks = forks_.data();
    for (Lane& lane : lanes) {
        lane = {data_ + static_cast<std::ptrdiff_t>(begin) * stride_, node[begin], &nowhere};
        start(lane);
    }
    while (left > 0) {
        for (int step = 0; step < kSteps; ++step) {
            for (Lane& lane : lanes) {
                const Fork& fork = forks[lane.at];
                T raw;
                std::memcpy(&raw, lane.row + fork.offset, sizeof raw);
                const auto value = static_cast<double>(raw);
                const std::int32_t to = fork.next[value > fork.threshold];
                lane.at = std::isnan(value) ? fork.missing : to;
            }
        }
        for (Lane& lane : lanes) {
            const std::int32_t leaf = forks[lane.at].leaf;
            if (leaf == kInner) continue;
            left -= static_cast<std::size_t>(lane.out != &nowhere);
            *lane.out = leaf;
            start(lane);
        }
    }
}

void Forks::route(std::int32_t* node, std::size_t begin, std::size_t end) const {
    if (begin == end || data_ == nullptr) return;  // without splits, rows end where they start
    if (type_ == ValueType::f32) {
        route_as<float>(node, begin, end);
    } else {
        route_as<double>(node, begin, end);
    }
}

}  // namespace polytomy
