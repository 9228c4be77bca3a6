"""Compare the models of a fixed corpus of fits with the stored ones.

The corpus fits the public estimators with every procedure, index, family, leaf order, pruner and
boosting algorithm, on numbers, categories, times, missing cells and weights. A change that is not
meant to change any model must leave all of them as they are.

``tests/corpus/fits.json`` holds a hash of each model file. The hash covers all numbers of the
file; it leaves out the library's version, the checksum and sentences for readers.

Run ``python tools/compare_corpus.py`` to compare; the exit code is 1 if a fit differs. ``--write``
stores the hashes instead. ``--keep FOLDER`` also stores whole model files with ``--write``, and
otherwise reads them to print the first place where a differing fit differs. ``--only TEXT`` runs
the fits whose name contains TEXT. The hashes hold for one machine type: another one may round the
logarithms and exponentials of boosting in another way.
"""

import argparse
import json
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
from corpus_tables import table, to_numbers, weights_of

import polytomy
from polytomy import prune
from polytomy.tree import register_kind

STORED = Path(__file__).resolve().parents[1] / "tests" / "corpus" / "fits.json"

# ---- a family and an index of a user's own -----------------------------------------------------


@register_kind
@dataclass(frozen=True)
class SumRange:
    """Splits by ranges of the sum of two numeric columns."""

    kind: ClassVar[str] = "corpus-sum-range"
    columns: tuple[int, int]
    thresholds: tuple[float, ...]

    @property
    def arity(self) -> int:
        """The number of branches."""
        return len(self.thresholds) + 1

    def sums(self, rows: Any) -> Any:
        """Return the sum of each row; a missing cell counts as 0."""
        return sum(np.nan_to_num(np.asarray(rows.column(j), dtype=float)) for j in self.columns)

    def route(self, rows: Any) -> Any:
        """Return the branch of each row."""
        return np.searchsorted(self.thresholds, self.sums(rows))

    def describe(self, names: Any) -> tuple[str, list[str]]:
        """Return the split and its branches in words."""
        edges = ["", *map(repr, self.thresholds), ""]
        branches = [f"{low}..{high}" for low, high in pairwise(edges)]
        return " + ".join(names[j] for j in self.columns), branches

    def to_plain(self) -> dict[str, Any]:
        """Return plain data."""
        return {"columns": list(self.columns), "thresholds": list(self.thresholds)}

    @classmethod
    def from_plain(cls, data: dict[str, Any]) -> "SumRange":
        """Make the split from plain data."""
        first, second = data["columns"]
        return cls((first, second), tuple(data["thresholds"]))


class SumRanges:
    """Proposes ranges of the sum of the first two columns, cut at quantiles of the node's rows."""

    name = "sum-ranges"

    def propose(self, node: Any, _ask: Any) -> Iterator[SumRange]:
        """Yield splits with 2, 3 and 4 branches."""
        sums = SumRange((0, 1), ()).sums(node.table)
        for cuts in ((0.5,), (0.25,), (0.75,), (0.3, 0.7), (0.25, 0.5, 0.75)):
            thresholds = np.unique(np.quantile(sums, cuts))
            split = SumRange((0, 1), tuple(thresholds.tolist()))
            if len(np.unique(split.route(node.table))) == split.arity:
                yield split


def half_gini_half_sqrt(counts: Any) -> Any:
    """Return the mean of gini and sqrt: an index of a user's own."""
    c = np.asarray(counts, dtype=float)
    n = c.sum(axis=-1)
    gini = 2 * (n - (c**2).sum(axis=-1) / np.where(n > 0, n, 1))
    return (gini + np.sqrt(c).sum(axis=-1) ** 2 - n) / 2


