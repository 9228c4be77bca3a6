"""All facts of a density tree's report in one dictionary of plain data.

The page is that of other trees. It has no certificate or p-values, and its errors by size are
negative log-densities.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy import __version__
from polytomy._types import FloatArray
from polytomy.density import DensityModel
from polytomy.export import MeanScale, node_density
from polytomy.report.facts.columns import categories_in_tree, column_facts
from polytomy.report.facts.heading import Heading
from polytomy.report.facts.json_values import rounded, unrounded

from .assemble import text_of
from .conditions import conditions
from .nodes import condition_facts, split_facts
from .pruning_path import NodeErrors, Prunings, pruning_facts


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """The number of some rows, and their mean log-density."""

    rows: int
    log_density: float

    @classmethod
    def of(cls, scores: FloatArray, weights: FloatArray | None) -> "ScoredRows":
        """Return those of rows with these log-densities and weights."""
        return cls(len(scores), float(np.average(scores, weights=weights)))


def density_facts(
    model: DensityModel,
    importances: FloatArray,
    path: tuple[Prunings, NodeErrors, dict[str, int]],
    training: ScoredRows | None = None,
    test: ScoredRows | None = None,
    title: str | None = None,
) -> dict[str, Any]:
    """Return all facts of a density tree's report.

    Parameters
    ----------
    model : DensityModel
        The tree.
    importances : array
        The importance of each column.
    path : tuple
        The prunings, the negative log-densities of each node as a leaf, and the chosen sizes.
    training, test : ScoredRows, optional
        The log-densities of the training rows and of test rows. By default the report is about the
        model alone.
    title : str, optional
        The heading.

    Returns
    -------
    dict
        Plain data, ready for JSON and for ``polytomy.report.page.render``.
    """
    tree, scale = model.tree, MeanScale.of(model)
    listing = categories_in_tree(tree, model.schema)
    leaves = tree.leaves()
    return {
        **Heading(__version__, title).facts("tree", "Density tree"),
        "densities": {"low": unrounded(scale.low), "high": unrounded(scale.high)},
        "weighted": not np.array_equal(tree.weight, tree.rows),
        "contracted": False,
        "columns": column_facts(model.schema, importances, listing),
        "nodes": _nodes(model),
        "path": pruning_facts(path[0], tree, *path[1:]),
        "summary": {
            "leaves": tree.n_leaves,
            "depth": int(tree.depth.max()),
            "questions": rounded(np.average(tree.depth[leaves], weights=tree.rows[leaves]), 6),
            "empty": int((tree.rows[leaves] == 0).sum()),
            **_scores("train", training),
            **_scores("test", test),
        },
        "text": text_of(model),
    }


def _scores(name: str, scored: ScoredRows | None) -> dict[str, Any]:
    if scored is None:
        return {}
    density = unrounded(scored.log_density)
    return {f"{name}_rows": scored.rows, f"{name}_log_density": density}


def _nodes(model: DensityModel) -> list[dict[str, Any]]:
    """Return the facts of each node."""
    tree, listing = model.tree, categories_in_tree(model.tree, model.schema)
    texts = conditions(tree, model.schema, contracted=False)
    return [
        _node(model, node)
        | condition_facts(texts[node])
        | ({} if tree.is_leaf(node) else split_facts(tree, model.schema, listing, node))
        for node in range(tree.n_nodes)
    ]


def _node(model: DensityModel, node: int) -> dict[str, Any]:
    """Return the rows, the share and the density of a node, and the gain of its split."""
    tree, box = model.tree, node_density(model, node)
    facts: dict[str, Any] = {
        "parent": int(tree.parent[node]),
        "rows": int(tree.rows[node]),
        "id": node,
        "weight": rounded(float(tree.counts[node, 0])),
        "share": rounded(box.share),
        "log_density": unrounded(float(model.log_density[node])),
        "density": unrounded(box.density),
        "relative": unrounded(box.relative),
    }
    if not tree.is_leaf(node):
        gain = float(model.gains[tree.children(node)].sum())
        facts["gain"] = rounded(gain / float(model.weight[0]))
    return facts
