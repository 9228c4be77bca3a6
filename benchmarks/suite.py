"""The benchmark suite: us and the installed peers, in one run on the same arrays.

Every case is run in rounds, everybody once a round; the least time counts, and what to read are
the ratios. Results go to benchmarks/results as JSON, and as tables and a figure into
docs/performance.md; those of a rehearsal (--quick) to benchmarks/results/quick.
"""

import argparse
import sys
from time import perf_counter
from typing import Any

import racing  # first: it tells OpenMP how to wait
import report
from case import Case, Group, Size
from cases import groups_of
from contenders import is_installed
from machine import machine, words
from memory import rise_elsewhere
from phases import measure
from results import Results, save
from runner import OVER, Pressure, run_case
from targets import targets_of

PHASES = "phases"
PHASE_SECONDS, MEMORY_SECONDS, OVERHEAD = 6.0, 5.0, 1.0  # what each is expected to take
BUDGET, QUICK_BUDGET = 570.0, 55.0
QUICK_PART = 0.1  # of the seconds of a case, at most, in a rehearsal


class Clock:
    """Shares the time left among the cases left, by what each should take."""

    def __init__(self, budget: float, cases: list[Case], most: float) -> None:
        self.most = most
        self.end = perf_counter() + budget
        self.waiting = PHASE_SECONDS + sum(map(self.cost, cases))

    @staticmethod
    def cost(case: Case) -> float:
        """Return what a case should take."""
        return case.seconds + OVERHEAD + MEMORY_SECONDS * len(case.memory)

    @property
    def left(self) -> float:
        """The seconds left."""
        return self.end - perf_counter()

    def tightness(self, case: Case) -> float:
        """Return what part of its seconds a case may take; the case waits no more."""
        part = min(self.most, self.left / max(self.waiting, 1.0))
        self.waiting -= self.cost(case)
        return part


def run_group(group: Group, size: Size, clock: Clock, where: dict[str, Any]) -> None:
    """Run the cases of a group, and keep their outcome."""
    outcomes: list[dict[str, Any]] = []
    slow: set[str] = set()  # along an axis cost grows: who was too slow once stays out
    for case in group.cases:
        print(f"[{max(clock.left, 0):4.0f} s left] {group.name}: {case.name}", flush=True)
        told = run_case(case, Pressure(clock.tightness(case), frozenset(slow)))
        for contestant in told["contestants"]:
            if group.axis and (contestant["refused"] or "").startswith(OVER):
                slow.add(contestant["name"])
            if contestant["name"] in case.memory and is_installed(contestant["name"]):
                contestant["memory"] = rise_elsewhere(case.key, contestant["name"], size)
        print("    " + ", ".join(f"{n} {cell}" for n, cell in report.cells_of(told).items()))
        outcomes.append(told)
    told = {"name": group.name, "title": group.title, "note": group.note, "axis": group.axis}
    save(told | {"machine": where, "cases": outcomes}, group.name, size.quick)


def run_phases(size: Size, clock: Clock, where: dict[str, Any]) -> None:
    """Split a fit by phase, and keep the outcome."""
    print(f"[{max(clock.left, 0):4.0f} s left] {PHASES}", flush=True)
    save(measure(size) | {"machine": where}, PHASES, size.quick)


def print_targets(results: Results) -> None:
    """Print whether each target is met."""
    print()
    for line in report.target_lines(results):
        print(line)
    missed = sum(t.verdict != "met" for t in targets_of(results))
    print(f"\n{missed} targets missed or not measured" if missed else "\nall targets met")


def options(names: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="GROUP", help=f"of {', '.join(names)}")
    parser.add_argument("--list", action="store_true", help="list groups and cases, run nothing")
    parser.add_argument("--quick", action="store_true", help="a rehearsal on small tables")
    parser.add_argument("--report", action="store_true", help="write the document again, no more")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help=f"of all ({BUDGET:g})")
    parser.add_argument("--threads", type=int, default=2, help="of every contestant (2)")
    given = parser.parse_args()
    unknown = set(given.only or ()) - set(names)
    if unknown:
        parser.error(f"no group {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if given.threads < 1 or (given.budget or 1) <= 0:
        parser.error("--threads and --budget must be positive")
    return given


def main() -> int:
    """Run what is asked for; return the exit code."""
    names = [*(group.name for group in groups_of(Size(True, 1))), PHASES]
    given = options(names)
    size = Size(given.quick, given.threads)
    groups = [g for g in groups_of(size) if not given.only or g.name in given.only]
    if given.list:
        for group in groups:
            print(f"{group.name}: {', '.join(case.name for case in group.cases)}")
        return 0
    if not given.report:
        where = machine(size.threads)
        print(*words(where), sep="\n")
        budget = given.budget or (QUICK_BUDGET if size.quick else BUDGET)
        most = QUICK_PART if size.quick else 1.0
        clock = Clock(budget, [case for group in groups for case in group.cases], most)
        for group in groups:
            run_group(group, size, clock, where)
        if not given.only or PHASES in given.only:
            run_phases(size, clock, where)
        print(f"done in {budget - clock.left:.0f} s; waiting threads: {racing.WAITING}")
    results = Results(size.quick)
    print_targets(results)
    print(f"written: {report.write(results)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
