"""A scorecard: points for each range or category of each column, whose sum is the score."""

import csv
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import StringIO
from math import log
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polytomy._errors import ParameterError, TreeError
from polytomy._files import replacing
from polytomy._numbers import is_integer
from polytomy._types import FloatArray
from polytomy.encode import Schema
from polytomy.ensemble import Additive, Ensemble, ScoreFunction, added_scores
from polytomy.export.code.sql import checked_dialect, tree_expression
from polytomy.export.code.vote_sum import ScoreTree, function_tree
from polytomy.export.pmml import scorecard_to_pmml
from polytomy.export.scores import score_rows
from polytomy.table import Table, frame_of

from .workbook import scorecard_workbook

_LARGEST = 1e100  # of the numbers of a scale
_EVERY = 1 << 30  # rows of a column: no ranges are joined


@dataclass(frozen=True, eq=False)
class Scorecard:
    """Points for each range or category of each column, scaled to a base score.

    The score of a row is the base points plus the points of its cells. It is
    ``base_score + points_to_double_odds * log2(odds / base_odds)``, up to the rounding of the
    points, where the odds are those of the class ``favours`` against the other one.

    Attributes
    ----------
    base_points : float
        The points of every row.
    favours : class
        The class whose odds grow with the score.
    base_score, base_odds, points_to_double_odds : float
        The scale.
    decimals : int or None
        The decimals of the points; None if they are not rounded.
    """

    schema: Schema
    base_points: float
    functions: tuple[ScoreFunction, ...]
    favours: Any
    base_score: float
    base_odds: float
    points_to_double_odds: float
    decimals: int | None
    read: Callable[[Any], Table]

    @property
    def columns(self) -> list[str]:
        """The names of the columns that have points."""
        return [self.schema[function.feature].name for function in self.functions]

    @property
    def factor(self) -> float:
        """The points that multiply the odds by e."""
        return self.points_to_double_odds / log(2.0)

    def points(self, X: Any) -> FloatArray:
        """Return the score of each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The scores.
        """
        start = np.array([self.base_points])
        merged = Additive(start, self.functions, ())
        return added_scores(merged, self.schema, self.read(X))[:, 0]

    def odds(self, points: ArrayLike) -> FloatArray:
        """Return the odds of the class ``favours`` at some scores.

        Parameters
        ----------
        points : array-like of float
            The scores.

        Returns
        -------
        ndarray of float
            The odds.
        """
        above = (np.asarray(points, dtype=np.float64) - self.base_score) / self.factor
        return np.asarray(self.base_odds * np.exp(above))

    def probability(self, points: ArrayLike) -> FloatArray:
        """Return the probability of the class ``favours`` at some scores.

        Parameters
        ----------
        points : array-like of float
            The scores.

        Returns
        -------
        ndarray of float
            The probabilities.
        """
        with np.errstate(over="ignore"):
            odds = self.odds(points)
        return np.asarray(1.0 - 1.0 / (1.0 + odds))

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the table as columns.

        Returns
        -------
        dict of lists
            ``column``, ``values`` (a range or categories in words) and ``points``; the first row
            holds the base points.
        """
        table: dict[str, list[Any]] = {"column": [""], "values": ["base points"], "points": []}
        table["points"].append(self.plain(self.base_points))
        for function in self.functions:
            column = self.schema[function.feature]
            for row in score_rows(function, column, _EVERY):
                table["column"].append(column.name)
                table["values"].append(row.words)
                table["points"].append(self.plain(float(row.low[0])))
        return table

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the table as a data frame, with the columns of ``to_dict``.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default=None
            The library whose data frame is returned; None for the first that is installed.

        Returns
        -------
        data frame
            A row for each range, each set of categories with the same points, and missing cells.
        """
        return frame_of(self.to_dict(), backend)

    def to_csv(self) -> str:
        """Return the table as CSV.

        Returns
        -------
        str
            The text.
        """
        table, text = self.to_dict(), StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
        return text.getvalue()

    def __str__(self) -> str:
        """Return the table as text."""
        table = self.to_dict()
        points = [f"{p:g}" for p in table["points"]]
        wide = max(map(len, table["values"]))
        lines = [
            f"{words:<{wide}}  {p:>6}" for words, p in zip(table["values"], points, strict=True)
        ]
        scale = (
            f"{self.base_score:g} points are odds of {self.base_odds:g}:1 for {self.favours}; "
            f"{self.points_to_double_odds:g} points double the odds"
        )
        return "\n".join([*lines, scale])

    __repr__ = __str__

    def to_sql(self, dialect: str = "ansi") -> str:
        """Return the score as one SQL expression over the names of the columns.

        Parameters
        ----------
        dialect : str, default="ansi"
            The SQL dialect, as for ``to_sql`` of the model.

        Returns
        -------
        str
            The expression: the base points plus one CASE for each column.
        """
        columns = [function.feature for function in self.functions]
        chosen = checked_dialect(dialect, self.schema, columns)

        def literal(points: float) -> str:
            plain = self.plain(points)
            return str(plain) if isinstance(plain, int) else chosen.number(plain)

        terms = [literal(self.base_points)]
        for tree in self.trees():
            leaves = tree.tree.leaves().tolist()
            results = {leaf: literal(float(tree.scores[leaf, 0])) for leaf in leaves}
            terms.append(tree_expression(tree, chosen, results))
        return "\n+ ".join(terms)

    def to_pmml(self, target: str = "prediction") -> str:
        """Return the scorecard as PMML 4.4; its reason codes are the names of the columns.

        Parameters
        ----------
        target : str, default="prediction"
            The name of the target.

        Returns
        -------
        str
            The XML document.
        """
        return scorecard_to_pmml(self, target)

    def to_xlsx(self, path: str | PathLike[str], X: Any = None, rows: int = 100) -> None:
        """Write a workbook that scores the rows that are typed into it.

        The sheet "Score" has a cell for each column of a row, and formulas for its points, score,
        odds and probability. The sheet "Points" has the table; the formulas look points up in it.
        Numbers are compared with 15 digits, as Excel does.

        Parameters
        ----------
        path : str or path
            The file to write.
        X : array or data frame of shape (n_rows, n_columns), default=None
            Rows to fill in; None leaves the cells empty.
        rows : int, default=100
            The number of rows to prepare, if ``X`` is None.
        """
        data = scorecard_workbook(self, None if X is None else self.read(X), rows)
        with replacing(Path(path)) as file:
            file.write(data)

    def trees(self) -> list[ScoreTree]:
        """Return the points of each column as a tree of one split."""
        return [function_tree(function, self.schema) for function in self.functions]

    def plain(self, points: float) -> float | int:
        """Return points as an integer if they have no decimals."""
        return int(points) if self.decimals == 0 else points


