"""What a single tree of any target can do: growing, routing rows, and its facts."""

from abc import abstractmethod
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray, IntArray
from polytomy.certify import Certificate, Origin, Run, Weighting, replayed
from polytomy.certify.verify import Report
from polytomy.costs import Costs
from polytomy.encode import Coded, Schema, Target
from polytomy.estimators.base.callbacks import FitCallbacks, with_callbacks
from polytomy.estimators.base.files import grow_params_from_plain, grow_params_to_plain
from polytomy.estimators.base.parameters import FitRecord, check_class_weight, check_flag
from polytomy.estimators.base.rows import LabelledRows
from polytomy.estimators.base.snapshots import on_draft
from polytomy.estimators.fitting.constraints import (
    check_directions,
    check_pruner,
    check_shares,
    class_order,
    constraints_of,
    contracts,
    directions_of,
)
from polytomy.estimators.fitting.cross_fitting import learn_from_folds
from polytomy.estimators.fitting.effort import (
    Found,
    Means,
    Task,
    expected_cost,
    fidelity_of,
    find_tree,
    lesson_of,
    means_of,
)
from polytomy.estimators.fitting.growing import Growing, carry_out, split_rows
from polytomy.estimators.fitting.plan import Plan, plan_growth
from polytomy.estimators.fitting.records import rules_of, run_of
from polytomy.estimators.fitting.size_selection import Soften, settle_plan
from polytomy.estimators.fitting.teacher import NativeRows, Teacher, TeachingRows, teach
from polytomy.format import Node, Saved, refuse
from polytomy.grow import GrowParams, Growth, resolved
from polytomy.honesty import Honesty
from polytomy.model import Model, Pruning
from polytomy.priced import Sample
from polytomy.prune import Pruner
from polytomy.table import ScannedTable
from polytomy.theory import Prices
from polytomy.tree import Tree, column_importances

from .pruning import PrunableTree
from .reading import ReadableTree
from .report import ReportedTree
from .sensitivity import selection_from_plain, selection_to_plain
from .verification import verify_tree

FoundRun = tuple[GrowParams, Prices | None]
"""The parameters and the prices of the run that was kept."""

MOST_MONOTONIC = 2_000
"""The most leaves of a tree with monotonic columns."""


