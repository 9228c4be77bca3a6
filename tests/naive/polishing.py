"""Polishing by enumeration: every split of every column is tried at every node."""

from itertools import permutations, product
from math import inf

import numpy as np

from polytomy.reference.splits import grouping_charge

MISSING = None


class Node:
    """A node of a tree on codes; a leaf has no children."""

    def __init__(self, number, column=None, branch_of=None, children=()):
        self.number, self.column = number, column
        self.branch_of = branch_of or {}  # of each code of the column; MISSING is a code
        self.children = list(children)

    def leaf(self, row):
        """Return the leaf that a row of codes reaches."""
        if not self.children:
            return self
        return self.children[self.branch_of[row[self.column]]].leaf(row)

    def nodes(self):
        """Return all nodes of the subtree, in the order of their numbers."""
        found = [self] + [n for child in self.children for n in child.nodes()]
        return sorted(found, key=lambda node: node.number)

    def leaves(self):
        """Return the leaves of the subtree."""
        return [node for node in self.nodes() if not node.children]


class Problem:
    """Rows of codes with their count vectors, and what a tree costs.

    ``values`` has the number of codes of each ordered column in order, or the set of codes of a
    nominal one; ``n_real`` rows are observed.
    """

    def __init__(self, rows, counts, codes, ordered, index, share, question):
        self.rows, self.counts = rows, counts
        self.codes, self.ordered = codes, ordered  # of each column: its codes without MISSING
        self.index, self.share, self.question = index, share, question
        self.least_rows, self.least_weight, self.n_real = 1, 0.0, len(rows)
        self.cases = 0.0  # that a unit of weight stands for; 0: groupings are not charged
        self.first, self.after = (), {}  # columns that come first; those that a column waits for

    def reached(self, root):
        """Return the number of the leaf of each row."""
        return [root.leaf(row).number for row in self.rows]

    def cost(self, root, depth_of):
        """Return the exact cost of a tree."""
        at = self.reached(root)
        total = 0.0
        for leaf in root.leaves():
            held = self.held(at, leaf.number)
            if held.sum() > 0:
                total += (1 - self.share) * (held.sum() - held.max())
                total += self.share / 2 * float(self.index.value(held[None])[0])
                total += self.question * depth_of[leaf.number] * held.sum()
        return total

    def may_ask(self, column, asked):
        """Return whether a column may be asked below others."""
        return not self.after.get(column) or bool(asked & set(self.after[column]))

    def come_first(self, asked):
        """Return the columns that come first below others."""
        return {j for j in self.first if j not in asked and self.may_ask(j, asked)}

    def breaks(self, root, node, asked):
        """Return whether a node asks what it may not, or does not ask first what could gain."""
        if not self.may_ask(node.column, asked):
            return True
        first = self.come_first(asked)
        rows = [i for i, row in enumerate(self.rows) if _passes(root, node, row)]
        return node.column not in first and any(self.could_gain(j, rows) for j in first)

    def could_gain(self, column, rows):
        """Return whether values of a column differ in the shares of classes."""
        held = {}
        for i in rows:
            held[self.rows[i][column]] = held.get(self.rows[i][column], 0) + self.counts[i]
        shares = [[int(c) for c in counts] for counts in held.values()]
        return any(
            a[c] * sum(b) != b[c] * sum(a) for a in shares for b in shares for c in range(len(a))
        )

    def charge(self, column, rows, k):
        """Return what k groups of the categories of some rows cost for their description."""
        counts, n = self.counts[rows].sum(axis=0), len({self.rows[i][column] for i in rows})
        classes, cases = int((counts > 0).sum()), counts.sum() * self.cases
        if self.ordered[column] or n < 3 or classes < 2 or not self.cases:
            return 0.0
        impurity = float(self.index.value(counts[None])[0])
        return grouping_charge(n, k, impurity, cases, classes) / 2

    def held(self, at, number):
        """Return the counts of a leaf."""
        inside = [i for i, n in enumerate(at) if n == number]
        return self.counts[inside].sum(axis=0)


def polish(problem, root, passes):
    """Polish a tree in place; return the number of passes that changed it."""
    depth_of = _depths(root, 0, {})
    for done in range(passes):
        changed = [_improve(problem, root, node, depth_of) for node in root.nodes()]
        if not any(changed):
            return done
    return passes


def inner_nodes(node, asked=frozenset()):
    """Return the inner nodes of a subtree, each with the columns asked above it."""
    if not node.children:
        return []
    below = [inner_nodes(child, asked | {node.column}) for child in node.children]
    return [(node, asked), *(pair for part in below for pair in part)]


def best_splits(problem, root, node, depth_of):
    """Return the present cost of a node's rows, and the best split of each column.

    The splits are (cost, column, branches of the codes that occur), the cheapest first.
    """
    unit_cost = _unit_costs(problem, root, depth_of)
    rows = [i for i, row in enumerate(problem.rows) if _passes(root, node, row)]

    def cost(i, branch):
        leaf = node.children[branch].leaf(problem.rows[i])
        return float(problem.counts[i] @ unit_cost[leaf.number])

    present = sum(cost(i, node.branch_of[problem.rows[i][node.column]]) for i in rows)
    k = len(node.children)
    found = []
    for column in range(len(problem.codes)):
        by_code = {}
        for i in rows:
            by_code.setdefault(problem.rows[i][column], np.zeros(k))
            by_code[problem.rows[i][column]] += [cost(i, b) for b in range(k)]
        options = _ranges if problem.ordered[column] else _groups
        codes = [c for c in problem.codes[column] if c in by_code]
        codes += [MISSING] if MISSING in by_code else []
        best, chosen = inf, None
        for branches in options(codes, k):
            total = sum(by_code[c][b] for c, b in zip(codes, branches, strict=True))
            if total < best:
                best, chosen = total, dict(zip(codes, branches, strict=True))
        if chosen is not None:
            found.append((best + further_charge(problem, node, column, rows), column, chosen))
    return present, sorted(found, key=lambda option: option[:2])


