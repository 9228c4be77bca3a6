// cpp/grow/node_menu.hpp: a node's menu over all families: the best option of each arity.
//
// An option is a k-way branching function, k >= 2. Built-in families see histograms; a user's own family sees rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "grow/column_draw.hpp"
#include "grow/histogram_pool.hpp"
#include "search/menu.hpp"

namespace polytomy {

enum class FamilyKind : int { intervals = 0, values = 1, groups = 2, own = 3 };

// The weight of a child, and the ranks of its classes added up; their quotient is its value.
struct ChildSums {
    double ranks = 0.0;
    double weight = 0.0;
};

// Intervals: the cuts lie between the codes first[r] < second[r], and `missing` is the branch of missing cells.
// Categories: second[i] is the branch of the code first[i]. A user's own: second[i] is the branch of the node's i-th
// row, first[0] the position among the proposals, and `own` identifies the branching function.
struct Option {
    std::int32_t arity = 0;
    double gain = 0.0;
    double charge = 0.0;  // for its description, in units of gain; what it is worth is the difference
    double merit = 0.0;   // gain_ratio only: what the options of a leaf are compared by, see rank_by_ratio
    std::int32_t column = -1;  // for a user's own: the number of columns, so that ties go to columns first
    FamilyKind kind = FamilyKind::intervals;
    std::int32_t rank = 0;  // the position of its family in the list of families
    std::vector<std::uint32_t> first;
    std::vector<Branch> second;
    Branch missing = kUnseen;
    std::int32_t own = -1;
    std::vector<ChildSums> children = {};  // if columns have directions; see add_child_sums
};

// A user's family: called on the caller's thread with the rows of a node; may throw.
class OwnFamily {
 public:
    struct Node {
        std::span<const Row> rows;
        double impurity;
        std::int64_t largest;           // the most branches an option may have
        std::span<const double> prices; // of 2, 3, ... branches
        double floor;                   // the best binary worth found so far
    };
    virtual ~OwnFamily() = default;
    // Append options with `arity`, `gain`, `column`, `first`, `second` and `own`.
    virtual void propose(const Node& node, std::vector<Option>& options) const = 0;
};

struct Family {
    FamilyKind kind;
    std::vector<std::int32_t> columns;  // it can split on, in ascending order
    const OwnFamily* own = nullptr;
};

// The columns that any family can split on, in ascending order.
std::vector<std::int32_t> columns_of(std::span<const Family> families);

// The search settings that all nodes of a run share. `query` has the index, the rows and the weight a child needs, and the
// threads; `prices` are those of 2, 3, ... branches, as many as intervals and groups may have.
struct MenuSettings {
    std::span<const Family> families;
    Query query;
    std::span<const double> prices;
};

struct MenuRequest {
    double impurity;       // F of the node
    double charge;         // of a grouping of categories, for each unit of the logarithm of its alternatives
    int dimensions;        // classes at the node less one
    std::int64_t largest;  // the most branches an option may have
    DrawnColumns columns = {};       // to search
    std::span<const double> column_charges = {};  // by column, in units of gain; empty: none
    bool own = true;                 // whether users' own families are asked
    std::span<const Row> rows = {};  // for users' own families only
};

struct FoundOptions {
    std::vector<Option> options;
    double binary_gain;  // the largest of all binary options, also of one that is worth less than another; -inf if none
};

// Every option found that could be the best of its arity, family by family. Arities that cannot win for their price
// may be left out: each family knows the best binary option of the families before it.
FoundOptions find_options(const NodeHistograms& node, const MenuSettings& settings, const MenuRequest& request);

// For each column, its best option of each arity, smallest arity first.
std::vector<std::vector<Option>> options_by_column(const NodeHistograms& node, const MenuSettings& settings,
                                                   const MenuRequest& request, std::size_t columns, int threads);

// What options of one arity are compared by.
using OptionKey = double (*)(const Option&) noexcept;

// The positions of the best option of each arity, smallest arity first.
std::vector<std::size_t> best_positions(std::span<const Option> options, double impurity,
                                        OptionKey key = worth_of<Option>);

// The best option of each arity, smallest arity first.
std::vector<Option> best_of_each_arity(std::vector<Option>&& options, double impurity, OptionKey key = worth_of<Option>);

// Set the merit of each option to its gain ratio times F of the node. The gain ratio is the gain divided by the split
// information, which is the entropy of the branches in bits. Options that gain less than the columns do on average are
// compared by their gain, after all others. The options are complete, on columns, and sorted by column and
// arity; `cases` are those of the node.
void rank_by_ratio(std::span<Option> options, const NodeHistograms& node, double impurity, double cases);

// Write out which category goes to which branch, for options of the family `values`.
void complete(Option& option, const NodeHistograms& node);

// Set the sums of an option's children, for classes with these ranks. The option is complete, and on a column.
void add_child_sums(Option& option, const NodeHistograms& node, std::span<const double> ranks);

// Whether the values of an option's children lie within the range of a node; see ValueRange.
bool is_within(const Option& option, const ValueRange& range) noexcept;

// The order among equal scores: the smaller arity, the lower column, the earlier family, the lower cut. Negative: a
// comes before b.
int compare(const Option& a, const Option& b) noexcept;

// The branch of every code of the option's column; kUnseen for a category that the node does not hold.
std::vector<Branch> branch_of_code(const Option& option, const CodedTable& table);

// The option as a request to move rows. `node` is the node's number in the row source.
Move to_move(const Option& option, std::int32_t node, const CodedTable& table);

}  // namespace polytomy
