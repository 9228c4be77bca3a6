// cpp/grow/value_order.cpp: see value_order.hpp.
#include "grow/value_order.hpp"

#include <algorithm>

namespace polytomy {

ValueOrder::ValueOrder(const CodedTable& table, std::span<const std::int8_t> directions)
    : table_(table), directions_(directions) {}

void ValueOrder::add_root(double value) { nodes_.assign(1, Node{{}, value, -1, 0, -1}); }

ValueOrder::Side ValueOrder::whole(std::int32_t column, bool is_ordered) const {
    const auto j = static_cast<std::size_t>(column);
    const std::int64_t n_codes = table_.code_start[j + 1] - table_.code_start[j];
    const std::int64_t n_values = n_codes - (table_.has_missing[j] != 0 ? 1 : 0);
    Side side{column, is_ordered, true, {-1, 0}, {n_values - 1, n_values}, true, {}};
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
        Node child{above, values[b], node, static_cast<std::int32_t>(b), option.column};
        const auto place = std::find_if(child.sides.begin(), child.sides.end(),
                                        [&](const Side& side) { return side.column >= option.column; });
        const bool is_known = place != child.sides.end() && place->column == option.column;
        Side& side = is_known ? *place : *child.sides.insert(place, whole(option.column, is_ordered));
        const auto branch = static_cast<Branch>(b);
        if (is_ordered) {
            // The first and the last of the branches also get what lies beyond the codes of the node.
            const std::size_t runs = option.first.size() + 1;
            const auto cut = [&](std::size_t i) { return Cut{option.first[i], option.second[i]}; };
            if (b >= runs) {
                side.has_range = false;
            } else {
                if (b > 0) side.low = cut(b - 1);
                if (b + 1 < runs) side.high = cut(b);
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
    if (a.is_ordered) {
        return a.has_range && b.has_range && !a.high.is_surely_at_most(b.low) && !b.high.is_surely_at_most(a.low);
    }
    for (std::size_t code = 0; code < a.codes.size(); ++code) {
        if (a.codes[code] && b.codes[code]) return true;
    }
    return false;
}

const ValueOrder::Side& ValueOrder::side_of(const Node& node, std::int32_t column) noexcept {
    return *std::find_if(node.sides.begin(), node.sides.end(), [&](const Side& side) { return side.column == column; });
}

ValueOrder::Comparison ValueOrder::compare(std::int32_t a, std::int32_t b) const noexcept {
    const auto at = [&](std::int32_t node) -> const Node& { return nodes_[static_cast<std::size_t>(node)]; };
    const Node& one = at(a);
    const Node& two = at(b);
    std::int32_t below_a = -1, below_b = -1;  // the children of the last common node; parents come before children
    while (a != b) {
        std::int32_t& last = a > b ? below_a : below_b;
        std::int32_t& here = a > b ? a : b;
        last = here;
        here = at(here).parent;
    }
    if (below_a < 0 || below_b < 0) return {};
    const std::int32_t column = at(below_a).column;
    const int direction = directions_[static_cast<std::size_t>(column)];
    if (direction == 0) return {};
    const Side& side = side_of(one, column);
    if (!side.is_ordered || !side.has_range || !side_of(two, column).has_range) return {};
    auto other = two.sides.begin();
    for (const Side& mine : one.sides) {
        while (other != two.sides.end() && other->column < mine.column) ++other;
        if (other == two.sides.end()) break;
        if (mine.column != column && other->column == mine.column && !meet(mine, *other)) return {};
    }
    return {at(below_a).branch < at(below_b).branch ? -direction : direction, column};
}

// The columns of which another node holds only some of a node's codes, besides the one by which their paths part.
std::vector<PartialBound::Part> ValueOrder::common_parts(const Node& node, const Node& other, std::int32_t parting) const {
    std::vector<PartialBound::Part> parts;
    for (const Side& theirs : other.sides) {
        if (theirs.column == parting || !theirs.is_ordered || !theirs.has_range) continue;
        const auto held = std::find_if(node.sides.begin(), node.sides.end(), [&](const Side& s) { return s.column == theirs.column; });
        const Side own = held == node.sides.end() ? whole(theirs.column, true) : *held;
        if (!own.has_range) continue;
        const std::int64_t first = std::max(own.low.left, theirs.low.left) + 1;
        const std::int64_t last = std::min(own.high.right, theirs.high.right) - 1;
        const bool holds_all = first == own.low.left + 1 && last == own.high.right - 1;
        if (!holds_all) parts.push_back({theirs.column, first, last, own.missing && theirs.missing});
    }
    return parts;
}

ValueRange ValueOrder::range(std::int32_t node) const {
    ValueRange range;
    const Node& own = nodes_[static_cast<std::size_t>(node)];
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const auto [order, column] = compare(node, static_cast<std::int32_t>(i));
        if (order == 0) continue;
        const double value = nodes_[i].value;
        const bool is_upper = order < 0;
        if (is_upper ? value < range.high : value > range.low) (is_upper ? range.high : range.low) = value;
        if (is_upper ? value >= range.any_high : value <= range.any_low) continue;
        std::vector<PartialBound::Part> parts = common_parts(own, nodes_[i], column);
        if (parts.empty()) {
            (is_upper ? range.any_high : range.any_low) = value;
        } else {
            range.partial.push_back({value, is_upper, std::move(parts)});
        }
    }
    std::erase_if(range.partial, [&](const PartialBound& bound) {
        return bound.is_upper ? bound.value >= range.any_high : bound.value <= range.any_low;
    });
    return range;
}

}  // namespace polytomy
