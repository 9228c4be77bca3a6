"""
A density tree
==============

Where the petals of irises are dense: boxes drawn over the points, and an outlier score.

The table comes with scikit-learn: 150 irises, of which the length and the width of the petals are
used. A density tree divides the plane into boxes of even density; a box may be empty. The figure is
saved as ``density.png`` in the working directory. Another table can be given as a CSV file with
two columns of numbers: ``python examples/density.py points.csv``.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

from polytomy import DensityTree, io
from polytomy.table import frame_of


def main(path: str | None = None) -> None:
    """Fit a density tree to two columns, print its boxes and the outliers, and draw it."""
    if path is None:
        data = load_iris()
        names = [name.removesuffix(" (cm)") for name in data.feature_names]
        table = frame_of({names[j]: data.data[:, j] for j in (2, 3)})
    else:
        table = io.read_table(path)
    model = DensityTree(max_leaves=12).fit(table)
    print(model.to_text())
    scores = model.score_samples(table)
    order = np.argsort(scores, kind="stable")[:3]
    regions = model.predict_region(table)
    print("\nThe three rows in the emptiest boxes:")
    for row in order.tolist():
        print(f"  row {row}, log-density {scores[row]:.2f}: {regions[row].where}")
    model.plot(table).figure.savefig("density.png", dpi=155)
    print(f"saved: {Path('density.png').resolve()}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
