"""The leaf that one row reaches, following the splits of a tree one by one."""

from math import isnan

from polytomy.tree import CategorySplit, IntervalSplit


def naive_leaf(tree, schema, row):
    """Return the number of the leaf that a row reaches; None or NaN is a missing cell."""
    node = 0
    while (question := tree.split(node)) is not None:
        node = int(tree.children(node)[naive_branch(question, schema, row)])
    return node


def naive_branch(question, schema, row):
    """Return the branch that a row takes at a node."""
    if isinstance(question, IntervalSplit | CategorySplit):
        cell = row[question.feature]
        if cell is None or (isinstance(cell, float) and isnan(cell)):
            branch = question.missing_branch
        elif isinstance(question, IntervalSplit):
            branch = sum(float(cell) > t for t in question.thresholds.tolist())
        else:
            branch = _branch_of_category(question, schema[question.feature].categories, cell)
        return question.default_branch if branch == -1 else branch
    raise AssertionError("a split of a user's own family routes its rows itself")


def _branch_of_category(question, categories, cell):
    if cell not in categories:
        return -1
    code = categories.index(cell)
    return int(question.code_to_branch[code]) if code < len(question.code_to_branch) else -1
