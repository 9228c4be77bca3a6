"""Change one field of a model file: a change of any prediction must be refused, or found.

Every number, text and flag of a document is a field. It is changed, or an item of a list or a
member of an object is removed; the checksum is made to fit, and the file is loaded. If the model
still predicts the same on many rows, among them missing cells, unknown categories and infinities,
the change is harmless. Otherwise ``verify`` must have a finding.
"""

import json
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import sha256
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

from polytomy import (
    BoostedTreeClassifier,
    DensityTree,
    ForestClassifier,
    ForestRegressor,
    ModelFormatError,
    TreeClassifier,
    TreeRegressor,
    edit,
    verify,
)
from polytomy.estimators.base.files import load_bytes, to_file_bytes
from polytomy.prune import Pessimistic
from polytomy.table import Table

Path = tuple[str | int, ...]
_N, _PROBES = 120, 300
_METHODS = (
    "predict",
    "predict_proba",
    "predict_interval",
    "decision_function",
    "score_samples",
)
_TOWNS = ("Ulm", "Rom", "Bari", "Kiel")
_CHECKSUM = b'"checksum"'
_REMOVALS = 0.25  # of the mutants
REMOVED = {"removed": True}
"""The value of a mutant in which a list has no such item, or an object no such member."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"(?P<colon>\s*:)?|[-\d][^,\]}\s]*|true|false|null')


@dataclass(frozen=True, eq=False)
class FieldCase:
    """A model file, the rows of its fit, and its predictions for the probes."""

    name: str
    data: bytes
    rows: Any
    target: Any
    probes: Table
    predictions: tuple[Any, ...]


@dataclass(frozen=True)
class FieldMutant:
    """A file in which one field has another value."""

    path: Path
    value: Any
    data: bytes

    @property
    def place(self) -> str:
        """The path of the field as text."""
        return ".".join(map(str, self.path))


def field_cases() -> list[FieldCase]:
    """Return a file of every kind of model."""
    random = np.random.default_rng(0)
    rows = _rows(random, _N, np.arange(12) / 12, _TOWNS, ("x", "y", "z", None), range(6))
    signal = (rows[:, 0].astype(float) > 0.5) + (rows[:, 1] == "Ulm") + random.random(_N)
    two, numbers = (signal > 1).astype(int), 3 * signal + random.random(_N)
    three = np.array(["a", "b", "c"])[np.digitize(signal, [0.8, 1.6])]
    edges = (np.nan, -np.inf, np.inf)
    cells = (
        (*edges, *np.linspace(-0.1, 1.1, 97)),
        (*_TOWNS, "Oslo", None),
        ("x", "y", "z", "?", None),
        (*edges, *np.linspace(-1, 7, 33)),
    )
    shown = _rows(random, _PROBES, *cells)
    probes = Table.of(shown)
    plain = TreeClassifier(6).fit(rows, two)
    weights = {"a": 1.0, "b": 2.5, "c": 1.0}
    fitted: dict[str, tuple[Any, Any]] = {
        "tree": (plain, two),
        "papers": (TreeClassifier(8, procedure="hatano", honest=False).fit(rows, three), three),
        "held out": (
            TreeClassifier(12, pruner="reduced-error", random_state=0).fit(rows, three),
            three,
        ),
        "raised": (TreeClassifier(12, pruner=Pessimistic(raising=True)).fit(rows, three), three),
        "priced": (
            TreeClassifier(12, pruner="cost-complexity", random_state=0).fit(rows, three),
            three,
        ),
        "weighted": (TreeClassifier(5, class_weight=weights).fit(rows, three), three),
        "overgrown": (
            TreeClassifier(4, procedure="per-leaf", overgrow=3.0).fit(rows, three),
            three,
        ),
        "chosen": (TreeClassifier("cv", random_state=0).fit(rows, two), two),
        "edited": (_edited(plain, rows, two), two),
        "taught": (TreeClassifier(5, teacher="forest", random_state=0).fit(rows, two), two),
        "regression": (TreeRegressor(6).fit(rows, numbers), numbers),
        "forest": (ForestClassifier(3, max_leaves=5, random_state=0).fit(rows, three), three),
        "numbers": (ForestRegressor(3, max_leaves=5, random_state=0).fit(rows, numbers), numbers),
        "boosted": (BoostedTreeClassifier(3, max_leaves=3).fit(rows, two), two),
        "logit": (
            BoostedTreeClassifier(2, algorithm="logitboost", max_leaves=3).fit(rows, three),
            three,
        ),
    }
    fitted |= _constrained(rows, two, three, numbers)
    every = [(name, model, rows, target) for name, (model, target) in fitted.items()]
    apart = rows[np.abs(rows[:, 0].astype(float) - 0.45) > 0.25]  # the first column has a gap
    every += [
        ("density", DensityTree(9).fit(rows), rows, None),
        ("boxes", DensityTree(7, loss="squared", smoothing=1.0).fit(apart), apart, None),
    ]
    dated = _with_days(rows)
    every += [
        ("dates", TreeClassifier(6, honest=False).fit(dated, two), dated, two),
        ("packed", ForestClassifier(2, max_leaves=5, random_state=0).fit(rows, three), rows, three),
    ]
    days = Table.of(_with_days(shown))
    return [_case(*facts, days if facts[0] == "dates" else probes) for facts in every]


def _case(name: str, model: Any, rows: Any, target: Any, probes: Table) -> FieldCase:
    data = _packed(model) if name == "packed" else to_file_bytes(model)
    return FieldCase(name, data, rows, target, probes, _predictions(load_bytes(data), probes))


def _constrained(rows: Any, two: Any, three: Any, numbers: Any) -> dict[str, tuple[Any, Any]]:
    """Return models with constraints and with costs, and their targets."""
    return {
        "monotonic": (TreeClassifier(6, monotonic_cst={"x0": 1, "x3": -1}).fit(rows, two), two),
        "rising": (TreeRegressor(6, monotonic_cst={"x0": 1}).fit(rows, numbers), numbers),
        "costs": (TreeClassifier(5, cost_matrix={("a", "c"): 4.0}).fit(rows, three), three),
        "constrained": (
            TreeClassifier(
                6,
                never_ask=["x2"],
                columns_first=["x3"],
                only_after={"x1": "x0"},
                column_cost={"x0": 0.5},
                min_child_share=0.1,
                min_difference=0.02,
            ).fit(rows, two),
            two,
        ),
    }


def _packed(model: Any) -> bytes:
    """Return the file of a model with packed trees, as that of a large one."""
    with patch("polytomy.format.trees._MANY_NUMBERS", 0):
        return to_file_bytes(model)


def _with_days(rows: Any) -> Any:
    """Return rows whose first column holds days instead of numbers."""
    made, numbers = rows.copy(), rows[:, 0].astype(float)
    made[:, 0] = [
        date(2026, 1, 1) + timedelta(round(1000 * x)) if np.isfinite(x) else None for x in numbers
    ]
    return made


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
    text = case.data.decode()
    fields, parts = list(_fields(text)), list(_parts(json.loads(text)))
    while True:
        if random.random() < _REMOVALS:
            yield edited_file(case, random.choice(parts), REMOVED)
            continue
        path, old, (begin, end) = random.choice(fields)
        value = _other(old, random)
        changed = text[:begin] + json.dumps(value) + text[end:]
        yield FieldMutant(path, value, resealed(changed.encode()))


def edited_file(case: FieldCase, path: Path, value: Any) -> FieldMutant:
    """Return the file of a case with another value at a path, which may be a new member.

    ``REMOVED`` as value removes the item or member.
    """
    document = json.loads(case.data)
    *way, last = path
    holder = document
    for step in way:
        holder = holder[step]
    if value == REMOVED:
        del holder[last]
    else:
        holder[last] = value
    return FieldMutant(path, value, resealed(json.dumps(document).encode()))


def resealed(data: bytes) -> bytes:
    """Return the text of a model file with the checksum of what precedes the old one."""
    head = data[: data.rfind(_CHECKSUM)]
    return b'%s%s: "sha256:%s"\n}\n' % (head, _CHECKSUM, sha256(head).hexdigest().encode())


def _fields(text: str) -> Iterator[tuple[Path, Any, tuple[int, int]]]:
    """Yield the path, the value and the place in the text of every field but the checksum."""
    spans = [token.span() for token in _TOKEN.finditer(text) if token["colon"] is None]
    for (path, value), span in zip(_leaves(json.loads(text)), spans, strict=True):
        if path != ("checksum",):
            yield path, value, span


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every number, text and flag in the order of the text."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(inner, (*path, key))
    else:
        yield path, value


def _parts(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every item and member but the checksum."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if (*path, key) != ("checksum",):
                yield (*path, key)
                yield from _parts(inner, (*path, key))


def _other(value: Any, random: Random) -> Any:
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice((value + 1, value - 1, value + 2, 2 * value + 1, 0))
    if isinstance(value, float):
        return random.choice((value + 0.01, 1.1 * value, 2 * value, -value, value * (1 + 1e-7)))
    if isinstance(value, str):
        at = random.randrange(len(value) + 1)
        replaced = f"{value[:at]}{random.choice('ABQYgw4')}{value[at + 1 :]}"
        return random.choice((value + "x", value[:-1], value.upper(), replaced))
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
        try:
            if _alike(_predictions(model, case.probes), case.predictions):
                return "same"
            report = verify(model, case.rows, case.target)
        except ValueError:  # for instance a column that now has another type
            return "found"
        except BaseException as error:
            return f"WRONG {mutant.place}: predict or verify: {type(error).__name__}: {error}"
    return f"ACCEPTED {mutant.place}" if report.ok else "found"


def _predictions(model: Any, probes: Table) -> tuple[Any, ...]:
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
