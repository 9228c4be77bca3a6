// cpp/bind/growing.cpp: the bindings of the growth loop.
#include "bind/growing.hpp"

#include <nanobind/stl/variant.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "bind/option_arrays.hpp"
#include "bind/run_input.hpp"
#include "grow/grown_tree.hpp"

namespace polytomy {
namespace {

using namespace nb::literals;

// The residue of all rows behind a source: its amount, whether all rows are alike, and the unit of residues.
using RootResidue = std::optional<std::tuple<Weight, bool, double>>;

// A source of histograms in Python; see the protocol `NodeSource` in src/polytomy/grow/source.py.
class PythonSource final : public RowSource {
 public:
    PythonSource(nb::object source, const CodedTable& table, std::size_t classes, const RootResidue& residue)
        : code_start_(table.code_start), source_(std::move(source)), codes_(table.n_codes()), classes_(classes), residue_(residue),
          additive_(nb::cast<bool>(nb::getattr(source_, "additive", nb::bool_(true)))) {}

    [[nodiscard]] nb::object* held() noexcept { return &source_; }
    [[nodiscard]] bool additive() const noexcept override { return additive_; }

    void count(std::span<const CountRequest> requests) override {
        const Hold locked;
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

    [[nodiscard]] std::optional<Residue> total_residue() override {
        if (!residue_) return std::nullopt;
        return Residue{std::get<0>(*residue_), std::get<1>(*residue_)};
    }
    [[nodiscard]] double residue_unit() const noexcept override { return residue_ ? std::get<2>(*residue_) : 0.0; }

    std::vector<std::vector<Residue>> move(std::vector<Move>&& moves) override {
        const Hold locked;
        nb::list all;
        std::vector<std::size_t> branches;
        for (Move& move : moves) {
            branches.push_back(move.sizes.size());
            const auto first = move.first_child;
            const auto end = first + static_cast<std::int32_t>(move.sizes.size());
            nb::list children;
            for (std::int32_t v = first; v < end; ++v) children.append(v);
            all.append(nb::make_tuple(move.node, move.column, to_numpy(std::move(move.branch_of_code)), children));
        }
        const nb::object answer = source_.attr("move")(all);
        return residue_ ? residues_in(answer, branches) : std::vector<std::vector<Residue>>{};
    }

    void release(std::int32_t node) override {
        const Hold locked;
        source_.attr("release")(node);
    }

 private:
    // The residues of children that move() returned: amounts, and the least and the largest value of each child's rows.
    static std::vector<std::vector<Residue>> residues_in(const nb::object& answer, const std::vector<std::size_t>& branches) {
        static constexpr const char* kForm =
            "move() must return, for each move, arrays of the children's residues: amounts, least and largest values";
        std::vector<std::vector<Residue>> all;
        try {
            for (const nb::handle item : answer) {
                const auto [amount, low, high] = nb::cast<std::tuple<In<Weight>, In<double>, In<double>>>(item, false);
                require(all.size() < branches.size(), kForm);
                const std::size_t n = branches[all.size()];
                require(amount.shape(0) == n && low.shape(0) == n && high.shape(0) == n, kForm);
                std::vector<Residue>& children = all.emplace_back();
                for (std::size_t b = 0; b < n; ++b) children.push_back({amount.data()[b], low.data()[b] >= high.data()[b]});
            }
        } catch (const nb::cast_error&) {
            throw std::invalid_argument(kForm);
        } catch (const nb::python_error&) {
            throw std::invalid_argument(kForm);
        }
        require(all.size() == branches.size(), kForm);
        return all;
    }

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
    RootResidue residue_;
    bool additive_;
};

// A run over rows in memory or over a source in Python.
class GrowthRun {
    // Call a function without the interpreter lock, unless a callback or another thread is using the run.
    template <class Function>
    auto alone(Function&& function) {
        require(!busy_.exchange(true), "this run is in use: by another thread, or by a callback of its own");
        const struct Idle {
            GrowthRun& run;
            int thrown;
            ~Idle() {
                if (std::uncaught_exceptions() > thrown) run.failed_ = true;  // it may have ended in the middle of a change
                run.busy_ = false;
            }
        } idle{*this, std::uncaught_exceptions()};
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
              const PriceArgument& price, const RootResidue& residue)
        : input_(nb::none(), rows, code_start, has_missing, families, rules, index, price) {
        remote_ = std::make_unique<PythonSource>(source, input_.table, root.shape(0), residue);
        std::vector<Weight> counts(root.data(), root.data() + root.shape(0));
        Release free;
        run_.emplace(GrowthSample{input_.table, remote_.get(), std::move(counts), weighted}, input_.families, input_.rules);
    }

