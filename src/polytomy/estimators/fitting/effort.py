"""Effort: a teacher, a search and polishing, which find better trees of the same size."""

from dataclasses import dataclass, replace
from math import nan
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer
from polytomy.certify import Lesson, Origin
from polytomy.encode import Target
from polytomy.estimators.base.callbacks import ProgressPrinter
from polytomy.estimators.base.parameters import check_not_negative
from polytomy.estimators.base.rows import LabelledRows
from polytomy.grow import GrowParams, grow, resolved
from polytomy.model import Model
from polytomy.predict import apply
from polytomy.priced import (
    NO_SEARCH,
    WIDE,
    Sample,
    Search,
    SearchedTree,
    TwoPrices,
    grow_priced,
    polish,
    search_priced,
    worth_it,
)
from polytomy.teach import known_rows, refilled
from polytomy.theory import Prices
from polytomy.tree import Tree

from .teacher import BOOSTED_ROWS, BOTH, Taught, Teacher, TeachingRows, teach


@dataclass(frozen=True, slots=True)
class Means:
    """What a fit uses beside growing, and the prices that go with it.

    Parameters
    ----------
    teacher : Teacher or None
        The teacher.
    search : Search
        The splits to keep at the nodes of each level.
    polish : bool
        Whether the splits of the finished tree are chosen again.
    question_price : float
        The price of a question.
    """

    teacher: Teacher | None
    search: Search
    polish: bool
    question_price: float

    @property
    def is_plain(self) -> bool:
        """Whether the tree is the one that the procedure grows on the labels."""
        return self.teacher is None and not self.search.widths and not self.polish

    @property
    def leaf_price(self) -> float:
        """The price of a leaf, as a multiple of that of a tree grown on labels.

        A teacher's targets have little noise that a leaf could be spent on.
        """
        return 1.0 if self.teacher is None else TAUGHT_LEAF


class Effort(NamedTuple):
    """The defaults of an effort."""

    teacher: Teacher | None
    search: Search
    polish: bool
    question_price: float


_OF_ALL = 0.03  # what a question must save, as a fraction of what the tree saves in all
_OF_A_LEAF = 0.9  # and what it must save as a fraction of the mean saving of a leaf
_OF_A_TAUGHT_LEAF = 0.55  # the same if a quick teacher softens the labels
_FEWEST = 8  # the budget of leaves below which the price does not rise
EFFORTS = {
    "fast": Effort(None, NO_SEARCH, polish=False, question_price=0.08),
    "balanced": Effort(Teacher(), NO_SEARCH, polish=True, question_price=0.05),
    "thorough": Effort(Teacher(n_estimators=300), WIDE, polish=True, question_price=0.05),
}
"""The efforts by name."""
TAUGHT_LEAF = 0.1
"""The price of a leaf with a teacher, as a multiple of that of a tree grown on labels."""
_START = 1e-3  # seconds for a tree of a forest, on one core
_TREE = 5e-8  # the same for each cell of the table
_BOOSTED = 2e-8  # the same for a tree of boosting
_RUN = 1e-7  # the same for a row with its synthetic companions and a run at two prices


def means_of(tree: Any, *, by_name: bool = False) -> Means:
    """Return the means that the parameters of a tree describe, or raise an error.

    Parameters
    ----------
    tree : TreeClassifier or TreeRegressor
        The estimator.
    by_name : bool, default=False
        Whether a teacher may be the name of an estimator of another library.

    Returns
    -------
    Means
        The means.
    """
    if not isinstance(tree.effort, str) or tree.effort not in EFFORTS:
        names = ", ".join(map(repr, EFFORTS))
        raise ParameterError(f"effort must be one of {names}; got {tree.effort!r}")
    effort, teacher = EFFORTS[tree.effort], None
    given = effort.teacher if tree.teacher is None else tree.teacher
    if given is not None and given is not False:
        teacher = Teacher.of(given)
        teacher.check(is_numeric=tree._is_numeric, by_name=by_name)
    search = effort.search if tree.search is None else Search.of(tree.search)
    polishes = effort.polish or bool(search.widths)
    means = Means(teacher, search, polishes, _question_price(tree))
    if tree.time_limit is not None:
        check_not_negative("time_limit", tree.time_limit)
    if means.is_plain:
        return means
    if teacher is not None and tree.max_leaves is None:
        raise ParameterError(
            "a tree with a teacher needs a number for max_leaves, or 'cv'; without one it would "
            "grow until every row has a leaf, because softened targets are never pure"
        )
    if not all(isinstance(family, str) for family in tree.families):
        raise ParameterError(
            "a teacher, search and effort need built-in families; they cannot split synthetic rows "
            "or rows of other nodes by a family of your own"
        )
    is_priced = tree.procedure == "priced" and tree.max_leaves is not None and tree.pruner is None
    if not is_priced:
        if tree.search not in (None, 0):
            raise ParameterError(
                "search compares trees at two prices: it needs procedure='priced', a number for "
                "max_leaves, and no pruner"
            )
        means = replace(means, search=NO_SEARCH, polish=False)
    return means