class SingleTree(ReadableTree, PrunableTree, ReportedTree):
    """Base class of the estimators with one tree."""

    _model: Model
    contract: bool
    monotonic_cst: Any
    min_child_share: float
    min_difference: float
    honest: bool
    max_bins: int | str
    time_limit: float | None
    verbose: int

    @on_draft
    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow a tree on labelled rows.

        If fitting fails or is interrupted, the estimator is left as it was.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            Numbers, text, categories or dates. Cells may be missing. A lazy table is read in
            pieces: a scan (``polytomy.scan``), a polars ``LazyFrame``, a DuckDB relation, a pyarrow
            ``Dataset`` or ``RecordBatchReader``, or a function that returns such a reader.
        y : array of shape (n_rows,) or str, default=None
            The target: classes, or numbers for a regressor. None may be missing. For a lazy table,
            the name of a column, or None for the target of a scan.
        sample_weight : array of shape (n_rows,) or str, default=None
            The weights of the rows, read as case counts. Rows of weight 0 are dropped. None gives
            every row the weight 1. For a lazy table, also the name of a column.

        Returns
        -------
        self
            The fitted estimator.
        """
        self.__dict__.pop("selection_", None)  # that of an earlier fit
        check_flag("contract", self.contract)
        check_flag("honest", self.honest)
        check_shares(self)
        means, plan = means_of(self), plan_growth(self)
        growing = Growing(self._grow_params(plan.max_leaves), self._threads())
        given = self._learn_rows(X, y, sample_weight)
        order = self._class_order(getattr(y, "dtype", None))
        fraction, seed = plan.held_fraction, self.random_state
        rows, held_out, numbers = split_rows(given, fraction, seed)
        most_splits = None if self.procedure == "priced" else growing.params.max_leaves
        callbacks = FitCallbacks(self, {"X": X, "y": y}, most_splits)
        coded = growing.encode(rows, self.max_bins)
        growing = self._constrained(growing, coded.schema, means, plan.pruner, order)
        native = None
        if means.teacher is not None:
            cells = given.table if isinstance(given.table, ScannedTable) else X
            native = NativeRows(cells, self._training_numbers(given, numbers))
        whole = TeachingRows(coded, rows, native, self._classes_of_model())
        soften = None if means.teacher is None else self._soften(means.teacher, whole, growing)
        plan = settle_plan(plan, self, growing, (coded, rows), self._with_tree, soften)
        task = Task(
            whole,
            growing.params,
            plan.two_prices,
            seed,
            growing.threads,
            self.time_limit,
            self.verbose,
        )
        found = None if means.is_plain else self._find(means, task)
        if found is None:
            model, run = self._grown_model(plan, growing, whole, callbacks)
        else:
            model, run = self._found_model(found, plan, whole)
        n_rows = given.table.n_rows
        self._fit_record = FitRecord(
            growing.params,
            self._class_weight(),
            self.max_bins,
            n_rows,
            numbers,
            self._smoothing(),
        )
        model = carry_out(plan, model, growing, (coded, rows, held_out), seed)
        if self.honest:
            sample = Sample(coded, rows.target, rows.table)
            learned = learn_from_folds(plan, model, growing, (sample, held_out), run, seed)
            model = replace(model, honesty=learned)
        if found is not None and found.taught is not None:
            fidelity = fidelity_of(model, found.taught, rows, growing.threads)
            lesson = lesson_of(found.taught, fidelity)
            model = replace(model, origin=replace(found.origin, lesson=lesson))
        self._model = model
        callbacks.end()
        self._print_summary()
        return self

    def _constrained(
        self,
        growing: Growing,
        schema: Schema,
        means: Means,
        pruner: Pruner | None,
        order: int,
    ) -> Growing:
        """Return the growth parameters with the constraints, by the columns of the table."""
        growing = self._directed(growing, schema, means, order)
        held = constraints_of(self, schema, self._classes_of_model())
        check_pruner(held, pruner)
        chooses_again = bool(means.search.widths) or means.polish
        if chooses_again and (held.costs or held.on_branches):
            raise ParameterError(
                "search and polishing choose splits again without regard to the costs of columns "
                "and to their branches: column_cost, min_child_share and min_difference need "
                "effort='fast', which may have a teacher"
            )
        if means.teacher is not None and held.on_branches:
            raise ParameterError(
                "min_child_share and min_difference are about the labels, but a teacher replaces "
                "part of them while the tree is grown; use teacher=False"
            )
        if held.is_empty:
            return growing
        return replace(growing, params=replace(growing.params, constraints=held))

    def _class_order(self, dtype: Any) -> int:
        """Return the order that the type of the target gives to the classes; 1 for numbers."""
        if self._is_numeric:
            return 1
        return class_order(self.monotonic_cst, dtype, self._classes_of_model())

    def _directed(self, growing: Growing, schema: Schema, means: Means, order: int) -> Growing:
        """Return the growth parameters with the directions of the columns."""
        directions = directions_of(self.monotonic_cst, schema, self._classes_of_model(), order)
        if not directions:
            return growing
        grown = growing.params.max_leaves
        if grown is None or grown > MOST_MONOTONIC:
            raise ParameterError(
                f"monotonic_cst needs max_leaves of at most {MOST_MONOTONIC:,}, because every leaf "
                f"is compared with all others, got {grown} (with overgrow, if that is set)"
            )
        if vars(self).get("smoothing"):
            raise ParameterError("smoothing may put the leaves of monotonic columns out of order")
        _check_undirected(means)
        return replace(growing, params=replace(growing.params, monotonic=directions))

    def _grown_model(
        self, plan: Plan, growing: Growing, given: TeachingRows, callbacks: FitCallbacks
    ) -> tuple[Model, FoundRun]:
        """Return the model of the procedure's own run, its parameters and its prices."""
        pruning = None
        if plan.two_prices is None:
            growth = growing.grow(given.coded, given.rows, callbacks.on_step)
        else:
            sample = Sample(given.coded, given.rows.target, given.rows.table)
            growth, pruning = growing.grow_priced(sample, plan, callbacks.on_step)
        run = run_of(growth, self._weighting(weighted=given.rows.case_units is not None))
        factors = given.rows.class_factors
        model = self._model_of(
            given.coded.schema, growth.tree, run, pruning, factors, given.rows.costs
        )
        return model, (growth.params, None if pruning is None else pruning.prices)

    def _find(self, means: Means, task: Task) -> Found | None:
        """Find a tree with a teacher, by search or by polishing; None if it is the grown one."""
        task.say(expected_cost(means, task))
        found = find_tree(means, task)
        return None if found.origin == Origin() else found

    def _found_model(self, found: Found, plan: Plan, given: TeachingRows) -> tuple[Model, FoundRun]:
        """Return the model of a tree that was found, its parameters and its prices."""
        index = resolved(found.params.index, given.rows.target.n_classes)
        rules = rules_of(replace(found.params, max_leaves=plan.max_leaves))
        weighting = self._weighting(weighted=given.rows.case_units is not None)
        run = replayed(found.tree, index, rules, weighting)
        factors = given.rows.class_factors
        model = self._model_of(given.coded.schema, found.tree, run, None, factors, given.rows.costs)
        return replace(model, origin=found.origin), (found.params, found.prices)

    def _model_of(
        self,
        schema: Schema,
        tree: Tree,
        run: Run,
        pruning: Pruning | None,
        factors: FloatArray | None,
        costs: Costs | None = None,
    ) -> Model:
        """Return the model of a tree; ``factors`` are the class weights."""
        classes = self._classes_of_model()
        return Model(schema, tree, classes, run, contracts(self), pruning, factors, costs=costs)

    def _soften(self, teacher: Teacher, given: TeachingRows, growing: Growing) -> Soften:
        """Return a function that asks the teacher about some of the rows."""

        def soften(numbers: IntArray | None) -> tuple[Coded, Target]:
            part = given if numbers is None else given.take(numbers)
            taught = teach(teacher, part, growing.params.index, self.random_state, growing.threads)
            return taught.coded, taught.target

        return soften

    def _training_numbers(self, given: LabelledRows, held_out: IntArray | None) -> IntArray:
        """Return the numbers of the training rows among those passed to ``fit``."""
        numbers = given.with_weight()[1]
        every = np.arange(given.table.n_rows) if numbers is None else numbers
        return every if held_out is None else np.setdiff1d(every, held_out)

    @property
    def origin_(self) -> Origin | None:
        """How the tree was found, if not by the procedure's own run on the labels; else None."""
        origin: Origin | None = self._fitted_model().origin
        return origin

    @property
    def certificate_(self) -> Certificate:
        """The theorem that covers the run, its gamma, and the bound that follows."""
        certificate: Certificate = self._fitted_model().certificate
        return certificate

    @property
    def feature_importances_(self) -> FloatArray:
        """The fraction of the total gain that each column contributes.

        Splits by a family of your own have no column, so their gain counts in the total only.
        """
        model = self._fitted_model()
        return column_importances(model.kept, model.run.index, self.n_features_in_)

    @property
    def held_out_(self) -> IntArray | None:
        """The rows passed to ``fit`` that were held out for a pruner, or None."""
        self._fitted_model()
        return self._fit_record.held_out

    @abstractmethod
    def _grow_params(self, max_leaves: Any) -> GrowParams:
        """Return the growth parameters of a run, checked."""

    def _with_tree(self, schema: Schema, growth: Growth, tree: Tree, rows: LabelledRows) -> Self:
        """Return a fitted copy whose tree is a pruning of one grown on some rows, for scorers.

        Its honest values are those of the prior.
        """
        other = copy(self)
        record = FitRecord(growth.params, self._class_weight(), self.max_bins, None)
        other._fit_record = record
        pruning = Pruning(tree, "cross-validation")
        run, honesty = run_of(growth), Honesty() if self.honest else None
        other._model = Model(
            schema,
            growth.tree,
            self._classes_of_model(),
            run,
            contracts(self),
            pruning,
            rows.class_factors,
            honesty,
            costs=rows.costs,
        )
        return other

    def _smoothing(self) -> float | None:
        """Return the weight that each class of a leaf gets in addition; None for numbers."""
        return None

    def _weighting(self, *, weighted: bool) -> Weighting:
        if getattr(self, "cost_matrix", None) is not None and len(self._classes_of_model()) > 1:
            return "costs"
        if self._class_weight() is not None:
            return "classes"
        return "rows" if weighted else "none"

    def _print_summary(self) -> None:
        if self.verbose >= 2:
            weight = self._model.grown.weight[0]
            for split in self._model.run.splits:
                gain = split.gain / weight
                print(f"leaf {split.leaf}: {split.arity} branches, gain {gain:.4g}")
        if self.verbose:
            print(f"{self.n_leaves_} leaves, {self.n_questions_:.2f} questions per row")

    def _saved_parameters(self) -> dict[str, Any]:
        parameters = super()._saved_parameters()
        teacher = parameters["teacher"]
        if not (teacher is None or teacher is False or isinstance(teacher, str)):
            parameters["teacher"] = Teacher.of(teacher).by_name()
        return parameters

    def _saved_parts(self) -> dict[str, Any]:
        try:
            check_directions(self.monotonic_cst, self._model)
        except ParameterError as error:
            refuse("", f"the parameters cannot be saved: {error}; fit again")
        parts = tree_parts(self._model, self._fit_record)
        if hasattr(self, "selection_"):
            parts["fitted"]["selection"] = selection_to_plain(self.selection_, self._model.classes)
        return parts

    def _restore(self, saved: Saved) -> Self:
        fitted = dict(saved.fitted)
        selection = fitted.pop("selection", None)
        self._model, self._fit_record = read_tree_parts(replace(saved, fitted=fitted))
        try:
            check_directions(self.monotonic_cst, self._model)
        except ParameterError as error:
            refuse("run.rules.monotonic", str(error))
        if selection is not None:
            node = Node(selection, "fitted.selection")
            self.selection_ = selection_from_plain(node, self._model.classes, self.n_leaves_)
        return self

    def _verify(self, X: Any, y: Any, sample_weight: Any) -> Report:
        return verify_tree(self, X, y, sample_weight)