    // Make up to `steps` steps, but return to Python every now and then to handle interrupts. False: no steps are left.
    bool run(std::size_t steps) {
        return alone([&] {
            require(!failed_, "this run ended with an error; start a new one, or restart it");
            constexpr std::size_t kStepsBetweenLooks = 16;  // at the clock, which takes as long as a short step
            const auto now = [] { return std::chrono::steady_clock::now(); };
            const Deadline patience = now() + std::chrono::milliseconds(100);
            bool more = run_->prepare(patience);
            for (std::size_t made = 0; !more && made < steps; ++made) {
                if (!run_->step()) return made > 0;
                if (made % kStepsBetweenLooks == 0 && now() >= patience) break;
            }
            return true;
        });
    }

    void restart(const In<Label>& labels, const std::optional<In<Weight>>& units, const Layers& more, std::size_t classes,
                 const ResidueArgument& residues, const std::optional<In<Row>>& rows, std::uint64_t seed,
                 std::optional<Weight> weight) {
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
            run_->restart(target->target, start, seed, weight);
            failed_ = false;
        });
        target_.swap(target);
    }

    auto root_options() {
        require_unbegun();
        const std::vector<Option> found = alone([&] { return run_->root_options(); });
        return option_arrays(found, 0, [](const Option& option) -> const Option& { return option; });
    }

    // Split the root by an option in the form of `root_options`; `family` is a position in the list of families.
    void split_root(std::int32_t arity, double gain, std::size_t column, std::size_t family, std::int32_t missing,
                    const In<std::int32_t>& first, const In<std::int32_t>& second) {
        require_unbegun();
        require(column < input_.table.n_columns() && family < input_.families.size(), "split_root: no such column or family");
        require(input_.families[family].own == nullptr && arity >= 2, "split_root: not an option of a built-in family");
        require(first.shape(0) == second.shape(0), "split_root: one code or branch for each other");
        const auto codes = input_.table.code_start[column + 1] - input_.table.code_start[column];
        Option option;
        option.arity = arity;
        option.gain = gain;
        option.column = static_cast<std::int32_t>(column);
        option.kind = input_.families[family].kind;
        option.rank = static_cast<std::int32_t>(family);
        option.missing = missing;
        for (const std::int32_t code : span_of(first)) {
            require(code >= 0 && code < codes, "split_root: no such code");
            require(option.first.empty() || option.first.back() < static_cast<std::uint32_t>(code) ||
                        option.kind != FamilyKind::intervals,
                    "split_root: codes must ascend");
            option.first.push_back(static_cast<std::uint32_t>(code));
        }
        const std::int64_t most = option.kind == FamilyKind::intervals ? codes : arity;
        for (const std::int32_t value : span_of(second)) require(value >= 0 && value < most, "split_root: no such branch");
        option.second.assign(second.data(), second.data() + second.shape(0));
        alone([&] { run_->split_root(std::move(option)); });
    }

    void leaves(const Out<std::int32_t>& leaf) {
        require(local_ != nullptr && !run_->is_planned(), "leaves: only a run over rows in memory with apart=0 knows them");
        require(leaf.shape(0) == input_.table.rows, "leaves: one entry per row");
        alone([&] { run_->read_leaves(leaf.data()); });
    }

    // Calls visit(object) for each object that Python's garbage collector must know of.
    template <class Visit>
    void each_held(Visit&& visit) {
        input_.each_held(visit);
        if (remote_) visit(*remote_->held());
    }
    void clear() {
        failed_ = true;
        each_held([](nb::object& object) { object.reset(); });
    }

    [[nodiscard]] const Growth& growth() const { return *run_; }

 private:
    void require_unbegun() const {
        require(local_ != nullptr && !run_->is_planned(), "only the root of a run over rows in memory with apart=0 is known");
        require(!failed_ && run_->expansions().empty() && run_->retirements().empty(), "this run has begun; restart it");
    }

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
    int stopped = 0;
    nb::inst_ptr<GrowthRun>(self)->each_held([&](const nb::object& object) {
        if (stopped == 0 && object.is_valid()) stopped = visit(object.ptr(), arg);
    });
    return stopped;
}

int clear_run(PyObject* self) {
    if (nb::inst_ready(self)) nb::inst_ptr<GrowthRun>(self)->clear();
    return 0;
}

PyType_Slot run_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_run)},
                           {Py_tp_clear, reinterpret_cast<void*>(clear_run)},
                           {0, nullptr}};