def scorecard(
    ensemble: Ensemble,
    read: Callable[[Any], Table],
    *,
    base_score: float = 600,
    base_odds: float = 50,
    points_to_double_odds: float = 20,
    favours: Any = None,
    decimals: int | None = 0,
) -> Scorecard:
    """Return an additive ensemble of two classes as a scorecard.

    Parameters
    ----------
    ensemble : Ensemble
        Boosted trees of two classes, each of which splits on one column.
    read : callable
        From rows to a table, for ``Scorecard.points``.
    base_score : float, default=600
        The score at which the odds are ``base_odds``.
    base_odds : float, default=50
        The odds of the class ``favours`` at the base score.
    points_to_double_odds : float, default=20
        The points that double the odds.
    favours : class, default=None
        The class whose odds grow with the score; None for the second class.
    decimals : int or None, default=0
        The decimals to which points are rounded; None does not round them.

    Returns
    -------
    Scorecard
    """
    merged = _checked(ensemble)
    numbers = {"base_score": base_score, "base_odds": base_odds}
    numbers["points_to_double_odds"] = points_to_double_odds
    for name, value in numbers.items():
        least = -_LARGEST if name == "base_score" else 0.0
        if not isinstance(value, int | float) or not least < value < _LARGEST:
            kind = "a number" if name == "base_score" else "a number above 0"
            raise ParameterError(f"{name} must be {kind}, got {value!r}")
    if decimals is not None and not is_integer(decimals):
        raise ParameterError(f"decimals must be an integer or None, got {decimals!r}")
    classes = np.asarray(ensemble.classes).tolist()
    if favours is not None and favours not in classes:
        raise ParameterError(f"favours must be one of {classes}, got {favours!r}")
    chosen = classes[1] if favours is None else favours
    sign = 1.0 if chosen == classes[1] else -1.0
    factor = points_to_double_odds / log(2.0)
    scale = 2.0 * sign * factor  # the odds are exp(2 f)
    start = base_score - factor * log(base_odds) + scale * float(merged.start[0])
    functions = [_rounded(f, scale, decimals) for f in merged.functions]
    return Scorecard(
        ensemble.schema,
        float(_round(np.array([start]), decimals)[0]),
        tuple(f for f in functions if _matters(f)),
        chosen,
        float(base_score),
        float(base_odds),
        float(points_to_double_odds),
        decimals,
        read,
    )


