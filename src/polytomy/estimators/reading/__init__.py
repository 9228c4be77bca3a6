"""What can be read of a fitted model of any kind.

*exports*: importances, exports, Shapley values and reason codes. *one_tree*: the nodes, paths,
diagrams and code of models with one tree. *sizes*: the sizes of a pruning path. *report*: the HTML
report. *decisions*: its sections for decisions. *comparison*: two models on the same rows.
"""