# ---- the fits ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fit:
    """One fit of the corpus."""

    kind: str
    data: str
    parameters: dict[str, Any] = field(default_factory=dict)
    weights: str | None = None

    @property
    def name(self) -> str:
        """The name under which the hash is stored."""
        words = [f"{name}={_word(value)}" for name, value in self.parameters.items()]
        weights = [f"weights={self.weights}"] if self.weights else []
        return "/".join([self.kind, self.data, " ".join([*words, *weights]) or "defaults"])

    def document(self) -> dict[str, Any]:
        """Fit, and return the numbers of the model as plain data."""
        x, y = table(self.data)
        if self.kind == "regression":
            reg = polytomy.TreeRegressor(**self.parameters)
            return _saved(reg.fit(x, to_numbers(y), weights_of(self.weights, len(y))))
        boosted = self.kind.startswith("boosted")
        cls: Any = polytomy.BoostedTreeClassifier if boosted else polytomy.TreeClassifier
        clf = cls(**self._first() | self.parameters).fit(x, y, weights_of(self.weights, len(y)))
        if callable(self.parameters.get("index")):
            return _outcome(clf, x)
        saved = _saved(clf)
        if self.kind in ("boosted", "boosted-resampled"):
            _as_first_words(saved, {"algorithm", "smoothing"} - self.parameters.keys())
        return saved if self.kind == "priced" else _as_first_format(saved)

    def _first(self) -> dict[str, Any]:
        """Return the defaults with which the first fits of this kind were stored."""
        if self.kind in ("boosted", "boosted-resampled"):
            auto = "adaboost-mh" if self.data == "mixed3" else "adaboost-real"
            algorithm = self.parameters.get("algorithm", auto)
            smoothing = 0.0 if algorithm == "logitboost" else "auto"
            return {**FIRST_BOOSTED, "algorithm": algorithm, "smoothing": smoothing}
        return {} if self.kind in ("priced", "boosted by default") else FIRST_DEFAULTS


def _word(value: Any) -> str:
    if isinstance(value, tuple):
        return "+".join(_word(v) for v in value)
    if isinstance(value, SumRanges):
        return value.name
    if callable(value):
        return str(value.__name__)
    return str(value).replace(", size='leaves'", "")  # a later parameter of pruners


def _saved(clf: Any) -> dict[str, Any]:
    """Return the document of a model file without what is only wording or version."""
    with TemporaryDirectory() as folder:
        clf.save(Path(folder) / "model.json")
        document: dict[str, Any] = json.loads((Path(folder) / "model.json").read_bytes())
    del document["library"], document["checksum"]
    document["format"] = 2  # the hashes are those of format 2, which had no origins
    if "origin" in document and document["origin"] is None:
        del document["origin"]
    _as_first_parameters(document)
    for words in ("theorem", "why_not"):
        document["certificate"].pop(words, None)
    for reason in ("ended", "exhausted"):  # a sentence, or null if the run was not cut short
        if reason in document["fitted"]:
            document["fitted"][reason] = document["fitted"][reason] is not None
    document["fitted"].pop("smoothing", None)  # what was fitted with is stored since
    if document.get("pruning"):
        del document["pruning"]["by"]
    document["fitted"].pop("smoothing", None)  # also a parameter
    if document.get("honesty"):
        document["honesty"].pop("mark", None)  # a checksum of the rows
    return document


def _as_first_parameters(document: dict[str, Any]) -> None:
    """Write the parameters of a document as the first fits had them."""
    parameters = document["parameters"]
    for name, value in LATER_PARAMETERS.items():
        if name in parameters and parameters[name] == value:
            del parameters[name]
    if parameters.get("question_price", 0) is None:
        parameters["question_price"] = FIRST_QUESTION_PRICE
    _drop_later_fields(parameters.get("pruner"))
    if parameters["procedure"] not in BY_GAIN:  # there "auto" is what used to be the default
        if parameters["families"] == "auto":
            parameters["families"] = {"type": "tuple", "items": list(FAMILIES)}
        if parameters.get("index") == "auto" and document["kind"] == "tree":
            parameters["index"] = INDICES[0]


