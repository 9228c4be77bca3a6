"""Checkpoints: what a run has come to, on disk, always whole.

Plain arrays in NumPy's npz format, read without pickle: a file from elsewhere cannot run anything.
"""

import json
import os
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from numbers import Integral, Real
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic
from typing import Any

import numpy as np

from polytomy._errors import CheckpointError, ParameterError

from .booster import Progress
from .packing import packed, unpacked
from .rounds import Round

FORMAT = 1
_WHY = {
    "columns": "the columns differ",
    "rows": "the rows, labels, weights or held-out rows differ",
    "parameters": "the parameters differ",
}


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """Where to keep a run's progress, and how often.

    Parameters
    ----------
    path : str or path
        The file. If it is there when a run begins, the run goes on from it.
    rounds : int, optional
        Write after so many rounds,
    seconds : float
        or after so many seconds, whichever comes first; and at the end.
    """

    path: Any
    rounds: int | None = None
    seconds: float = 10.0

    def __post_init__(self) -> None:
        if not isinstance(self.path, str | os.PathLike) or not str(self.path):
            raise ParameterError(f"checkpoint must be a path, got {self.path!r}")
        rounds: Any = self.rounds
        seconds: Any = self.seconds
        whole = isinstance(rounds, Integral) and not isinstance(rounds, bool)
        if rounds is not None and (not whole or rounds < 1):
            raise ParameterError(f"checkpoint rounds must be at least 1, got {rounds!r}")
        if not isinstance(seconds, Real) or not float(seconds) >= 0:
            raise ParameterError(f"checkpoint seconds must be at least 0, got {seconds!r}")

    @classmethod
    def of(cls, given: Any) -> "Checkpoint | None":
        """Return what a user passed, a path, a mapping or an object, as an object."""
        if given is None or isinstance(given, cls):
            return given
        if isinstance(given, Mapping):
            if "path" not in given or set(given) - set(cls.__dataclass_fields__):
                raise ParameterError(
                    "checkpoint as a dict has a 'path' and, if wanted, 'rounds' and 'seconds'; "
                    f"got {sorted(map(str, given))}"
                )
            return cls(**given)
        return cls(path=given)


class Keeper:
    """Writes a run's progress when it is time to.

    A file that cannot be written is an error when the run begins, but only a warning later: what
    a long run has come to must not be lost because a disk is full. Nor is a file replaced by one
    with fewer rounds.
    """

    def __init__(self, checkpoint: Checkpoint, mark: dict[str, str]) -> None:
        self._checkpoint, self._mark = checkpoint, mark
        self._written, self._when = 0, monotonic()

    def load(self) -> Progress | None:
        """Return the progress on disk, None if there is none; refuse that of another run."""
        path = Path(self._checkpoint.path)
        if path.is_dir():
            raise CheckpointError(f"the checkpoint {path} is a folder: name a file in it")
        if not path.exists():
            return None
        progress = load(path, self._mark)
        self._written = len(progress.rounds)
        return progress

    def begin(self, progress: Progress) -> None:
        """Write where the run begins, to know before the work whether it can be kept."""
        if len(progress.rounds) >= self._written:
            self._write(progress)

    def round_done(self, progress: Progress) -> None:
        """Write the progress if enough rounds or seconds have passed."""
        every = self._checkpoint.rounds
        due = every is not None and len(progress.rounds) - self._written >= every
        if due or monotonic() - self._when >= self._checkpoint.seconds:
            self.write(progress)

    def write(self, progress: Progress) -> None:
        """Write the progress now, or warn that it cannot be written."""
        if len(progress.rounds) < self._written:
            return
        try:
            self._write(progress)
        except CheckpointError as error:
            self._when = monotonic()  # the next attempt is not after every round
            warnings.warn(f"{error}; going on without", UserWarning, stacklevel=2)

    def _write(self, progress: Progress) -> None:
        save(Path(self._checkpoint.path), progress, self._mark)
        self._written, self._when = len(progress.rounds), monotonic()


def save(path: Path, progress: Progress, mark: dict[str, str]) -> None:
    """Write a progress; whoever reads the path finds the old one or the new one, whole."""
    head = {
        "format": FORMAT,
        "mark": mark,
        "ended": progress.ended,
        "rounds": [asdict(r) for r in progress.rounds],
    }
    arrays: dict[str, Any] = packed(progress.members)
    arrays["head"] = np.array(json.dumps(head))
    arrays["start"] = np.zeros(0) if progress.start is None else progress.start
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            try:
                np.savez(file, **arrays)
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).replace(path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(file.name)
                raise
        _settle(path.parent)
    except OSError as error:
        raise CheckpointError(f"cannot write the checkpoint {path}: {error}") from error


def load(path: Path, mark: dict[str, str]) -> Progress:
    """Read a progress; refuse one of other data or parameters."""
    try:
        with path.open("rb") as handle, np.load(handle, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        head = json.loads(str(arrays["head"]))
        version = head["format"]
        if version == FORMAT:
            _check_mark(path, head["mark"], mark)
            rounds = tuple(Round(**r) for r in head["rounds"])
            start = arrays["start"]
            members = unpacked(arrays)
            if sum(r.trees for r in rounds) != len(members):
                raise ValueError(f"{len(members)} trees are not those of {len(rounds)} rounds")
            return Progress(members, rounds, start if len(start) else None, head["ended"])
    except CheckpointError:
        raise
    except Exception as e:  # NumPy, zipfile and json raise a dozen kinds on a damaged file
        raise CheckpointError(
            f"{path} is no checkpoint that can be read ({e}); delete it to begin anew"
        ) from e
    raise CheckpointError(
        f"{path} is a checkpoint of format {version}; this version reads {FORMAT}"
    )


def _check_mark(path: Path, found: dict[str, str], wanted: dict[str, str]) -> None:
    differ = [_WHY[name] for name in wanted if found.get(name) != wanted[name]]
    if differ:
        raise CheckpointError(
            f"{path} is the checkpoint of another run: {' and '.join(differ)}; "
            "delete it, or name another file"
        )


def _settle(folder: Path) -> None:
    """Make the new name survive a power cut, where folders can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
