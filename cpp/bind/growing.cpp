// cpp/bind/growing.cpp: the bindings of the growth loop and of a tree's alternatives.
#include "bind/growing.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "bind/index_argument.hpp"
#include "bind/tables.hpp"
#include "grow/alternatives.hpp"
#include "grow/grown_tree.hpp"
#include "grow/growth.hpp"
#include "prune/fold_leaves.hpp"

namespace polytomy {
namespace {

using namespace nb::literals;

using Layers = std::vector<std::pair<In<Label>, In<Weight>>>;
using ResidueArgument = std::optional<std::tuple<In<Weight>, double, In<double>>>;
using FamilyArgument = std::tuple<int, std::vector<std::int32_t>, std::optional<nb::callable>>;
using PriceArgument = std::optional<nb::callable>;

template <class T>
Fresh<T> copied(std::span<const T> values) {
    return to_numpy(std::vector<T>(values.begin(), values.end()));
}

// A target with the arrays that own it.
struct TargetHolder {
    std::vector<Layer> layers;
    std::vector<nb::object> owners;
    Target target{};

    TargetHolder(const In<Label>& labels, const std::optional<In<Weight>>& units, const Layers& more, std::size_t classes,
                 const ResidueArgument& residues, std::size_t rows)
        : owners{nb::cast(labels), nb::cast(units)} {
        require(labels.shape(0) == rows && (!units || units->shape(0) == rows), "target: one label and one weight per row");
        require(more.empty() || units, "target: layers need weights");
        for (const auto& [label, weight] : more) {
            require(label.shape(0) == rows && weight.shape(0) == rows, "target: one label and one weight per row");
            layers.push_back({label.data(), weight.data()});
            owners.push_back(nb::cast(label));
            owners.push_back(nb::cast(weight));
        }
        target = {labels.data(), data_or_null(units), classes, layers};
        if (!residues) return;
        const auto& [amount, unit, value] = *residues;
        require(amount.shape(0) == rows && value.shape(0) == rows, "target: one residue and one value per row");
        target.residues = RowResidues{amount.data(), unit, value.data()};
        owners.push_back(nb::cast(amount));
        owners.push_back(nb::cast(value));
    }
};

// A user's family: a callable (rows, impurity, largest, prices, floor) -> [(arity, gain, branches, id)].
class PythonFamily final : public OwnFamily {
 public:
    PythonFamily(nb::callable propose, std::int32_t column) : propose_(std::move(propose)), column_(column) {}
    [[nodiscard]] nb::object* held() noexcept { return &propose_; }
    void propose(const Node& node, std::vector<Option>& options) const override {
        nb::gil_scoped_acquire locked;
        const nb::object answer = propose_(copied(node.rows), node.impurity, node.largest, copied(node.prices), node.floor);
        std::uint32_t place = 0;
        for (const nb::handle item : answer) {
            const auto [arity, gain, branches, id] = nb::cast<std::tuple<std::int32_t, double, In<Branch>, std::int32_t>>(item);
            require(branches.shape(0) == node.rows.size(), "own family: one branch per row");
            Option option;
            option.arity = arity;
            option.gain = gain;
            option.column = column_;
            option.first = {place++};
            option.second.assign(branches.data(), branches.data() + branches.shape(0));
            for (const Branch b : option.second) require(b >= 0 && b < arity, "own family: no such branch");
            option.own = id;
            options.push_back(std::move(option));
        }
    }

 private:
    nb::callable propose_;
    std::int32_t column_;
};

// A source of histograms in Python; see the protocol `NodeSource` in src/polytomy/grow/source.py.
class PythonSource final : public RowSource {
 public:
    PythonSource(nb::object source, const CodedTable& table, std::size_t classes)
        : code_start_(table.code_start), source_(std::move(source)), codes_(table.n_codes()), classes_(classes),
          additive_(nb::cast<bool>(nb::getattr(source_, "additive", nb::bool_(true)))) {}

    [[nodiscard]] nb::object* held() noexcept { return &source_; }
    [[nodiscard]] bool additive() const noexcept override { return additive_; }

