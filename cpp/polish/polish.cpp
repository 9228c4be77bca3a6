// cpp/polish/polish.cpp: see polish.hpp.
#include "polish/polish.hpp"

#include <algorithm>
#include <numeric>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"
#include "grow/column_path.hpp"
#include "polish/assignment.hpp"
#include "polish/leaves.hpp"

namespace polytomy {
namespace {

constexpr std::size_t kGrain = 10000;         // rows per thread, times branches, for which starting it pays off
constexpr std::size_t kWork = 32;             // of routing a row, in nanoseconds
constexpr std::size_t kColumnGrain = 100000;  // the same for rows times columns, times branches

// The rows of a node, and what becomes of them below each of its branches.
struct Visit {
    std::size_t node = 0, branches = 0;
    std::span<const Row> rows;
    std::vector<std::int32_t> leaf;  // rows x branches: the place of the leaf that a row would reach
    // rows x branches: 1, and what branch 1, 2, ... costs more than branch 0. Summed over the rows of a code, these are its
    // number of rows and its costs up to a constant.
    std::vector<double> more;
    double first = 0.0;    // the cost if all rows took branch 0
    double present = 0.0;  // the cost of the present split
    double scale = 0.0;    // the largest of these costs, which sets the rounding error
    std::vector<Branch> order;  // the branches, ordered ones as they are now
    std::vector<std::uint8_t> allowed;  // whether the node may split on a column
    GroupingCost grouping;          // what groupings of the rows cost
    double present_grouping = 0.0;  // of the present split; 0 for ranges
};

// The codes that occur at a node, and their costs. Missing cells of an ordered column are kept apart.
struct CodeCosts {
    std::vector<double> sums;  // codes x branches
    std::vector<std::uint32_t> codes;
    std::vector<double> cost;  // of the codes that occur, by branch
    std::vector<double> missing;
};

class Polisher {
 public:
    Polisher(const PolishTable& table, const Target& target, const TreeOnCodes& tree, const PolishRules& rules)
        : table_(table), target_(target), tree_(tree), rules_(rules), nodes_(tree.column.size()),
          column_(tree.column.begin(), tree.column.end()), maps_(nodes_), depth_(nodes_, 0), first_(nodes_), end_(nodes_),
          changed_(nodes_, 0), settled_(nodes_, 0), parent_(nodes_, -1), on_paths_(on_paths(rules)),
          path_(on_paths_, columns_to_choose(table)) {
        for (std::size_t v = 0; v < nodes_; ++v) {
            maps_[v].assign(tree.branch_of_code.begin() + tree.code_start[v],
                            tree.branch_of_code.begin() + tree.code_start[v + 1]);
            for (const std::int32_t child : children(v)) {
                depth_[static_cast<std::size_t>(child)] = depth_[v] + 1;
                parent_[static_cast<std::size_t>(child)] = static_cast<std::int32_t>(v);
            }
        }
        place_leaves();
        place_rows();
    }

    PolishedTree run() {
        if (std::find(leaves_.rows.begin(), leaves_.rows.end(), 0) != leaves_.rows.end()) return result(0);
        for (std::size_t l = 0; l < n_leaves(); ++l) price(l);
        int passes = 0;
        while (passes < rules_.passes && pass()) ++passes;
        return result(passes);
    }

 private:
    [[nodiscard]] std::span<const std::int32_t> children(std::size_t v) const {
        return tree_.child.subspan(static_cast<std::size_t>(tree_.child_start[v]),
                                   static_cast<std::size_t>(tree_.child_start[v + 1] - tree_.child_start[v]));
    }

    // Numbers the leaves depth first, so that those below a node are first_[v]..end_[v].
    void place_leaves() {
        std::vector<std::size_t> waiting{0}, order;
        while (!waiting.empty()) {
            const std::size_t v = waiting.back();
            waiting.pop_back();
            order.push_back(v);
            if (column_[v] < 0) {
                first_[v] = node_of_leaf_.size();
                end_[v] = first_[v] + 1;
                node_of_leaf_.push_back(static_cast<std::int32_t>(v));
            }
            const auto below = children(v);
            for (std::size_t b = below.size(); b-- > 0;) waiting.push_back(static_cast<std::size_t>(below[b]));
        }
        for (std::size_t i = order.size(); i-- > 0;) {
            const auto below = children(order[i]);
            if (below.empty()) continue;
            first_[order[i]] = first_[static_cast<std::size_t>(below.front())];
            end_[order[i]] = end_[static_cast<std::size_t>(below.back())];
        }
    }

