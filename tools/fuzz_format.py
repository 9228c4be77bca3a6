"""Mutate model files and load them: nothing but a refusal, or the very same model, may come out.

Bytes are flipped, cut out, put in, swapped and cut off; or the document itself is changed: values
replaced by hostile ones, members dropped, added and exchanged, lists shortened. Changed documents
are tried with the old checksum and with one that fits. With a checksum that fits, a changed
document may be a sound model, only another one: it must then predict and print like any.

Run ``python tools/fuzz_format.py [mutants] [seed]``. Memory is limited to 1 GiB more than the
process has when it begins, and a mutant that takes 20 seconds counts as a hang. The exit code is 1
if anything but ``ModelFormatError`` came out.
"""

import json
import resource
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from time import perf_counter
from types import FrameType
from typing import Any

import numpy as np

from polytomy.estimators import BoostedTreeClassifier, TreeClassifier
from polytomy.estimators.files import load_bytes, to_file_bytes
from polytomy.format import ModelFormatError, to_bytes

SECONDS = 20  # for one mutant
HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 7, 255, 2**31, 2**63, -(2**63) - 1, 10**29, 0.5, -0.0),
    *(1e308, -1e308, 5e-324, "", "nan", "inf", "-inf", "x", "\ud800", "\x00", "sha256:", [], {}),
    *([[]], [0], [None], [[1, 2], [3]], {"type": "tuple", "items": []}, {"type": "int"}),
    *({"type": "array", "dtype": "<U999999999", "values": ["a"]}, {"type": "object", "name": "x"}),
    *({"type": "path", "value": "/"}, {"type": "datetime", "value": "0", "fold": 9, "zone": "../"}),
)
GIGANTIC = (b"1e999", b"-1e999", b"9" * 5000, b"NaN", b"Infinity", b"[" * 5000, b'{"a":' * 5000)


@dataclass(frozen=True)
class Case:
    """A model file and rows for what comes out of it."""

    name: str
    data: bytes
    rows: Any


@dataclass(frozen=True)
class Mutant:
    """A changed file. ``resealed``: its checksum fits, so it may be a model of its own."""

    how: str
    data: bytes
    resealed: bool = False


def cases() -> list[Case]:
    """Fit small models of all kinds and write them."""
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
        "stumps": BoostedTreeClassifier(4).fit(rows, two),
        "logit": BoostedTreeClassifier(2, algorithm="logitboost", max_leaves=3).fit(rows, three),
    }
    return [Case(name, to_file_bytes(clf), rows[:5]) for name, clf in fitted.items()]


def mutants(case: Case, random: Random) -> Iterator[Mutant]:
    """Yield mutants of a file for ever: of its bytes, and of its document."""
    while True:
        how = random.choice(tuple(_BYTES))
        yield Mutant(f"bytes {how}", _BYTES[how](case.data, random))
        document = json.loads(case.data)
        checksum = document.pop("checksum")
        said = _changed(document, random)
        try:
            yield Mutant(f"document {said}, resealed", to_bytes(document), True)
            stale = json.dumps({**document, "checksum": checksum}).encode()
        except (ModelFormatError, ValueError):  # a document that cannot even be written
            continue
        yield Mutant(f"document {said}", stale)


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
    """Exchange two stretches of a few bytes."""
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
    """Change one thing in a document, in place; say what was done."""
    holder: Any = document
    for _ in range(random.randrange(1, 9)):  # walk down some way
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
    """Return a value of the same type that is a little different."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + random.choice((-1, 1, 2, 1000, 1e-7))
    if isinstance(value, str):
        return value + random.choice(("x", "é", " "))
    return random.choice(HOSTILE)


def outcome(case: Case, mutant: Mutant) -> str:
    """Load a mutant; return what came of it: "refused", "same", "another", or what went wrong."""
    try:
        clf = load_bytes(mutant.data)
    except ModelFormatError:
        return "refused"
    except BaseException as error:  # that is what is looked for
        return f"WRONG {type(error).__name__}: {error}"
    if to_file_bytes(clf) == case.data:
        return "same"
    if not mutant.resealed:
        return "WRONG a changed model was taken for sound"
    return _used(clf, case)


def _used(clf: Any, case: Case) -> str:
    """Use another model, as sound as it says it is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # names that are now expected, zero weights, ...
            assert str(clf.certificate_)
            clf.to_text()
            clf.predict(case.rows)
            clf.predict_proba(case.rows)
            assert len(clf.feature_importances_) == case.rows.shape[1]
    except ValueError:  # for instance a column that now holds something else
        return "another, not for these rows"
    except BaseException as error:
        return f"WRONG in use, {type(error).__name__}: {error}"
    return "another"


def _hang(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"more than {SECONDS} seconds")


def main() -> int:
    """Fuzz and report."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    random = Random(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    warnings.simplefilter("error")
    signal.signal(signal.SIGALRM, _hang)
    known = cases()
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[0])
    most = pages * resource.getpagesize() + (1 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    sources = [(case, mutants(case, random)) for case in known]
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    wrong: list[str] = []
    slowest = (0.0, "")
    began = perf_counter()
    for i in range(wanted):
        case, source = sources[i % len(sources)]
        mutant = next(source)
        signal.alarm(SECONDS)
        start = perf_counter()
        result = outcome(case, mutant)
        slowest = max(slowest, (perf_counter() - start, f"{case.name}, {mutant.how}"))
        signal.alarm(0)
        kinds[mutant.how.split(",")[0]] += 1
        counts[result.split(" ")[0].rstrip(",")] += 1
        if result.startswith("WRONG"):
            wrong.append(f"{i} {case.name}, {mutant.how}: {result}")
    print(f"{wanted} mutants in {perf_counter() - began:.0f} s: {dict(counts)}")
    print(f"kinds: {dict(kinds)}")
    print(f"slowest: {slowest[0]:.2f} s ({slowest[1]})")
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB")
    print("\n".join(wrong[:40]))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