def _question_price(tree: Any) -> float:
    """Return the price of a question: the user's, or that of the effort."""
    if tree.question_price is not None:
        check_not_negative("question_price", tree.question_price)
        return float(tree.question_price)
    if tree.effort == "fast" and not tree._is_numeric and is_integer(tree.max_leaves):
        return price_at(tree.max_leaves)
    return EFFORTS[tree.effort].question_price


def price_at(max_leaves: int, *, is_taught: bool = False) -> float:
    """Return the price of a question in a classification tree of the effort "fast".

    One more question for every row must save 3 % of what the tree saves in all, and nearly as much
    as one of its leaves saves on average: the more leaves there are, the less can be expected of a
    question.

    Parameters
    ----------
    max_leaves : int
        The budget of leaves.
    is_taught : bool, default=False
        Whether a quick teacher softens the labels. What a tree saves is that of the labels in
        either case, but softened ones can pay for fewer questions, so their price is lower.

    Returns
    -------
    float
        The price; for fewer than 8 leaves, that for 8.

    Examples
    --------
    >>> [round(price_at(leaves), 4) for leaves in (4, 8, 16, 32, 64)]
    [0.1425, 0.1425, 0.0862, 0.0581, 0.0441]
    >>> [round(price_at(leaves, is_taught=True), 4) for leaves in (4, 8, 16, 32, 64)]
    [0.0988, 0.0988, 0.0644, 0.0472, 0.0386]
    """
    of_a_leaf = _OF_A_TAUGHT_LEAF if is_taught else _OF_A_LEAF
    return _OF_ALL + of_a_leaf / max(max_leaves, _FEWEST)


class Found(NamedTuple):
    """A tree that was found, with the counts of the real rows, and how it was found."""

    tree: Tree
    origin: Origin
    params: GrowParams
    prices: Prices | None
    taught: Taught | None


class Task(NamedTuple):
    """What a fit asks for.

    Parameters
    ----------
    given : TeachingRows
        The real rows.
    params : GrowParams
        The growth parameters.
    two_prices : TwoPrices or None
        The prices, if they choose the tree.
    random_state : int, RandomState or None
        The random seed.
    threads : int
        The number of threads.
    time_limit : float or None
        The seconds after which a search begins nothing more.
    verbose : int
        Whether to print progress.
    """

    given: TeachingRows
    params: GrowParams
    two_prices: TwoPrices | None
    random_state: Any
    threads: int
    time_limit: float | None
    verbose: int

    def say(self, line: str) -> None:
        """Print a line if progress is to be shown."""
        if self.verbose:
            print(line, flush=True)


def find_tree(means: Means, task: Task) -> Found:
    """Find a tree with a teacher, a search and polishing.

    Parameters
    ----------
    means : Means
        What to use.
    task : Task
        What is asked for.

    Returns
    -------
    Found
        The tree.
    """
    start = perf_counter()
    taught, params, rows = None, task.params, task.given.rows
    coded, target = task.given.coded, rows.target
    if means.teacher is not None:
        with ProgressPrinter(task.verbose, int(means.teacher.n_estimators), "tree") as printer:
            taught = teach(
                means.teacher,
                task.given,
                params.index,
                task.random_state,
                task.threads,
                lambda number: printer.done(number, lambda: "of the teacher"),
            )
        task.say(
            f"teacher: {taught.name}, {taught.validation} error {taught.error:.4g} "
            f"({perf_counter() - start:.1f} s)"
        )
        if not np.isfinite(taught.forecast).any():  # one or two rows, which are in every bag
            taught = None
    if taught is not None:
        coded, target = taught.coded, taught.target
    sample, wanted, prices, passes = Sample(coded, target, None), task.two_prices, None, 0
    index, is_searched = resolved(params.index, target.n_classes), False
    if wanted is None:
        tree = grow(coded, target, params, None, task.threads).tree
    elif means.search.widths:
        searched = _search(means.search, sample, task, wanted)
        prices, params = searched.prices, searched.growth.params
        tree, is_searched = worth_it(searched, wanted, index)
        early = ", ended early" if searched.stopped else ""
        task.say(
            f"search: {searched.candidates} candidates{early} ({perf_counter() - start:.1f} s)"
        )
    else:
        plain = grow_priced(sample, params, wanted, task.threads)
        tree, prices, params = plain.tree, plain.prices, plain.growth.params
    least = _least(params, rows)
    if means.polish and prices is not None:
        polished = polish(
            tree,
            sample,
            index,
            prices,
            min_rows=least[0],
            min_weight=least[1] * _weight(target) / rows.total_weight,
            threads=task.threads,
            constraints=params.constraints,
        )
        tree, passes = polished.tree, polished.passes
    if taught is not None:
        tree = refilled(tree, task.given.coded, rows.target, *least, params.constraints)
        factor = rows.total_weight / _weight(target)
        prices = None if prices is None else replace(prices, leaf=prices.leaf * factor)
    lesson = None if taught is None else lesson_of(taught)
    levels = means.search.widths
    search = (levels[0], len(levels)) if is_searched else None
    return Found(tree, Origin(lesson, search, passes), params, prices, taught)


