// cpp/grow/node_stats.hpp: the histograms of a growing tree's nodes, with as few passes over the rows as possible.
//
// A large node's histograms are its parent's minus its siblings', so of the children of a split all but the largest
// need a pass; which way is shorter is decided when a node is asked for. They are kept in a pool of bounded memory,
// from which the oldest are dropped, to be counted again if asked for. A small node's are counted over the codes it
// holds (compact.hpp) and not kept. All are sums of whole numbers: the same however they came about.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "grow/compact_histograms.hpp"
#include "grow/node_rows.hpp"
#include "grow/histograms.hpp"
#include "base/types.hpp"

namespace polytomy {

// The encoded table: its columns, where each one's codes begin when all lie end to end, and which have missing cells.
struct CodedTable {
    std::span<const CodeColumn> columns;
    std::span<const std::int64_t> code_start;
    std::span<const std::uint8_t> has_missing;
    std::size_t rows;
};

// A node's histograms, until the next are asked for. Where they are compact, `compact` knows the codes.
struct NodeHistograms {
    Histograms view;
    const CompactHistograms* compact;

    [[nodiscard]] std::uint32_t code(std::int32_t column, std::uint32_t place) const noexcept {
        return compact == nullptr ? place : compact->code(static_cast<std::size_t>(column), place);
    }
};

// What the children of a split hold: units of each class, child by child, and rows.
struct Children {
    std::vector<Weight> counts;
    std::vector<std::int64_t> rows;
};

struct StatsSource {
    CodedTable table;
    Target target;
    std::span<const std::int32_t> which;  // the columns that are asked about, ascending
    std::size_t small;                    // rows up to which a node counts as small
};

// Units of each class over all rows.
std::vector<Weight> total_counts(const CodedTable& table, const Target& target);

class NodeStats {
 public:
    NodeStats(const StatsSource& source, int threads);
    // Of a tree within a tree, whose rows lie in a larger one's; it may use a `share`-th of the pool's memory.
    NodeStats(const StatsSource& source, std::span<Row> part, std::size_t share);

    [[nodiscard]] NodeHistograms collect(std::int32_t node);
    // Give a node's rows to children, numbered from where the nodes end.
    Children scatter(std::int32_t node, std::size_t column, std::vector<Branch>&& branch_of_code, std::size_t branches);
    // The rows of a node, for a tree within the tree.
    [[nodiscard]] std::span<Row> members(std::int32_t node) { return rows_.members(node); }
    // A node's histograms will not be asked for (again).
    void release(std::int32_t node);

    // The time spent in counting, and in giving rows to children.
    [[nodiscard]] double counting() const noexcept { return collecting_ - rows_.seconds(); }
    [[nodiscard]] double moving() const noexcept { return rows_.seconds() + splitting_; }

 private:
    using Buffer = std::vector<Weight>;  // counts of all codes, then rows of all codes where rows have weights
    struct Node {
        std::uint64_t held = 0;        // its place in the pool; 0: not there
        bool small = false;
        bool done = false;             // released
        bool served = false;           // needs its parent's histograms no more
        std::int32_t first_child = -1;
        std::int32_t children = 0;
        std::int32_t unserved = 0;     // children
    };
    struct Held {
        std::int32_t node;
        Buffer buffer;
    };

    [[nodiscard]] Node& at(std::int32_t node) noexcept { return nodes_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] bool is_small(std::size_t rows) const noexcept { return rows <= small_; }
    [[nodiscard]] Histograms view_of(const Buffer& buffer) const noexcept;
    [[nodiscard]] Buffer fresh();
    void count(std::int32_t first, std::int32_t last, Buffer& into);
    [[nodiscard]] bool subtraction_is_shorter(std::int32_t node);
    [[nodiscard]] Buffer subtracted(std::int32_t node);
    [[nodiscard]] Buffer take(std::int32_t node);
    void keep(std::int32_t node, Buffer&& buffer);
    void serve(std::int32_t node);
    void add_from_histograms(const Histograms& held, std::size_t column, const std::vector<Branch>& branch, Children& to) const;
    void add_from_rows(std::int32_t node, std::size_t column, const std::vector<Branch>& branch, Children& to);

    CodedTable table_;
    Target target_;
    std::span<const std::int32_t> which_;
    std::size_t small_;
    int threads_;
    NodeRows rows_;
    CompactHistograms compact_;
    std::vector<Node> nodes_;
    std::map<std::uint64_t, Held> pool_;  // by age
    std::uint64_t arrivals_ = 0;
    std::size_t pool_bytes_;
    std::vector<Buffer> spare_;  // memory of histograms dropped, for the next
    double collecting_ = 0.0;    // seconds, those of permuting rows included
    double splitting_ = 0.0;
};

}  // namespace polytomy