    void place_rows() {
        rows_.resize(table_.rows);
        std::iota(rows_.begin(), rows_.end(), Row{0});
        moved_.resize(table_.rows);
        start_.assign(n_leaves() + 1, 0);
        start_.back() = table_.rows;
        std::vector<std::int32_t> leaf(table_.rows);
        parallel_blocks(leaf.size(), worth(leaf.size(), kGrain, rules_.threads),
                        [&](std::size_t, std::size_t begin, std::size_t end) {
                            in_parts(begin, end, kWork, [&](std::size_t from, std::size_t to) {
                                for (std::size_t i = from; i < to; ++i) leaf[i] = leaf_from(0, static_cast<Row>(i));
                            });
                        });
        leaves_ = count(0, rows_, leaf);
        sort_rows(0, leaf, leaves_);
        row_cost_.resize(n_leaves() * target_.classes);
    }

    [[nodiscard]] std::size_t n_leaves() const { return node_of_leaf_.size(); }

    // Returns the place of the leaf that a row reaches from a node.
    [[nodiscard]] std::int32_t leaf_from(std::size_t v, Row row) const {
        while (column_[v] >= 0) {
            const std::uint32_t code = code_at(table_.columns[static_cast<std::size_t>(column_[v])], row);
            v = static_cast<std::size_t>(tree_.child[static_cast<std::size_t>(tree_.child_start[v] + maps_[v][code])]);
        }
        return static_cast<std::int32_t>(first_[v]);
    }

    // Counts the rows of a node by their leaves, given for each.
    [[nodiscard]] Leaves count(std::size_t v, std::span<const Row> rows, std::span<const std::int32_t> leaf) const {
        Leaves found(first_[v], end_[v], target_.classes);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::size_t place = static_cast<std::size_t>(leaf[i]) - found.first;
            ++found.rows[place];
            if (rows[i] < rules_.observed) ++found.observed[place];
            each_layer(target_, [&](const Label* label, const Weight* units) {
                found.counts[place * target_.classes + label[rows[i]]] += units == nullptr ? 1 : units[rows[i]];
            });
        }
        return found;
    }

    // Sorts the rows of a node by their leaves, given for each; rows of a leaf keep their order.
    void sort_rows(std::size_t v, std::span<const std::int32_t> leaf, const Leaves& held) {
        const std::size_t first = first_[v], begin = start_[first];
        std::vector<std::size_t> next;
        for (std::size_t l = first, from = begin; l < end_[v]; ++l) {
            start_[l] = from;
            next.push_back(from);
            from += static_cast<std::size_t>(held.rows_of(l));
        }
        for (std::size_t i = 0; i < leaf.size(); ++i) {
            moved_[next[static_cast<std::size_t>(leaf[i]) - first]++] = rows_[begin + i];
        }
        std::copy_n(moved_.begin() + at(begin), leaf.size(), rows_.begin() + at(begin));
    }

    // Sets what a unit of weight of each class costs in a leaf.
    void price(std::size_t leaf) {
        const std::size_t classes = target_.classes;
        const std::span<const Weight> held = leaves_.counts_of(leaf);
        const std::vector<double> counts(held.begin(), held.end());
        const auto weight = static_cast<double>(leaves_.weight_of(leaf));
        double* cost = row_cost_.data() + leaf * classes;
        // One more case of a class that the leaf does not have costs about as much as the gradient at a quarter of a case.
        const double least = weight / (4.0 * static_cast<double>(leaves_.rows_of(leaf)));
        rules_.index->gradient(counts.data(), classes, least, cost);
        const auto label = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
        const double questions = rules_.question_price * static_cast<double>(depth_[static_cast<std::size_t>(node_of_leaf_[leaf])]);
        for (std::size_t c = 0; c < classes; ++c) {
            cost[c] = rules_.impurity_share / 2.0 * cost[c] + questions + (c == label ? 0.0 : 1.0 - rules_.impurity_share);
        }
    }

