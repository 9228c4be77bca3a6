"""
Monotonic columns
=================

A credit tree in which income may only help and debt may only hurt, and what that costs.

The applications are made up; the chance that they are paid back rises with income, falls with debt,
and goes up and down with age.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from polytomy import TreeClassifier, verify


def applications(n_rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return made-up applications for credit, and whether they were paid back."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": np.round(random.gamma(3.0, 900.0, n_rows), -1),
            "debt": np.round(random.exponential(4_000.0, n_rows), -2),
            "age": random.integers(18, 80, n_rows),
            "home": random.choice(["rent", "own", "family"], n_rows, p=[0.5, 0.3, 0.2]),
        }
    )
    frame.loc[random.random(n_rows) < 0.05, "income"] = np.nan
    score = (
        np.log1p(frame["income"].fillna(1_500))
        - 0.00012 * frame["debt"]
        - 6.9
        + 0.3 * (frame["home"] == "own")
        + 0.4 * np.sin(frame["age"] / 6)
    )
    paid = score + random.logistic(0, 0.5, n_rows) > 0
    return frame, np.where(paid, "paid back", "defaulted")


X, y = applications(5_000, seed=0)
X_new, y_new = applications(5_000, seed=1)
free = TreeClassifier(max_leaves=16).fit(X, y)
kept = TreeClassifier(max_leaves=16, monotonic_cst={"income": 1, "debt": -1}).fit(X, y)
trees = {"free": free, "monotonic": kept}

# %%
# What does more income do to the predicted share of paid back, for the same 200 people?

incomes = np.arange(0.0, 12_000.0, 50.0)


def shares_by_income(tree: TreeClassifier) -> np.ndarray:
    """Return the predicted shares of 200 people (rows) for every income (columns)."""
    people = X_new.head(200)
    rows = people.loc[people.index.repeat(len(incomes))].reset_index(drop=True)
    rows["income"] = np.tile(incomes, len(people))
    return tree.predict_proba(rows)[:, 1].reshape(len(people), -1)


shares = {name: shares_by_income(tree) for name, tree in trees.items()}
for name, tree in trees.items():
    fall = max(0.0, -float(np.diff(shares[name], axis=1).min()))
    print(
        f"{name}: {tree.n_leaves_} leaves, {1 - tree.score(X_new, y_new):.1%} errors on new "
        f"rows; more income lowers the share by up to {fall:.1%}"
    )

# %%

figure, both = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for axes, (name, found) in zip(both, shares.items(), strict=True):
    axes.plot(incomes, found[:40].T, color="tab:blue", alpha=0.3)
    axes.set(title=name, xlabel="income")
both[0].set_ylabel("share of paid back, 40 people")
plt.show()

# %%
# ``verify`` proves that the tree is monotonic.

print(f"verified: {verify(kept, X, y).ok}\n")
print(kept.to_text())