def further_charge(problem, node, column, rows):
    """Return how much more than its present split a node pays to split its rows on a column."""
    k = len(node.children)
    return max(0.0, problem.charge(column, rows, k) - problem.charge(node.column, rows, k))


def _improve(problem, root, node, depth_of):
    if not node.children:
        return False
    present, options = best_splits(problem, root, node, depth_of)
    before = problem.cost(root, depth_of)
    limits = _limits(problem, root)
    (asked,) = [asked for inner, asked in inner_nodes(root) if inner is node]
    first = problem.come_first(asked)
    is_first = node.column in first
    for total, column, branches in options:
        if total >= present * (1 - 1e-12):
            return False
        if not problem.may_ask(column, asked) or (is_first and column not in first):
            continue
        old = node.column, node.branch_of
        rows = [i for i, row in enumerate(problem.rows) if _passes(root, node, row)]
        charge = further_charge(problem, node, column, rows)
        node.column, node.branch_of = column, branches
        is_cheaper = problem.cost(root, depth_of) + charge < before * (1 - 1e-12)
        if (
            _has_enough(problem, root, limits)
            and is_cheaper
            and not any(problem.breaks(root, u, above) for u, above in inner_nodes(node, asked)[1:])
        ):
            node.branch_of = _completed(problem, root, node, branches)
            return True
        node.column, node.branch_of = old
    return False


def _limits(problem, root):
    """Return the fewest observed rows and the least weight that each leaf must keep."""
    held = _sizes(problem, root)
    return {
        n: (min(problem.least_rows, rows), min(problem.least_weight, weight))
        for n, (rows, weight, _) in held.items()
    }


def _has_enough(problem, root, limits):
    return all(
        n_all >= 1 and rows >= limits[n][0] and weight >= limits[n][1] * (1 - 1e-12)
        for n, (rows, weight, n_all) in _sizes(problem, root).items()
    )


def _sizes(problem, root):
    at = problem.reached(root)
    return {
        leaf.number: (
            sum(n == leaf.number for n in at[: problem.n_real]),
            problem.held(at, leaf.number).sum(),
            at.count(leaf.number),
        )
        for leaf in root.leaves()
    }


def _completed(problem, root, node, branches):
    """Give each code that does not occur a branch: the nearest range, or the heaviest branch."""
    weight = np.zeros(len(node.children))
    for i, row in enumerate(problem.rows):
        if _passes(root, node, row):
            weight[branches[row[node.column]]] += problem.counts[i].sum()
    heaviest = int(weight.argmax())
    held = [c for c in branches if c is not MISSING]
    complete = dict(branches)
    for code in [*problem.codes[node.column], MISSING]:
        if code in complete:
            continue
        if code is MISSING or not problem.ordered[node.column]:
            complete[code] = heaviest
        else:
            complete[code] = branches[min(held, key=lambda c: (abs(c - code), c))]
    return complete


def _passes(root, node, row):
    here = root
    while here is not node:
        if not here.children:
            return False
        here = here.children[here.branch_of[row[here.column]]]
    return True


def _ranges(codes, k):
    """Yield all ways to give each branch one range; missing cells go anywhere or stay apart."""
    held = [c for c in codes if c is not MISSING]
    for apart in [None, *range(k)] if len(held) < len(codes) else [None]:
        ranged = [b for b in range(k) if b != apart]
        for order in permutations(ranged):
            for branches in _compositions(len(held), order):
                if len(held) == len(codes):
                    yield branches
                elif apart is not None:
                    yield [*branches, apart]
                else:
                    for b in range(k):
                        yield [*branches, b]


def _compositions(n, order):
    if not order:
        if n == 0:
            yield []
        return
    for first in range(1, n - len(order) + 2):
        for rest in _compositions(n - first, order[1:]):
            yield [order[0]] * first + rest


def _groups(codes, k):
    for branches in product(range(k), repeat=len(codes)):
        if len(set(branches)) == k:
            yield list(branches)


def _depths(node, depth, found):
    found[node.number] = depth
    for child in node.children:
        _depths(child, depth + 1, found)
    return found


def _unit_costs(problem, root, depth_of):
    """Return what a unit of weight of each class costs in each leaf."""
    at = problem.reached(root)
    found = {}
    for leaf in root.leaves():
        held = problem.held(at, leaf.number)
        errors = np.ones(len(held))
        errors[held.argmax()] = 0.0
        gradient = _gradient(problem.index.name, held, held.sum() / (4 * at.count(leaf.number)))
        found[leaf.number] = (
            (1 - problem.share) * errors
            + problem.share / 2 * gradient
            + problem.question * depth_of[leaf.number]
        )
    return found


def _gradient(name, c, least):
    n = c.sum()
    if name in {"gini", "squared_error"}:
        return 2 * (1 - 2 * c / n + (c**2).sum() / n**2)
    if name == "sqrt":
        return np.sqrt(c).sum() / np.sqrt(np.maximum(c, least)) - 1
    if name == "entropy":
        return np.log2(n / np.maximum(c, least))
    raise NotImplementedError(name)
