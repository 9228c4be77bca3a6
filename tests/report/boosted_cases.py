"""Tables for tests of reports on boosted trees."""

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from polytomy.data import load_cars


def cars_of_every_kind():
    """Return cars with a column of every kind and missing cells, and their origins."""
    columns, origin = load_cars()
    names = columns.pop("name")
    frame = pd.DataFrame(columns)[["mpg", "displacement", "horsepower"]]
    frame["letter"] = [name.split()[0][-1] for name in names]
    frame["seen"] = pd.Timestamp("1970-06-01") + pd.to_timedelta(np.arange(len(frame)) * 7, "h")
    sizes = ["small", "middle", "big", "huge"]
    place = np.digitize(columns["weight"], [2200, 2800, 3600])
    frame["size"] = pd.Categorical.from_codes(place, sizes, ordered=True)
    frame["model"] = [name.split()[-1][:2] for name in names]
    frame.loc[::17, "horsepower"] = np.nan
    frame.loc[::13, "letter"] = None
    return frame, pd.Series(origin, name="origin")


def tumours_of_two_classes():
    """Return the breast cancer data with named classes."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, pd.Series(np.array(["bad", "good"])[y], name="kind")
