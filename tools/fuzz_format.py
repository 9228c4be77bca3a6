"""Fuzz model files and checkpoints: loading must refuse a mutated file or return the same model.

Bytes are flipped, deleted, inserted, swapped and truncated; or the document itself is changed:
values are replaced by hostile ones, members dropped, added and exchanged, lists shortened. Changed
documents are tried with the old checksum and with a correct one. With a correct checksum a changed
document may be another valid model, which must then predict and print without errors.

``tools/fuzz.py`` runs it.
"""

import json
import warnings
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from fuzz_fields import resealed

from polytomy import CheckpointError, edit
from polytomy.boost import Booster, BoostingSample, BoostParams, Progress
from polytomy.boost import checkpoint as checkpoints
from polytomy.certify import replayed
from polytomy.encode import encode
from polytomy.ensemble import Ensemble, votes
from polytomy.estimators import (
    BoostedTreeClassifier,
    DensityTree,
    TreeClassifier,
    TreeRegressor,
)
from polytomy.estimators.base.files import load_bytes, to_file_bytes
from polytomy.format import ModelFormatError
from polytomy.model import Lesson, Origin
from polytomy.table import Table

HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 7, 255, 2**31, 2**63, -(2**63) - 1, 10**29, 0.5, -0.0),
    *(1e308, -1e308, 5e-324, "", "nan", "inf", "-inf", "x", "\ud800", "\x00", "sha256:", [], {}),
    *([[]], [0], [None], [[1, 2], [3]], {"type": "tuple", "items": []}, {"type": "int"}),
    *({"type": "array", "dtype": "<U999999999", "values": ["a"]}, {"type": "object", "name": "x"}),
    *({"type": "path", "value": "/"}, {"type": "datetime", "value": "0", "fold": 9, "zone": "../"}),
)
GIGANTIC = (b"1e999", b"-1e999", b"9" * 5000, b"NaN", b"Infinity", b"[" * 5000, b'{"a":' * 5000)


def _use_classifier(clf: Any, rows: Any) -> None:
    _use_estimator(clf, rows)
    clf.predict_proba(rows)


def _use_regressor(reg: Any, rows: Any) -> None:
    _use_estimator(reg, rows)
    assert np.isfinite(reg.predict(rows)).all()
    reg.predict_interval(rows)


def _use_estimator(model: Any, rows: Any) -> None:
    assert str(model.certificate_)
    model.to_text()
    model.predict(rows)
    assert len(model.feature_importances_) == rows.shape[1]


def _use_density(model: Any, rows: Any) -> None:
    model.to_text()
    model.score_samples(rows)
    model.sample(3, random_state=0)
    assert len(model.feature_importances_) == rows.shape[1]


@dataclass(frozen=True)
class Case:
    """A file, rows to use its model on, and how to load, save and use it."""

    name: str
    data: bytes
    rows: Any
    load: Callable[[bytes], Any] = load_bytes
    save: Callable[[Any], bytes] = to_file_bytes
    use: Callable[[Any, Any], None] = _use_classifier


@dataclass(frozen=True)
class Mutant:
    """A changed file. If ``resealed``, its checksum is correct and it may be another model."""

    how: str
    data: bytes
    resealed: bool = False


def cases() -> list[Case]:
    """Return files of small models of all kinds, and a checkpoint."""
    random = np.random.default_rng(0)
    n = 60
    table = {
        "size": random.random(n).round(2),
        "town": random.choice(["Ulm", "Rom", "Ürümqi"], n),
        "day": np.datetime64("2020-01-01") + random.integers(0, 30, n),
        "odd": np.where(random.random(n) < 0.2, np.nan, random.integers(0, 4, n)),
    }
    rows = np.empty((n, len(table)), dtype=object)
    for j, column in enumerate(table.values()):
        rows[:, j] = column.tolist()
    two, three = random.integers(0, 2, n), random.choice(["a", "b", "c"], n)
    weights = {"a": 1.0, "b": 2.5, "c": 1.0}
    fitted = {
        "tree": TreeClassifier(max_leaves=8).fit(rows, two),
        "pruned": TreeClassifier(pruner="reduced-error", random_state=0).fit(rows, three),
        "overgrown": TreeClassifier(4, overgrow=2.0, class_weight=weights).fit(rows, three),
        "papers": TreeClassifier(6, procedure="hatano", index="sqrt").fit(rows, three),
        "stumps": BoostedTreeClassifier(4, algorithm="adaboost-real").fit(rows, two),
        "logit": BoostedTreeClassifier(2, algorithm="logitboost", max_leaves=3).fit(rows, three),
    }
    fitted["found"] = _found(fitted["tree"])
    fitted["edited"] = _edited(fitted["tree"], rows, two)
    models = [Case(name, to_file_bytes(clf), rows[:5]) for name, clf in fitted.items()]
    numbers = random.gamma(1.0, 2.0, n)
    for name in ("squared_error", "poisson"):
        reg = TreeRegressor(6, criterion=name).fit(rows, numbers)
        models.append(Case(name, to_file_bytes(reg), rows[:5], use=_use_regressor))
    density = DensityTree(9).fit(rows)
    models.append(Case("density", to_file_bytes(density), rows[:5], use=_use_density))
    return [*models, _checkpoint_case(Table.of(table), two)]


