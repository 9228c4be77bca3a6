"""
Drawing a tree
==============

A tree that predicts where a car was made, and the importances of its columns.

The table is part of polytomy: 392 cars of the years 1970 to 1982, from Europe, Japan and the USA.
"""

import matplotlib.pyplot as plt

from polytomy import TreeClassifier
from polytomy.data import load_cars
from polytomy.table import frame_of

cars, origin = load_cars()
del cars["name"]  # it includes the manufacturer
table = frame_of(cars)
clf = TreeClassifier(max_leaves=10).fit(table, origin)
print(f"{clf.tree_.n_leaves} leaves, {clf.score(table, origin):.1%} of the cars are correct")

# %%
# The tree
# --------
# The width of a branch is its share of the rows. A leaf shows the share to expect of new rows, and
# in parentheses that of the training rows.

clf.plot()
plt.show()

# %%
# Importances
# -----------
# The importance of a column is its share of the impurity that the splits remove.

clf.plot_importances()
plt.show()

# %%
# Growth
# ------
# The index and the training error against the number of leaves, with the bounds that the
# certificate states.

clf.plot_growth()
plt.show()