    void count(std::span<const CountRequest> requests) override {
        nb::gil_scoped_acquire locked;
        nb::list wanted;
        for (const CountRequest& request : requests) {
            nb::list nodes;
            for (std::int32_t v = request.first; v <= request.last; ++v) nodes.append(v);
            wanted.append(nodes);
        }
        const nb::object answer = source_.attr("histograms")(wanted);
        std::size_t i = 0;
        for (const nb::handle item : answer) {
            require(i < requests.size(), "histograms() must return one pair per request");
            take(item, requests[i++]);
        }
        require(i == requests.size(), "histograms() must return one pair per request");
    }

    void move(std::vector<Move>&& moves) override {
        nb::gil_scoped_acquire locked;
        nb::list all;
        for (Move& move : moves) {
            const auto first = move.first_child;
            const auto end = first + static_cast<std::int32_t>(move.sizes.size());
            nb::list children;
            for (std::int32_t v = first; v < end; ++v) children.append(v);
            all.append(nb::make_tuple(move.node, move.column, to_numpy(std::move(move.branch_of_code)), children));
        }
        source_.attr("move")(all);
    }

    void release(std::int32_t node) override {
        nb::gil_scoped_acquire locked;
        source_.attr("release")(node);
    }

 private:
    // Add an answer to its buffers, after a check: every column's histogram must add up to the same rows.
    void take(nb::handle item, const CountRequest& request) const {
        In2<Weight> counts;
        std::optional<In<Weight>> rows;
        try {
            std::tie(counts, rows) = nb::cast<std::pair<In2<Weight>, std::optional<In<Weight>>>>(item, false);
        } catch (const nb::cast_error&) {
            throw std::invalid_argument("histograms() must return pairs of int64 arrays: counts, and rows or None");
        }
        require(counts.shape(0) == codes_ && counts.shape(1) == classes_,
                "histograms() must return counts of shape (codes, classes)");
        require(request.rows == nullptr || (rows && rows->shape(0) == codes_),
                "histograms() must return the rows of each code, because rows have weights");
        const Weight* row_counts = request.rows != nullptr ? rows->data() : nullptr;
        require(adds_up(counts.data(), row_counts, static_cast<Weight>(request.n_rows)),
                "histograms() returned counts that are negative or do not add up to the rows of the nodes");
        for (std::size_t i = 0; i < codes_ * classes_; ++i) request.counts[i] += counts.data()[i];
        for (std::size_t i = 0; row_counts != nullptr && i < codes_; ++i) request.rows[i] += row_counts[i];
    }

    [[nodiscard]] bool adds_up(const Weight* counts, const Weight* rows, Weight n_rows) const {
        std::vector<Weight> first, sums(classes_);
        for (std::size_t j = 0; j + 1 < code_start_.size(); ++j) {
            std::fill(sums.begin(), sums.end(), 0);
            Weight held = 0;
            for (auto v = static_cast<std::size_t>(code_start_[j]); v < static_cast<std::size_t>(code_start_[j + 1]); ++v) {
                for (std::size_t c = 0; c < classes_; ++c) {
                    const Weight count = counts[v * classes_ + c];
                    if (count < 0 || count > kMostUnits) return false;
                    sums[c] += count;
                    if (rows == nullptr) held += count;
                }
                if (rows != nullptr && rows[v] < 0) return false;
                if (rows != nullptr) held += rows[v];
            }
            if (held != n_rows) return false;
            if (j == 0) first = sums;
            if (sums != first) return false;
        }
        return true;
    }

    static constexpr Weight kMostUnits = Weight{1} << 54;  // sums of units stay exact in float64
    std::span<const std::int64_t> code_start_;
    nb::object source_;
    std::size_t codes_, classes_;
    bool additive_;
};

// One entry of an array for each of a list of records.
template <class T, class Records, class Read>
Fresh<T> column_of(const Records& records, std::size_t first, Read&& read) {
    std::vector<T> values;
    values.reserve(records.size() - first);
    for (std::size_t i = first; i < records.size(); ++i) values.push_back(static_cast<T>(read(records[i])));
    return to_numpy(std::move(values));
}

// Copies of a price function share its callable; the last one acquires the interpreter lock to let go of it.
std::shared_ptr<nb::callable> shared_callable(const nb::callable& function) {
    return {new nb::callable(function), [](nb::callable* held) {
                nb::gil_scoped_acquire locked;
                delete held;
            }};
}

// The arrays that a run reads, and the callables that it calls.
struct RunInput {
    std::vector<nb::object> owners;
    CodedTable table{};
    std::vector<std::unique_ptr<PythonFamily>> own_families;
    std::vector<Family> families;
    IndexHolder index;
    std::shared_ptr<nb::callable> price_;
    GrowthRules rules;