    // Returns the exact cost of the leaves below a node, given what they hold.
    [[nodiscard]] double exact_cost(std::size_t v, const Leaves& held) const {
        const std::size_t n = end_[v] - first_[v], classes = target_.classes;
        std::vector<double> counts(n * classes), impurity(n);
        double sum = 0.0;
        for (std::size_t l = 0; l < n; ++l) {
            const std::span<const Weight> own = held.counts_of(first_[v] + l);
            const Weight weight = held.weight_of(first_[v] + l);
            const Weight errors = weight - *std::max_element(own.begin(), own.end());
            const auto depth = depth_[static_cast<std::size_t>(node_of_leaf_[first_[v] + l])];
            sum += (1.0 - rules_.impurity_share) * static_cast<double>(errors) +
                   rules_.question_price * static_cast<double>(depth) * static_cast<double>(weight);
            for (std::size_t c = 0; c < classes; ++c) counts[c * n + l] = static_cast<double>(own[c]);
        }
        rules_.index->values(counts.data(), n, n, classes, impurity.data());
        for (const double f : impurity) sum += rules_.impurity_share / 2.0 * f;
        return sum;
    }

    bool pass() {
        bool improved = false;
        for (std::size_t v = 0; v < nodes_; ++v) {
            if (column_[v] < 0 || settled_[v] != 0) continue;
            if (use_of(static_cast<std::size_t>(column_[v])) == ColumnUse::fixed) continue;
            if (improve(v)) {
                improved = true;
            } else {
                settled_[v] = 1;
            }
        }
        return improved;
    }

    [[nodiscard]] ColumnUse use_of(std::size_t column) const { return static_cast<ColumnUse>(table_.use[column]); }

    bool improve(std::size_t v) {
        visit(v);
        std::vector<double> found(table_.columns.size(), kInfinity);
        const std::size_t work = visit_.rows.size() * table_.columns.size() * visit_.branches;
        parallel_blocks(found.size(), worth(work, kColumnGrain, rules_.threads),
                        [&](std::size_t, std::size_t begin, std::size_t end) {
                            CodeCosts costs;
                            Assignment assignment;
                            for (std::size_t j = begin; j < end; ++j) {
                                found[j] = best_of(j, costs, assignment, nullptr);
                                if (found[j] < kInfinity) found[j] += further_cost(j, costs.codes.size());
                            }
                        });
        const double slack = kTie * visit_.scale;
        while (true) {  // the cheapest column first; the first one of those that are equal
            const double least = *std::min_element(found.begin(), found.end());
            if (!(visit_.first + least < visit_.present - slack)) return false;
            const auto chosen = std::find_if(found.begin(), found.end(), [&](double cost) { return cost <= least + slack; });
            if (accept(static_cast<std::size_t>(chosen - found.begin()))) return true;
            *chosen = kInfinity;
        }
    }

    // Finds out what every row of a node would cost below each of its branches.
    void visit(std::size_t v) {
        const auto below = children(v);
        const std::size_t begin = start_[first_[v]], n = start_[end_[v]] - begin, k = below.size();
        visit_.node = v;
        visit_.branches = k;
        visit_.rows = {rows_.data() + begin, n};
        visit_.leaf.resize(n * k);
        visit_.more.resize(n * k);
        const auto cost_rows = [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) {
                for (std::size_t b = 0; b < k; ++b) {
                    const std::int32_t leaf = leaf_from(static_cast<std::size_t>(below[b]), visit_.rows[i]);
                    visit_.leaf[i * k + b] = leaf;
                    visit_.more[i * k + b] = cost_of(visit_.rows[i], static_cast<std::size_t>(leaf));
                }
            }
        };
        parallel_blocks(n, worth(n * k, kGrain, rules_.threads), [&](std::size_t, std::size_t from, std::size_t to) {
            in_parts(from, to, kWork * k, cost_rows);
        });
        visit_.first = visit_.present = visit_.scale = 0.0;
        for (std::size_t b = 0; b < k; ++b) {  // rows are sorted by leaf, so those of a branch follow each other
            const auto child = static_cast<std::size_t>(below[b]);
            for (std::size_t i = start_[first_[child]] - begin; i < start_[end_[child]] - begin; ++i) {
                double* more = visit_.more.data() + i * k;
                visit_.first += more[0];
                visit_.present += more[b];
                visit_.scale += *std::max_element(more, more + k);
                for (std::size_t other = 1; other < k; ++other) more[other] -= more[0];
                more[0] = 1.0;
            }
        }
        order_branches();
        visit_.allowed = columns_at(v);
        visit_.grouping = GroupingCost(leaves_.total(first_[v], end_[v]), *rules_.index, rules_.cases_per_unit, k);
        const auto column = static_cast<std::size_t>(column_[v]);
        visit_.present_grouping = use_of(column) == ColumnUse::nominal ? visit_.grouping.of(count_codes(column)) : 0.0;
    }

