"""LightGBM's trees as an ensemble of polytomy, to time the voting of both libraries.

LightGBM grows the trees on some of the rows, and polytomy gets copies of them. Both then do the
same job and must return the same votes.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from contenders import Contender, Job, contender
from tables import Data, Recipe, table_of

from polytomy.encode import encode
from polytomy.ensemble import Ensemble, Member, quantized, votes
from polytomy.table import Table
from polytomy.tree import IntervalSplit, TreeBuilder

PEER = "LightGBM"
TRAINING_ROWS = 50_000


def copy_tree(root: dict[str, Any]) -> Member:
    """Return a copy of one of LightGBM's trees; its training counts are not needed."""
    builder = TreeBuilder(np.ones(2), 1)
    scores: dict[int, float] = {}
    waiting = [(0, root)]
    while waiting:
        node, dumped = waiting.pop()
        if "leaf_value" in dumped:
            scores[node] = dumped["leaf_value"]
            continue
        split = IntervalSplit(dumped["split_feature"], np.array([dumped["threshold"]]), -1, 0)
        children = builder.split(node, split, np.ones((2, 2)), [1, 1])
        waiting += zip(children, (dumped["left_child"], dumped["right_child"]), strict=True)
    tree = builder.finish()
    all_scores = np.zeros((tree.n_nodes, 1))
    all_scores[list(scores), 0] = list(scores.values())
    return Member(tree, quantized(all_scores))


@lru_cache(maxsize=1)
def both_models(job: Job, rows: int) -> tuple[Any, Ensemble]:
    """Return LightGBM's model and its copy."""
    data = table_of(Recipe(rows)).first(TRAINING_ROWS)
    peer = contender(PEER).fit(data, job)
    members = [copy_tree(dumped["tree_structure"]) for dumped in peer.dump_model()["tree_info"]]
    schema = encode(Table.of(data.x)).schema
    return peer, Ensemble(schema, np.arange(2), tuple(members), np.zeros(1), PEER)


def start_voting(who: Contender, data: Data, job: Job) -> Callable[[], Any]:
    """Return the voting of one of the models, after checking that both give the same votes."""
    peer, ours = both_models(job, len(data.y))
    part = data.first(1000).x
    expected = peer.predict(part, raw_score=True)
    if np.abs(votes(ours, Table.of(part), job.threads).ravel() - expected).max() > 1e-9:
        raise SystemExit("the votes of the copied trees differ from LightGBM's")
    if who.name == PEER:
        return lambda: peer.predict(data.x, raw_score=True, num_threads=job.threads)
    return lambda: votes(ours, Table.of(data.x), job.threads)
