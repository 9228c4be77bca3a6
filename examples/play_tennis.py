"""
Play tennis with ID3
====================

ID3 on the textbook table of 14 days: gains, tree, and a column that gains too much.

The table is the usual first example of decision trees (Quinlan 1986; Mitchell 1997, chapter 3). ID3
splits on the column with the largest information gain, with a branch for each of its values, and
repeats that on the rows of each branch.
"""

import matplotlib.pyplot as plt
import pandas as pd

from polytomy import TreeClassifier
from polytomy.data import load_tennis

columns, play = load_tennis()
weather = pd.DataFrame(columns)
clf = TreeClassifier(max_leaves=None, procedure="id3", honest=False).fit(weather, play)
clf.plot()
plt.show()

# %%
# The gain of every column at every node that is split.

for node in range(clf.tree_.n_nodes):
    if not clf.tree_.is_leaf(node):
        print(clf.split_table(weather, play, node=node), end="\n\n")
print(clf.to_text())

# %%
# A column that gains too much
# ----------------------------
# The number of the day, as a category, says nothing about other days but gains most of all: it
# separates the rows completely. Divided by the entropy of its 14 branches, as C4.5 does
# (``procedure="gain-ratio"``), its gain is a quarter as large. That is still the largest of so few
# rows, but the p-value shows that chance gains as much.

numbered = weather.assign(day=[f"day {i}" for i in range(1, len(play) + 1)])
clf.fit(numbered, play)
print(f"With the number of the day, ID3 grows {clf.n_leaves_} leaves:")
print(clf.split_table(numbered, play))
clf.set_params(pruner="chi-square").fit(numbered, play)
print(f"Pruned by the chi-square test at 0.05, it has {clf.n_leaves_}.")