    // What the description of a split costs beyond that of the present one, given the number of codes of its column. It is never
    // negative: a shorter description is no excuse for a larger loss, so the cost of the tree never rises.
    [[nodiscard]] double further_cost(std::size_t j, std::size_t codes) const {
        return use_of(j) == ColumnUse::nominal ? std::max(0.0, visit_.grouping.of(codes) - visit_.present_grouping) : 0.0;
    }

    // The number of codes of a column that the rows of the node have.
    [[nodiscard]] std::size_t count_codes(std::size_t j) const {
        std::vector<std::uint8_t> is_present(table_.columns[j].n_codes, 0);
        with_codes(table_.columns[j], [&](const auto* codes) {
            for (const Row row : visit_.rows) is_present[codes[row]] = 1;
        });
        return static_cast<std::size_t>(std::count(is_present.begin(), is_present.end(), 1));
    }

    [[nodiscard]] static GrowthRules on_paths(const PolishRules& rules) {
        GrowthRules held;
        held.first_columns = rules.first_columns;
        held.after_columns = rules.after_columns;
        return held;
    }

    [[nodiscard]] static std::vector<std::int32_t> columns_to_choose(const PolishTable& table) {
        std::vector<std::int32_t> columns;
        for (std::size_t j = 0; j < table.use.size(); ++j) {
            if (static_cast<ColumnUse>(table.use[j]) != ColumnUse::fixed) columns.push_back(static_cast<std::int32_t>(j));
        }
        return columns;
    }

    [[nodiscard]] AskedColumns asked_above(std::size_t v) const {
        AskedColumns asked;
        for (std::int32_t u = parent_[v]; u >= 0; u = parent_[static_cast<std::size_t>(u)]) {
            asked = path_.below(asked, column_[static_cast<std::size_t>(u)]);
        }
        return asked;
    }

    // Whether holds(u, asked) for every inner node u below v; `asked` are the columns asked above u if those above the
    // children of v are given.
    template <class Holds>
    [[nodiscard]] bool all_below(std::size_t v, const AskedColumns& above, const Holds& holds) const {
        const auto holds_from = [&](std::int32_t child) {
            const auto u = static_cast<std::size_t>(child);
            return column_[u] < 0 || (holds(u, above) && all_below(u, path_.below(above, column_[u]), holds));
        };
        const auto below = children(v);
        return std::all_of(below.begin(), below.end(), holds_from);
    }

    // The columns that a node may split on, given those asked above it and the splits below, which must keep what they need
    // above them. A node that splits on a column that comes first keeps to such columns.
    [[nodiscard]] std::vector<std::uint8_t> columns_at(std::size_t v) const {
        if (!path_.matters()) return std::vector<std::uint8_t>(table_.columns.size(), 1);
        const AskedColumns above = asked_above(v);
        std::vector<std::int32_t> allowed = path_.allowed(above);
        if (std::vector<std::int32_t> first = path_.first(above, allowed); contains(first, column_[v])) allowed = std::move(first);
        std::vector<std::uint8_t> found(table_.columns.size(), 0);
        for (const std::int32_t j : allowed) {
            const auto may_ask = [&](std::size_t u, const AskedColumns& asked) { return path_.may_ask(asked, column_[u]); };
            found[static_cast<std::size_t>(j)] = all_below(v, path_.below(above, j), may_ask) ? 1 : 0;
        }
        return found;
    }

    [[nodiscard]] static bool contains(std::span<const std::int32_t> ascending, std::int32_t column) {
        return std::binary_search(ascending.begin(), ascending.end(), column);
    }

