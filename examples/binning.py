"""
The best bins of a column
=========================

Information values of every column of a table, and the bins of one column in detail.

The table comes with scikit-learn: 569 tumours with 30 measurements, malignant or benign. Each
column is cut into at most five ranges whose rate of malignant tumours rises or falls from range to
range.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from polytomy import Binning, binning
from polytomy.table import frame_of


def main() -> None:
    """Print the columns by information value, the bins of the first, and a scorecard's accuracy."""
    data = load_breast_cancer()
    X = frame_of({str(n): data.data[:, j] for j, n in enumerate(data.feature_names)})
    y = np.where(data.target == 0, "malignant", "benign")
    bins = binning(X, y, max_bins=5)
    print(bins)
    best = bins.summary()["column"][0]
    print()
    print(bins.to_text(best))
    model = make_pipeline(Binning(5), LogisticRegression())
    accuracy = cross_val_score(model, X, y).mean()
    print(f"\nLogistic regression on weights of evidence: {accuracy:.3f} correct in five folds")


if __name__ == "__main__":
    main()
