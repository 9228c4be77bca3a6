"""Checkpoints: the state of a boosting run in a file, from which a later run can resume.

A checkpoint is a document of the model format (``docs/reference/format``) of kind ``checkpoint``.
"""

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from polytomy import __version__
from polytomy._errors import CheckpointError, ModelFormatError, ParameterError
from polytomy._files import write_atomically
from polytomy._numbers import is_integer, is_real
from polytomy.encode import Schema
from polytomy.ensemble import Member
from polytomy.format import (
    CHECKPOINT,
    CHECKPOINT_LIMITS,
    FORMAT,
    EncodedJson,
    Node,
    from_members,
    load_document,
    plain_numbers,
    read_bytes,
    refuse,
    to_bytes,
    to_member,
)

from .booster import Progress
from .rounds import rounds_from_plain, rounds_to_plain

_MEMBERS = ("format", "library", "kind", "mark", "ended", "start", "rounds", "members")
_DIFFERENCES = {
    "columns": "the columns differ",
    "rows": "the rows, labels, weights or held-out rows differ",
    "parameters": "the parameters differ",
}


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """The file for a run's checkpoints, and how often to write it.

    A checkpoint is written after every ``rounds`` rounds or ``seconds`` seconds, whichever comes
    first, and at the end of the run.

    Parameters
    ----------
    path : str or path-like
        The file. If it exists when a run begins, the run resumes from it.
    rounds : int, default=None
        Write after this many rounds; None for no limit on the number of rounds.
    seconds : float, default=10.0
        Write after this many seconds.
    """

    path: Any
    rounds: int | None = None
    seconds: float = 10.0

    def __post_init__(self) -> None:
        if not isinstance(self.path, str | os.PathLike) or not str(self.path):
            raise ParameterError(f"checkpoint must be a path, got {self.path!r}")
        rounds: Any = self.rounds
        seconds: Any = self.seconds
        if rounds is not None and (not is_integer(rounds) or rounds < 1):
            raise ParameterError(f"checkpoint rounds must be at least 1, got {rounds!r}")
        if not is_real(seconds) or not seconds >= 0:
            raise ParameterError(f"checkpoint seconds must be at least 0, got {seconds!r}")

    @classmethod
    def of(cls, given: Any) -> "Checkpoint | None":
        """Return the settings from any of the values that ``checkpoint=`` accepts.

        Parameters
        ----------
        given : None, str, path-like, mapping or Checkpoint
            A path, or the parameters by name.

        Returns
        -------
        Checkpoint or None
            The settings; None if ``given`` is None.
        """
        if given is None or isinstance(given, cls):
            return given
        if isinstance(given, Mapping):
            if "path" not in given or set(given) - set(cls.__dataclass_fields__):
                raise ParameterError(
                    "checkpoint as a dict needs 'path' and may have 'rounds' and 'seconds'; "
                    f"got {sorted(map(str, given))}"
                )
            return cls(**given)
        return cls(path=given)


class CheckpointWriter:
    """Writes the progress of a run to its checkpoint file at the chosen intervals.

    A file that cannot be written is an error when the run begins but only a warning later, so that
    a full disk does not end a long run. A file is never replaced by one with fewer rounds.

    Parameters
    ----------
    checkpoint : Checkpoint
        The file and the intervals.
    mark : dict of str
        The fingerprint of the run's data and parameters; only a run with the same one can resume.
    schema : Schema
        The columns of the training table.
    """

    def __init__(self, checkpoint: Checkpoint, mark: dict[str, str], schema: Schema) -> None:
        self._checkpoint, self._mark, self._schema = checkpoint, mark, schema
        self._encoded: list[tuple[Member, EncodedJson]] = []
        self._rounds_written, self._time_written = 0, monotonic()

    def load(self) -> Progress | None:
        """Return the progress in the file, or None if there is no file.

        Returns
        -------
        Progress or None
            The state to resume from.

        Raises
        ------
        CheckpointError
            If the file is damaged, is not a checkpoint, or belongs to another run.
        """
        path = Path(self._checkpoint.path)
        if path.is_dir():
            raise CheckpointError(f"the checkpoint {path} is a folder: name a file in it")
        if not path.exists():
            return None
        progress = load(path, self._mark, self._schema)
        self._rounds_written = len(progress.rounds)
        return progress

    def begin(self, progress: Progress) -> None:
        """Write the state before the first round, to find out early whether the file is writable.

        Parameters
        ----------
        progress : Progress
            The state of the run.

        Raises
        ------
        CheckpointError
            If the file cannot be written.
        """
        if len(progress.rounds) >= self._rounds_written:
            self._write(progress)

    def round_done(self, progress: Progress) -> None:
        """Write the state of the run if enough rounds or seconds have passed.

        Parameters
        ----------
        progress : Progress
            The state of the run after a round.
        """
        every = self._checkpoint.rounds
        due = every is not None and len(progress.rounds) - self._rounds_written >= every
        if due or monotonic() - self._time_written >= self._checkpoint.seconds:
            self.write(progress)

    def write(self, progress: Progress) -> None:
        """Write the state of the run now, or warn if that fails.

        Parameters
        ----------
        progress : Progress
            The state of the run.
        """
        if len(progress.rounds) < self._rounds_written:
            return
        try:
            self._write(progress)
        except CheckpointError as error:
            self._time_written = monotonic()  # do not try again after every round
            warnings.warn(f"{error}; the run continues without it", UserWarning, stacklevel=2)

    def _write(self, progress: Progress) -> None:
        save(Path(self._checkpoint.path), progress, self._mark, self._encoded)
        self._rounds_written, self._time_written = len(progress.rounds), monotonic()


