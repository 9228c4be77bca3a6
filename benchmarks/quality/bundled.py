"""Tables that come with scikit-learn and with polytomy, for a study without a data folder."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn import datasets
from tables import Data

from polytomy.data import load_cars


def cars() -> Data:
    """Return the cars of 1970 to 1982 with their make as a category; the class is the origin."""
    columns, origin = load_cars()
    make = [name.split()[0] for name in columns.pop("name")]
    frame = pd.DataFrame(columns).assign(make=pd.Categorical(make))
    return Data(frame, np.unique(origin, return_inverse=True)[1])


def from_sklearn(load: Callable) -> Callable[[], Data]:
    """Return a function that reads a table of scikit-learn."""

    def read() -> Data:
        frame, y = load(return_X_y=True, as_frame=True)
        return Data(frame.astype(np.float32), y.to_numpy(np.int64))

    return read


BUNDLED = {  # largest first; the names are those of the same tables in a data folder
    "digits": from_sklearn(datasets.load_digits),
    "wdbc": from_sklearn(datasets.load_breast_cancer),
    "cars": cars,
    "wine": from_sklearn(datasets.load_wine),
    "iris": from_sklearn(datasets.load_iris),
}
