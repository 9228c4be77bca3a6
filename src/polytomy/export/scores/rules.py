"""Rules of an ensemble: the score that each range, category or leaf adds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from polytomy._text import one_line
from polytomy.encode import Schema
from polytomy.ensemble import Ensemble
from polytomy.export.phrasing import leaf_conditions
from polytomy.table import frame_of
from polytomy.tree import Tree, depth_first

from .rows import own_split_scores, score_rows

_EVERY = 1 << 30  # rows of a column: no ranges are joined


@dataclass(frozen=True, slots=True)
class ScoreRule:
    """A condition, and what it adds to each output.

    ``tree`` is the number of the tree, from 0; None if the rule sums up all trees on a column.
    """

    tree: int | None
    condition: str
    scores: tuple[float, ...]


class ScoreRules(Sequence[ScoreRule]):
    """The rules of an ensemble; ``str`` returns one per line.

    ``outputs`` are the names of the outputs, ``note`` says how scores become a prediction, and
    ``is_sum`` whether they are added up rather than averaged.
    """

    def __init__(
        self, rules: Sequence[ScoreRule], outputs: Sequence[str], note: str, *, is_sum: bool
    ) -> None:
        self._rules, self.outputs, self.note = tuple(rules), tuple(outputs), note
        self.is_sum = is_sum

    @overload
    def __getitem__(self, at: int) -> ScoreRule: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[ScoreRule]: ...
    def __getitem__(self, at: int | slice) -> ScoreRule | Sequence[ScoreRule]:
        return self._rules[at]

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[ScoreRule]:
        return iter(self._rules)

    def __str__(self) -> str:
        """Return one rule per line, after the note."""
        return "\n".join([self.note, *map(self._line, self._rules)])

    __repr__ = __str__

    def _line(self, rule: ScoreRule) -> str:
        pairs = zip(self.outputs, rule.scores, strict=True)
        form = "+.4g" if self.is_sum else ".4g"
        added = ", ".join(f"{name} {score:{form}}" for name, score in pairs)
        tree = "" if rule.tree is None else f"tree {rule.tree + 1}, "
        return f"{tree}{rule.condition}: {added}"

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the rules as columns.

        Returns
        -------
        dict of lists
            ``tree`` (None for rules that sum up all trees on a column), ``rule``, and a column with
            the score for each output, named after it.
        """
        columns: dict[str, list[Any]] = {
            "tree": [rule.tree for rule in self],
            "rule": [rule.condition for rule in self],
        }
        for k, output in enumerate(self.outputs):
            name = output
            while name in columns:  # a class may be called "tree"
                name += "_"
            columns[name] = [rule.scores[k] for rule in self]
        return columns

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rules as a data frame, with the columns of ``to_dict``.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default=None
            The library whose data frame is returned; None for the first that is installed.

        Returns
        -------
        data frame
            One row for each rule.
        """
        return frame_of(self.to_dict(), backend)


def ensemble_rules(ensemble: Ensemble) -> ScoreRules:
    """Return an ensemble as rules.

    If every tree splits on one column only, there is a rule for each range or set of categories of
    a column; otherwise one for each leaf of each tree. The first rule is the start, if it is not 0.

    Parameters
    ----------
    ensemble : Ensemble
        The ensemble.

    Returns
    -------
    ScoreRules
    """
    names = [one_line(c) for c in np.asarray(ensemble.classes).tolist()]
    if ensemble.is_numeric:
        outputs, note = ["mean"], "The prediction is the mean over the trees."
    elif ensemble.is_forest:
        outputs, note = names, "The probability of a class is its mean share over the trees."
    elif ensemble.n_outputs == 1:
        outputs = ["votes"]
        note = f"Votes above 0 are for {names[1]}, below for {names[0]}."
    else:
        outputs, note = names, "The class with the most votes wins."
    return ScoreRules(list(_rules(ensemble)), outputs, note, is_sum=not ensemble.is_forest)


def _rules(ensemble: Ensemble) -> Iterator[ScoreRule]:
    merged = None if ensemble.is_forest else ensemble.additive
    start = ensemble.start if merged is None else merged.start
    if start.any():
        yield ScoreRule(None, "always", tuple(start.tolist()))
    if merged is not None:
        for function in merged.by_spread():
            for row in score_rows(function, ensemble.schema[function.feature], _EVERY):
                yield ScoreRule(None, f"if {row.words}", tuple(row.low.tolist()))
        for member in merged.own:
            _, words, added = own_split_scores(member, ensemble.schema)
            for branch, scores in zip(words, added.tolist(), strict=True):
                yield ScoreRule(None, f"if {branch}", tuple(scores))
        return
    for t, member in enumerate(ensemble.members):
        scores = member.scores
        if ensemble.scale is not None:
            scores = ensemble.scale.centre + ensemble.scale.unit * scores
        grown = _Grown(ensemble.schema, member.tree)
        place, leaves = depth_first(member.tree).place, member.tree.leaves()
        for leaf in leaves[np.argsort(place[leaves])].tolist():
            path = " and ".join(leaf_conditions(grown, leaf))
            yield ScoreRule(t, f"if {path}" if path else "always", tuple(scores[leaf].tolist()))


@dataclass(frozen=True, slots=True)
class _Grown:
    """A tree of an ensemble with its columns."""

    schema: Schema
    tree: Tree
