"""Change one field of a model file: a change of any prediction must be refused, or found.

Every number, text and flag of a document is a field. It is changed, the checksum is made to fit,
and the file is loaded. If the model still predicts the same on many rows, among them missing cells,
unknown categories and infinities, the change is harmless. Otherwise ``verify`` must have a finding.
"""

import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from polytomy import (
    BoostedTreeClassifier,
    ForestClassifier,
    ForestRegressor,
    ModelFormatError,
    TreeClassifier,
    TreeRegressor,
    edit,
    verify,
)
from polytomy.estimators.files import load_bytes, to_file_bytes
from polytomy.format import to_bytes
from polytomy.prune import Pessimistic

Path = tuple[str | int, ...]
_N, _PROBES = 120, 300
_METHODS = ("predict", "predict_proba", "predict_interval", "decision_function")
_TOWNS = ("Ulm", "Rom", "Bari", "Kiel")


@dataclass(frozen=True, eq=False)
class FieldCase:
    """A model file, the rows of its fit, and its predictions for the probes."""

    name: str
    data: bytes
    rows: Any
    target: Any
    probes: Any
    predictions: tuple[Any, ...]


@dataclass(frozen=True)
class FieldMutant:
    """A file in which one field has another value."""

    place: str
    data: bytes


def field_cases() -> list[FieldCase]:
    """Return a file of every kind of model."""
    random = np.random.default_rng(0)
    rows = _rows(random, _N, np.arange(40) / 40, _TOWNS, ("x", "y", "z", None), range(6))
    signal = (rows[:, 0].astype(float) > 0.5) + (rows[:, 1] == "Ulm") + random.random(_N)
    two, numbers = (signal > 1).astype(int), 3 * signal + random.random(_N)
    three = np.array(["a", "b", "c"])[np.digitize(signal, [0.8, 1.6])]
    edges = (np.nan, -np.inf, np.inf)
    probes = _rows(
        random,
        _PROBES,
        (*edges, *np.linspace(-0.1, 1.1, 97)),
        (*_TOWNS, "Oslo", None),
        ("x", "y", "z", "?", None),
        (*edges, *np.linspace(-1, 7, 33)),
    )
    plain = TreeClassifier(6).fit(rows, two)
    weights = {"a": 1.0, "b": 2.5, "c": 1.0}
    fitted: dict[str, tuple[Any, Any]] = {
        "tree": (plain, two),
        "papers": (TreeClassifier(8, procedure="hatano", honest=False).fit(rows, three), three),
        "held out": (TreeClassifier(12, pruner="reduced-error").fit(rows, three), three),
        "raised": (TreeClassifier(12, pruner=Pessimistic(raising=True)).fit(rows, three), three),
        "priced": (TreeClassifier(12, pruner="cost-complexity").fit(rows, three), three),
        "weighted": (TreeClassifier(5, class_weight=weights).fit(rows, three), three),
        "overgrown": (
            TreeClassifier(4, procedure="per-leaf", overgrow=3.0).fit(rows, three),
            three,
        ),
        "chosen": (TreeClassifier("cv", random_state=0).fit(rows, two), two),
        "edited": (_edited(plain, rows, two), two),
        "taught": (TreeClassifier(5, teacher="forest").fit(rows, two), two),
        "regression": (TreeRegressor(6).fit(rows, numbers), numbers),
        "forest": (ForestClassifier(3, max_leaves=5, random_state=0).fit(rows, three), three),
        "numbers": (ForestRegressor(3, max_leaves=5, random_state=0).fit(rows, numbers), numbers),
        "boosted": (BoostedTreeClassifier(3, max_leaves=3).fit(rows, two), two),
        "logit": (
            BoostedTreeClassifier(2, algorithm="logitboost", max_leaves=3).fit(rows, three),
            three,
        ),
    }
    cases = []
    for name, (model, target) in fitted.items():
        data = to_file_bytes(model)
        predictions = _predictions(load_bytes(data), probes)
        cases.append(FieldCase(name, data, rows, target, probes, predictions))
    return cases


def _rows(random: np.random.Generator, n: int, *columns: Any) -> Any:
    rows = np.empty((n, len(columns)), dtype=object)
    for j, values in enumerate(columns):
        rows[:, j] = [values[i] for i in random.integers(0, len(values), n)]
    return rows


def _edited(clf: Any, rows: Any, target: Any) -> Any:
    session = edit(clf, rows, target)
    session.split(0, 0, thresholds=[0.3, 0.6], reason="round numbers")
    session.merge(0, [0, 1])
    session.relabel(int(session.tree_.leaves()[0]), 1)
    return session.estimator()


def field_mutants(case: FieldCase, random: Random) -> Iterator[FieldMutant]:
    """Yield an endless sequence of files, each with another field changed."""
    document = json.loads(case.data)
    del document["checksum"]
    places = list(_fields(document))
    while True:
        *way, last = random.choice(places)
        holder = document
        for step in way:
            holder = holder[step]
        value = holder[last]
        holder[last] = _other(value, random)
        try:
            data = to_bytes(document)
        except (ModelFormatError, ValueError):  # a document that cannot be written
            continue
        finally:
            holder[last] = value
        yield FieldMutant(".".join(map(str, (*way, last))), data)


def _fields(value: Any, place: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _fields(inner, (*place, key))
    else:
        yield place


def _other(value: Any, random: Random) -> Any:
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice((value + 1, value - 1, value + 2, 2 * value + 1, 0))
    if isinstance(value, float):
        return random.choice((value + 0.01, 1.1 * value, 2 * value, -value, value * (1 + 1e-7)))
    if isinstance(value, str):
        return random.choice((value + "x", value[:-1], value.upper()))
    return random.choice((0, 1, True, "x", 0.5))


def field_outcome(case: FieldCase, mutant: FieldMutant) -> str:
    """Load a mutant: "refused", "same", "found", or "ACCEPTED" or "WRONG" with the place."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = load_bytes(mutant.data)
        except ModelFormatError:
            return "refused"
        except BaseException as error:  # any other exception is a failure
            return f"WRONG {mutant.place}: {type(error).__name__}: {error}"
        if _alike(_predictions(model, case.probes), case.predictions):
            return "same"
        try:
            report = verify(model, case.rows, case.target)
        except ValueError:  # for instance a column that now has another type
            return "found"
        except BaseException as error:
            return f"WRONG {mutant.place}: verify: {type(error).__name__}: {error}"
    return f"ACCEPTED {mutant.place}" if report.ok else "found"


def _predictions(model: Any, probes: Any) -> tuple[Any, ...]:
    found: list[Any] = []
    for name in _METHODS:
        method: Callable[[Any], Any] | None = getattr(model, name, None)
        if method is None:
            continue
        try:
            found.append(np.asarray(method(probes)))
        except ValueError as error:  # no longer a model for such rows
            found.append(np.array([str(error)]))
    return tuple(found)


def _alike(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> bool:
    """Return whether predictions agree, up to the tolerance of ``verify`` for numbers."""
    return len(ours) == len(theirs) and all(
        a.shape == b.shape
        and a.dtype.kind == b.dtype.kind
        and (
            np.allclose(a, b, rtol=1e-8, atol=1e-9, equal_nan=True)
            if a.dtype.kind == "f"
            else np.array_equal(a, b)
        )
        for a, b in zip(ours, theirs, strict=True)
    )
