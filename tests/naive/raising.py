"""Pruning with subtree raising, row by row.

A pruned subtree is a *shape*: () for a leaf, (node, shapes of the children) for a split that is
kept.
"""

from tests.naive.route import naive_branch

LEAF = ()


class NaiveRaising:
    """Prunes a tree; rows are tuples (cells, class, weight).

    ``estimate(training, held)`` returns the estimated errors of a leaf with these training and
    held-out rows. Errors within the relative tolerance ``tie`` are equal. Only the heaviest child
    is raised, unless ``any_child``.
    """

    def __init__(self, tree, schema, estimate, tie=0.0, any_child=False):
        self.tree, self.schema, self.estimate, self.tie = tree, schema, estimate, tie
        self.any_child = any_child

    def split(self, node, rows):
        """Return the rows of each child."""
        branches = [[] for _ in self.tree.children(node)]
        for row in rows:
            branches[naive_branch(self.tree.split(node), self.schema, row[0])].append(row)
        return branches

    def no_more(self, one, other):
        """Return whether one error is at most the other, within the tolerance."""
        return one <= other * (1 + self.tie)

    def prune(self, node, training, held):
        """Return the best shape of a node's subtree and its errors."""
        leaf = self.estimate(training, held)
        if self.tree.is_leaf(node):
            return LEAF, leaf
        parts = list(zip(self.split(node, training), self.split(node, held), strict=True))
        children = self.tree.children(node).tolist()
        best = [self.prune(c, *rows) for c, rows in zip(children, parts, strict=True)]
        stay = sum(errors for _, errors in best)
        weights = [sum(w for *_, w in rows) for rows, _ in parts]
        order = sorted(range(len(best)), key=lambda i: -weights[i])
        raised = None
        for i in order if self.any_child else order[:1]:
            if best[i][0] != LEAF:
                tried = self.again(best[i][0], training, held)
                if raised is None or not self.no_more(raised[1], tried[1]):
                    raised = tried
        if self.no_more(leaf, stay) and (raised is None or self.no_more(leaf, raised[1])):
            return LEAF, leaf
        if raised is not None and self.no_more(raised[1], stay):
            return raised
        return (node, tuple(shape for shape, _ in best)), stay

    def again(self, shape, training, held):
        """Prune a shape again, with the rows of a node above it."""
        leaf = self.estimate(training, held)
        if shape == LEAF:
            return LEAF, leaf
        node, shapes = shape
        parts = zip(self.split(node, training), self.split(node, held), strict=True)
        best = [self.again(s, *rows) for s, rows in zip(shapes, parts, strict=True)]
        stay = sum(errors for _, errors in best)
        if self.no_more(leaf, stay):
            return LEAF, leaf
        return (node, tuple(s for s, _ in best)), stay

    def describe(self, shape, training):
        """Return the splits and class counts of a shape as nested lists."""
        counts = [0] * self.tree.n_classes
        for _, label, weight in training:
            counts[label] += weight
        if shape == LEAF:
            return counts
        node, shapes = shape
        parts = zip(shapes, self.split(node, training), strict=True)
        return [repr(self.tree.split(node)), counts, [self.describe(s, r) for s, r in parts]]
