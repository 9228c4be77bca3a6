"""Slow oracles for single functions: they enumerate, and share no code with the package.

The oracle for whole runs of the grower is ``polytomy.reference``. These modules cover the rest:

- ``cuts``: bins of a column
- ``binning``: the best bins of a column under constraints
- ``runs``: comparisons of whole runs, step by step
- ``route``: the leaf that a row reaches
- ``pruning``, ``raising``: all prunings of a tree, and subtree raising
- ``votes``: the votes and score functions of an ensemble
- ``split_counts``: the splits that a column offers
- ``shap``: Shapley values by their definition
- ``tidy``: the layout of a drawn tree
"""
