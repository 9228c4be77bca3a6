"""DensityTree.

*density_tree*: the estimator. *pruning*: pruning it once fitted. *reading*: boxes, text, code,
drawings and the report.
"""