    // The callables, for the garbage collector.
    [[nodiscard]] std::vector<nb::object*> held() {
        std::vector<nb::object*> objects;
        if (index.held() != nullptr) objects.push_back(index.held());
        if (price_) objects.push_back(price_.get());
        for (const auto& family : own_families) objects.push_back(family->held());
        return objects;
    }

    RunInput(const nb::object& code_table, std::size_t rows, const In<std::int64_t>& code_start,
             const In<std::uint8_t>& has_missing, const std::vector<FamilyArgument>& asked, const GrowthRules& given,
             const IndexArgument& index_argument, const PriceArgument& price)
        : owners{code_table, nb::cast(code_start), nb::cast(has_missing)}, index(index_argument), rules(given) {
        std::span<const CodeColumn> columns;
        if (!code_table.is_none()) {
            const auto& codes = nb::cast<const CodeTable&>(code_table);
            columns = codes.columns;
            rows = codes.rows;
            require(has_missing.shape(0) == columns.size(), "GrowthRun: one entry per column");
        }
        require(code_start.shape(0) == has_missing.shape(0) + 1, "GrowthRun: code_start has one entry more than columns");
        table = {columns, span_of(code_start), span_of(has_missing), rows};
        rules.index = index.get();
        if (price) {
            price_ = shared_callable(*price);
            rules.price = [shared = price_](std::int64_t k) {
                nb::gil_scoped_acquire locked;
                return nb::cast<double>((*shared)(k));
            };
        }
        for (const auto& [kind, of_family, propose] : asked) {
            for (const std::int32_t j : of_family) {
                require(j >= 0 && static_cast<std::size_t>(j) < table.n_columns(), "GrowthRun: no such column");
            }
            Family family{static_cast<FamilyKind>(kind), of_family};
            if (propose) {
                own_families.push_back(
                    std::make_unique<PythonFamily>(*propose, static_cast<std::int32_t>(table.n_columns())));
                family.own = own_families.back().get();
            }
            families.push_back(std::move(family));
        }
    }
};

// A run over rows in memory or over a source in Python.
class GrowthRun {
    // Call a function without the interpreter lock, unless a callback or another thread is using the run.
    template <class Function>
    auto alone(Function&& function) {
        require(!busy_.exchange(true), "this run is in use: by another thread, or by a callback of its own");
        const struct Idle {
            std::atomic<bool>& busy;
            ~Idle() { busy = false; }
        } idle{busy_};
        Release free;
        return function();
    }

 public:
    GrowthRun(const nb::object& code_table, const In<std::int64_t>& code_start, const In<std::uint8_t>& has_missing,
              const In<Label>& labels, const std::optional<In<Weight>>& units, const Layers& more, std::size_t classes,
              const std::vector<FamilyArgument>& families, const GrowthRules& rules, const IndexArgument& index,
              const PriceArgument& price, const ResidueArgument& residues)
        : input_(code_table, 0, code_start, has_missing, families, rules, index, price) {
        target_.emplace(labels, units, more, classes, residues, input_.table.rows);
        which_ = columns_of(input_.families);
        Release free;
        local_ = std::make_unique<LocalRows>(input_.table, target_->target, which_, rules.threads);
        run_.emplace(GrowthSample{input_.table, local_.get(), local_->total(), units.has_value()}, input_.families,
                     input_.rules);
    }

    GrowthRun(const nb::object& source, std::size_t rows, const In<Weight>& root, bool weighted,
              const In<std::int64_t>& code_start, const In<std::uint8_t>& has_missing,
              const std::vector<FamilyArgument>& families, const GrowthRules& rules, const IndexArgument& index,
              const PriceArgument& price)
        : input_(nb::none(), rows, code_start, has_missing, families, rules, index, price) {
        remote_ = std::make_unique<PythonSource>(source, input_.table, root.shape(0));
        std::vector<Weight> counts(root.data(), root.data() + root.shape(0));
        Release free;
        run_.emplace(GrowthSample{input_.table, remote_.get(), std::move(counts), weighted}, input_.families, input_.rules);
    }

