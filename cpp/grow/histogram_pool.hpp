// cpp/grow/histogram_pool.hpp: the histograms of a growing tree's nodes, with as few passes over the rows as possible.
//
// A large node's histograms are its parent's minus its siblings', so of the children of a split all but the largest
// need a pass. Histograms are kept in a pool of bounded memory; the oldest are dropped, and counted again if they are
// needed. The histograms of a small node are counted over the codes it holds (compact_histograms.hpp) and not kept.
// If every node draws few columns, those of a node are counted when it is searched, and nothing is kept or subtracted.
// All are sums of integers: the same however they were obtained.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "grow/column_draw.hpp"
#include "grow/local_rows.hpp"
#include "grow/row_source.hpp"

namespace polytomy {

// The histograms of a node, valid until the next are requested.
struct NodeHistograms {
    Histograms view;
    const CompactHistograms* compact;

    [[nodiscard]] std::uint32_t code(std::int32_t column, std::uint32_t place) const noexcept {
        return view.own_code(static_cast<std::size_t>(column), place);
    }
};

// Class counts, child by child, rows and residues of the children of a split.
struct Children {
    std::vector<Weight> counts;
    std::vector<std::int64_t> rows;
    std::vector<Residue> residues = {};  // empty if the target has none

    [[nodiscard]] const Residue* residue(std::size_t child) const noexcept { return residues.empty() ? nullptr : &residues[child]; }
};

struct PoolSettings {
    std::size_t classes;
    bool weighted;            // rows have weights, so that counts are not numbers of rows
    bool needs_rows;          // the search needs the number of rows of each code
    std::size_t small;        // rows up to which a node's histograms are compact; local rows only
    bool counts_drawn;        // count the columns that a node draws, and no others; local rows only
    std::size_t memory;       // bytes; at least one histogram is always kept
    bool classes_present = false;  // compact histograms list the classes present, too
};

// Half of what the codes take, and at least 32 MB.
std::size_t default_pool_memory(const CodedTable& table);

class HistogramPool {
 public:
    HistogramPool(const CodedTable& table, RowSource& source, const PoolSettings& settings, std::size_t root_rows);

    // Forget every node, for another tree on the same codes.
    void restart(std::size_t root_rows);

    // Whether the histograms of a node can be had without a request to the source.
    [[nodiscard]] bool is_ready(std::int32_t node) noexcept {
        return at(node).held != 0 || at(node).small || settings_.counts_drawn;
    }
    // Whether the histograms of a node are compact.
    [[nodiscard]] bool is_small(std::int32_t node) noexcept { return at(node).small; }
    // Make sure that the histograms of these nodes are known, in one request to the source.
    void prepare(std::span<const std::int32_t> nodes);
    // The histograms of a node; those of other columns than the ones drawn are not valid.
    [[nodiscard]] NodeHistograms histograms(std::int32_t node, const DrawnColumns& drawn = {});
    [[nodiscard]] bool counts_drawn() const noexcept { return settings_.counts_drawn; }
    // Split nodes in one request to the source. The children of a move are numbered consecutively from the result's
    // `first_child`; `sizes` and `first_child` of the moves are filled in here.
    std::vector<Children> move(std::vector<Move>&& moves);
    [[nodiscard]] std::int32_t n_nodes() const noexcept { return static_cast<std::int32_t>(nodes_.size()); }
    // A node's histograms will not be needed (again).
    void release(std::int32_t node);

    [[nodiscard]] RowSource& source() const noexcept { return source_; }
    // The time spent counting, and splitting nodes.
    [[nodiscard]] double counting() const noexcept;
    [[nodiscard]] double moving() const noexcept;

 private:
    using Buffer = std::vector<Weight>;  // counts of all codes, then the rows of all codes if they are counted
    struct Node {
        std::uint64_t held = 0;         // its key in the pool; 0: not there
        std::size_t rows = 0;
        std::int32_t parent = -1;
        bool small = false;
        bool coming = false;            // will be held when the request being prepared is answered
        bool pinned = false;            // held, and needed for a subtraction of that request
        bool done = false;              // will not be searched (again)
        bool forgotten = false;         // done, and released at the source
        bool served = false;            // does not need its parent's histograms any more
        std::int32_t first_child = -1;
        std::int32_t children = 0;
        std::int32_t unserved = 0;      // children
    };
    struct Held {
        std::int32_t node;
        Buffer buffer;
    };
    // Histograms to count and keep, and histograms needed only for a subtraction.
    struct Request;

    [[nodiscard]] Node& at(std::int32_t node) noexcept { return nodes_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] bool counts_as_small(std::size_t rows) const noexcept { return rows <= settings_.small; }
    [[nodiscard]] bool with_rows() const noexcept { return settings_.weighted && settings_.needs_rows; }
    [[nodiscard]] Histograms count_drawn(std::int32_t node, std::span<const std::int32_t> columns);
    [[nodiscard]] Histograms view_of(const Buffer& buffer) const noexcept;
    [[nodiscard]] const Buffer& buffer_of(std::int32_t node) { return pool_.at(at(node).held).buffer; }
    [[nodiscard]] Buffer fresh();
    void recycle(Buffer&& buffer);
    void ask(Request& request, std::int32_t first, std::int32_t last, Buffer& into) const;
    [[nodiscard]] bool subtraction_is_shorter(std::int32_t node);
    void plan_subtraction(std::int32_t node, Request& request);
    [[nodiscard]] Buffer take(std::int32_t node);
    void keep(std::int32_t node, Buffer&& buffer);
    void serve(std::int32_t node);
    void forget(std::int32_t node);
    [[nodiscard]] Children children_of(const Move& move, std::size_t branches);

    CodedTable table_;
    RowSource& source_;
    LocalRows* local_;
    PoolSettings settings_;
    std::vector<Node> nodes_;
    std::map<std::uint64_t, Held> pool_;  // by age
    std::uint64_t arrivals_ = 0;
    std::vector<Buffer> spare_;  // memory for reuse
    Buffer drawn_;               // the histograms of the columns that the latest node drew
    double collecting_ = 0.0;    // seconds, including deferred permutations
    double splitting_ = 0.0;
};

}  // namespace polytomy
