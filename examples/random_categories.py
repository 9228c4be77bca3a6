"""
Random categories do not win
============================

A grouping of categories must pay for its own description.

400 shops in 2,000 rows, drawn at random, beside three columns that matter. There are 2^399 ways to
put 400 shops into two groups, and the best of them always looks good on the rows that chose it. A
tree that compares splits by their gain alone asks for the shop first and errs more often on new
rows. The default charges every grouping for the choice among its alternatives, so the shop is not
asked for.
"""

import matplotlib.pyplot as plt
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


training, outcome = orders(2000, seed=0)
new, truth = orders(20000, seed=1)

# %%
# The error on new rows, and the columns asked for, from the root down.

errors = {}
for title, procedure in (("gain per leaf", "per-leaf"), ("default", "priced")):
    for what, columns in (("with shop", list(training)), ("without", list(training)[:-1])):
        clf = TreeClassifier(max_leaves=8, procedure=procedure)
        clf.fit(training[columns], outcome)
        used = clf.tree_.feature[clf.tree_.feature >= 0]
        asked = dict.fromkeys(str(clf.feature_names_in_[j]) for j in used)
        errors[f"{title}, {what}"] = error = 1 - clf.score(new[columns], truth)
        print(f"{title:<14} {what:<10} {error:6.1%}   {', '.join(asked)}")

# %%

axes = plt.figure(figsize=(6, 2.4), layout="constrained").subplots()
axes.barh(list(errors), [100 * error for error in errors.values()])
axes.invert_yaxis()
axes.set(xlabel="error on new rows, per cent")
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The default tree, with adjusted p-values: they say whether a split could be luck.

clf = TreeClassifier(max_leaves=8).fit(training, outcome)
print(clf.to_text(p_chance=True))