    // Make up to `steps` steps, but return to Python every now and then to handle interrupts. False: no steps are left.
    bool run(std::size_t steps) {
        return alone([&] {
            require(!failed_, "this run ended with an error; start a new one, or restart it");
            failed_ = true;  // unless this returns
            const auto now = [] { return std::chrono::steady_clock::now(); };
            const Deadline patience = now() + std::chrono::milliseconds(100);
            bool more = run_->prepare(patience);
            for (std::size_t made = 0; !more && made < steps; ++made) {
                if (!run_->step()) {
                    failed_ = false;
                    return made > 0;
                }
                if (now() >= patience) break;
            }
            failed_ = false;
            return true;
        });
    }

    void restart(const In<Label>& labels, const std::optional<In<Weight>>& units, const Layers& more, std::size_t classes,
                 const ResidueArgument& residues, const std::optional<In<Row>>& rows, std::uint64_t seed) {
        require(local_ != nullptr && !run_->is_planned(), "restart: only a run over rows in memory with apart=0 can restart");
        require(classes == run_->classes(), "restart: the new target must have as many classes");
        std::optional<TargetHolder> target(std::in_place, labels, units, more, classes, residues, input_.table.rows);
        StartRows start;
        if (rows) start = span_of(*rows);
        if (start) {
            require(!start->empty(), "restart: a tree needs at least one row");
            for (const Row row : *start) require(row < input_.table.rows, "restart: no such row");
        }
        alone([&] {
            run_->restart(target->target, start, seed);
            failed_ = false;
        });
        target_.swap(target);
    }

    void leaves(const Out<std::int32_t>& leaf) {
        require(local_ != nullptr && !run_->is_planned(), "leaves: only a run over rows in memory with apart=0 knows them");
        require(leaf.shape(0) == input_.table.rows, "leaves: one entry per row");
        alone([&] { run_->read_leaves(leaf.data()); });
    }

    // What Python's garbage collector must know of.
    [[nodiscard]] std::vector<nb::object*> held() {
        std::vector<nb::object*> objects = input_.held();
        if (remote_) objects.push_back(remote_->held());
        return objects;
    }
    void clear() {
        failed_ = true;
        for (nb::object* object : held()) object->reset();
    }

    [[nodiscard]] const Growth& growth() const { return *run_; }

 private:
    RunInput input_;
    std::optional<TargetHolder> target_;
    std::vector<std::int32_t> which_;
    std::unique_ptr<LocalRows> local_;
    std::unique_ptr<PythonSource> remote_;
    std::optional<Growth> run_;
    std::atomic<bool> busy_ = false;
    bool failed_ = false;
};

int traverse_run(PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
    Py_VISIT(Py_TYPE(self));
#endif
    if (!nb::inst_ready(self)) return 0;
    for (const nb::object* object : nb::inst_ptr<GrowthRun>(self)->held()) Py_VISIT(object->ptr());
    return 0;
}

int clear_run(PyObject* self) {
    if (nb::inst_ready(self)) nb::inst_ptr<GrowthRun>(self)->clear();
    return 0;
}

PyType_Slot run_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_run)},
                           {Py_tp_clear, reinterpret_cast<void*>(clear_run)},
                           {0, nullptr}};

// Options as arrays, one entry each; the cuts of option i are left[cut_start[i]:cut_start[i + 1]] and right[...].
template <class Records, class GetOption>
auto option_arrays(const Records& all, std::size_t first, GetOption&& option_of) {
    std::vector<std::int64_t> cut_start{0};
    std::vector<std::int32_t> left, right;
    for (std::size_t i = first; i < all.size(); ++i) {
        const Option& option = option_of(all[i]);
        if (option.kind != FamilyKind::own) {
            left.insert(left.end(), option.first.begin(), option.first.end());
            right.insert(right.end(), option.second.begin(), option.second.end());
        }
        cut_start.push_back(static_cast<std::int64_t>(left.size()));
    }
    return std::make_tuple(
        column_of<std::int32_t>(all, first, [&](const auto& r) { return option_of(r).arity; }),
        column_of<std::int32_t>(all, first, [&](const auto& r) { return option_of(r).column; }),
        column_of<std::int32_t>(all, first, [&](const auto& r) { return option_of(r).rank; }),
        column_of<std::int32_t>(all, first, [&](const auto& r) { return option_of(r).missing; }),
        column_of<std::int32_t>(all, first, [&](const auto& r) { return option_of(r).own; }),
        column_of<double>(all, first, [&](const auto& r) { return option_of(r).gain; }),
        to_numpy(std::move(cut_start)), to_numpy(std::move(left)), to_numpy(std::move(right)));
}