def save(
    path: Path,
    progress: Progress,
    mark: dict[str, str],
    encoded: list[tuple[Member, EncodedJson]] | None = None,
) -> None:
    """Write a progress to a file atomically, creating its folder if necessary.

    ``encoded`` is a cache of the members' JSON text. It is updated, so that each checkpoint of a
    run encodes only the members that are new.
    """
    cache = [] if encoded is None else encoded
    try:
        document = {
            "format": FORMAT,
            "library": f"polytomy {__version__}",
            "kind": CHECKPOINT,
            "mark": mark,
            "ended": progress.ended,
            "start": None if progress.start is None else plain_numbers(progress.start),
            "rounds": rounds_to_plain(progress.rounds),
            "members": _encoded_members(progress.members, cache),
        }
        data = to_bytes(document, CHECKPOINT_LIMITS)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)
    except (OSError, ModelFormatError) as error:
        why = getattr(error, "strerror", None) or error
        raise CheckpointError(f"cannot write the checkpoint {path}: {why}") from error


def load(path: Path, mark: dict[str, str], schema: Schema) -> Progress:
    """Read a progress from a file; raise an error if its data or parameters are others."""
    try:
        data = read_bytes(path, CHECKPOINT_LIMITS)
        found = load_document(data, lambda d: _from_document(d, mark, schema), CHECKPOINT_LIMITS)
    except ModelFormatError as error:
        raise CheckpointError(
            f"{path} is not a readable checkpoint ({error}); delete it to start over"
        ) from error
    if isinstance(found, str):
        raise CheckpointError(
            f"{path} is the checkpoint of another run: {found}; delete it or name another file"
        )
    return found


def _encoded_members(
    members: tuple[Member, ...], cache: list[tuple[Member, EncodedJson]]
) -> list[EncodedJson]:
    """Return the members as JSON text, encoding only those that are not in the cache."""
    for i, member in enumerate(members):
        if i < len(cache) and cache[i][0] is member:
            continue
        cache[i:] = [(member, EncodedJson.of(to_member(member)))]
    return [text for _, text in cache[: len(members)]]


def _from_document(
    document: dict[str, Any], mark: dict[str, str], schema: Schema
) -> Progress | str:
    """Return the progress in a document, or how its run differs from this one."""
    node = Node(document, "")
    node.member("format").whole(FORMAT, FORMAT)
    if node.member("kind").value in ("tree", "boosted"):
        refuse("", "the file is a model file, not a checkpoint")
    node.member("kind").word((CHECKPOINT,))
    _, library, _, found, ended, start, rounds, members = node.fields(*_MEMBERS)
    library.text()
    marks = {name: value.text() for name, value in found.members().items()}
    differ = [_DIFFERENCES.get(name, name) for name in mark if marks.get(name) != mark[name]]
    if differ:
        return " and ".join(differ)
    votes = None if start.value is None else start.numbers()
    trees = from_members(members, schema, 0 if votes is None else len(votes))
    return Progress(
        members=trees,
        rounds=tuple(rounds_from_plain(rounds, trees)),
        start=votes,
        ended=None if ended.value is None else ended.text(),
    )