auto expansions_py(const GrowthRun& run, std::size_t first) {
    const auto& all = run.growth().expansions();
    require(first <= all.size(), "GrowthRun: no such expansion");
    return std::make_pair(
        option_arrays(all, first, [&](const Expansion& e) { return run.growth().option(e); }),
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

void add_up_subtrees_py(const In<std::int32_t>& parent, const Out2<double>& numbers) {
    require(numbers.shape(0) == parent.shape(0), "add_up_subtrees: one row of numbers for each node");
    for (std::size_t v = 0; v < parent.shape(0); ++v) {
        require(parent.data()[v] >= -1 && parent.data()[v] < static_cast<std::int64_t>(v), "add_up_subtrees: a parent comes before its children");
    }
    Release free;
    add_up_subtrees(span_of(parent), numbers.shape(1), numbers.data());
}

}  // namespace

void bind_growing(nb::module_& m) {
    using Whole = std::optional<std::int64_t>;
    nb::class_<GrowthRules>(m, "GrowthRules")
        .def("__init__",
             [](GrowthRules* place, int procedure, Whole max_leaves, double gamma, bool steepest, std::int64_t max_arity,
                Whole max_depth, std::int64_t min_samples_split, std::int64_t min_samples_leaf,
                double min_weight_fraction_leaf, double min_gain, std::optional<double> branch_price, bool charge_groups, double cases_per_unit,
                Whole columns_per_node, std::uint64_t seed, const std::vector<double>& ranks, const std::vector<std::int8_t>& directions,
                double min_difference, double min_child_share, const std::vector<std::int32_t>& first_columns,
                const std::vector<std::vector<std::int32_t>>& after_columns, const std::vector<double>& column_costs,
                bool refuse_losses, int threads, Whole small, Whole apart, Whole subtree, std::int64_t batch) {
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
                 require(directions.empty() || !ranks.empty(), "GrowthRules: directions need ranks");
                 rules.ranks = ranks;
                 rules.directions = directions;
                 require(min_difference == 0.0 || !ranks.empty(), "GrowthRules: a difference needs ranks");
                 rules.min_difference = min_difference;
                 rules.min_child_share = min_child_share;
                 rules.first_columns = first_columns;
                 rules.after_columns = after_columns;
                 rules.column_costs = column_costs;
                 rules.refuse_losses = refuse_losses;
                 rules.threads = threads;
                 rules.small = small;
                 rules.apart = apart;
                 rules.subtree = subtree;
                 rules.batch = batch;
                 new (place) GrowthRules(std::move(rules));
             },
             nb::kw_only(), "procedure"_a, "max_leaves"_a.none(), "gamma"_a, "steepest"_a, "max_arity"_a,
             "max_depth"_a.none(), "min_samples_split"_a, "min_samples_leaf"_a, "min_weight_fraction_leaf"_a,
             "min_gain"_a, "branch_price"_a.none(), "charge_groups"_a, "cases_per_unit"_a, "columns_per_node"_a.none() = nb::none(), "seed"_a = 0, "ranks"_a = std::vector<double>{}, "directions"_a = std::vector<std::int8_t>{},
             "min_difference"_a = 0.0, "min_child_share"_a = 0.0, "first_columns"_a = std::vector<std::int32_t>{},
             "after_columns"_a = std::vector<std::vector<std::int32_t>>{}, "column_costs"_a = std::vector<double>{}, "refuse_losses"_a = true,
             "threads"_a, "small"_a.none() = nb::none(), "apart"_a.none() = nb::none(),
             "subtree"_a.none() = nb::none(), "batch"_a = 1);
    m.def("add_up_subtrees", &add_up_subtrees_py, "parent"_a.noconvert(), "numbers"_a.noconvert());
    nb::class_<GrowthRun>(m, "GrowthRun", nb::type_slots(run_slots))
        .def(nb::init<const nb::object&, const In<std::int64_t>&, const In<std::uint8_t>&, const In<Label>&,
                      const std::optional<In<Weight>>&, const Layers&, std::size_t, const std::vector<FamilyArgument>&,
                      const GrowthRules&, const IndexArgument&, const PriceArgument&, const ResidueArgument&>(),
             "table"_a, "code_start"_a.noconvert(), "has_missing"_a.noconvert(), "labels"_a.noconvert(),
             "units"_a.noconvert().none(), "more"_a.noconvert(), "n_classes"_a, "families"_a, "rules"_a, "index"_a,
             "price"_a.none(), "residues"_a.none() = nb::none())
        .def(nb::init<const nb::object&, std::size_t, const In<Weight>&, bool, const In<std::int64_t>&,
                      const In<std::uint8_t>&, const std::vector<FamilyArgument>&, const GrowthRules&,
                      const IndexArgument&, const PriceArgument&, const RootResidue&>(),
             "source"_a, "n_rows"_a, "root"_a.noconvert(), "weighted"_a, "code_start"_a.noconvert(),
             "has_missing"_a.noconvert(), "families"_a, "rules"_a, "index"_a, "price"_a.none(), "residue"_a.none() = nb::none())
        .def("run", &GrowthRun::run, "steps"_a)
        .def("restart", &GrowthRun::restart, "labels"_a.noconvert(), "units"_a.noconvert().none(), "more"_a.noconvert(),
             "n_classes"_a, "residues"_a.none() = nb::none(), "rows"_a.noconvert().none() = nb::none(), "seed"_a = 0,
             "weight"_a.none() = nb::none())
        .def("root_options", &GrowthRun::root_options)
        .def("split_root", &GrowthRun::split_root, "arity"_a, "gain"_a, "column"_a, "family"_a, "missing"_a,
             "first"_a.noconvert(), "second"_a.noconvert())
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
}

}  // namespace polytomy
