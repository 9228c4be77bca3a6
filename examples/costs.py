"""
Costs of mistakes
=================

A missed tumour costs twenty times a false alarm: trees grown by cost, beside scikit-learn's.

Run with: python examples/costs.py
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

import polytomy

MISSED, ALARM = 20, 1


def cross_validated(fit, X, y, matrix):
    """Return the cost of all rows, each predicted by a tree of the other folds."""
    cost = 0.0
    for seed in range(5):
        for rest, fold in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
            said = fit(X[rest], y[rest]).predict(X[fold])
            cost += matrix[y[fold], said].sum() / 5
    return cost


def main():
    """Print the costs of trees on rows that they were not fitted on, and a tree with a floor."""
    frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = frame.to_numpy(), 1 - y.to_numpy()  # 0 benign, 1 malignant
    matrix = np.array([[0, ALARM], [MISSED, 0]])

    print(f"Cost of {len(y)} rows, 5 times 5-fold cross-validation, at most 8 leaves")
    trees = {
        "polytomy, cost_matrix": lambda X, y: polytomy.TreeClassifier(8, cost_matrix=matrix).fit(
            X, y
        ),
        "polytomy, every mistake alike": lambda X, y: polytomy.TreeClassifier(8).fit(X, y),
        "scikit-learn, class_weight": lambda X, y: DecisionTreeClassifier(
            max_leaf_nodes=8, class_weight={0: ALARM, 1: MISSED}, random_state=0
        ).fit(X, y),
        "scikit-learn, every mistake alike": lambda X, y: DecisionTreeClassifier(
            max_leaf_nodes=8, random_state=0
        ).fit(X, y),
    }
    for name, fit in trees.items():
        print(f"  {name:<35}{cross_validated(fit, X, y, matrix):>7.1f}")

    names = np.array(["benign", "malignant"])[y]
    X, X_val, names, names_val = train_test_split(frame, names, test_size=0.4, random_state=3)
    costs = {("malignant", "benign"): MISSED, ("benign", "malignant"): ALARM}
    clf = polytomy.TreeClassifier(8, cost_matrix=costs).fit(X, names)
    print()
    print(clf.to_text())
    print(f"\nMean cost of a held-out row: {clf.cost(X_val, names_val):.3f}")
    chosen = clf.pruning_path(X_val, names_val).select(sensitivity=0.9, of="malignant")
    print(f"{chosen.n_leaves_} leaves: {chosen.selection_}")


if __name__ == "__main__":
    main()
