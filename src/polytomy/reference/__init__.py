"""The published procedures in plain NumPy: read this first.

This package grows the same trees as the rest of the library, but slowly and exactly as printed in
the papers: every split is enumerated, and every step considers every leaf. It shares no code with
the rest of the library, and the tests of the library compare with it. Use it to learn, to teach
and to check. It is made for tables of up to a few hundred rows.

Reading order
-------------
1. ``index``: how impure a node is.
2. ``splits``: how a node can divide its rows, and its menu.
3. ``procedures``: the price of a split, and when it is acceptable.
4. ``tree`` and ``grower``: the loop.
5. ``certificate``: the gamma that a run achieved, and the bound that follows.
6. ``two_prices``: the default of the classifiers, with prunings that merge branches.
7. ``adaboost``: trees that vote.
8. ``draws``: the columns that each node of a forest's tree draws.

Glossary
--------
count vector
    The total weight of each class among the rows of a node, c.
index function
    F(c), how impure a node is. ``sqrt``, ``gini``, ``entropy``, ``error``.
split
    A division of a node's rows by the values of one column: the papers' branching function h.
arity
    The number of branches of a split, k.
family
    A set of splits: ``intervals``, ``values``, ``groups``. The papers' H is all of them.
menu
    The best split of each arity at one node.
gain
    F(node) less the sum of F over the children. Divided by F(node): the advantage.
price
    The cost of a k-way split. The score of a split is its gain / price.
charge, worth
    What the procedure ``priced`` charges a grouping of categories, and the gain less that charge.
gain ratio
    The gain divided by the split information, which is the entropy of the branches.
acceptable
    A k-way split is acceptable if a tree of T leaves with a budget of s may take it.
heaviest, steepest
    The leaf orders: split the leaf with the largest F, or the one with the best score.
gamma
    The advantage per price that every step of a run reached.

Papers
------
- M. Kearns and Y. Mansour, "On the boosting ability of top-down decision tree learning
  algorithms", STOC 1996.
- Y. Mansour and D. McAllester, "Boosting with multi-way branching in decision trees", NIPS 1999.
- K. Hatano, "A simple boosting algorithm using multi-way branching decision trees", Theory of
  Computing Systems 37 (4), 2004.
- C. Guestrin, "Decision trees, boosting", lecture, Carnegie Mellon University, 2006.

Examples
--------
Four bands of a number, then a category that matters only in one of them:

>>> columns = {
...     "x": [1, 2, 3, 4, 5, 6, 7, 7],
...     "town": ["Bonn", "Ulm", "Bonn", "Ulm", "Bonn", "Ulm", "Bonn", "Ulm"],
... }
>>> run = Run(columns, list("nnyynnyn"), procedure="hatano", index="sqrt", max_leaves=8)
>>> run.step()
step 1: split leaf 0 in 4: x <= 2.5 | 2.5 < x <= 4.5 | 4.5 < x <= 6.5 | 6.5 < x
  leaf 0: F = 7.746
    2 branches: gain 1.746, price 1, score 1.746
    3 branches: gain 4.282, price 2, score 2.141
    4 branches: gain 5.746, price 2, score 2.873
>>> tree = run.grow()
>>> print(run)
all: 5 n, 3 y
  x <= 2.5: 2 n
  2.5 < x <= 4.5: 2 y
  4.5 < x <= 6.5: 2 n
  6.5 < x: 1 n, 1 y
    town is Bonn: 1 y
    town is Ulm: 1 n
>>> run.predict([{"x": 3.3, "town": "Ulm"}, {"x": 9, "town": "Ulm"}])
['y', 'n']
"""

from .adaboost import Round, adaboost
from .certificate import run_bound, run_gamma
from .gain_ratio import gain_ratio, ratio_menu
from .grower import Candidate, Run, Step
from .index import INDICES, TIE, entropy, error, gain, gini, sqrt
from .procedures import PROCEDURES, Rules, acceptable, e, phi, price
from .splits import FAMILIES, Column, Histogram, Limits, Split, histogram, menu, splits
from .tree import Node
from .two_prices import Pruning, two_prices

__all__ = [
    "FAMILIES",
    "INDICES",
    "PROCEDURES",
    "TIE",
    "Candidate",
    "Column",
    "Histogram",
    "Limits",
    "Node",
    "Pruning",
    "Round",
    "Rules",
    "Run",
    "Split",
    "Step",
    "acceptable",
    "adaboost",
    "e",
    "entropy",
    "error",
    "gain",
    "gain_ratio",
    "gini",
    "histogram",
    "menu",
    "phi",
    "price",
    "ratio_menu",
    "run_bound",
    "run_gamma",
    "splits",
    "sqrt",
    "two_prices",
]