def _search(search: Search, sample: Sample, task: Task, wanted: TwoPrices) -> SearchedTree:
    """Search, and show the progress."""
    with ProgressPrinter(task.verbose, search.completions, "candidate") as printer:
        return search_priced(
            sample,
            task.params,
            wanted,
            search,
            task.threads,
            time_limit=task.time_limit,
            on_progress=lambda done, n, cost: printer.done(done, lambda: f"cost {cost:.4g}", n),
        )


def _least(params: GrowParams, rows: LabelledRows) -> tuple[int, float]:
    """Return the real rows and the weight that a leaf needs."""
    weight = float(params.min_weight_fraction_leaf) * rows.total_weight
    return int(params.min_samples_leaf), weight * (1 - 1e-9)


def _weight(target: Target) -> float:
    return float(target.total().sum()) * target.unit


def lesson_of(taught: Taught, fidelity: float = nan) -> Lesson:
    """Return what the teacher taught; the fidelity of the tree to it is not known at first."""
    return Lesson(
        taught.name,
        taught.validation,
        taught.error,
        taught.mix,
        taught.synthetic_rows,
        fidelity,
    )


def fidelity_of(model: Model, taught: Taught, rows: LabelledRows, threads: int) -> float:
    """Return the share of rows for which tree and teacher agree, or R2 of the tree for numbers."""
    forecast, weights, tree = taught.forecast, rows.case_weights, model.tree
    known = known_rows(forecast)
    if not known.any():
        return nan
    leaf = apply(tree, model.schema, rows.table, threads)[known]
    weights = None if weights is None else weights[known]
    said = forecast[known]
    if forecast.ndim == 2:
        return float(np.average(said.argmax(axis=1) == tree.label[leaf], weights=weights))
    centre = float(np.average(said, weights=weights))
    variance = float(np.average((said - centre) ** 2, weights=weights))
    if variance == 0:
        return nan
    predicted = model.node_means.expected[leaf]
    return 1.0 - float(np.average((said - predicted) ** 2, weights=weights)) / variance


def expected_cost(means: Means, task: Task) -> str:
    """Return what a fit will do, and about how long it will take, in one line."""
    parts = []
    seconds = 0.0
    n_rows, n_columns = task.given.coded.n_rows, len(task.given.coded.schema)
    cells = n_rows * n_columns
    if means.teacher is not None:
        teacher, n_classes = means.teacher, task.given.rows.target.n_classes
        n_rows += teacher.n_synthetic(n_rows)
        taught = []
        if teacher.estimator in ("forest", BOTH):
            taught.append(f"a forest of {teacher.n_estimators} trees")
            seconds += int(teacher.n_estimators) * (_START + _TREE * cells)
        if teacher.estimator == "boosted" or teacher.adds_boosting(task.given.coded.n_rows):
            taught.append(f"{teacher.n_rounds} rounds of boosting in {teacher.folds} folds")
            trees = teacher.folds * teacher.n_rounds * (n_classes if n_classes > 2 else 1)
            seconds += trees * (_START + _BOOSTED * min(cells, BOOSTED_ROWS * n_columns))
        if taught:
            parts.append(f"{' and '.join(taught)} as a teacher")
        elif teacher.is_fitted:
            parts.append("a teacher that is fitted already")
        else:
            parts.append(f"a teacher fitted {int(teacher.folds)} times")
    n_runs = 1 + means.search.completions
    if n_runs > 1:
        parts.append(f"a search of up to {n_runs - 1} completed trees")
    if means.polish:
        parts.append("polishing")
    seconds += _RUN * n_runs * n_rows * n_columns
    seconds /= task.threads
    return f"fitting with {', '.join(parts)}: about {max(seconds, 0.1):.1f} s"