def _as_first_words(document: dict[str, Any], names: set[str]) -> None:
    """Write some parameters of a boosted model as the first fits had them: as "auto"."""
    for name in names:
        document["parameters"][name] = "auto"
        for item in document["fitted"]["parameters"]["items"]:
            item[1] = "auto" if item[0] == name else item[1]
        for item in document["fitted"]["mark"]["items"]:
            item[1] = re.sub(rf"{name}=\S+", f"{name}='auto'", item[1])


def _drop_later_fields(pruner: Any) -> None:
    """Delete the parameters at their defaults that a stored pruner did not have at first."""
    if isinstance(pruner, dict) and pruner.get("fields", {}).get("size") == "leaves":
        del pruner["fields"]["size"]


def _as_first_format(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without what the first format of model files did not have."""
    document["format"] = 1
    for part in ("class_factors", "honesty"):
        document.pop(part, None)
    for name in NEW_PARAMETERS:
        document["parameters"].pop(name, None)
    if document.get("pruning"):
        del document["pruning"]["prices"]
    return document


def _outcome(clf: Any, x: Any) -> dict[str, Any]:
    """Return what a model does, for one grown by a function: no file can hold that."""
    stated = clf.certificate_
    if hasattr(clf, "rounds_"):
        return {"votes": clf.decision_function(x).tolist(), "bound": repr(stated.bound)}
    return {
        "apply": clf.apply(x).tolist(),
        "shares": clf.predict_proba(x).tolist(),
        "gammas": [repr(stated.gamma), repr(stated.weak_gamma)],
        "curves": [np.asarray(c).tolist() for c in (stated.index_curve, stated.error_curve)],
    }


# The defaults of trees when the first fits were stored, and the parameters they did not have.
FIRST_DEFAULTS = {"procedure": "per-leaf", "honest": False, "max_bins": 255}
FIRST_BOOSTED = {"max_leaves": 2, "learning_rate": 1.0}
NEW_PARAMETERS = ("question_price", "branch_price", "scoring", "honest")
# Parameters that estimators did not have at first; they are left out at their defaults.
LATER_PARAMETERS = {
    "effort": "fast",
    "teacher": None,
    "search": None,
    "time_limit": None,
    "estimator": None,
    "never_ask": None,
    "columns_first": None,
    "only_after": None,
    "column_cost": None,
    "min_child_share": 0.0,
    "min_difference": 0.0,
    "cost_matrix": None,
}
BY_GAIN = ("id3", "gain-ratio")
FIRST_QUESTION_PRICE = 0.08  # was the default; None is the price of the effort
INDICES = ("gini", "entropy", "sqrt", "error")
PROCEDURES: tuple[dict[str, Any], ...] = (
    {"procedure": "per-leaf"},
    {"procedure": "hatano"},
    {"procedure": "kearns-mansour", "leaf_order": "heaviest"},
    {"procedure": "kearns-mansour", "leaf_order": "steepest"},
    {"procedure": "mansour-mcallester", "max_leaves": 400, "gamma": 0.4},
)
FAMILIES = ("intervals", "values", "groups")
PRUNERS: tuple[Any, ...] = (  # those that draw no rows
    "conservative",
    "chi-square",
    "pessimistic",
    prune.Conservative(delta=0.2, scale=0.3),
    prune.ChiSquare(max_p_chance=0.3),
    prune.Pessimistic(confidence=0.1, raising=True),
    prune.ErrorBudget(select="srm"),
    prune.ErrorBudget(select=7),
    prune.CostComplexity(alpha=0.002),
    prune.CostComplexity(alpha=0.004, cost="error"),
)
RESAMPLING_PRUNERS: tuple[Any, ...] = (
    "reduced-error",
    "error-budget",
    "cost-complexity",
    prune.ReducedError(fraction=0.2, raising=True),
    prune.ErrorBudget(select="cv", folds=4, max_size=30),
    prune.CostComplexity(select="cv", cost="error"),
)


def fits() -> Iterator[Fit]:
    """Yield every fit of the corpus; the names are distinct."""
    yield from _procedures()
    yield from _limits()
    yield from _splits()
    yield from _prunings()
    yield from _boosted()
    yield from _resampled()
    yield from _by_gain()
    yield from _priced()
    yield from _regression()
    yield from _found()


def _procedures() -> Iterator[Fit]:
    for data, how, index in product(("iris", "mixed3", "ties"), PROCEDURES, INDICES):
        yield Fit("tree", data, {**how, "index": index})
    for data, how in product(("mixed2", "large", "cars"), PROCEDURES):
        yield Fit("tree", data, {**how})
    for data, how in product(("two", "mixed3"), PROCEDURES):
        yield Fit("tree", data, {**how, "index": half_gini_half_sqrt})
    for gamma in (0.05, 0.3, 0.6):
        yield Fit("tree", "large", {**PROCEDURES[-1], "gamma": gamma, "max_arity": 4})
    for data, how, weights in product(
        ("mixed2", "four"), PROCEDURES, ("whole", "zeros", "fractional")
    ):
        yield Fit("tree", data, {**how}, weights)


def _regression() -> Iterator[Fit]:
    criteria = ("squared_error", "poisson")
    for data, how, criterion in product(("mixed3", "gaps"), PROCEDURES, criteria):
        yield Fit("regression", data, {**how, "criterion": criterion})
    for data, weights in product(("mixed3", "many4", "four"), (None, "whole", "fractional")):
        yield Fit("regression", data, {"max_leaves": 16}, weights)
    for pruner in (prune.ErrorBudget(select=7), prune.CostComplexity(alpha=0.1)):
        yield Fit("regression", "mixed2", {"max_leaves": None, "pruner": pruner})
    yield Fit("regression", "large", {"max_leaves": None, "procedure": "per-leaf", "n_jobs": 2})


def _limits() -> Iterator[Fit]:
    for data, how, leaves in product(("gaps", "mixed3"), PROCEDURES[:2], (None, 1, 2, 8, 32, 400)):
        yield Fit("tree", data, {**how, "max_leaves": leaves})
    limits: tuple[dict[str, Any], ...] = (
        {"max_depth": 1},
        {"max_depth": 3},
        {"min_samples_split": 60},
        {"min_samples_leaf": 25},
        {"min_weight_fraction_leaf": 0.05},
        {"min_gain": 0.01},
        {"max_bins": 2},
        {"max_bins": 17},
        {"max_bins": 5000},
        {"class_weight": "balanced"},
        {"n_jobs": 1},
        {"n_jobs": 2},
        {"overgrow": 3.0},
        {"contract": False},
        {"smoothing": 1.0},
    )
    for data, limit in product(("mixed2", "four"), limits):
        yield Fit("tree", data, {"max_leaves": 24, **limit})
    for limit in limits[:6]:
        yield Fit("tree", "mixed3", {"procedure": "hatano", **limit}, "fractional")
    for how in PROCEDURES[2:4]:
        yield Fit("tree", "large", {**how, "max_leaves": 10, "overgrow": 4.0})
    for n_jobs in (1, 2):
        yield Fit("tree", "large", {"max_leaves": 100, "n_jobs": n_jobs}, "fractional")
    yield Fit("tree", "iris", {"class_weight": {0: 1.0, 1: 2.5, 2: 0.1}}, "whole")
    yield Fit("tree", "few3", {"min_samples_leaf": 20, "max_arity": 4})


def _splits() -> Iterator[Fit]:
    for data, family in product(("mixed3", "few2", "few3"), FAMILIES):
        if (data, family) == ("mixed3", "intervals") or family != "intervals":
            yield Fit("tree", data, {"families": (family,)})
    for order in (("groups", "values"), ("values", "groups"), ("groups", "intervals", "values")):
        for data in ("mixed2", "few3", "many4"):
            yield Fit("tree", data, {"families": order, "procedure": "hatano"})
    for arity, data in product((2, 3, 5, 16), ("gaps", "many2", "few3")):
        yield Fit("tree", data, {"max_arity": arity, "procedure": "hatano", "max_leaves": 64})
    for arity, data in product((2, 3, 16), ("mixed2", "many4", "four")):
        yield Fit("tree", data, {"max_arity": arity})
    for how in PROCEDURES:
        yield Fit("tree", "two", {**how, "families": ("intervals", SumRanges())})
        yield Fit("tree", "gaps", {**how, "families": (SumRanges(),)}, "fractional")
    for data in ("wine", "cancer", "xor", "twelve", "many2"):
        for how in PROCEDURES[:2]:
            yield Fit("tree", data, {**how, "max_leaves": 20})
    yield Fit("tree", "ties", {"categorical_features": [0, 2], "max_leaves": 12})


def _prunings() -> Iterator[Fit]:
    for data, pruner in product(("gaps", "mixed3"), PRUNERS):
        yield Fit("tree", data, {"max_leaves": 80, "pruner": pruner})
    for pruner in PRUNERS[:3]:
        yield Fit("tree", "mixed2", {"procedure": "hatano", "pruner": pruner}, "fractional")


def _boosted() -> Iterator[Fit]:
    two = ("adaboost", "adaboost-real", "adaboost-mh", "samme", "logitboost")
    shapes: tuple[dict[str, Any], ...] = (
        {"n_rounds": 20},
        {"n_rounds": 15, "max_leaves": 8, "max_depth": 1},
        {"n_rounds": 5, "max_leaves": 31},
    )
    for data, algorithm, shape in product(("gaps", "mixed2"), two, shapes):
        yield Fit("boosted", data, {**shape, "algorithm": algorithm})
    for data, algorithm, shape in product(("mixed3", "four"), two[2:], shapes):
        yield Fit("boosted", data, {**shape, "algorithm": algorithm})
    for algorithm, weights in product(two, ("whole", "zeros", "fractional")):
        yield Fit("boosted", "mixed2", {"n_rounds": 8, "algorithm": algorithm}, weights)
    for algorithm, index in product(("adaboost", "adaboost-real", "samme"), INDICES[:3]):
        yield Fit("boosted", "cancer", {"n_rounds": 10, "algorithm": algorithm, "index": index})
    settings: tuple[dict[str, Any], ...] = (
        {"learning_rate": 0.3},
        {"procedure": "hatano", "max_leaves": 8},
        {"procedure": "kearns-mansour", "max_leaves": 6},
        {"max_arity": 3, "max_leaves": 6},
        {"min_samples_leaf": 10, "max_leaves": 10},
        {"min_weight_fraction_leaf": 0.02, "max_leaves": 10},
        {"max_bins": 16},
        {"class_weight": "balanced"},
        {"n_jobs": 2, "max_leaves": 15},
        {"families": ("intervals", SumRanges()), "max_leaves": 5},
    )
    for algorithm, setting in product(("adaboost-real", "logitboost"), settings):
        yield Fit("boosted", "gaps", {"n_rounds": 8, "algorithm": algorithm, **setting})
    for algorithm, smoothing in product(("adaboost-real", "adaboost-mh"), (0.0, 0.01)):
        setting = {"algorithm": algorithm, "smoothing": smoothing, "max_leaves": 4}
        yield Fit("boosted", "mixed2", {"n_rounds": 8, **setting})
    for algorithm in ("adaboost-mh", "samme", "logitboost"):
        yield Fit("boosted", "cars", {"n_rounds": 6, "algorithm": algorithm, "max_leaves": 5})
        yield Fit("boosted", "many4", {"n_rounds": 6, "algorithm": algorithm, "max_leaves": 4})
    yield Fit(
        "boosted", "two", {"n_rounds": 8, "algorithm": "adaboost", "index": half_gini_half_sqrt}
    )
    for data in ("gaps", "mixed2", "mixed3", "four"):
        yield Fit("boosted by default", data, {"n_rounds": 12})
    yield Fit("boosted", "xor", {"n_rounds": 8, "max_leaves": 4})  # ends early: no error is left
    yield Fit("boosted", "large", {"n_rounds": 30, "n_jobs": 1})
    yield Fit("boosted", "large", {"n_rounds": 30, "n_jobs": 2})


def _resampled() -> Iterator[Fit]:
    """Yield fits that hold out rows or make folds, and so depend on how these are drawn."""
    for data, pruner in product(("gaps", "mixed3"), RESAMPLING_PRUNERS):
        yield Fit("tree-resampled", data, {"max_leaves": 60, "pruner": pruner, "random_state": 3})
    for data in ("iris", "mixed2"):
        yield Fit("tree-resampled", data, {"max_leaves": "cv", "random_state": 4})
    for data, algorithm, monitor in product(
        ("gaps", "mixed2"), ("adaboost-real", "logitboost", "samme"), ("error", "loss")
    ):
        stopping = {"fraction": 0.2, "patience": 4, "monitor": monitor}
        parameters = {"n_rounds": 30, "algorithm": algorithm, "early_stopping": stopping}
        yield Fit("boosted-resampled", data, {**parameters, "max_leaves": 5})
    for seed in (1, 2):
        stopping = {"fraction": 0.1, "patience": 3}
        yield Fit("boosted-resampled", "mixed3", {"early_stopping": stopping, "random_state": seed})


def _by_gain() -> Iterator[Fit]:
    """Yield trees by information gain and by gain ratio."""
    for data, procedure in product(("gaps", "mixed2", "mixed3"), BY_GAIN):
        yield Fit("tree", data, {"procedure": procedure})
        yield Fit("tree", data, {"procedure": procedure, "max_leaves": None}, "fractional")
    for procedure in BY_GAIN:
        yield Fit("regression", "mixed3", {"procedure": procedure})


def _priced() -> Iterator[Fit]:
    """Yield trees at two prices with honest leaves, which are the default."""
    for data, leaves in product(
        ("iris", "cancer", "cars", "gaps", "mixed2", "mixed3", "four"), (5, 20)
    ):
        yield Fit("priced", data, {"max_leaves": leaves})
    for parameters in (
        {"question_price": 0.0},
        {"question_price": 0.1},
        {"branch_price": 0.5},
        {"contract": False},
        {"honest": False},
        {"class_weight": "balanced"},
        {"index": "entropy"},
        {"max_arity": 3},
        {"min_samples_leaf": 7},
        {"max_leaves": None},
        {"pruner": "pessimistic"},
        {"max_leaves": "cv", "scoring": "log_loss", "random_state": 1},
    ):
        yield Fit("priced", "mixed2", {"procedure": "priced", **parameters})
        yield Fit("priced", "mixed3", {"procedure": "priced", **parameters}, "fractional")


def _found() -> Iterator[Fit]:
    """Yield trees that were found with a teacher, by search and by polishing."""
    few = polytomy.Teacher(n_estimators=5, synthetic_rows=100, synthetic_weight=1.25)
    alone = polytomy.Teacher(n_estimators=5, mix=0.25, synthetic_rows=0)
    boosted = polytomy.Teacher("boosted", n_estimators=3, synthetic_rows=50, folds=2, mix=0.25)
    common: dict[str, Any] = {"max_leaves": 8, "random_state": 5, "question_price": 0.05}
    ways: tuple[dict[str, Any], ...] = (
        {"teacher": few},
        {"teacher": alone},
        {"teacher": few, "effort": "balanced"},
        {"teacher": few, "effort": "balanced", "search": (3, 2)},
        {"teacher": False, "effort": "balanced"},
        {"search": 1},
        {"search": (2, 3)},
    )
    for data, way in product(("mixed3", "gaps"), ways):
        yield Fit("priced", data, {**common, **way})
        yield Fit("regression", data, {**common, **way})
    for way in ways[2:4]:
        yield Fit("priced", "mixed2", {**common, **way}, "fractional")
        yield Fit("priced", "many4", {**common, **way, "class_weight": "balanced"}, "zeros")
        yield Fit("regression", "mixed2", {**common, **way, "criterion": "poisson"}, "whole")
    yield Fit("priced", "mixed3", {**common, "teacher": boosted})
    yield Fit("priced", "twelve", {**common, "teacher": few, "search": 1})
    for more in (
        {"max_leaves": "cv"},
        {"max_leaves": 40, "min_samples_leaf": 5},
        {"pruner": "reduced-error"},
        {"procedure": "hatano"},
    ):
        yield Fit("priced", "mixed2", {**common, "teacher": few, **more})


# ---- comparing -----------------------------------------------------------------------------


def canonical(document: dict[str, Any]) -> bytes:
    """Return a document as bytes that do not depend on the order of its keys."""
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def first_difference(one: Any, other: Any, path: str = "") -> str | None:
    """Return the path of the first value at which two documents differ, with both values."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            if key not in one or key not in other:
                return f"{path}.{key}: only in the {'stored' if key in one else 'new'} model"
            if (found := first_difference(one[key], other[key], f"{path}.{key}")) is not None:
                return found
        return None
    if isinstance(one, list) and isinstance(other, list):
        for i, (a, b) in enumerate(zip(one, other, strict=False)):
            if (found := first_difference(a, b, f"{path}[{i}]")) is not None:
                return found
        return None if len(one) == len(other) else f"{path}: {len(one)} and {len(other)} items"
    return None if one == other and type(one) is type(other) else f"{path}: {one!r} and {other!r}"


def kept_file(folder: Path, name: str) -> Path:
    """Return the file that holds the whole document of a fit."""
    return folder / f"{sha256(name.encode()).hexdigest()[:16]}.json"


def compare(made: dict[str, dict[str, Any]], stored: dict[str, str], keep: Path | None) -> int:
    """Print which fits differ from the stored ones; return the exit code."""
    differing = 0
    for name, document in made.items():
        if stored.get(name) == sha256(canonical(document)).hexdigest():
            continue
        differing += 1
        where = "" if name in stored else ": not in the stored corpus"
        if keep is not None and kept_file(keep, name).exists():
            old = json.loads(kept_file(keep, name).read_bytes())
            where = f"\n    {first_difference(old, json.loads(canonical(document)))}"
        print(f"differs: {name}{where}")
    print(f"{len(made) - differing} of {len(made)} fits are identical.")
    return 1 if differing else 0


def main() -> int:
    """Run the corpus, compare or store it, and return the exit code."""
    parser = argparse.ArgumentParser(description="Compare a corpus of fits with the stored one.")
    parser.add_argument("--write", action="store_true", help="store the hashes")
    parser.add_argument("--keep", type=Path, help="folder of whole model files")
    parser.add_argument("--only", default="", help="run the fits whose name contains this text")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = [fit for fit in fits() if options.only in fit.name]
    if len({fit.name for fit in chosen}) != len(chosen):
        raise ValueError("two fits of the corpus have the same name")
    made = {fit.name: fit.document() for fit in chosen}
    if options.write:
        hashes = {name: sha256(canonical(document)).hexdigest() for name, document in made.items()}
        STORED.parent.mkdir(exist_ok=True)
        STORED.write_text(json.dumps(hashes, indent=1) + "\n", encoding="utf-8")
        for name, document in made.items() if options.keep is not None else ():
            options.keep.mkdir(parents=True, exist_ok=True)
            kept_file(options.keep, name).write_bytes(canonical(document))
        print(f"stored {len(made)} fits in {STORED.name}")
        return 0
    return compare(made, json.loads(STORED.read_text(encoding="utf-8")), options.keep)


if __name__ == "__main__":
    sys.exit(main())
