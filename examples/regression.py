"""
A regression tree
=================

The fuel consumption of cars, with means that hold for new cars.

The table comes with the library: 392 cars of 1970 to 1982. The target is how many miles a car
drives on a gallon of fuel. A leaf shows the mean to expect of new cars with its 95 % interval, and
in parentheses the mean of the cars in the table.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from polytomy import TreeRegressor
from polytomy.data import load_cars

columns, origin = load_cars()
frame = pd.DataFrame(columns | {"origin": pd.Categorical(origin)})
X, y = frame.drop(columns=["name", "mpg"]), frame["mpg"].to_numpy()
reg = TreeRegressor(max_leaves=8).fit(X, y)
print(reg.to_text())
print(f"\n{reg.n_leaves_} leaves, {reg.n_questions_:.2f} questions per car")

# %%

reg.plot()
plt.show()

# %%
# One prediction, step by step, and the certificate of the tree.

print(reg.explain(X.iloc[0]))
print(f"\n{reg.certificate_}")

# %%
# Beside scikit-learn
# -------------------
# The errors of trees with as many leaves, in miles per gallon, by cross-validation.

SIZES = (4, 8, 16, 32)
prepare = make_column_transformer(
    (OneHotEncoder(sparse_output=False), ["origin"]), remainder="passthrough"
)


def root_mean_square(estimator: object) -> float:
    """Return the cross-validated root of the mean squared error."""
    folds = KFold(10, shuffle=True, random_state=0)
    scores = cross_val_score(estimator, X, y, cv=folds, scoring="neg_mean_squared_error")
    return float(np.sqrt(-scores.mean()))


ours, theirs = [], []
for leaves in SIZES:
    peer = DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0)
    ours.append(root_mean_square(TreeRegressor(leaves)))
    theirs.append(root_mean_square(make_pipeline(prepare, peer)))

print(f"{'leaves':>8}{'polytomy':>12}{'scikit-learn':>15}")
for leaves, our, their in zip(SIZES, ours, theirs, strict=True):
    print(f"{leaves:>8}{our:>12.2f}{their:>15.2f}")

# %%

axes = plt.figure(figsize=(6, 4), layout="constrained").subplots()
axes.plot(SIZES, ours, "o-", label="polytomy")
axes.plot(SIZES, theirs, "s-", color="0.5", label="scikit-learn")
axes.set_xscale("log", base=2)
axes.set_xticks(SIZES, map(str, SIZES))
axes.set(xlabel="leaves", ylabel="error, miles per gallon")
axes.legend(frameon=False)
plt.show()
