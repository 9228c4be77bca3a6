"""TreeClassifier and TreeRegressor.

*classifier* and *regressor*: the estimators; *single_tree*: what they have in common. *pruning*,
*paths* and *sensitivity*: pruning a fitted tree. *reading*: text, rules and plots. *report*: the
facts of its report. *split_table*: the gain of every column at a node. *optimality*: the tree
beside the best of its size. *verification*: the checks of ``polytomy.verify``. *remote*: fits on
rows that are elsewhere.
"""