auto expansions_py(const GrowthRun& run, std::size_t first) {
    const auto& all = run.growth().expansions();
    require(first <= all.size(), "GrowthRun: no such expansion");
    return std::make_pair(
        option_arrays(all, first, [](const Expansion& e) -> const Option& { return e.option; }),
        std::make_tuple(column_of<std::int32_t>(all, first, [](const Expansion& e) { return e.leaf; }),
                        column_of<std::int32_t>(all, first, [](const Expansion& e) { return e.first_child; }),
                        column_of<std::int64_t>(all, first, [](const Expansion& e) { return e.leaves_before; }),
                        column_of<double>(all, first, [](const Expansion& e) { return e.impurity; }),
                        column_of<double>(all, first, [](const Expansion& e) { return e.binary_gain; })));
}

auto retirements_py(const GrowthRun& run) {
    const auto& all = run.growth().retirements();
    return std::make_tuple(column_of<std::int32_t>(all, 0, [](const Retirement& r) { return r.leaf; }),
                           column_of<std::int32_t>(all, 0, [](const Retirement& r) { return static_cast<int>(r.reason); }),
                           column_of<std::int64_t>(all, 0, [](const Retirement& r) { return r.leaves; }));
}

Fresh<std::int64_t> counts_py(const GrowthRun& run, std::size_t node) {
    const GrownNodes& nodes = run.growth().nodes();
    require(node < nodes.rows.size(), "GrowthRun: no such node");
    const std::size_t classes = run.growth().classes();
    return copied(std::span(nodes.counts).subspan(node * classes, classes));
}

auto nodes_py(const GrowthRun& run) {
    const GrownNodes& nodes = run.growth().nodes();
    return std::make_tuple(to_numpy(std::vector(nodes.counts)), to_numpy(std::vector(nodes.rows)),
                           to_numpy(std::vector(nodes.parent)));
}

auto tree_py(const GrowthRun& run) {
    GrownTree t = grown_tree(run.growth());
    return std::make_tuple(to_numpy(std::move(t.kind)), to_numpy(std::move(t.feature)),
                           to_numpy(std::move(t.child_start)), to_numpy(std::move(t.child)),
                           to_numpy(std::move(t.threshold_start)), to_numpy(std::move(t.left)),
                           to_numpy(std::move(t.right)), to_numpy(std::move(t.code_to_branch_start)),
                           to_numpy(std::move(t.code_to_branch)), to_numpy(std::move(t.missing_branch)),
                           to_numpy(std::move(t.default_branch)));
}

// The alternatives of the nodes of a tree, one node after the other.
class AlternativesRun {
 public:
    AlternativesRun(const nb::object& code_table, const In<std::int64_t>& code_start, const In<std::uint8_t>& has_missing,
                    const In<Label>& labels, const std::optional<In<Weight>>& units, const Layers& more,
                    std::size_t classes, const std::vector<FamilyArgument>& families, const GrowthRules& rules,
                    const IndexArgument& index, const In<std::int64_t>& child_start, const In<std::int32_t>& child,
                    const In<std::int32_t>& leaf_of_row)
        : input_(code_table, 0, code_start, has_missing, families, rules, index, std::nullopt),
          target_(labels, units, more, classes, std::nullopt, input_.table.rows) {
        require(leaf_of_row.shape(0) == input_.table.rows, "Alternatives: one leaf per row");
        require(child_start.shape(0) >= 2, "Alternatives: a tree has at least one node");
        const auto nodes = static_cast<std::int32_t>(child_start.shape(0) - 1);
        for (const std::int32_t leaf : span_of(leaf_of_row)) {
            require(leaf >= 0 && leaf < nodes, "Alternatives: no such leaf");
        }
        for (const std::int32_t node : span_of(child)) require(node > 0 && node < nodes, "Alternatives: no such child");
        owners_ = {nb::cast(child_start), nb::cast(child)};
        input_.rules.price = [](std::int64_t) { return 0.0; };
        Release free;
        run_.emplace(input_.table, target_.target, input_.families, input_.rules,
                     TreeShape{span_of(child_start), span_of(child)}, span_of(leaf_of_row));
    }
    std::int32_t next() {
        Release free;
        return run_->next();
    }
    auto options() {
        std::vector<Option> found;
        std::vector<std::size_t> best;
        {
            Release free;
            found = run_->options();
            best = best_positions(found, run_->impurity());
        }
        return std::make_pair(option_arrays(found, 0, [](const Option& option) -> const Option& { return option; }),
                              column_of<std::int64_t>(best, 0, [](std::size_t i) { return i; }));
    }
    Fresh<std::int64_t> column_counts(std::size_t column) {
        require(column < input_.table.n_columns(), "Alternatives: no such column");
        std::vector<Weight> counts;
        {
            Release free;
            counts = run_->column_counts(column);
        }
        return to_numpy(std::move(counts));
    }

