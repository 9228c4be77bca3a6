"""Fuzz the library for some time, and count what became of the mutants and tables.

Run ``python tools/fuzz.py [seconds]``, or ``make fuzz SECONDS=600``. The fuzzers take turns so that
each gets the same time, and within each the models do:

- ``files``: model files and checkpoints damaged in any way (``fuzz_format``);
- ``fields``: model files with one changed field (``fuzz_fields``);
- ``tables``: random tables, whose models are compared with the slow oracles (``fuzz_tables``).

Past failures (``fuzz_corpus``) come first. The mutants are tried in a process of their own, so that
one that ends the process is counted too. A file may take 1 GiB of memory more than the process uses
before it, and 20 seconds of processor time. The exit code is 1 if a mutant crashed or was accepted.
Such mutants are written to ``build/fuzz-failures.json``; ``--keep`` adds those of a file to the
corpus.
"""

import json
import mmap
import os
import resource
import signal
import sys
import traceback
import warnings
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from types import FrameType
from typing import IO, Any, NoReturn

import numpy as np
from fuzz_corpus import (
    CORPUS,
    Record,
    described,
    field_record,
    file_record,
    recorded,
    result_of,
    write,
)
from fuzz_fields import FieldCase, field_cases, field_mutants, field_outcome
from fuzz_format import Case, cases, mutants, outcome
from fuzz_tables import CHECKS, table_outcome, table_records

_SECONDS = 20  # of processor time, for one mutant
_MEMORY = 1 << 30  # for one file
_REPORT = 2.0  # seconds between two reports of the process that tries mutants
_PROGRESS = 120.0  # seconds between two lines of progress
_SHOWN = 20
_MOST_DEATHS = 20
FAILURES = Path("build") / "fuzz-failures.json"

Attempt = tuple[Record, Callable[[], str]]
"""What is tried, and a function that tries it and returns the outcome."""


@dataclass(slots=True)
class Turns:
    """Iterators that take turns; the one that has used the least time is next."""

    members: "list[Turns | Iterator[Attempt]]"
    used: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.used = [0.0] * len(self.members)

    def next(self, run: Callable[[Attempt], None]) -> None:
        """Run an attempt of the next member."""
        turn = self.used.index(min(self.used))
        member = self.members[turn]
        start = perf_counter()
        if isinstance(member, Turns):
            member.next(run)
        else:
            run(next(member))
        self.used[turn] += perf_counter() - start


def damaged_files(random: Random) -> Turns:
    """Return attempts to load damaged files."""

    def attempts(case: Case) -> Iterator[Attempt]:
        for mutant in mutants(case, random):
            yield file_record(case, mutant), partial(outcome, case, mutant)

    return Turns([attempts(case) for case in cases()])


def changed_fields(random: Random) -> Turns:
    """Return attempts to load and verify files with a changed field."""

    def attempts(case: FieldCase) -> Iterator[Attempt]:
        for mutant in field_mutants(case, random):
            yield field_record(case, mutant), partial(field_outcome, case, mutant)

    return Turns([attempts(case) for case in field_cases()])


def random_tables(random: Random) -> Turns:
    """Return attempts to fit random tables."""

    def attempts(check: str) -> Iterator[Attempt]:
        for record in table_records(check, np.random.default_rng(random.getrandbits(64))):
            yield record, partial(table_outcome, record)

    return Turns([attempts(check) for check in CHECKS])


FUZZERS: dict[str, Callable[[Random], Turns]] = {
    "files": damaged_files,
    "fields": changed_fields,
    "tables": random_tables,
}


def failed(result: str) -> bool:
    """Return whether an outcome is a failure."""
    return result.startswith(("WRONG", "ACCEPTED"))


# ---- the process that tries mutants --------------------------------------------------------------


class _Worker:
    """Tries mutants; writes the current one to shared memory, and reports to a pipe."""

    def __init__(self, current: mmap.mmap, pipe: IO[str]) -> None:
        self._current, self._pipe = current, pipe
        self._counts: Counter[str] = Counter()
        self._slowest: tuple[float, str] = (0.0, "")
        self._reported = perf_counter()
        self._is_limited = False
        self.tried = 0

    def run(self, attempt: Attempt) -> None:
        """Try something and count the outcome."""
        record, tried = attempt
        self._limit_memory(record["kind"] != "table")
        text = json.dumps(record).encode()
        self._current.seek(0)
        self._current.write(b"%d\n%s" % (len(text), text))
        start = perf_counter()
        signal.setitimer(signal.ITIMER_PROF, _SECONDS)
        try:
            result = tried()
        except BaseException as error:  # an alarm between two checks, or a bug of the fuzzer
            result = f"WRONG {type(error).__name__}: {error}"
        signal.setitimer(signal.ITIMER_PROF, 0)
        now = perf_counter()
        self.tried += 1
        self._slowest = max(self._slowest, (now - start, described(record)))
        self._counts[result.split(" ")[0].rstrip(",")] += 1
        if failed(result):
            self._send({"failure": {**record, "result": result}})
        if now - self._reported > _REPORT:
            self.report()

    def _limit_memory(self, limit: bool) -> None:
        if limit != self._is_limited:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            most = pages * resource.getpagesize() + _MEMORY if limit else resource.RLIM_INFINITY
            resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
            self._is_limited = limit

    def report(self) -> None:
        """Send the counts since the last report."""
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        self._send({"counts": self._counts, "slowest": self._slowest, "memory": memory})
        self._counts.clear()
        self._reported = perf_counter()

    def _send(self, message: Record) -> None:
        print(json.dumps(message), file=self._pipe, flush=True)