    // Whether the nodes below the visited one would still ask first what comes first if it were split on column j, so that
    // its rows reach these leaves. A node that does not must have no such column left that could gain.
    [[nodiscard]] bool keeps_first(std::size_t j, std::span<const std::int32_t> leaf) const {
        if (rules_.first_columns.empty()) return true;
        const AskedColumns above = path_.below(asked_above(visit_.node), static_cast<std::int32_t>(j));
        return all_below(visit_.node, above, [&](std::size_t u, const AskedColumns& asked) {
            const std::vector<std::int32_t> first = path_.first(asked, path_.allowed(asked));
            const auto could_gain = [&](std::int32_t c) { return differ(static_cast<std::size_t>(c), u, leaf); };
            return contains(first, column_[u]) || std::none_of(first.begin(), first.end(), could_gain);
        });
    }

    // Whether codes of a column have different shares of the classes among the rows of a node, given the leaves that the
    // rows of the visited node would reach. If not, no split on the column gains.
    [[nodiscard]] bool differ(std::size_t column, std::size_t u, std::span<const std::int32_t> leaf) const {
        const std::size_t classes = target_.classes, codes = table_.columns[column].n_codes;
        std::vector<double> counts((codes + 1) * classes, 0.0);  // the last ones are those of all codes
        for (std::size_t i = 0; i < leaf.size(); ++i) {
            const auto place = static_cast<std::size_t>(leaf[i]);
            if (place < first_[u] || place >= end_[u]) continue;
            const Row row = visit_.rows[i];
            const std::size_t code = code_at(table_.columns[column], row);
            each_layer(target_, [&](const Label* label, const Weight* units) {
                const double weight = units == nullptr ? 1.0 : static_cast<double>(units[row]);
                counts[code * classes + label[row]] += weight;
                counts[codes * classes + label[row]] += weight;
            });
        }
        const double* all = counts.data() + codes * classes;
        const double whole = std::accumulate(all, all + classes, 0.0);
        for (std::size_t code = 0; code < codes; ++code) {
            const double* own = counts.data() + code * classes;
            const double weight = std::accumulate(own, own + classes, 0.0);
            for (std::size_t c = 0; c < classes; ++c) {
                if (own[c] * whole != all[c] * weight) return true;
            }
        }
        return false;
    }

    // Lists the branches in the order in which they first occur along the codes of the present column.
    void order_branches() {
        visit_.order.clear();
        for (const Branch b : maps_[visit_.node]) {
            if (std::find(visit_.order.begin(), visit_.order.end(), b) == visit_.order.end()) visit_.order.push_back(b);
        }
    }

    [[nodiscard]] double cost_of(Row row, std::size_t leaf) const {
        const double* cost = row_cost_.data() + leaf * target_.classes;
        if (target_.units == nullptr) return cost[target_.label[row]];
        double sum = static_cast<double>(target_.units[row]) * cost[target_.label[row]];
        for (const Layer& layer : target_.more) sum += static_cast<double>(layer.units[row]) * cost[layer.label[row]];
        return sum;
    }

    // Returns the least cost of a split on a column, less visit_.first; kInfinity if there is none. Writes the branch of
    // each code that occurs, in the order of costs.codes, to `chosen` if that is not null.
    double best_of(std::size_t j, CodeCosts& costs, Assignment& assignment, std::vector<Branch>* chosen) const {
        if (use_of(j) == ColumnUse::fixed || visit_.allowed[j] == 0) return kInfinity;
        add_up(j, costs);
        const std::size_t k = visit_.branches;
        const bool is_ordered = use_of(j) == ColumnUse::ordered;
        costs.codes.clear();
        costs.cost.clear();
        costs.missing.clear();
        for (std::uint32_t code = 0; code < table_.columns[j].n_codes; ++code) {
            const double* sums = costs.sums.data() + code * k;
            if (sums[0] == 0.0) continue;
            const bool is_missing = table_.has_missing[j] != 0 && code + 1 == table_.columns[j].n_codes;
            std::vector<double>& to = is_ordered && is_missing ? costs.missing : costs.cost;
            costs.codes.push_back(code);
            to.push_back(0.0);
            to.insert(to.end(), sums + 1, sums + k);
        }
        if (is_ordered) return assignment.ranges(costs.cost, costs.missing, visit_.order, chosen);
        return assignment.groups(costs.cost, k, chosen);
    }

