"""The record of a boosting run: figures for every round."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

import numpy as np

from polytomy._types import FloatArray
from polytomy.ensemble import Member
from polytomy.format import Node, plain_number, refuse

_COUNTS = ("leaves", "trees")
_REQUIRED = ("alpha", "z", "training_error")  # figures that every algorithm defines


@dataclass(frozen=True, slots=True)
class Round:
    """The figures of one round; None for figures that the algorithm does not define.

    Parameters
    ----------
    epsilon : float or None
        The weighted error of the round's tree on D_t; for ``adaboost-mh`` over pairs of rows and
        classes; None for ``logitboost``.
    alpha : float
        The factor of the tree's vote; the learning rate if leaves vote with their own confidence.
    z : float
        The ratio of the loss after the round to that before; for AdaBoost the normaliser Z_t.
    bound : float or None
        The upper bound on the training error: for two classes the product of all Z so far, for
        ``adaboost-mh`` C/2 times that, for ``logitboost`` the log loss in bits. None for ``samme``.
    exponential_bound : float or None
        exp(-2 sum (1/2 - eps_t)^2), for ``adaboost`` with a learning rate of 1; otherwise None.
    training_error, validation_error : float or None
        The weighted error of the ensemble so far on the training and the held-out rows.
    validation_loss : float or None
        The algorithm's loss on the held-out rows.
    leaves : int
        The number of leaves of the round's trees together.
    trees : int
        The number of trees that the round added.
    """

    epsilon: float | None
    alpha: float
    z: float
    bound: float | None
    exponential_bound: float | None
    training_error: float
    validation_error: float | None
    validation_loss: float | None
    leaves: int
    trees: int


_FIELDS = tuple(f.name for f in fields(Round))


class Rounds(Sequence[Round]):
    """A sequence of rounds; each field is also available as an array over the rounds.

    Parameters
    ----------
    rounds : iterable of Round, default=()
        The rounds.

    Examples
    --------
    >>> one = Round(0.2, 0.7, 0.8, 0.8, 0.84, 0.2, None, None, 2, 1)
    >>> rounds = Rounds([one, one])
    >>> rounds[0].alpha, rounds["epsilon"].tolist(), rounds.validation_error.tolist()
    (0.7, [0.2, 0.2], [nan, nan])
    """

    def __init__(self, rounds: Iterable[Round] = ()) -> None:
        self._rounds = tuple(rounds)

    def __len__(self) -> int:
        return len(self._rounds)

    def __iter__(self) -> Iterator[Round]:
        return iter(self._rounds)

    @overload
    def __getitem__(self, at: int) -> Round: ...
    @overload
    def __getitem__(self, at: slice) -> "Rounds": ...
    @overload
    def __getitem__(self, at: str) -> FloatArray: ...
    def __getitem__(self, at: int | slice | str) -> "Round | Rounds | FloatArray":
        """Return a round by position, rounds by a slice, or a field of all rounds by its name."""
        if isinstance(at, str):
            if at not in Round.__dataclass_fields__:
                known = ", ".join(Round.__dataclass_fields__)
                raise KeyError(f"rounds have no field {at!r}; the fields are {known}")
            return self.array(at)
        return Rounds(self._rounds[at]) if isinstance(at, slice) else self._rounds[at]

    def __eq__(self, other: object) -> bool:
        """Return whether all figures are equal."""
        return isinstance(other, Rounds) and self._rounds == other._rounds

    def __hash__(self) -> int:
        return hash(self._rounds)

    def __repr__(self) -> str:
        return f"<{len(self)} rounds>"

    def array(self, name: str) -> FloatArray:
        """Return one field of all rounds as an array.

        Parameters
        ----------
        name : str
            The name of a field of ``Round``.

        Returns
        -------
        ndarray of float
            The values; NaN for None.
        """
        values = [getattr(r, name) for r in self._rounds]
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)

    def columns(self) -> dict[str, list[Any]]:
        """Return all fields as lists over the rounds, for example to make a data frame.

        Returns
        -------
        dict of lists
            The values of each field, and the round numbers as "round".
        """
        numbers: dict[str, list[Any]] = {"round": list(range(1, len(self) + 1))}
        return numbers | {f.name: [getattr(r, f.name) for r in self] for f in fields(Round)}

    @property
    def epsilon(self) -> FloatArray:
        """The weighted error of each round's tree."""
        return self.array("epsilon")

    @property
    def alpha(self) -> FloatArray:
        """The factor of each round's vote."""
        return self.array("alpha")

    @property
    def z(self) -> FloatArray:
        """The normaliser Z of each round."""
        return self.array("z")

    @property
    def bound(self) -> FloatArray:
        """The bound on the training error after each round."""
        return self.array("bound")

    @property
    def exponential_bound(self) -> FloatArray:
        """The bound exp(-2 sum (1/2 - eps)^2) after each round."""
        return self.array("exponential_bound")

    @property
    def training_error(self) -> FloatArray:
        """The ensemble's training error after each round."""
        return self.array("training_error")

    @property
    def validation_error(self) -> FloatArray:
        """The ensemble's error on held-out rows after each round."""
        return self.array("validation_error")

    @property
    def validation_loss(self) -> FloatArray:
        """The ensemble's loss on held-out rows after each round."""
        return self.array("validation_loss")


def rounds_to_plain(rounds: Iterable[Round]) -> dict[str, list[Any]]:
    """Return rounds as a JSON value: a list for each field.

    Parameters
    ----------
    rounds : iterable of Round
        The rounds.

    Returns
    -------
    dict of lists
        The values of each field.
    """
    return {name: [_to_plain(getattr(r, name)) for r in rounds] for name in _FIELDS}


def rounds_from_plain(node: Node, members: Sequence[Member]) -> list[Round]:
    """Return the rounds that ``rounds_to_plain`` wrote; they must match the members' trees.

    Parameters
    ----------
    node : Node
        The JSON value.
    members : sequence of Member
        The members of the ensemble.

    Returns
    -------
    list of Round
        The rounds.

    Raises
    ------
    ModelFormatError
        If the value is malformed or does not match the members.
    """
    lists = node.fields(*_FIELDS)
    length = len(list(lists[0].items()))
    columns = [
        [_from_plain(name, item) for item in part.items(length)]
        for name, part in zip(_FIELDS, lists, strict=True)
    ]
    rounds = [Round(*figures) for figures in zip(*columns, strict=True)]
    per_round = rounds[0].trees if rounds else 1
    if any(r.trees != per_round for r in rounds) or per_round * length != len(members):
        refuse("rounds.trees", f"the rounds do not match the {len(members)} members")
    for t, r in enumerate(rounds):
        trees = members[t * per_round : (t + 1) * per_round]
        leaves = sum(member.tree.n_leaves for member in trees)
        if r.leaves != leaves:
            refuse(f"rounds.leaves[{t}]", f"is {r.leaves}, but the round's trees have {leaves}")
    return rounds


def _to_plain(value: Any) -> Any:
    return plain_number(value) if isinstance(value, float) else value


def _from_plain(name: str, node: Node) -> Any:
    if name in _COUNTS:
        return node.whole(1)
    if node.value is None and name not in _REQUIRED:
        return None
    return node.number(infinite=True)
