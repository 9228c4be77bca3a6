"""
Columns that cost something
===========================

Which patients need a biopsy? Trees where a column costs more, comes later, or is not asked.

The patients are made up. A biopsy says most about the illness, and a scan says less.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from polytomy import TreeClassifier, verify


def patients(n_rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return made-up patients, and whether they are ill."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 90, n_rows),
            "pain": random.choice(["none", "mild", "strong"], n_rows),
            "scan": random.normal(size=n_rows).round(1),
            "biopsy": random.normal(size=n_rows).round(1),
            "room": random.integers(1, 200, n_rows),
        }
    )
    risk = 1.2 * frame["biopsy"] + frame["scan"] + 0.03 * (frame["age"] - 50)
    risk += 0.8 * (frame["pain"] == "strong") + random.normal(size=n_rows)
    return frame, np.where(risk > 1, "ill", "well")


def share_asked(tree: TreeClassifier, frame: pd.DataFrame, column: str) -> float:
    """Return the share of the rows that are asked about a column."""
    position = list(frame.columns).index(column)
    nodes = tree.tree_
    paths = tree.decision_path(frame)
    asked = [v for v in range(nodes.n_nodes) if nodes.feature[v] == position]
    return float((paths[:, asked].sum(axis=1) > 0).mean())


frame, state = patients(4_000, seed=0)
new_frame, new_state = patients(20_000, seed=1)

# %%
# Trees of at most 8 leaves under several constraints, and what each costs in errors.

constraints = {
    "no constraint": {},
    "biopsy costs 0.3": {"column_cost": {"biopsy": 0.3}},
    "biopsy costs 0.5": {"column_cost": {"biopsy": 0.5}},
    "biopsy costs 1": {"column_cost": {"biopsy": 1.0}},
    "biopsy only after scan": {"only_after": {"biopsy": "scan"}},
    "age and pain first": {"columns_first": ["age", "pain"]},
    "never biopsy or room": {"never_ask": ["biopsy", "room"]},
    "branches of 20 % or more": {"min_child_share": 0.2},
    "branches 0.3 apart": {"min_difference": 0.3},
}
points = {}
print(f"{'8 leaves':<26}{'first':>8}{'biopsies':>10}{'questions':>11}{'test error':>12}  verified")
for name, constraint in constraints.items():
    tree = TreeClassifier(8, **constraint).fit(frame, state)
    first = frame.columns[tree.tree_.feature[0]]
    points[name] = asked, error = (
        share_asked(tree, new_frame, "biopsy"),
        1 - tree.score(new_frame, new_state),
    )
    ok = "yes" if verify(tree, frame, state).ok else "NO"
    print(f"{name:<26}{first:>8}{asked:>10.0%}{tree.n_questions_:>11.2f}{error:>12.1%}  {ok}")

# %%
# The fewer biopsies, the more errors.

axes = plt.figure(figsize=(7, 4), layout="constrained").subplots()
for name, (asked, error) in points.items():
    axes.plot(100 * asked, 100 * error, "o", label=name)
axes.set(xlabel="patients with a biopsy, per cent", ylabel="error on new patients, per cent")
axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
plt.show()