    void add_up(std::size_t j, CodeCosts& costs) const {
        const std::size_t k = visit_.branches;
        poll(2 * k * visit_.rows.size());
        costs.sums.assign(table_.columns[j].n_codes * k, 0.0);
        double* sums = costs.sums.data();
        const double* more = visit_.more.data();
        with_codes(table_.columns[j], [&](const auto* codes) {
            if (k == 2) {  // most splits; the compiler adds both at once
                for (std::size_t i = 0; i < visit_.rows.size(); ++i) {
                    double* to = sums + std::size_t{2} * codes[visit_.rows[i]];
                    to[0] += more[2 * i];
                    to[1] += more[2 * i + 1];
                }
                return;
            }
            for (std::size_t i = 0; i < visit_.rows.size(); ++i) {
                double* to = sums + k * codes[visit_.rows[i]];
                for (std::size_t b = 0; b < k; ++b) to[b] += more[i * k + b];
            }
        });
    }

    // Makes the best split on a column that of the node, unless a leaf has too little or the exact cost does not fall.
    bool accept(std::size_t j) {
        const std::size_t v = visit_.node, k = visit_.branches, n = visit_.rows.size();
        CodeCosts costs;
        Assignment assignment;
        std::vector<Branch> chosen;
        best_of(j, costs, assignment, &chosen);
        std::vector<Branch> map(table_.columns[j].n_codes, kUnseen);
        for (std::size_t i = 0; i < chosen.size(); ++i) map[costs.codes[i]] = chosen[i];
        std::vector<std::int32_t> leaf(n);
        with_codes(table_.columns[j], [&](const auto* codes) {
            for (std::size_t i = 0; i < n; ++i) {
                leaf[i] = visit_.leaf[i * k + static_cast<std::size_t>(map[codes[visit_.rows[i]]])];
            }
        });
        const Leaves held = count(v, visit_.rows, leaf);
        if (!has_enough(v, held)) return false;
        const double before = exact_cost(v, leaves_);
        const double after = exact_cost(v, held) + further_cost(j, costs.codes.size());
        if (!(after < before - kTie * before) || !keeps_first(j, leaf)) return false;
        fill_unseen(j, held, map);
        column_[v] = static_cast<std::int32_t>(j);
        maps_[v] = std::move(map);
        take_over(v, leaf, held);
        return true;
    }

    [[nodiscard]] bool has_enough(std::size_t v, const Leaves& held) const {
        for (std::size_t l = first_[v]; l < end_[v]; ++l) {
            if (held.rows_of(l) < 1 || held.observed_of(l) < std::min(rules_.least_rows, leaves_.observed_of(l))) return false;
            if (held.weight_of(l) < std::min(rules_.least_weight, leaves_.weight_of(l))) return false;
        }
        return true;
    }

    // Gives the codes that no row of the node has a branch, for the rows that may reach it later: in a range that of the
    // nearest code, else the branch with the most weight.
    void fill_unseen(std::size_t j, const Leaves& held, std::vector<Branch>& map) const {
        const auto below = children(visit_.node);
        Branch heaviest = 0;
        Weight most = -1;
        for (std::size_t b = 0; b < below.size(); ++b) {
            Weight weight = 0;
            const auto child = static_cast<std::size_t>(below[b]);
            for (std::size_t l = first_[child]; l < end_[child]; ++l) weight += held.weight_of(l);
            if (weight <= most) continue;
            most = weight;
            heaviest = static_cast<Branch>(b);
        }
        const std::size_t values = map.size() - (table_.has_missing[j] != 0 ? 1 : 0);
        if (use_of(j) == ColumnUse::ordered) {
            std::size_t left = values;  // the last code that occurs
            for (std::size_t code = 0; code < values; ++code) {
                if (map[code] == kUnseen) continue;
                const std::size_t middle = left == values ? 0 : (left + code) / 2 + 1;
                if (left != values) std::fill(map.begin() + at(left), map.begin() + at(middle), map[left]);
                std::fill(map.begin() + at(middle), map.begin() + at(code), map[code]);
                left = code;
            }
            if (left != values) std::fill(map.begin() + at(left), map.begin() + at(values), map[left]);
        }
        std::replace(map.begin(), map.end(), kUnseen, heaviest);
    }

