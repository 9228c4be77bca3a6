// cpp/grow/node_menu.hpp: a node's menu over all built-in families: the best option of each arity.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/menu.hpp"
#include "grow/node_stats.hpp"
#include "base/types.hpp"

namespace polytomy {

enum class FamilyKind : int { intervals = 0, values = 1, groups = 2 };

struct Family {
    FamilyKind kind;
    std::vector<std::int32_t> columns;  // it can ask about, ascending
};

// A k-way branching function on one column. Intervals: the cuts lie between the codes first[r] < second[r], and
// `missing` is the branch of missing cells. Categories: second[i] is the branch of the code first[i].
struct Option {
    std::int32_t arity = 0;
    double gain = 0.0;
    std::int32_t column = -1;
    FamilyKind kind = FamilyKind::intervals;
    std::int32_t rank = 0;  // of its family among those listed
    std::vector<std::uint32_t> first;
    std::vector<Branch> second;
    Branch missing = kUnseen;
};

// What a run asks every node with. `query` has the index, the rows and the weight a child needs, and the threads.
struct Asking {
    std::span<const Family> families;
    Query query;
    std::span<const double> prices;  // of 2, 3, ... branches, as many as intervals and groups may have
};

// The best option of each arity, smallest arity first; none has more than `largest` branches. Arities that cannot win
// may be left out: each family knows the best binary gain found before it.
std::vector<Option> ask_families(const NodeHistograms& node, const Asking& asking, double node_value,
                                 std::int64_t largest);

// Among equal scores: the smaller arity, the lower column, the family as listed, the lower cut. Negative: a before b.
int compare(const Option& a, const Option& b) noexcept;

// The branch of every code of the option's column, kUnseen where the node does not hold it (intervals: where it would go).
std::vector<Branch> branch_of_code(const Option& option, const CodedTable& table);

}  // namespace polytomy
