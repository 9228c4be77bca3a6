"""Measure polytomy and the other installed libraries in one run on the same arrays.

Every case is run in rounds, each library once per round; the shortest time counts, and the figures
to read are ratios. Results are written to benchmarks/results as JSON, and as tables and a figure to
docs/evidence/performance.md; those of a quick trial (--quick) to benchmarks/results/quick.
"""

import argparse
import sys
from time import perf_counter
from typing import Any

import report
from case import Case, Group, Size
from cases import groups_of
from contenders import WAITING, is_installed
from machine import describe, machine
from memory import rise_elsewhere
from phases import measure
from results import Results, save
from runs import OVER, Pressure, run_case
from targets import targets_of

PHASES = "phases"
PHASE_SECONDS, MEMORY_SECONDS, OVERHEAD = 6.0, 5.0, 1.0  # the expected time of each
BUDGET, QUICK_BUDGET = 570.0, 55.0
QUICK_PART = 0.1  # of the planned seconds of a case, at most, in a quick trial


class Clock:
    """Divides the remaining time among the remaining cases, by their planned times."""

    def __init__(self, budget: float, cases: list[Case], most: float) -> None:
        self.most = most
        self.end = perf_counter() + budget
        self.waiting = PHASE_SECONDS + sum(map(self.cost, cases))

    @staticmethod
    def cost(case: Case) -> float:
        """Return the planned seconds of a case."""
        return case.seconds + OVERHEAD + MEMORY_SECONDS * len(case.memory)

    @property
    def left(self) -> float:
        """The remaining seconds."""
        return self.end - perf_counter()

    def tightness(self, case: Case) -> float:
        """Return the fraction of its planned time that the next case may take."""
        part = min(self.most, self.left / max(self.waiting, 1.0))
        self.waiting -= self.cost(case)
        return part


def run_group(group: Group, size: Size, clock: Clock, where: dict[str, Any]) -> None:
    """Run the cases of a group and save the results."""
    outcomes: list[dict[str, Any]] = []
    slow: set[str] = set()  # along an axis the cost grows: a library that was too slow stays out
    for case in group.cases:
        print(f"[{max(clock.left, 0):4.0f} s left] {group.name}: {case.name}", flush=True)
        outcome = run_case(case, Pressure(clock.tightness(case), frozenset(slow)))
        for contestant in outcome["contestants"]:
            if group.axis and (contestant["refused"] or "").startswith(OVER):
                slow.add(contestant["name"])
            if contestant["name"] in case.memory and is_installed(contestant["name"]):
                contestant["memory"] = rise_elsewhere(case.key, contestant["name"], size)
        print("    " + ", ".join(f"{n} {cell}" for n, cell in report.cells_of(outcome).items()))
        outcomes.append(outcome)
    facts = {"name": group.name, "title": group.title, "note": group.note, "axis": group.axis}
    save(facts | {"machine": where, "cases": outcomes}, group.name, size.quick)


def run_phases(size: Size, clock: Clock, where: dict[str, Any]) -> None:
    """Time the phases of a fit and save the result."""
    print(f"[{max(clock.left, 0):4.0f} s left] {PHASES}", flush=True)
    save(measure(size) | {"machine": where}, PHASES, size.quick)


def print_targets(results: Results) -> None:
    """Print the targets and whether they are met."""
    print()
    for line in report.target_lines(results):
        print(line)
    missed = sum(t.verdict != "met" for t in targets_of(results))
    print(f"\n{missed} targets missed or not measured" if missed else "\nall targets met")


def options(names: list[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="+", metavar="GROUP", help=f"run these groups only: {', '.join(names)}"
    )
    parser.add_argument("--list", action="store_true", help="list the groups and cases, and exit")
    parser.add_argument("--quick", action="store_true", help="make a quick trial on small tables")
    parser.add_argument(
        "--report", action="store_true", help="only write the document, from stored results"
    )
    parser.add_argument(
        "--budget", type=float, metavar="SECONDS", help=f"time for all cases ({BUDGET:g})"
    )
    parser.add_argument("--threads", type=int, default=2, help="threads of each library (2)")
    given = parser.parse_args()
    unknown = set(given.only or ()) - set(names)
    if unknown:
        parser.error(
            f"there is no group {', '.join(sorted(unknown))}; the groups are {', '.join(names)}"
        )
    if given.threads < 1 or (given.budget or 1) <= 0:
        parser.error("--threads and --budget must be positive")
    return given


def main() -> int:
    """Run the suite; return the exit code."""
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
        print(*describe(where), sep="\n")
        budget = given.budget or (QUICK_BUDGET if size.quick else BUDGET)
        most = QUICK_PART if size.quick else 1.0
        clock = Clock(budget, [case for group in groups for case in group.cases], most)
        for group in groups:
            run_group(group, size, clock, where)
        if not given.only or PHASES in given.only:
            run_phases(size, clock, where)
        print(f"done in {budget - clock.left:.0f} s; waiting threads: {WAITING}")
    results = Results(size.quick)
    print_targets(results)
    print(f"written: {report.write(results)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
