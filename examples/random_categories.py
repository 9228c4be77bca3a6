"""
Random categories do not win
============================

A grouping of categories must pay for its own description.

400 shops in 2,000 rows, drawn at random, beside three columns that matter. There are 2^399 ways to
put 400 shops into two groups, and the best of them always looks good on the rows that chose it. A
tree that compares splits by their gain alone asks for the shop first and errs more often on new
rows. The default charges every grouping for the choice among its alternatives, so the shop is not
asked for; where a split on categories is used, its adjusted p-value says whether it could be luck.
"""

import numpy as np
import pandas as pd

from polytomy import TreeClassifier


def orders(n_rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw orders and whether they were returned; the shop has nothing to do with it."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "price": rng.gamma(2.0, 20.0, n_rows).round(2),
            "days": rng.integers(1, 15, n_rows),
            "first_order": rng.choice(["yes", "no"], n_rows),
            "shop": [f"shop {shop:03d}" for shop in rng.integers(0, 400, n_rows)],
        }
    )
    score = (frame.price > 60) + (frame.days > 9) + (frame.first_order == "yes")
    returned = score + rng.normal(scale=0.8, size=n_rows) > 1.5
    return frame, np.where(returned, "returned", "kept")


def describe(clf: TreeClassifier, new: pd.DataFrame, outcome: np.ndarray) -> str:
    """Return the columns that a tree splits on and its error on new rows."""
    tree = clf.tree_
    names = [str(clf.feature_names_in_[j]) for j in tree.feature[tree.feature >= 0]]
    error = 1 - clf.score(new, outcome)
    return f"{error:6.1%}   {', '.join(dict.fromkeys(names))}"


def main() -> None:
    """Compare the default with plain gain per leaf, with and without the random column."""
    training, outcome = orders(2000, seed=0)
    new, truth = orders(20000, seed=1)
    print("error on new rows, and the columns asked for, from the root down\n")
    for title, procedure in (("gain per leaf", "per-leaf"), ("default", "priced")):
        for what, columns in (("with shop", list(training)), ("without", list(training)[:-1])):
            clf = TreeClassifier(max_leaves=8, procedure=procedure)
            clf.fit(training[columns], outcome)
            print(f"{title:<14} {what:<10} {describe(clf, new[columns], truth)}")
    clf = TreeClassifier(max_leaves=8).fit(training, outcome)
    print("\nthe default tree; shares are forecasts for new rows\n")
    print(clf.to_text(p_chance=True))


if __name__ == "__main__":
    main()
