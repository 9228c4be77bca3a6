"""The leaf that one row reaches, following the splits of a tree one by one."""

from math import isnan

from polytomy.tree import CategorySplit, IntervalSplit


def naive_leaf(tree, schema, row):
    """Return the number of the leaf that a row reaches; None or NaN is a missing cell."""
    node = 0
    while (split := tree.split(node)) is not None:
        node = int(tree.children(node)[naive_branch(split, schema, row)])
    return node


def naive_branch(split, schema, row):
    """Return the branch that a row takes at a node."""
    if isinstance(split, IntervalSplit | CategorySplit):
        cell = row[split.feature]
        if cell is None or (isinstance(cell, float) and isnan(cell)):
            branch = split.missing_branch
        elif isinstance(split, IntervalSplit):
            branch = sum(float(cell) > t for t in split.thresholds.tolist())
        else:
            branch = _branch_of_category(split, schema[split.feature].categories, cell)
        return split.default_branch if branch == -1 else branch
    raise AssertionError("a split of a user's own family routes its rows itself")


def _branch_of_category(split, categories, cell):
    if cell not in categories:
        return -1
    code = categories.index(cell)
    return int(split.code_to_branch[code]) if code < len(split.code_to_branch) else -1
