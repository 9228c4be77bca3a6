"""
The best bins of a column
=========================

Information values of every column of a table, and the bins of one column in detail.

The table comes with scikit-learn: 569 tumours with 30 measurements, malignant or benign. Each
column is cut into at most five ranges whose rate of malignant tumours rises or falls from range to
range.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from polytomy import Binning, binning
from polytomy.table import frame_of

data = load_breast_cancer()
X = frame_of({str(name): data.data[:, j] for j, name in enumerate(data.feature_names)})
y = np.where(data.target == 0, "malignant", "benign")
bins = binning(X, y, max_bins=5)
print(bins)

# %%
# The columns with the largest information values.

summary = bins.summary()
axes = plt.figure(figsize=(6, 4), layout="constrained").subplots()
axes.barh(summary["column"][:10], summary["iv"][:10])
axes.invert_yaxis()
axes.set(xlabel="information value")
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The bins of the first of them.

print(bins.to_text(summary["column"][0]))

# %%
# Each column can be replaced by the weights of evidence of its bins, which makes a scorecard of a
# logistic regression.

model = make_pipeline(Binning(5), LogisticRegression())
accuracy = cross_val_score(model, X, y).mean()
print(f"Logistic regression on weights of evidence: {accuracy:.3f} correct in five folds")