def _checked(ensemble: Ensemble) -> Additive:
    """Return half the log-odds as a sum over columns, or say why there is no scorecard."""
    if ensemble.is_forest:
        raise ParameterError(
            "a scorecard needs boosted trees, whose votes are log-odds; the trees of a forest vote "
            "with shares"
        )
    if len(ensemble.classes) != 2:
        raise ParameterError(
            f"a scorecard is for two classes, but this model has {len(ensemble.classes)}"
        )
    merged = ensemble.additive
    if merged is None:
        raise ParameterError(
            "a scorecard needs trees that split on one column each; boost with max_depth=1"
        )
    if merged.own:
        raise TreeError("a scorecard cannot express user-defined splits")
    return merged if ensemble.n_outputs == 1 else _halved_difference(merged)


def _halved_difference(merged: Additive) -> Additive:
    """Return half the difference of the votes for two classes, which has one output.

    The odds are exp(f1 - f0): by the softmax of ``samme``, and for ``adaboost-mh`` because its two
    votes are f and -f.
    """

    def half(votes: FloatArray) -> FloatArray:
        return np.asarray((votes[..., 1:] - votes[..., :1]) / 2)

    functions = tuple(
        replace(f, scores=half(f.scores), missing=half(f.missing), unseen=half(f.unseen))
        for f in merged.functions
    )
    return Additive(half(merged.start), functions, ())


def _round(points: FloatArray, decimals: int | None) -> FloatArray:
    return points + 0.0 if decimals is None else np.round(points, decimals) + 0.0  # no -0.0


def _rounded(function: ScoreFunction, scale: float, decimals: int | None) -> ScoreFunction:
    """Return a score function in points; ranges with the same points are joined."""
    scores, missing, unseen = (
        _round(scale * score, decimals)
        for score in (function.scores, function.missing, function.unseen)
    )
    thresholds = function.thresholds
    if thresholds is not None:
        changes = (scores[1:] != scores[:-1]).any(axis=1)
        thresholds, scores = thresholds[changes], scores[np.concatenate(([True], changes))]
    # Missing cells have points whether or not the training table had any.
    return replace(
        function,
        thresholds=thresholds,
        scores=scores,
        missing=missing,
        unseen=unseen,
        has_missing=True,
    )


def _matters(function: ScoreFunction) -> bool:
    """Return whether a column gives points at all."""
    return bool(np.vstack((function.scores, function.missing, function.unseen)).any())
