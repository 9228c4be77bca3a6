"""What a tree's size says about its error on new rows."""

from dataclasses import dataclass
from math import nan, sqrt
from textwrap import fill
from warnings import warn

import numpy as np

from polytomy._errors import FamilyError
from polytomy.encode import ColumnSpec, NominalColumn, Schema
from polytomy.table import Ranks
from polytomy.theory.bounds import VCBounds, check_delta, occam_bound, vc_bounds
from polytomy.tree import LEAF, Tree, TreeBuilder, contract

from .bits import Words
from .code import encode_tree
from .run import Weighting

_WIDTH = 96


@dataclass(frozen=True, slots=True)
class Generalization:
    """Bounds on the error on new rows, and what each assumes (``assumptions``).

    Attributes
    ----------
    training_error : float
        The share of the sample's weight that the tree gets wrong.
    m, rows : float, int
        The weight of the sample, read as a number of cases, and its rows.
    leaves : int
        The tree's size.
    bits : int or None
        Its description length: the shortest code word among trees that predict alike, the tree
        itself, with leaves that agree made one, and with questions merged.
    occam : float
        Training error + sqrt((bits ln 2 + ln(1/delta)) / (2m)); nan where there is no code.
    occam_why_not : str or None
        Why there is none.
    vc : VCBounds or None
        The VC dimension of binary trees of so many leaves over the schema's two-valued columns.
    vc_why_not : str or None
        Why that does not speak of this tree.
    rule_of_thumb : float
        sqrt(leaves/m), by itself; ``rule_of_thumb_error`` has the training error added.
    delta : float
        How improbable a sample is allowed to be that breaks the Occam bound.
    weighting : {"none", "rows", "classes"}
        What weighed in the sample.
    """

    training_error: float
    m: float
    rows: int
    leaves: int
    bits: int | None
    occam: float
    occam_why_not: str | None
    vc: VCBounds | None
    vc_why_not: str | None
    rule_of_thumb: float
    delta: float
    weighting: Weighting = "none"

    @property
    def rule_of_thumb_error(self) -> float:
        """Training error + sqrt(leaves/m): what structural risk minimization compares."""
        return self.training_error + self.rule_of_thumb

    @property
    def vacuous(self) -> bool:
        """Whether the Occam bound is no better than none: 1 or more, or there is none."""
        return not self.occam < 1

    @property
    def assumptions(self) -> dict[str, str]:
        """What each number assumes."""
        cases = "weights count cases, " if self.weighting == "rows" else ""
        return {
            "training_error": "measured, on the rows the tree was grown on",
            "m": "weights are case counts",
            "occam": (
                f"{cases}rows drawn independently, columns and categories known beforehand; "
                f"then true with probability {1 - self.delta:.4g}"
            ),
            "vc": "two classes, binary questions about Boolean attributes; says nothing of errors",
            "rule_of_thumb": "nothing is proved; a penalty for comparing sizes",
        }

    def __str__(self) -> str:
        told = self.assumptions
        lines = [
            f"Error on new rows, from {self.m:.10g} cases in {self.rows} rows and "
            f"{self.leaves} {'leaf' if self.leaves == 1 else 'leaves'}",
            _line("training error", f"{self.training_error:.4f}", told["training_error"]),
            _line("Occam bound", *self._occam_told()),
            _line("rule of thumb", f"{self.rule_of_thumb_error:.4f}", self._thumb_told()),
            _line("VC dimension", *self._vc_told()),
        ]
        return "\n".join(lines)

    def _occam_told(self) -> tuple[str, str]:
        if self.bits is None:
            return "none", self.occam_why_not or ""
        vacuous = "vacuous; " if self.vacuous else ""
        return f"{self.occam:.4f}", f"{vacuous}{self.bits} bits; {self.assumptions['occam']}"

    def _thumb_told(self) -> str:
        penalty = f"sqrt(leaves/m) = {self.rule_of_thumb:.4f}"
        return f"error + {penalty}; {self.assumptions['rule_of_thumb']}"

    def _vc_told(self) -> tuple[str, str]:
        if self.vc is None:
            return "none", self.vc_why_not or ""
        return f"{self.vc.lower}..{self.vc.upper:.5g}", self.assumptions["vc"]


