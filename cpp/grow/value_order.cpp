// cpp/grow/value_order.cpp: see value_order.hpp.
#include "grow/value_order.hpp"

#include <algorithm>

namespace polytomy {

ValueOrder::ValueOrder(const CodedTable& table, std::span<const std::int8_t> directions)
    : table_(table), directions_(directions) {}

void ValueOrder::add_root(double value) { nodes_.assign(1, Node{{}, value}); }

ValueOrder::Side ValueOrder::whole(std::int32_t column, bool is_ordered) const {
    const auto j = static_cast<std::size_t>(column);
    const std::int64_t n_codes = table_.code_start[j + 1] - table_.code_start[j];
    Side side{column, is_ordered, 0, n_codes - 1 - (table_.has_missing[j] != 0 ? 1 : 0), true, {}};
    if (!is_ordered) side.codes.assign(static_cast<std::size_t>(n_codes) + 1, true);
    return side;
}

void ValueOrder::add_children(std::int32_t node, const Option& option, Branch default_branch,
                              std::span<const double> values) {
    const std::vector<Side> above = nodes_[static_cast<std::size_t>(node)].sides;
    const bool is_ordered = option.kind == FamilyKind::intervals;
    const auto j = static_cast<std::size_t>(option.column);
    const std::vector<Branch> branch_of = branch_of_code(option, table_);
    for (std::size_t b = 0; b < values.size(); ++b) {
        Node child{above, values[b]};
        const auto place = std::find_if(child.sides.begin(), child.sides.end(),
                                        [&](const Side& side) { return side.column >= option.column; });
        const bool is_known = place != child.sides.end() && place->column == option.column;
        Side& side = is_known ? *place : *child.sides.insert(place, whole(option.column, is_ordered));
        const auto branch = static_cast<Branch>(b);
        if (is_ordered) {
            // The first and the last of the branches also get what lies beyond the codes of the node.
            const std::size_t runs = option.first.size() + 1;
            if (b >= runs) {
                side.from = 1;
                side.to = 0;
            } else {
                if (b > 0) side.from = std::max(side.from, static_cast<std::int64_t>(option.first[b - 1]) + 1);
                if (b + 1 < runs) side.to = std::min(side.to, static_cast<std::int64_t>(option.first[b]));
            }
            const Branch of_missing = option.missing == kUnseen ? default_branch : option.missing;
            side.missing = side.missing && branch == of_missing;
        } else {
            const auto taken = [&](Branch chosen) { return (chosen == kUnseen ? default_branch : chosen) == branch; };
            for (std::size_t code = 0; code < branch_of.size(); ++code) {
                side.codes[code] = side.codes[code] && taken(branch_of[code]);
            }
            side.codes.back() = side.codes.back() && taken(kUnseen);
            const bool has_missing = table_.has_missing[j] != 0;
            side.missing = has_missing ? side.codes[branch_of.size() - 1] : side.missing && taken(kUnseen);
        }
        nodes_.push_back(std::move(child));
    }
}

bool ValueOrder::meet(const Side& a, const Side& b) noexcept {
    if (a.missing && b.missing) return true;
    if (a.is_ordered) return std::max(a.from, b.from) <= std::min(a.to, b.to);
    for (std::size_t code = 0; code < a.codes.size(); ++code) {
        if (a.codes[code] && b.codes[code]) return true;
    }
    return false;
}

// Negative if the value of a must not exceed that of b, positive if it must not be less, 0 if they do not compare.
int ValueOrder::order_of(const Node& a, const Node& b) const noexcept {
    const Side* apart_a = nullptr;
    const Side* apart_b = nullptr;
    auto other = b.sides.begin();
    for (const Side& side : a.sides) {
        while (other != b.sides.end() && other->column < side.column) ++other;
        if (other == b.sides.end()) break;
        if (other->column != side.column || meet(side, *other)) continue;
        if (apart_a != nullptr) return 0;
        apart_a = &side;
        apart_b = &*other;
    }
    if (apart_a == nullptr || !apart_a->is_ordered) return 0;
    const int direction = directions_[static_cast<std::size_t>(apart_a->column)];
    if (direction == 0 || apart_a->from > apart_a->to || apart_b->from > apart_b->to) return 0;
    return apart_a->to < apart_b->from ? -direction : direction;
}

std::pair<double, double> ValueOrder::range(std::int32_t node) const {
    const Node& here = nodes_[static_cast<std::size_t>(node)];
    double low = -kInfinity, high = kInfinity;
    for (const Node& other : nodes_) {
        const int order = order_of(here, other);
        if (order < 0) high = std::min(high, other.value);
        if (order > 0) low = std::max(low, other.value);
    }
    return {low, high};
}

}  // namespace polytomy
