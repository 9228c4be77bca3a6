"""An ensemble: trees whose leaves vote, joined with the schema and the classes they speak of."""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._types import AnyArray, FloatArray
from polytomy.encode import Schema
from polytomy.predict import check_fit

from .ballot import Ballot, ballot_of, merged_ballot
from .member import REACH, Member, quantized
from .scores import Additive, additive


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Trees that vote together: a row's votes are ``start`` plus the scores of its leaves.

    Parameters
    ----------
    schema : Schema
        The columns of the training table.
    classes : array
        The classes, ascending.
    members : tuple of Member
        In the order they were grown.
    start : array of shape (n_outputs,)
        The votes before any member; ``quantized``. One output, whose positive votes are for
        ``classes[1]``, or one for each class.
    algorithm : str
        The name of the algorithm that grew it, for readers.
    """

    schema: Schema
    classes: AnyArray
    members: tuple[Member, ...]
    start: FloatArray
    algorithm: str

    def __post_init__(self) -> None:
        start = np.array(self.start, dtype=np.float64) + 0.0
        start.setflags(write=False)
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "members", tuple(self.members))
        object.__setattr__(self, "classes", np.asarray(self.classes))
        n_classes = len(self.classes)
        if start.shape != (n_classes,) and (start.shape != (1,) or n_classes != 2):
            raise TreeError(
                f"{n_classes} classes, but votes of shape {start.shape}: votes are for "
                "each class, or of two classes for the second"
            )
        if not np.array_equal(start, quantized(start)):
            raise TreeError("the votes to start from must be quantized, as scores are")
        for t, member in enumerate(self.members):
            check_fit(member.tree, self.schema)
            if member.scores.shape[1] != len(start):
                raise TreeError(
                    f"member {t} votes for {member.scores.shape[1]} outputs, not {len(start)}"
                )

    def __len__(self) -> int:
        return len(self.members)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickle or a copy, frozen again."""
        self.__dict__.update(state)
        self.start.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is worked out when asked for."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __eq__(self, other: object) -> bool:
        """Equal in the columns' names, the classes, the algorithm and every score and tree."""
        if not isinstance(other, Ensemble):
            return NotImplemented
        return (
            self.schema.names == other.schema.names
            and self.algorithm == other.algorithm
            and np.array_equal(self.classes, other.classes)
            and np.array_equal(self.start, other.start)
            and self.members == other.members
        )

    __hash__ = None  # type: ignore[assignment]  # arrays are compared by value

    @property
    def n_outputs(self) -> int:
        """How many numbers a row's votes are: 1, or one for each class."""
        return len(self.start)

    @cached_property
    def reach(self) -> float:
        """The most that any votes could be in size, were every member to vote the same way."""
        most = np.abs(self.start)
        for member in self.members:
            most = most + np.abs(member.scores).max(axis=0)
        return float(most.max())

    @property
    def exact(self) -> bool:
        """Whether sums of its votes are exact in any order, whatever the row."""
        return self.reach < REACH

    @cached_property
    def depth(self) -> int:
        """The most questions any member asks of a row; 1 for stumps, 0 without members."""
        return max((int(m.tree.depth.max()) for m in self.members), default=0)

    @cached_property
    def additive(self) -> Additive | None:
        """The same votes as a sum of functions of one column each; None if they are not such a sum.

        They are one where each member asks at most one question, of any number of branches.
        """
        return additive(self.schema, self.members, self.start)

    @cached_property
    def ballot(self) -> Ballot:
        """How the members vote fastest: by look-ups where they add up column by column."""
        if self.exact and self.additive is not None:
            return merged_ballot(self.schema, self.additive)
        return ballot_of(self.schema, self.members, self.start)

    def truncated(self, n: int) -> "Ensemble":
        """Return the ensemble of the first n members."""
        if not 0 <= n <= len(self.members):
            raise ParameterError(f"there are {len(self.members)} members, not {n}")
        return replace(self, members=self.members[:n])
