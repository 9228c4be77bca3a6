"""The speed of an ensemble's votes beside LightGBM's, both with the very same trees.

LightGBM grows the trees on a part of the rows; ours are copies of them, so that both do the same
job and must come to the same votes. The least time of the repeats counts; the figures to read are
the ratios. Two races, on a row-major float64 array:

- stumps: trees of 2 leaves, which we merge into one look-up a column; and without merging
- trees: trees of 8 leaves
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from racing import (
    PEER,
    Aim,
    Case,
    Contestant,
    Data,
    Grade,
    machine,
    make_data,
    print_aims,
    print_head,
    print_race,
    refuse_without,
    run_in_turn,
    save,
)

from polytomy.encode import encode
from polytomy.ensemble import Ensemble, Member, quantized, votes
from polytomy.ensemble.ballot import Rows, ballot_of
from polytomy.table import Table
from polytomy.tree import IntervalQuestion, TreeBuilder

MISSING = None  # a peer that is not installed
try:
    import lightgbm
except ImportError as error:
    MISSING = error.name

RESULTS = Path(__file__).parent / "results" / "vote_speed.json"
PACKAGES = ("numpy", "polytomy", "lightgbm")
COLUMNS, TREES = 20, 200
GROWN_ON = 100_000  # rows
OURS, UNMERGED = "polytomy", "polytomy unmerged"


@dataclass(frozen=True)
class Twins:
    """LightGBM's ensemble and our copy of it."""

    peer: Any
    ours: Ensemble


def grown(case: Case, data: Data) -> Twins:
    """Let LightGBM grow the trees, and copy them."""
    x, y = data[0][:GROWN_ON], data[1][:GROWN_ON]
    params = {"objective": "binary", "num_leaves": case.leaves, "verbose": -1}
    params |= {"num_threads": case.threads}
    peer = lightgbm.train(params, lightgbm.Dataset(x, label=y), num_boost_round=TREES)
    members = [member_of(t["tree_structure"]) for t in peer.dump_model()["tree_info"]]
    schema = encode(Table.of(x)).schema
    return Twins(peer, Ensemble(schema, np.arange(2), tuple(members), np.zeros(1), PEER))


def member_of(root: dict[str, Any]) -> Member:
    """Return one of LightGBM's trees as ours; of the rows it was grown on we need nothing."""
    builder = TreeBuilder(np.ones(2), 1)
    scores: dict[int, float] = {}
    waiting = [(0, root)]
    while waiting:
        node, told = waiting.pop()
        if "leaf_value" in told:
            scores[node] = told["leaf_value"]
            continue
        question = IntervalQuestion(told["split_feature"], np.array([told["threshold"]]), -1, 0)
        children = builder.split(node, question, np.ones((2, 2)), [1, 1])
        waiting += zip(children, (told["left_child"], told["right_child"]), strict=True)
    tree = builder.finish()
    added = np.zeros((tree.n_nodes, 1))
    added[list(scores), 0] = list(scores.values())
    return Member(tree, quantized(added))


def race_of(race: str, case: Case, data: Data) -> list[Contestant]:
    """Return who votes with trees of so many leaves."""
    x, y = data
    twins = grown(case, data)
    expected = twins.peer.predict(x, raw_score=True)

    def grade(voted: np.ndarray) -> Grade:
        if np.abs(voted.ravel() - expected).max() > 1e-9:
            raise SystemExit("the votes differ: the race is void")
        return case.leaves, float(np.mean((voted.ravel() > 0) != y))

    def merged(rows: np.ndarray) -> np.ndarray:
        return votes(twins.ours, Table.of(rows), case.threads)

    def unmerged(rows: np.ndarray) -> np.ndarray:
        whole = ballot_of(twins.ours.schema, twins.ours.members, twins.ours.start)
        return whole.votes(Rows.of(Table.of(rows), twins.ours.schema, case.threads))

    def peer(rows: np.ndarray) -> np.ndarray:
        return twins.peer.predict(rows, raw_score=True, num_threads=case.threads)

    known = {OURS: merged, PEER: peer}
    if case.leaves == 2:
        known[UNMERGED] = unmerged
    return [Contestant(race, name, (("votes", do),), x, grade) for name, do in known.items()]


def aims(everyone: Sequence[Contestant]) -> list[Aim]:
    """Return our targets."""
    least = {(c.race, c.name): c.least for c in everyone}
    return [
        Aim(race, seconds / least[race, PEER], 1.0, f"of {PEER}")
        for (race, name), seconds in least.items()
        if name == OURS
    ]


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="that are voted on (1000000)")
    parser.add_argument("--threads", type=int, default=2, help="of every contestant (2)")
    parser.add_argument("--repeats", type=int, default=5, help="runs of every contestant (5)")
    given = parser.parse_args()
    if min(given.threads, given.repeats) < 1 or given.rows < 1000:
        parser.error("the numbers must be at least 1, and the rows 1000")
    return given


def main() -> int:
    """Run the races; return the exit code."""
    given = options()
    if refuse_without(MISSING):
        return 1
    where = machine(PACKAGES)
    everyone: list[Contestant] = []
    data: Data | None = None
    for race, leaves in (("stumps", 2), ("trees", 8)):
        case = Case(given.rows, COLUMNS, leaves, given.threads)
        if data is None:
            print_head(case, where)
            x, y = make_data(case)
            data = x.astype(np.float64), y
        part = race_of(race, case, data)
        run_in_turn(part, given.repeats)
        print_race(f"{TREES} trees, {leaves} leaves", part, unit="ms")
        everyone += part
    targets = aims(everyone)
    print_aims(targets)
    outcome = {"case": asdict(case), "machine": where, "targets": [t.plain() for t in targets]}
    save(RESULTS, outcome | {"contestants": [c.plain() for c in everyone]})
    return 0


if __name__ == "__main__":
    sys.exit(main())