    static std::ptrdiff_t at(std::size_t place) { return static_cast<std::ptrdiff_t>(place); }

    // Moves the rows of a node to their new leaves, whose costs change; every node above or below must be visited again.
    void take_over(std::size_t v, std::span<const std::int32_t> leaf, const Leaves& held) {
        sort_rows(v, leaf, held);
        for (std::size_t l = first_[v]; l < end_[v]; ++l) {
            std::ranges::copy(held.counts_of(l), leaves_.counts.begin() + at(l * target_.classes));
            leaves_.rows[l] = held.rows_of(l);
            leaves_.observed[l] = held.observed_of(l);
            price(l);
        }
        for (std::size_t u = 0; u < nodes_; ++u) {
            const bool is_above = first_[u] <= first_[v] && end_[v] <= end_[u];
            const bool is_below = first_[v] <= first_[u] && end_[u] <= end_[v];
            if (is_above || is_below) settled_[u] = 0;
            if (is_below) changed_[u] = 1;
        }
    }

    PolishedTree result(int passes) {
        PolishedTree out;
        out.passes = passes;
        out.column = column_;
        out.changed = changed_;
        out.code_start.push_back(0);
        out.counts.assign(nodes_ * target_.classes, 0);
        out.rows.assign(nodes_, 0);
        out.leaf.resize(table_.rows);
        for (std::size_t l = 0; l < n_leaves(); ++l) {
            for (std::size_t i = start_[l]; i < start_[l + 1]; ++i) out.leaf[rows_[i]] = node_of_leaf_[l];
        }
        for (std::size_t v = 0; v < nodes_; ++v) {
            for (std::size_t l = first_[v]; l < end_[v]; ++l) {
                out.rows[v] += leaves_.rows_of(l);
                for (std::size_t c = 0; c < target_.classes; ++c) {
                    out.counts[v * target_.classes + c] += leaves_.counts_of(l)[c];
                }
            }
            std::vector<Branch> map(maps_[v].size(), kUnseen);
            if (column_[v] >= 0) {
                with_codes(table_.columns[static_cast<std::size_t>(column_[v])], [&](const auto* codes) {
                    for (std::size_t i = start_[first_[v]]; i < start_[end_[v]]; ++i) {
                        map[codes[rows_[i]]] = maps_[v][codes[rows_[i]]];
                    }
                });
            }
            out.branch_of_code.insert(out.branch_of_code.end(), map.begin(), map.end());
            out.code_start.push_back(static_cast<std::int64_t>(out.branch_of_code.size()));
        }
        return out;
    }

    const PolishTable& table_;
    const Target& target_;
    const TreeOnCodes& tree_;
    const PolishRules& rules_;
    std::size_t nodes_;
    std::vector<std::int32_t> column_;          // of each node; -1 for a leaf
    std::vector<std::vector<Branch>> maps_;     // the branch of each code of that column
    std::vector<std::int32_t> depth_;
    std::vector<std::size_t> first_, end_;      // the leaves below each node, by place
    std::vector<std::int32_t> node_of_leaf_;    // by place
    std::vector<std::uint8_t> changed_;         // whether the rows or the split of a node changed
    std::vector<std::uint8_t> settled_;         // whether nothing changed since a visit that found no better split
    std::vector<Row> rows_, moved_;             // sorted by leaf; scratch memory for sorting
    std::vector<std::size_t> start_;            // the rows of leaf l are rows_[start_[l]..start_[l + 1]]
    Leaves leaves_;
    std::vector<double> row_cost_;              // leaves x classes: what a unit of weight costs
    std::vector<std::int32_t> parent_;
    GrowthRules on_paths_;  // which path_ points at
    ColumnPath path_;
    Visit visit_;
};

}  // namespace

PolishedTree polish(const PolishTable& table, const Target& target, const TreeOnCodes& tree, const PolishRules& rules) {
    return Polisher(table, target, tree, rules).run();
}

}  // namespace polytomy