 private:
    RunInput input_;
    TargetHolder target_;
    std::vector<nb::object> owners_;
    std::optional<Alternatives> run_;
};

// A fold's tree and held-out rows; see prune/fold_leaves.hpp.
auto fold_leaves_py(const nb::object& code_table, const In<std::int64_t>& code_start, const In<std::uint8_t>& has_missing,
                    const In<Label>& labels, const std::optional<In<Weight>>& units, const Layers& more,
                    std::size_t classes, const ResidueArgument& residues,
                    const std::vector<FamilyArgument>& families, const GrowthRules& rules, const IndexArgument& index,
                    const In<double>& bin_low, const In<double>& bin_high, const In<std::int32_t>& fold,
                    std::int32_t which, double impurity_share, double question_price,
                    double leaf_price, bool contract, std::size_t most) {
    const RunInput input(code_table, 0, code_start, has_missing, families, rules, index, std::nullopt);
    require(input.own_families.empty(), "fold_leaves: users' own families need rows");
    const TargetHolder target(labels, units, more, classes, residues, input.table.rows);
    require(fold.shape(0) == input.table.rows, "fold_leaves: one fold per row");
    require(bin_low.shape(0) == input.table.n_codes() && bin_high.shape(0) == input.table.n_codes(),
            "fold_leaves: one bin per code");
    const MergingPrices prices{input.index.get(), impurity_share, question_price, contract, true};
    FoldLeaves found;
    {
        Release free;
        found = fold_leaves({input.table, target.target, {span_of(bin_low), span_of(bin_high)}}, span_of(fold), which,
                            input.families, input.rules, {prices, leaf_price, most});
    }
    return std::make_tuple(to_numpy(std::move(found.counts)), to_numpy(std::move(found.parent)),
                           to_numpy(std::move(found.leaves)), to_numpy(std::move(found.held_out)),
                           to_numpy(std::move(found.leaf_of_row)));
}

}  // namespace