def tree_parts(model: Model, record: FitRecord) -> dict[str, Any]:
    """Return the model and the fitted state of a tree, as arguments of ``Saved``."""
    fitted = {
        **({} if model.is_numeric else {"class_weight": record.class_weight}),
        "max_bins": record.max_bins,
        "n_rows": record.n_rows,
        "grown_with": grow_params_to_plain(record.params),
        **({} if record.smoothing is None else {"smoothing": record.smoothing}),
    }
    return {"model": model, "fitted": fitted, "held_out": record.held_out}


def read_tree_parts(saved: Saved) -> tuple[Model, FitRecord]:
    """Return the model and the fitted state that ``tree_parts`` wrote, checked."""
    model, held_out = saved.model, saved.held_out
    assert isinstance(model, Model)
    fitted, names = Node(dict(saved.fitted), "fitted"), ("max_bins", "n_rows", "grown_with")
    of_classes = () if model.is_numeric else ("class_weight",)
    smoothed = ("smoothing",) if "smoothing" in saved.fitted and of_classes else ()
    max_bins, rows, grown_with, *rest = fitted.fields(*names, *of_classes, *smoothed)
    weights, added = rest[: len(of_classes)], [part.number() for part in rest[len(of_classes) :]]
    if any(value < 0 for value in added):
        fitted.member("smoothing").fail("must not be negative")
    for weight in weights:
        check_class_weight(weight.place, weight.value)
        weighting = "costs" if model.costs is not None else "classes"
        expected = weight.value is not None or model.costs is not None
        if expected != (model.run.weighting in ("classes", "costs")) or (
            expected and model.run.weighting != weighting
        ):
            refuse("run.weighting", f"does not agree with {weight.place} and the costs")
    rules = model.run.rules  # the constraints are stored there alone
    held = replace(rules.constraints, cost_unit=None)
    params = grow_params_from_plain(grown_with, monotonic=rules.monotonic, constraints=held)
    if params.procedure != rules.procedure:
        grown_with.fail("the procedure is not that of the run")
    if params.index != model.run.index.name:
        grown_with.fail("the index is not that of the run")
    n_rows = rows.whole(int(model.grown.rows[0]) + (0 if held_out is None else len(held_out)))
    if held_out is not None and held_out[-1] >= n_rows:
        refuse("held_out", f"row {held_out[-1]} does not exist: there are {n_rows} rows")
    bins = "auto" if max_bins.value == "auto" else max_bins.whole(2)
    class_weight = weights[0].value if weights else None
    smoothing = added[0] if added else None
    return model, FitRecord(params, class_weight, bins, n_rows, held_out, smoothing)


def _check_undirected(means: Means) -> None:
    """Raise an error if the means to a better tree take no regard to the directions of columns."""
    if means.polish or means.search.widths:
        raise ParameterError(
            "monotonic_cst needs effort='fast' and no search: searched and polished splits are "
            "chosen without regard to the order"
        )
    if means.teacher is not None:
        raise ParameterError(
            "monotonic_cst is about the labels, but a teacher replaces part of them while the tree "
            "is grown, so that its leaves may be out of order; use teacher=False"
        )
