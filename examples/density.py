"""
A density tree
==============

Where the petals of irises are dense: boxes drawn over the points, and an outlier score.

The table comes with scikit-learn: 150 irises, of which the length and the width of the petals are
used. A density tree divides the plane into boxes of even density; a box may be empty.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from polytomy import DensityTree
from polytomy.table import frame_of

data = load_iris()
names = [name.removesuffix(" (cm)") for name in data.feature_names]
table = frame_of({names[j]: data.data[:, j] for j in (2, 3)})
model = DensityTree(max_leaves=12).fit(table)
print(model.to_text())

# %%
# The boxes over the points: the darker, the denser.

model.plot(table)
plt.show()

# %%
# The rows in the emptiest boxes are candidates for outliers.

scores = model.score_samples(table)
regions = model.predict_region(table)
for row in np.argsort(scores, kind="stable")[:3].tolist():
    print(f"row {row}, log-density {scores[row]:.2f}: {regions[row].where}")

# %%
# Samples from the density look like the data.

drawn = np.asarray(model.sample(300, random_state=0))
axes = plt.figure(figsize=(6, 4), layout="constrained").subplots()
axes.plot(*drawn.T, ".", color="0.7", label="drawn from the tree")
axes.plot(data.data[:, 2], data.data[:, 3], ".", color="tab:blue", label="irises")
axes.set(xlabel=names[2], ylabel=names[3])
axes.legend(frameon=False)
plt.show()
