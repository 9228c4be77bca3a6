"""Where a tree comes from, if no growth procedure made it.

A teacher, a search or polishing may have found it, and people may have edited it by hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite, isinf, isnan, nan
from typing import Any

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer, is_real
from polytomy._text import count, one_line, percent

from .edits import NOTHING, EditLog

VALIDATIONS = ("out-of-bag", "out-of-fold", "training")
"""The ways to measure the error of a teacher; the last one is for one that came fitted."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a teacher taught a tree.

    Parameters
    ----------
    name : str
        The teacher, such as ``"forest of 200 trees"``.
    validation : {"out-of-bag", "out-of-fold", "training"}
        How its error was measured.
    error : float
        Its error on the training rows by that validation: a share of the weight or, for a numeric
        target, the mean loss.
    mix : float
        The weight of the label in the target of a row, from 0 to 1; the rest is the teacher's.
    synthetic_rows : int
        The number of synthetic rows that the teacher labelled.
    fidelity : float
        The share of the training rows (by weight) for which tree and teacher predict the same
        class. For a numeric target, 1 less the mean squared difference of their predictions divided
        by the variance of the teacher's, which has no lower limit; nan if that variance is 0. nan
        also if it is not known, because the tree was pruned later.

    Examples
    --------
    >>> Lesson("forest of 200 trees", "out-of-bag", 0.121, 0.5, 8000, 0.95).name
    'forest of 200 trees'
    """

    name: str
    validation: str
    error: float
    mix: float
    synthetic_rows: int
    fidelity: float

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ParameterError(f"name must be the name of a teacher, got {self.name!r}")
        if self.validation not in VALIDATIONS:
            raise ParameterError(
                f"validation must be one of {', '.join(VALIDATIONS)}; got {self.validation!r}"
            )
        if not (is_real(self.error) and isfinite(self.error) and self.error >= 0):
            raise ParameterError(f"error must be a finite number >= 0, got {self.error!r}")
        if not (is_real(self.mix) and 0 <= self.mix <= 1):
            raise ParameterError(f"mix must be a number from 0 to 1, got {self.mix!r}")
        _check_integer("synthetic_rows", self.synthetic_rows, 0)
        fits = is_real(self.fidelity) and not isinf(self.fidelity) and not self.fidelity > 1
        if not fits:
            raise ParameterError(f"fidelity must be a number of at most 1, got {self.fidelity!r}")

    def check_classes(self) -> None:
        """Raise an error if the error or the fidelity is not a share, as it must be for classes."""
        for name in ("error", "fidelity"):
            value = getattr(self, name)
            if not (0 <= value <= 1 or (name == "fidelity" and isnan(value))):
                raise ParameterError(f"{name} must be a share from 0 to 1, got {value!r}")


@dataclass(frozen=True, slots=True)
class Origin:
    """How a tree was found that no growth procedure made on the labels of its rows.

    Parameters
    ----------
    lesson : Lesson or None, default=None
        What a teacher taught, if there was one.
    search : tuple of two int or None, default=None
        The number of candidates for the split of the root, and the number of levels of the search
        beyond greedy growth, if there was one.
    polishing : int, default=0
        The number of passes that changed splits of the finished tree.
    edits : EditLog or None, default=None
        How people edited the tree by hand, if they did.

    Examples
    --------
    >>> Origin(search=(6, 2), polishing=1).why_not_covered
    'The tree was chosen by search and polished, not grown by this procedure.'
    """

    lesson: Lesson | None = None
    search: tuple[int, int] | None = None
    polishing: int = 0
    edits: EditLog | None = None

    def __post_init__(self) -> None:
        if self.lesson is not None and not isinstance(self.lesson, Lesson):
            raise ParameterError(f"lesson must be a Lesson or None, got {self.lesson!r}")
        if self.search is not None:
            if not isinstance(self.search, tuple) or len(self.search) != 2:
                raise ParameterError(f"search must be two integers or None, got {self.search!r}")
            _check_integer("the number of candidates", self.search[0], 1)
            _check_integer("the number of levels", self.search[1], 1)
        _check_integer("polishing", self.polishing, 0)
        if self.edits is not None and not isinstance(self.edits, EditLog):
            raise ParameterError(f"edits must be an EditLog or None, got {self.edits!r}")

    def pruned(self) -> "Origin":
        """Return the origin of a later pruning of the tree, whose fidelity is not known.

        Returns
        -------
        Origin
            The origin.
        """
        if self.lesson is None:
            return self
        return replace(self, lesson=replace(self.lesson, fidelity=nan))

    @property
    def relabelled(self) -> Mapping[int, int]:
        """The classes that leaves were given by hand, by node."""
        if self.edits is None:
            return {}
        *_, last = self.edits.states()
        return last.tree.relabelled

    @property
    def why_not_covered(self) -> str:
        """Why the theorem of a growth procedure does not cover the tree, in one sentence."""
        ways = []
        if self.lesson is not None:
            ways.append("grown on a teacher's targets")
        if self.search is not None:
            ways.append("chosen by search")
        if self.polishing:
            ways.append("polished")
        if self.edits is not None:
            ways.append("edited by hand")
        if not ways:
            return NOT_GROWN
        *most, last = ways
        how = f"{', '.join(most)} and {last}" if most else last
        contrast = "grown by this procedure"
        if self.lesson is not None:
            contrast = "by this procedure on the labels"
        return f"The tree was {how}, not {contrast}."


_NAMED = 8  # the most steps that are named one by one

NOT_GROWN = "The tree was not grown by this procedure."
"""Why no theorem covers a tree of unknown origin."""


def origin_sentences(origin: Origin, loss: str | None = None) -> list[str]:
    """Return how a tree was found, one sentence for each part.

    Parameters
    ----------
    origin : Origin
        The origin of the tree.
    loss : str or None, default=None
        The loss of a numeric target; None for classes.

    Returns
    -------
    list of str
        The sentences.

    Examples
    --------
    >>> lesson = Lesson("forest of 200 trees", "out-of-bag", 0.121, 0.5, 0, 0.95)
    >>> taught, searched = origin_sentences(Origin(lesson, (6, 2)))
    >>> taught[:69]
    'Grown with a teacher: forest of 200 trees, out-of-bag error 12.1%; th'
    >>> searched
    'Found by search: 6 candidates at the root and fewer below, 2 levels deep.'
    """
    sentences = []
    if origin.lesson is not None:
        sentences.append(_lesson_sentence(origin.lesson, loss))
    if origin.search is not None:
        beam, depth = origin.search
        below = "" if depth == 1 else f" and fewer below, {depth} levels deep"
        candidates = count(beam, "candidate")
        sentences.append(f"Found by search: {candidates} at the root{below}.")
    if origin.polishing:
        passes = count(origin.polishing, "pass", "passes")
        sentences.append(f"Polished: {passes} changed splits of the finished tree.")
    if origin.edits is not None:
        sentences += _edit_sentences(origin.edits, len(origin.relabelled))
    return sentences


def edited_text(log: EditLog) -> str:
    """Return how a tree was edited by hand, such as "grown by priced, edited by hand in 3 steps".

    Parameters
    ----------
    log : EditLog
        The log.

    Returns
    -------
    str
        A sentence without its full stop.
    """
    begun = "Begun with one leaf" if log.grown_by == NOTHING else f"Grown by {log.grown_by}"
    names = ", ".join(step.operation for step in log.steps)
    how = f" ({names})" if 0 < len(log.steps) <= _NAMED else ""
    return f"{begun}, edited by hand in {count(len(log.steps), 'step')}{how}, re-certified"


def _edit_sentences(log: EditLog, relabelled: int) -> list[str]:
    """Return what was edited, the reasons that were given, and which leaves have other classes."""
    sentences = [f"{edited_text(log)}."]
    for number, step in enumerate(log.steps, 1):
        if step.reason:
            reason = one_line(step.reason).rstrip(".")
            sentences.append(f"Reason for step {number}, {step.operation}: {reason}.")
    if relabelled:
        leaves = count(relabelled, "leaf", "leaves")
        sentences.append(
            f"The class of {leaves} was chosen by hand; the certificate is about majority classes."
        )
    return sentences


def error_text(error: float, is_numeric: bool) -> str:
    """Return an error as text: a share of the rows, or the mean loss of a numeric target."""
    return f"{error:.4g}" if is_numeric else percent(error, 1)


def _lesson_sentence(lesson: Lesson, loss: str | None) -> str:
    is_numeric = loss is not None
    what = f"mean {loss}" if is_numeric else "error"
    teacher = f"{one_line(lesson.name)}, {lesson.validation} {what}"
    figures = f"{teacher} {error_text(lesson.error, is_numeric)}"
    if lesson.synthetic_rows:
        figures += f", and {lesson.synthetic_rows:,} synthetic rows that it labelled"
    if isnan(lesson.fidelity):
        return f"Grown with a teacher: {figures}."
    agrees = f"the tree agrees with it on {percent(lesson.fidelity, 1)} of the rows"
    if is_numeric:
        explained = f"{percent(lesson.fidelity, 1)} of the variance of the teacher's predictions"
        agrees = f"the tree explains {explained}"
    return f"Grown with a teacher: {figures}; {agrees}."


def _check_integer(name: str, value: Any, least: int) -> None:
    if not is_integer(value) or value < least:
        raise ParameterError(f"{name} must be an integer of at least {least}, got {value!r}")