def _found(clf: Any) -> Any:
    """Return a fitted tree with the origin and the record of one that was found."""
    model, other = clf._model, copy(clf)
    run = replayed(model.kept, model.run.index, model.run.rules, model.run.weighting)
    lesson = Lesson("forest of 200 trees", "out-of-bag", 0.12, 0.5, 100, 0.9)
    origin = Origin(lesson, search=(6, 2), polishing=1)
    other._model = replace(model, grown=model.kept, pruning=None, run=run, origin=origin)
    return other


def _edited(clf: Any, rows: Any, labels: Any) -> Any:
    """Return a fitted tree that was edited by hand."""
    session = edit(clf, rows, labels)
    session.split(0, 0, thresholds=[0.3, 0.6], reason="round numbers")
    session.split(2, 1, groups=[["Ulm"], ...])
    session.merge(0, [0, 1])
    session.regrow(1, max_leaves=3)
    session.ban(3, below=1)
    session.relabel(int(session.tree_.leaves()[0]), 1)
    return session.estimator()


def _checkpoint_case(table: Table, labels: Any) -> Case:
    """Return the checkpoint of a short run."""
    coded = encode(table)
    run = Booster(BoostingSample.of(coded, labels, 2), BoostParams(), table=table).run(3)
    mark = {"columns": "c", "rows": "r", "parameters": "p"}

    def load(data: bytes) -> Progress:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "run"
            path.write_bytes(data)
            return checkpoints.load(path, mark, coded.schema)

    def save(progress: Progress) -> bytes:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "run"
            checkpoints.save(path, progress, mark)
            return path.read_bytes()

    def use(progress: Progress, rows: Table) -> None:
        start = np.zeros(1) if progress.start is None else progress.start
        votes(Ensemble(coded.schema, np.arange(2), progress.members, start, "adaboost"), rows)

    return Case("checkpoint", save(run.progress), table, load, save, use)


def mutants(case: Case, random: Random) -> Iterator[Mutant]:
    """Yield an endless sequence of mutants of a file's bytes and of its document."""
    while True:
        how = random.choice(tuple(_BYTES))
        yield Mutant(f"bytes {how}", _BYTES[how](case.data, random))
        document = json.loads(case.data)
        checksum = document.pop("checksum")
        change = _changed(document, random)
        stale = json.dumps({**document, "checksum": checksum}).encode()
        yield Mutant(f"document {change}, resealed", resealed(stale), True)
        yield Mutant(f"document {change}", stale)


def _flip(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]


def _delete(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data))
    return data[:at] + data[at + random.choice((1, 1, 2, 10, 100)) :]


def _insert(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data))
    new = random.choice((*GIGANTIC, random.randbytes(3), b",", b"]", b'"', b"0", b"\xff"))
    return data[:at] + new + data[at:]


def _swap(data: bytes, random: Random) -> bytes:
    """Exchange two sequences of a few bytes."""
    size = random.choice((1, 4, 40))
    a, b = sorted((random.randrange(len(data)), random.randrange(len(data))))
    if a + size > b:
        return data[:a] + data[b:]
    return (
        data[:a] + data[b : b + size] + data[a + size : b] + data[a : a + size] + data[b + size :]
    )


_BYTES: dict[str, Callable[[bytes, Random], bytes]] = {
    "flipped": _flip,
    "deleted": _delete,
    "inserted": _insert,
    "swapped": _swap,
    "truncated": lambda data, random: data[: random.randrange(len(data))],
    "doubled": lambda data, _: data + data,
}


def _changed(document: dict[str, Any], random: Random) -> str:
    """Change one value of a document in place; return the kind of change."""
    holder: Any = document
    for _ in range(random.randrange(1, 9)):  # descend a few levels
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        inner = [k for k in keys if isinstance(holder[k], dict | list) and holder[k]]
        if not inner or random.random() < 0.15:
            break
        holder = holder[random.choice(inner)]
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    key, other = random.choice(keys), random.choice(keys)
    how = random.choice(("replaced", "replaced", "nudged", "nudged", "dropped", "swapped", "added"))
    if how == "replaced":
        holder[key] = random.choice(HOSTILE)
    elif how == "nudged":
        holder[key] = _nudged(holder[key], random)
    elif how == "dropped":
        del holder[key]
    elif how == "swapped":
        holder[key], holder[other] = holder[other], holder[key]
    elif isinstance(holder, dict):
        holder["more"] = random.choice(HOSTILE)
    else:
        holder.insert(key, holder[other])
    return how


def _nudged(value: Any, random: Random) -> Any:
    """Return a slightly different value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + random.choice((-1, 1, 2, 1000, 1e-7))
    if isinstance(value, str):
        return value + random.choice(("x", "é", " "))
    return random.choice(HOSTILE)


def outcome(case: Case, mutant: Mutant) -> str:
    """Load a mutant and return "refused", "same", "another", or "WRONG" with the problem."""
    try:
        model = case.load(mutant.data)
    except (ModelFormatError, CheckpointError):
        return "refused"
    except BaseException as error:  # any other exception is a failure
        return f"WRONG {type(error).__name__}: {error}"
    try:
        if case.save(model) == case.data:
            return "same"
    except BaseException as error:
        return f"WRONG when saved again, {type(error).__name__}: {error}"
    if not mutant.resealed:
        return "WRONG a changed model was accepted"
    return _used(model, case)


def _used(model: Any, case: Case) -> str:
    """Use a changed but valid model, which must work."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # unexpected column names, zero weights, ...
            case.use(model, case.rows)
    except ValueError:  # for instance a column that now has another type
        return "another, not for these rows"
    except BaseException as error:
        return f"WRONG in use, {type(error).__name__}: {error}"
    return "another"
