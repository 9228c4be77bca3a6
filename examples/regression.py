"""
A regression tree
=================

The fuel consumption of cars, with means that hold for new cars.

The table comes with the library: 392 cars of 1970 to 1982. The target is how many miles a car
drives on a gallon of fuel. A leaf shows the mean to expect of new cars with its 95 % interval, and
in parentheses the mean of the cars in the table. The errors of trees with as many leaves are
compared with those of scikit-learn by cross-validation.
"""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from polytomy import TreeRegressor
from polytomy.data import load_cars


def cars() -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns of the cars, without their names, and their miles per gallon."""
    columns, origin = load_cars()
    frame = pd.DataFrame(columns | {"origin": pd.Categorical(origin)})
    return frame.drop(columns=["name", "mpg"]), frame["mpg"].to_numpy()


def root_mean_square(estimator: object, X: pd.DataFrame, y: np.ndarray) -> float:
    """Return the cross-validated root of the mean squared error."""
    folds = KFold(10, shuffle=True, random_state=0)
    scores = cross_val_score(estimator, X, y, cv=folds, scoring="neg_mean_squared_error")
    return float(np.sqrt(-scores.mean()))


def main() -> None:
    """Print a tree, its certificate, and the errors of both libraries."""
    X, y = cars()
    reg = TreeRegressor(max_leaves=8).fit(X, y)
    print(reg.to_text())
    print(f"\n{reg.n_leaves_} leaves, {reg.n_questions_:.2f} questions per car\n")
    print(reg.explain(X.iloc[0]))
    print(f"\n{reg.certificate_}\n")

    print("error in miles per gallon, by cross-validation\n")
    print(f"{'leaves':>8}{'polytomy':>12}{'scikit-learn':>15}")
    prepare = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["origin"]), remainder="passthrough"
    )
    for leaves in (4, 8, 16, 32):
        ours = root_mean_square(TreeRegressor(leaves), X, y)
        tree = DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0)
        theirs = root_mean_square(make_pipeline(prepare, tree), X, y)
        print(f"{leaves:>8}{ours:>12.2f}{theirs:>15.2f}")


if __name__ == "__main__":
    main()
