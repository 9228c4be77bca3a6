"""Fuzz model files and checkpoints for some time, and count what became of the mutants.

Run ``python tools/fuzz.py [seconds] [seed]``, or ``make fuzz SECONDS=600``. Half of the mutants
damage files in any way (``fuzz_format``), half change one field of a file (``fuzz_fields``). Memory
is limited to 1 GiB more than the process uses at the start, and a mutant that takes 20 seconds
counts as a crash. The exit code is 1 if a mutant crashed or was accepted.
"""

import resource
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from random import Random
from time import perf_counter
from types import FrameType

from fuzz_fields import field_cases, field_mutants, field_outcome
from fuzz_format import cases, mutants, outcome

_SECONDS = 20  # for one mutant
_SHOWN = 40


def _damaged(random: Random) -> Iterator[tuple[str, str]]:
    """Yield what becomes of damaged files, and which they are."""
    sources = [(case, mutants(case, random)) for case in cases()]
    while True:
        for case, source in sources:
            mutant = next(source)
            yield f"{case.name}, {mutant.how}", outcome(case, mutant)


def _changed(random: Random) -> Iterator[tuple[str, str]]:
    """Yield what becomes of files with a changed field, and which they are."""
    sources = [(case, field_mutants(case, random)) for case in field_cases()]
    while True:
        for case, source in sources:
            mutant = next(source)
            yield f"{case.name}, {mutant.place}", field_outcome(case, mutant)


def _hang(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError(f"more than {_SECONDS} seconds")


def main() -> int:
    """Run the fuzzers and print a summary."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    random = Random(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    warnings.simplefilter("error")
    sources = _damaged(random), _changed(random)
    for source in sources:  # makes the models
        next(source)
    signal.signal(signal.SIGALRM, _hang)
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[0])
    most = pages * resource.getpagesize() + (1 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    slowest = (0.0, "")
    began, tried = perf_counter(), 0
    while perf_counter() - began < seconds:
        for source in sources:
            signal.alarm(_SECONDS)
            start = perf_counter()
            what, result = next(source)
            signal.alarm(0)
            tried += 1
            slowest = max(slowest, (perf_counter() - start, what))
            counts[result.split(" ")[0].rstrip(",")] += 1
            if result.startswith(("WRONG", "ACCEPTED")):
                wrong.append(f"{what}: {result}")
    accepted, crashed = counts.pop("ACCEPTED", 0), counts.pop("WRONG", 0)
    rest = ", ".join(f"{counts[name]:,} {name}" for name in sorted(counts))
    print(f"{tried:,} mutants in {perf_counter() - began:.0f} s: {rest}")
    print(f"accepted: {accepted}, crashed: {crashed}")
    print(f"slowest: {slowest[0]:.2f} s ({slowest[1]})")
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB")
    print("\n".join(wrong[:_SHOWN]), end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
