"""Bounds on the error on new rows: Occam bound, VC dimension and rule of thumb."""

from dataclasses import dataclass
from math import isnan, nan, sqrt
from textwrap import fill
from warnings import warn

import numpy as np

from polytomy._errors import FamilyError
from polytomy._text import count
from polytomy.certify.record import Weighting
from polytomy.encode import ColumnSpec, NominalColumn, Schema
from polytomy.table import Ranks
from polytomy.theory import VCBounds, occam_bound, vc_bounds
from polytomy.theory.bounds import check_delta
from polytomy.tree import LEAF, Tree, TreeBuilder, contract

from .bits import CodeWords
from .tree_code import encode_tree

_WIDTH = 96


@dataclass(frozen=True, slots=True)
class Generalization:
    """Bounds on the error on new rows; ``assumptions`` lists what each assumes.

    Attributes
    ----------
    training_error : float
        The fraction of the sample's weight that the tree classifies wrongly.
    m, rows : float, int
        The weight of the sample, read as a number of cases, and its number of rows.
    leaves : int
        The number of leaves.
    bits : int or None
        The description length: the shortest code word among trees with the same predictions (the
        tree itself, with equal leaves merged, and contracted).
    occam : float
        Training error + sqrt((bits ln 2 + ln(1/delta)) / (2m)); nan if there is no code word.
    occam_why_not : str or None
        The reason why there is no Occam bound.
    vc : VCBounds or None
        The VC dimension of binary trees of that size over the schema's two-valued columns.
    vc_why_not : str or None
        The reason why the VC bounds do not apply to this tree.
    rule_of_thumb : float
        sqrt(leaves/m); ``rule_of_thumb_error`` adds the training error.
    delta : float
        The probability with which the Occam bound may fail.
    weighting : {"none", "rows", "classes", "costs"}, default="none"
        How the rows were weighted.
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
        """Training error + sqrt(leaves/m), the score of structural risk minimisation."""
        return self.training_error + self.rule_of_thumb

    @property
    def vacuous(self) -> bool:
        """Whether the Occam bound is 1 or more, or does not exist."""
        return not self.occam < 1

    @property
    def assumptions(self) -> dict[str, str]:
        """The assumptions behind each number."""
        cases = "weights count cases, " if self.weighting == "rows" else ""
        return {
            "training_error": "measured, on the rows the tree was grown on",
            "m": "weights are case counts",
            "occam": (
                f"{cases}rows drawn independently, columns and categories known in advance; "
                f"holds with probability {1 - self.delta:.4g}"
            ),
            "vc": "two classes, binary splits on Boolean columns; not a bound on errors",
            "rule_of_thumb": "not proved; a penalty for comparing sizes",
        }

    def __str__(self) -> str:
        assumptions = self.assumptions
        lines = [
            f"Error on new rows, from {self.m:.10g} cases in {self.rows} rows and "
            f"{count(self.leaves, 'leaf', 'leaves')}",
            _line(
                "training error", self._figure(self.training_error), assumptions["training_error"]
            ),
            _line("Occam bound", *self._occam_text()),
            _line("rule of thumb", self._figure(self.rule_of_thumb_error), self._thumb_text()),
            _line("VC dimension", *self._vc_text()),
        ]
        return "\n".join(lines)

    def _occam_text(self) -> tuple[str, str]:
        if self.bits is None:
            return "none", self.occam_why_not or ""
        vacuous = "vacuous; " if self.vacuous else ""
        return f"{self.occam:.4f}", f"{vacuous}{self.bits} bits; {self.assumptions['occam']}"

    def _figure(self, value: float) -> str:
        """Return an error as text: a rate, or a mean loss, which may have any size."""
        if isnan(value):
            return "none"
        return f"{value:.4g}" if isnan(self.rule_of_thumb) else f"{value:.4f}"

    def _thumb_text(self) -> str:
        if isnan(self.rule_of_thumb):
            return "it is for error rates, not for a numeric target"
        penalty = f"sqrt(leaves/m) = {self.rule_of_thumb:.4f}"
        return f"error + {penalty}; {self.assumptions['rule_of_thumb']}"

    def _vc_text(self) -> tuple[str, str]:
        if self.vc is None:
            return "none", self.vc_why_not or ""
        return f"{self.vc.lower}..{self.vc.upper:.5g}", self.assumptions["vc"]


def generalize(
    tree: Tree, schema: Schema, delta: float = 0.05, weighting: Weighting = "none"
) -> Generalization:
    """Return bounds on the error of a tree on new rows.

    Row weights are read as case counts. With class weights there are no cases to count, and hence
    no Occam bound.

    Parameters
    ----------
    tree : Tree
        The tree.
    schema : Schema
        Its columns.
    delta : float, default=0.05
        The probability with which the Occam bound may fail.
    weighting : {"none", "rows", "classes", "costs"}, default="none"
        How the rows were weighted.

    Returns
    -------
    Generalization
        The bounds, with their assumptions.
    """
    check_delta(delta)
    m, rows = float(tree.weight[0]), int(tree.rows[0])
    if m < rows * (1 - 1e-9):
        warn(
            f"the weights of {rows} rows sum to {m:.4g}; the bounds read weights as case counts "
            "and treat this as a smaller sample",
            UserWarning,
            stacklevel=2,
        )
    at = tree.leaves()
    error = float(tree.errors[at].sum()) / m
    if tree.is_numeric:
        return Generalization(
            training_error=error,
            m=m,
            rows=rows,
            leaves=tree.n_leaves,
            bits=None,
            occam=nan,
            occam_why_not="it is for errors of 0 or 1, and those of a number have no limit",
            vc=None,
            vc_why_not="the bounds are for classes, not for a numeric target",
            rule_of_thumb=nan,
            delta=float(delta),
            weighting=weighting,
        )
    bits, no_code = _description_length(tree, schema)
    if weighting in ("classes", "costs"):
        what = "costs" if weighting == "costs" else "class weights"
        bits, no_code = None, f"{what} are not case counts, so this is not the error on new rows"
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
    """Return the length of the shortest code word for a tree's predictions, or a reason.

    The error depends on the predictions only, so any tree with the same predictions will do.
    """
    merged = _merge_equal_leaves(tree)
    # Merging equal leaves never makes the code longer: it removes a split and all leaves but one,
    # and may clear a flag, which lengthens nothing else.
    same = [*map(contract, [tree] if merged is tree else [tree, merged]), merged]
    words: CodeWords = {}  # most thresholds are shared: 0.8 s instead of 1.5 at 20,000 leaves
    try:
        return min(len(encode_tree(each, schema, words)) for each in same), None
    except FamilyError as why:
        return None, f"a split cannot be encoded: {why}"


def _merge_equal_leaves(tree: Tree) -> Tree:
    """Return the tree in which a node is a leaf if all leaves below it have the same label."""
    label = tree.counts.argmax(axis=1).tolist()  # a label shared by all leaves is also the node's
    parent = tree.parent.tolist()
    one = [True] * tree.n_nodes
    for node in reversed(range(1, tree.n_nodes)):  # children come after their parents
        if not one[node] or label[node] != label[parent[node]]:
            one[parent[node]] = False
    if sum(one) == tree.n_leaves:
        return tree
    # A slice of the children's counts takes 0.2 us, picking single rows took 1.7.
    starts, child = tree.child_start.tolist(), tree.child.tolist()
    counts, rows = tree.counts[tree.child], tree.rows[tree.child].tolist()
    builder = TreeBuilder(tree.counts[0], int(tree.rows[0]))
    waiting = [(0, 0)]  # (node of the old tree, leaf of the new one)
    while waiting:
        old, new = waiting.pop()
        split = None if one[old] else tree.split(old)
        if split is not None:
            below = slice(starts[old], starts[old + 1])
            made = builder.split(new, split, counts[below], rows[below])
            waiting.extend(zip(child[below], made, strict=True))
    return builder.finish()


def _why_no_vc(tree: Tree, schema: Schema) -> str | None:
    """Return why the lecture's VC bounds do not apply to a tree, or None."""
    if tree.n_classes != 2:
        return f"the bounds are for two classes, not {tree.n_classes}"
    if tree.own:
        return "the bounds are for splits on one column, and there are user-defined splits"
    inner = tree.kind != LEAF
    if (np.diff(tree.child_start)[inner] > 2).any():
        return "the bounds are for binary trees, and a node has more than two branches"
    for feature in np.unique(tree.feature[inner]).tolist():
        if not _is_boolean(schema[feature]):
            name = schema[feature].name
            return f"the bounds are for Boolean columns, and {name!r} is not two-valued"
    if not any(map(_is_boolean, schema)):
        return "the bounds are for Boolean columns, and no column is two-valued"
    return None


def _is_boolean(column: ColumnSpec) -> bool:
    """Return whether a column has two values; missing counts as a third."""
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
