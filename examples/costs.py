"""
Costs of mistakes
=================

A missed tumour costs twenty times a false alarm: trees grown by cost, beside scikit-learn's.

The table comes with scikit-learn: 569 breast tumours, benign or malignant.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

from polytomy import TreeClassifier

MISSED, ALARM = 20, 1
matrix = np.array([[0, ALARM], [MISSED, 0]])
frame, target = load_breast_cancer(return_X_y=True, as_frame=True)
X, y = frame.to_numpy(), 1 - target.to_numpy()  # 0 benign, 1 malignant


def cross_validated(model):
    """Return the cost of all rows, each predicted by a tree of the other folds."""
    cost = 0.0
    for seed in range(5):
        for rest, fold in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
            predicted = model.fit(X[rest], y[rest]).predict(X[fold])
            cost += matrix[y[fold], predicted].sum() / 5
    return cost


# %%
# Trees of at most 8 leaves, with and without the costs: the cost of all rows, by 5 times 5-fold
# cross-validation.

weight = {0: ALARM, 1: MISSED}
trees = {
    "polytomy, cost_matrix": TreeClassifier(8, cost_matrix=matrix),
    "polytomy, every mistake alike": TreeClassifier(8),
    "scikit-learn, class_weight": DecisionTreeClassifier(
        max_leaf_nodes=8, class_weight=weight, random_state=0
    ),
    "scikit-learn, every mistake alike": DecisionTreeClassifier(max_leaf_nodes=8, random_state=0),
}
costs = {name: cross_validated(model) for name, model in trees.items()}
for name, cost in costs.items():
    print(f"{name:<35}{cost:>7.1f}")

# %%

axes = plt.figure(figsize=(7, 2.6), layout="constrained").subplots()
axes.barh(list(costs), list(costs.values()), color=["tab:blue", "tab:blue", "0.6", "0.6"])
axes.invert_yaxis()
axes.set(xlabel="cost of 569 rows")
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# A floor for the sensitivity
# ---------------------------
# The tree by cost, and the smallest pruning that still finds 90 % of the malignant tumours among
# held-out rows.

names = np.array(["benign", "malignant"])[y]
rows, rows_val, names, names_val = train_test_split(frame, names, test_size=0.4, random_state=3)
by_name = {("malignant", "benign"): MISSED, ("benign", "malignant"): ALARM}
clf = TreeClassifier(8, cost_matrix=by_name).fit(rows, names)
print(clf.to_text())
print(f"\nMean cost of a held-out row: {clf.cost(rows_val, names_val):.3f}")
chosen = clf.pruning_path(rows_val, names_val).select(sensitivity=0.9, of="malignant")
print(f"{chosen.n_leaves_} leaves: {chosen.selection_}")
