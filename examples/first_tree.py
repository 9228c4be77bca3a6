"""
A tree without the estimator
============================

The functions below the estimator grow a tree that predicts whether a breast tumour is malignant.

The table comes with scikit-learn: 569 tumours from Wisconsin, with 30 measurements of their cells
and two classes. Each node splits on one measurement, and may have more than two branches.

The example uses the functions below the estimator: ``Table``, ``encode``, ``grow``, ``contract``
and ``apply``. ``polytomy.TreeClassifier`` does all of this in one call, and prints trees itself.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

from polytomy.encode import Schema, Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import IntervalSplit, Tree, contract


def condition(split: IntervalSplit, branch: int, name: str) -> str:
    """Return the condition of a branch, such as ``0.13 < worst concave points <= 0.16``."""
    limits = split.range_of(branch)
    if limits is None:
        return f"{name} is missing"
    low, high = limits
    if np.isinf(high):
        return f"{name} > {low:.4g}"
    return f"{name} <= {high:.4g}" if np.isinf(low) else f"{low:.4g} < {name} <= {high:.4g}"


def prediction(tree: Tree, leaf: int, classes: list[str]) -> str:
    """Return the class that a leaf predicts, and the share of its training rows in that class."""
    counts = tree.counts[leaf]
    best = int(np.argmax(counts))
    share = counts[best] / counts.sum()
    return f"{classes[best]:<11}{share:5.0%} of {tree.rows[leaf]}"


def lines(tree: Tree, schema: Schema, classes: list[str], node: int = 0) -> list[str]:
    """Return the subtree below a node as text, one line for each branch."""
    split = tree.split(node)
    if not isinstance(split, IntervalSplit):  # a leaf: every column of this table is numeric
        return []
    name = schema[split.feature].name
    out = []
    for branch, child in enumerate(tree.children(node).tolist()):
        text = "    " * int(tree.depth[node]) + condition(split, branch, name)
        if tree.is_leaf(child):
            out.append(f"{text:<54}{prediction(tree, child, classes)}")
        else:
            out += [text, *lines(tree, schema, classes, child)]
    return out


def main() -> None:
    """Grow a tree with eight leaves and print it."""
    cases = load_breast_cancer()
    table = Table.of(cases.data, cases.feature_names.tolist())
    coded = encode(table)
    target = Target.of(cases.target)
    grown = grow(coded, target, GrowParams(max_leaves=8)).tree
    tree = contract(grown)  # merge each node with the children that split on the same column

    classes = cases.target_names.tolist()
    print(f"{table.n_rows} rows, {len(coded.schema)} columns, classes: {', '.join(classes)}\n")
    print("\n".join(lines(tree, coded.schema, classes)))

    leaf = apply(tree, coded.schema, table)  # the leaf of each row
    correct = tree.counts.argmax(axis=1)[leaf] == cases.target
    print(
        f"\n{tree.n_leaves} leaves; {tree.depth[leaf].mean():.2f} questions per row on average, "
        f"{tree.depth.max()} at most; {correct.mean():.1%} of the training rows are correct"
    )


if __name__ == "__main__":
    main()