void bind_growing(nb::module_& m) {
    using Whole = std::optional<std::int64_t>;
    nb::class_<GrowthRules>(m, "GrowthRules")
        .def("__init__",
             [](GrowthRules* place, int procedure, Whole max_leaves, double gamma, bool steepest, std::int64_t max_arity,
                Whole max_depth, std::int64_t min_samples_split, std::int64_t min_samples_leaf,
                double min_weight_fraction_leaf, double min_gain, std::optional<double> branch_price, bool charge_groups, double cases_per_unit,
                Whole columns_per_node, std::uint64_t seed, int threads, Whole small, Whole apart, std::int64_t batch) {
                 GrowthRules rules;
                 rules.procedure = static_cast<ProcedureKind>(procedure);
                 rules.max_leaves = max_leaves;
                 rules.gamma = gamma;
                 rules.steepest = steepest;
                 rules.max_arity = max_arity;
                 rules.max_depth = max_depth;
                 rules.min_samples_split = min_samples_split;
                 rules.min_samples_leaf = min_samples_leaf;
                 rules.min_weight_fraction_leaf = min_weight_fraction_leaf;
                 rules.min_gain = min_gain;
                 rules.branch_price = branch_price;
                 rules.charge_groups = charge_groups;
                 rules.cases_per_unit = cases_per_unit;
                 rules.columns_per_node = columns_per_node;
                 rules.seed = seed;
                 rules.threads = threads;
                 rules.small = small;
                 rules.apart = apart;
                 rules.batch = batch;
                 new (place) GrowthRules(std::move(rules));
             },
             nb::kw_only(), "procedure"_a, "max_leaves"_a.none(), "gamma"_a, "steepest"_a, "max_arity"_a,
             "max_depth"_a.none(), "min_samples_split"_a, "min_samples_leaf"_a, "min_weight_fraction_leaf"_a,
             "min_gain"_a, "branch_price"_a.none(), "charge_groups"_a, "cases_per_unit"_a, "columns_per_node"_a.none() = nb::none(), "seed"_a = 0, "threads"_a, "small"_a.none() = nb::none(), "apart"_a.none() = nb::none(), "batch"_a = 1);
    nb::class_<GrowthRun>(m, "GrowthRun", nb::type_slots(run_slots))
        .def(nb::init<const nb::object&, const In<std::int64_t>&, const In<std::uint8_t>&, const In<Label>&,
                      const std::optional<In<Weight>>&, const Layers&, std::size_t, const std::vector<FamilyArgument>&,
                      const GrowthRules&, const IndexArgument&, const PriceArgument&, const ResidueArgument&>(),
             "table"_a, "code_start"_a.noconvert(), "has_missing"_a.noconvert(), "labels"_a.noconvert(),
             "units"_a.noconvert().none(), "more"_a.noconvert(), "n_classes"_a, "families"_a, "rules"_a, "index"_a,
             "price"_a.none(), "residues"_a.none() = nb::none())
        .def(nb::init<const nb::object&, std::size_t, const In<Weight>&, bool, const In<std::int64_t>&,
                      const In<std::uint8_t>&, const std::vector<FamilyArgument>&, const GrowthRules&,
                      const IndexArgument&, const PriceArgument&>(),
             "source"_a, "n_rows"_a, "root"_a.noconvert(), "weighted"_a, "code_start"_a.noconvert(),
             "has_missing"_a.noconvert(), "families"_a, "rules"_a, "index"_a, "price"_a.none())
        .def("run", &GrowthRun::run, "steps"_a)
        .def("restart", &GrowthRun::restart, "labels"_a.noconvert(), "units"_a.noconvert().none(), "more"_a.noconvert(),
             "n_classes"_a, "residues"_a.none() = nb::none(), "rows"_a.noconvert().none() = nb::none(), "seed"_a = 0)
        .def("leaves", &GrowthRun::leaves, "leaf"_a.noconvert())
        .def_prop_ro("is_planned", [](const GrowthRun& r) { return r.growth().is_planned(); })
        .def_prop_ro("n_steps", [](const GrowthRun& r) { return r.growth().expansions().size(); })
        .def_prop_ro("weight", [](const GrowthRun& r) { return r.growth().weight(); })
        .def_prop_ro("root_impurity", [](const GrowthRun& r) { return r.growth().root_impurity(); })
        .def_prop_ro("seconds", [](const GrowthRun& r) { return std::make_pair(r.growth().counting(), r.growth().moving()); })
        .def("expansions", &expansions_py, "first"_a)
        .def("retirements", &retirements_py)
        .def("counts", &counts_py, "node"_a)
        .def("nodes", &nodes_py)
        .def("tree", &tree_py);
    m.def("fold_leaves", &fold_leaves_py, "table"_a, "code_start"_a.noconvert(), "has_missing"_a.noconvert(),
          "labels"_a.noconvert(), "units"_a.noconvert().none(), "more"_a.noconvert(), "n_classes"_a,
          "residues"_a.none(), "families"_a, "rules"_a, "index"_a, "bin_low"_a.noconvert(), "bin_high"_a.noconvert(), "fold"_a.noconvert(), "which"_a, "impurity_share"_a, "question_price"_a, "leaf_price"_a, "contract"_a, "most"_a);
    nb::class_<AlternativesRun>(m, "AlternativesRun")
        .def(nb::init<const nb::object&, const In<std::int64_t>&, const In<std::uint8_t>&, const In<Label>&,
                      const std::optional<In<Weight>>&, const Layers&, std::size_t, const std::vector<FamilyArgument>&,
                      const GrowthRules&, const IndexArgument&, const In<std::int64_t>&, const In<std::int32_t>&,
                      const In<std::int32_t>&>(),
             "table"_a, "code_start"_a.noconvert(), "has_missing"_a.noconvert(), "labels"_a.noconvert(),
             "units"_a.noconvert().none(), "more"_a.noconvert(), "n_classes"_a, "families"_a, "rules"_a, "index"_a,
             "child_start"_a.noconvert(), "child"_a.noconvert(), "leaf_of_row"_a.noconvert())
        .def("next", &AlternativesRun::next)
        .def("options", &AlternativesRun::options)
        .def("column_counts", &AlternativesRun::column_counts, "column"_a);
}

}  // namespace polytomy
