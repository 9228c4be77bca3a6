"""The votes of an ensemble beside LightGBM's, both with the very same trees.

LightGBM grows the trees on a part of the rows; ours are copies of them, so that both do the same
job and must come to the same votes.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np
from case import Case, Group, Size
from contenders import Contender, Job, contender, is_installed
from tables import Given, Recipe, table_of

from polytomy.encode import encode
from polytomy.ensemble import Ensemble, Member, quantized, votes
from polytomy.table import Table
from polytomy.tree import IntervalSplit, TreeBuilder

PEER = "LightGBM"
TREES, GROWN_ON = 200, 50_000


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
        split = IntervalSplit(told["split_feature"], np.array([told["threshold"]]), -1, 0)
        children = builder.split(node, split, np.ones((2, 2)), [1, 1])
        waiting += zip(children, (told["left_child"], told["right_child"]), strict=True)
    tree = builder.finish()
    added = np.zeros((tree.n_nodes, 1))
    added[list(scores), 0] = list(scores.values())
    return Member(tree, quantized(added))


@lru_cache(maxsize=1)
def twins(job: Job, rows: int) -> tuple[Any, Ensemble]:
    """Let LightGBM grow the trees, and copy them."""
    given = table_of(Recipe(rows)).first(GROWN_ON)
    peer = contender(PEER).fit(given, job)
    members = [member_of(told["tree_structure"]) for told in peer.dump_model()["tree_info"]]
    schema = encode(Table.of(given.x)).schema
    return peer, Ensemble(schema, np.arange(2), tuple(members), np.zeros(1), PEER)


def started(who: Contender, given: Given, job: Job) -> Callable[[], Any]:
    """Return the votes of one of the twins, after a look whether both agree."""
    peer, ours = twins(job, len(given.y))
    part = given.first(1000).x
    theirs = peer.predict(part, raw_score=True)
    if np.abs(votes(ours, Table.of(part), job.threads).ravel() - theirs).max() > 1e-9:
        raise SystemExit("the votes differ: the race is void")
    if who.name == PEER:
        return lambda: peer.predict(given.x, raw_score=True, num_threads=job.threads)
    return lambda: votes(ours, Table.of(given.x), job.threads)


def group(size: Size) -> Group:
    """Return the cases, unless there is nobody to grow the trees."""
    rows = size.rows(1_000_000)
    cases = tuple(
        Case(
            f"{TREES} trees of {leaves} leaves",
            f"voting/{leaves}",
            partial(table_of, Recipe(rows)),
            size.job(leaves, TREES),
            ("ours", PEER),
            started,
            seconds=5.0,
            rounds=5,
        )
        for leaves in (2, 8)
        if is_installed(PEER)
    )
    note = "LightGBM's trees in both libraries: the same votes from the raw float32 array."
    return Group("voting", f"Votes: {rows:,} x 20", note, cases)
