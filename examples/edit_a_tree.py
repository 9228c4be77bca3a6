"""
Editing a tree by hand
======================

Three edits, their prices, and a replay on new rows.

The table comes with the library: 392 cars of 1970 to 1982, and the class is how far a car drives on
a gallon of fuel. A tree is grown on the cars up to 1977. Then somebody who knows cars has a say.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import polytomy
from polytomy.data import load_cars

columns, origin = load_cars()
X = pd.DataFrame(columns | {"origin": origin}).drop(columns="name")
miles = np.searchsorted([19.0, 26.0], X.pop("mpg"))
y = np.array(["below 19", "19 to 26", "above 26"])[miles]

year = X.pop("year")
old, new = (year <= 1977).to_numpy(), (year > 1977).to_numpy()
is_held_out = np.random.default_rng(0).random(len(y)) < 0.3
training, held_out = old & ~is_held_out, old & is_held_out

clf = polytomy.TreeClassifier(
    max_leaves=6, question_price=0.08, teacher=False, search=0, random_state=0
)
clf.fit(X[training], y[training])
session = polytomy.edit(clf, X[training], y[training], X_val=X[held_out], y_val=y[held_out])
print(session)

# %%
# What else could node 2 have been split on?

print(session.alternatives(2))

# %%
# Three edits
# -----------
# Each returns what it costs: the gain forgone, the errors on the training rows and on held-out
# rows, leaves, questions, and the bound of the certificate.

print(session.collapse(1, reason="two cars are no reason for a leaf"), "\n")
print(session.split(2, "displacement", thresholds=[230], reason="a round number"), "\n")
print(session.regrow(3, max_leaves=3, reason="there are many heavy cars"))

# %%
# The result is an ordinary estimator, and ``verify`` replays its log.

edited = session.estimator()
report = polytomy.verify(edited, X[training], y[training])
print(f"verified: {report.ok}; {report.notes[-1]}")
edited.plot()
plt.show()

# %%
# On newer cars
# -------------
# The edits are repeated on the cars from 1978 on: the same splits, new counts, new prices, and what
# no longer holds.

print(session.replay(X[new], y[new]))
