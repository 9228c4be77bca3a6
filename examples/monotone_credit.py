"""
Monotonic columns
=================

A credit tree in which income may only help and debt may only hurt, and what that costs.
"""

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


def steps_down(tree: TreeClassifier, frame: pd.DataFrame, column: str, values: np.ndarray) -> float:
    """Return the largest fall of the predicted share of paid back along a column."""
    rows = frame.loc[frame.index.repeat(len(values))].reset_index(drop=True)
    rows[column] = np.tile(values, len(frame))
    share = tree.predict_proba(rows)[:, 1].reshape(len(frame), -1)
    return float(-np.diff(share, axis=1).min())


def main() -> None:
    """Fit with and without the constraint, and compare."""
    X, y = applications(5_000, seed=0)
    X_new, y_new = applications(5_000, seed=1)
    incomes = np.arange(0.0, 12_000.0, 50.0)
    free = TreeClassifier(max_leaves=16).fit(X, y)
    kept = TreeClassifier(max_leaves=16, monotonic_cst={"income": 1, "debt": -1}).fit(X, y)
    for name, tree in (("free", free), ("monotonic", kept)):
        fall = steps_down(tree, X_new.head(200), "income", incomes)
        print(
            f"{name}: {tree.n_leaves_} leaves, {1 - tree.score(X_new, y_new):.1%} errors on new "
            f"rows; more income lowers the share by up to {abs(max(fall, 0.0)):.1%}"
        )
    report = verify(kept, X, y)
    print(f"verified: {report.ok}")
    print(kept.to_text())


if __name__ == "__main__":
    main()
