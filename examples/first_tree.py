"""A first tree: is a lump malignant? Told by what a microscope measures of its cells.

The table comes with scikit-learn: 569 cases from Wisconsin, 30 measurements, 2 classes. A node asks
about one measurement, and may give more than two answers.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

from polytomy.encode import Schema, Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import IntervalSplit, Tree, contract


def answer(question: IntervalSplit, branch: int, name: str) -> str:
    """Put a branch into words: ``0.13 < worst concave points <= 0.16``."""
    held = question.range_of(branch)
    if held is None:
        return f"{name} is missing"
    low, high = held
    below = "" if np.isinf(low) else f"{low:.4g} < "
    above = "" if np.isinf(high) else f" <= {high:.4g}"
    return f"{below}{name}{above}" if above else f"{name} > {low:.4g}"


def verdict(tree: Tree, leaf: int, classes: list[str]) -> str:
    """Say what a leaf predicts, and how many of its training rows are of that class."""
    counts = tree.counts[leaf]
    best = int(np.argmax(counts))
    share = counts[best] / counts.sum()
    return f"{classes[best]:<11}{share:5.0%} of {tree.rows[leaf]}"


def lines(tree: Tree, schema: Schema, classes: list[str], node: int = 0) -> list[str]:
    """Return what lies below a node, a line for each answer."""
    question = tree.split(node)
    if not isinstance(question, IntervalSplit):  # every column of this table holds numbers
        return []
    name = schema[question.feature].name
    out = []
    for branch, child in enumerate(tree.children(node).tolist()):
        words = "    " * int(tree.depth[node]) + answer(question, branch, name)
        if tree.is_leaf(child):
            out.append(f"{words:<54}{verdict(tree, child, classes)}")
        else:
            out += [words, *lines(tree, schema, classes, child)]
    return out


def main() -> None:
    """Grow a tree of eight leaves and print it."""
    cases = load_breast_cancer()
    table = Table.of(cases.data, cases.feature_names.tolist())
    coded = encode(table)
    target = Target.of(cases.target)
    grown = grow(coded, target, GrowParams(max_leaves=8)).tree
    tree = contract(grown)  # a node and a child that ask about the same column become one

    classes = cases.target_names.tolist()
    print(f"{table.n_rows} cases, {len(coded.schema)} measurements: {' or '.join(classes)}?\n")
    print("\n".join(lines(tree, coded.schema, classes)))

    leaf = apply(tree, coded.schema, table)  # where each row ends
    right = tree.counts.argmax(axis=1)[leaf] == cases.target
    print(
        f"\n{tree.n_leaves} leaves; {tree.depth[leaf].mean():.2f} questions a case on average, "
        f"{tree.depth.max()} at most; right about {right.mean():.1%} of the cases it was grown on"
    )


if __name__ == "__main__":
    main()