def _hang(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"more than {_SECONDS} seconds")


def _work(asked: Namespace, seed: int, current: mmap.mmap, pipe: IO[str]) -> None:
    """Try the corpus if it is the first process, then new mutants until time or number is up."""
    end = perf_counter() + asked.seconds
    random = Random(seed)
    warnings.simplefilter("error")
    turns = Turns([FUZZERS[name](random) for name in asked.only])
    signal.signal(signal.SIGPROF, _hang)
    worker = _Worker(current, pipe)
    for record in recorded() if seed == asked.seed else ():
        worker.run((record, partial(result_of, record)))
    while perf_counter() < end and worker.tried < asked.tries:
        turns.next(worker.run)
    worker.report()


# ---- the process that counts ---------------------------------------------------------------------


@dataclass(slots=True)
class Summary:
    """What became of the mutants of all processes."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Record] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")
    memory: int = 0
    began: float = field(default_factory=perf_counter)

    @property
    def tried(self) -> int:
        """The number of mutants."""
        return self.counts.total()

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return perf_counter() - self.began

    def add(self, message: Any) -> None:
        """Add a message of the process that tries mutants."""
        if "failure" in message:
            self.failures.append(message["failure"])
            return
        self.counts.update(message["counts"])
        self.slowest = max(self.slowest, tuple(message["slowest"]))
        self.memory = max(self.memory, message["memory"])

    def died(self, record: Record, status: int) -> None:
        """Count a mutant that ended the process."""
        how = os.waitstatus_to_exitcode(status)
        self.counts["WRONG"] += 1
        self.failures.append({**record, "result": f"WRONG the process ended with {how}"})

    def lines(self) -> Iterator[str]:
        """Yield the summary, which ends with one line of figures."""
        for record in self.failures[:_SHOWN]:
            yield f"{described(record)}: {record['result']}"
        yield f"slowest: {self.slowest[0]:.2f} s ({self.slowest[1]}); memory: {self.memory} MiB"
        counts = self.counts
        tables = counts["equal"] + sum(record["kind"] == "table" for record in self.failures)
        yield f"{self.tried - tables:,} mutants and {tables:,} tables tried in {self.seconds:.0f} s"
        yield f"  tables equal to the oracles  {counts['equal']:>9,}"
        yield f"  refused by the loader        {counts['refused']:>9,}"
        yield f"  found by verify              {counts['found']:>9,}"
        yield f"  harmless: the same model     {counts['same']:>9,}"
        yield f"  another valid model          {counts['another']:>9,}"
        yield f"  wrongly accepted             {counts['ACCEPTED']:>9,}"
        yield f"  crashed, hung or wrong error {counts['WRONG']:>9,}"


def _watched(asked: Namespace) -> Summary:
    """Run processes that try mutants until the time is up; start another if one ends early."""
    current = mmap.mmap(-1, 64 << 20)
    summary, deaths = Summary(), 0
    while (left := asked.seconds - summary.seconds) > 0 and deaths < _MOST_DEATHS:
        ours, theirs = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(ours)
            asked.seconds, asked.tries = left, asked.tries - summary.tried
            _exit_after_work(asked, asked.seed + deaths, current, theirs)
        os.close(theirs)
        try:
            _listen(ours, summary)
        except KeyboardInterrupt:
            os.kill(child, signal.SIGKILL)
            break
        _, status = os.waitpid(child, 0)
        if status == 0:
            break
        first, _, _ = current[:20].partition(b"\n")
        if not first.isdigit():
            raise SystemExit("the process ended before it tried anything")
        current.seek(len(first) + 1)
        summary.died(json.loads(current.read(int(first))), status)
        deaths += 1
    return summary


def _exit_after_work(asked: Namespace, seed: int, current: mmap.mmap, theirs: int) -> NoReturn:
    """Try mutants in a child process, and end it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    try:
        with open(theirs, "w", encoding="utf-8") as pipe:
            _work(asked, seed, current, pipe)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _listen(ours: int, summary: Summary) -> None:
    """Add what a child process reports, and print the progress from time to time."""
    shown = summary.seconds
    with open(ours, encoding="utf-8") as pipe:
        for line in pipe:
            summary.add(json.loads(line))
            if summary.seconds > shown + _PROGRESS:
                shown = summary.seconds
                print(f"{summary.tried:,} after {shown:.0f} s", flush=True)


def _arguments() -> Namespace:
    parser = ArgumentParser(description="Fuzz model files, checkpoints and tables.")
    parser.add_argument("seconds", nargs="?", type=float, default=60.0, help="default 60")
    parser.add_argument("--tries", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--seed", type=int, default=0, help="default 0")
    parser.add_argument("--only", nargs="+", choices=FUZZERS, default=list(FUZZERS))
    parser.add_argument("--keep", type=Path, metavar="FILE", help="add its failures to the corpus")
    return parser.parse_args()


def main() -> int:
    """Run the fuzzers and print a summary."""
    asked = _arguments()
    if asked.keep is not None:
        write([*recorded(), *recorded(asked.keep)])
        print(f"added to {CORPUS}")
        return 0
    summary = _watched(asked)
    if summary.failures:
        write(summary.failures, FAILURES)
        print(f"The failures are in {FAILURES}. To replay them with every test run:")
        print(f"    python tools/fuzz.py --keep {FAILURES}")
    print("\n".join(summary.lines()))
    return int(bool(summary.failures))


if __name__ == "__main__":
    sys.exit(main())