def generalize(
    tree: Tree, schema: Schema, delta: float = 0.05, weighting: Weighting = "none"
) -> Generalization:
    """Return what a tree's size says about its error on new rows.

    The Occam bound is true with probability 1 - ``delta``. Weights of rows are read as case counts;
    classes that weigh differently have no cases to count, so there is no bound then.
    """
    check_delta(delta)
    m, rows = float(tree.counts[0].sum()), int(tree.rows[0])
    if m < rows * (1 - 1e-9):
        warn(
            f"the weights of {rows} rows add up to {m:.4g}; bounds read weights as case counts, so "
            "they take this for a smaller sample",
            UserWarning,
            stacklevel=2,
        )
    at = tree.leaves()
    error = float((tree.counts[at].sum(axis=1) - tree.counts[at].max(axis=1)).sum()) / m
    bits, no_code = _description_length(tree, schema)
    if weighting == "classes":
        bits, no_code = None, "class weights are no case counts: the error is not that of new rows"
    no_vc = _why_no_vc(tree, schema)
    n_boolean = sum(_is_boolean(column) for column in schema)
    return Generalization(
        training_error=error,
        m=m,
        rows=rows,
        leaves=tree.n_leaves,
        bits=bits,
        occam=nan if bits is None else occam_bound(error, bits, m, delta),
        occam_why_not=no_code,
        vc=vc_bounds(tree.n_leaves, n_boolean) if no_vc is None else None,
        vc_why_not=no_vc,
        rule_of_thumb=sqrt(tree.n_leaves / m),
        delta=float(delta),
        weighting=weighting,
    )


def _description_length(tree: Tree, schema: Schema) -> tuple[int | None, str | None]:
    """Return the length of the shortest code word for what a tree predicts, or why there is none.

    Predictions are what errs, so any tree that predicts alike will do.
    """
    agreed = _agreeing(tree)
    # The tree itself is never shorter than with leaves that agree made one: that takes away a
    # question and the leaves but one, and habits may go, which makes nothing longer elsewhere.
    alike = [*map(contract, [tree] if agreed is tree else [tree, agreed]), agreed]
    words: Words = {}  # most thresholds are shared: 0.8 s for all three, not 1.5, at 20,000 leaves
    try:
        return min(len(encode_tree(each, schema, words)) for each in alike), None
    except FamilyError as why:
        return None, f"a question cannot be written down: {why}"


def _agreeing(tree: Tree) -> Tree:
    """Return the tree with every node a leaf below which all leaves have one label."""
    label = tree.counts.argmax(axis=1).tolist()  # one below is also the node's: it is the sum
    parent = tree.parent.tolist()
    one = [True] * tree.n_nodes
    for node in reversed(range(1, tree.n_nodes)):  # children come after their parents
        if not one[node] or label[node] != label[parent[node]]:
            one[parent[node]] = False
    if sum(one) == tree.n_leaves:
        return tree
    # Children's counts side by side: a slice of them takes 0.2 us, picking them took 1.7.
    starts, child = tree.child_start.tolist(), tree.child.tolist()
    counts, rows = tree.counts[tree.child], tree.rows[tree.child].tolist()
    builder = TreeBuilder(tree.counts[0], int(tree.rows[0]))
    waiting = [(0, 0)]  # (node of the old tree, leaf of the new one)
    while waiting:
        old, new = waiting.pop()
        question = None if one[old] else tree.question(old)
        if question is not None:
            below = slice(starts[old], starts[old + 1])
            made = builder.split(new, question, counts[below], rows[below])
            waiting.extend(zip(child[below], made, strict=True))
    return builder.finish()


def _why_no_vc(tree: Tree, schema: Schema) -> str | None:
    """Say why the lecture's VC bounds do not speak of a tree, if they do not."""
    if tree.n_classes != 2:
        return f"the bounds are for two classes, and there are {tree.n_classes}"
    if tree.own:
        return "the bounds are for questions about one attribute, and there are own ones"
    inner = tree.kind != LEAF
    if (np.diff(tree.child_start)[inner] > 2).any():
        return "the bounds are for binary trees, and a node has more branches"
    for feature in np.unique(tree.feature[inner]).tolist():
        if not _is_boolean(schema[feature]):
            name = schema[feature].name
            return f"the bounds are for Boolean attributes, and {name!r} is not two-valued"
    if not any(map(_is_boolean, schema)):
        return "the bounds are for Boolean attributes, and no column is two-valued"
    return None


def _is_boolean(column: ColumnSpec) -> bool:
    """Say whether a column has two values; a missing cell would be a third."""
    if column.has_missing:
        return False
    if isinstance(column, NominalColumn):
        return len(column.categories) == 2
    if isinstance(column.scale, Ranks):
        return len(column.scale.labels) == 2
    return column.n_values == 2 and bool((column.low == column.high).all())


def _line(name: str, value: str, what: str) -> str:
    indent = " " * 30
    return fill(f"  {name:<15}{value:>10}   {what}", _WIDTH, subsequent_indent=indent)
