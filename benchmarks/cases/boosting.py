"""Boosted stumps, from the raw array."""

from functools import partial

from case import Case, Group, Size
from tables import Recipe, table_of

OURS = ("ours, adaboost-real", "ours, adaboost", "ours, logitboost")
PEERS = ("LightGBM", "LightGBM col-wise", "XGBoost", "HistGradientBoosting")


def group(size: Size) -> Group:
    """Return the cases."""
    rows = size.rows(100_000)
    make = partial(table_of, Recipe(rows))
    few = {"who": (*OURS, *PEERS, "AdaBoost"), "seconds": 10.0}
    many = {"who": (*OURS, *PEERS), "seconds": 14.0}
    many["memory"] = size.looked_at(OURS[0], "LightGBM")
    cases = (
        Case("20 stumps", "boosting/20", make, size.job(2, 20), **few),
        Case("200 stumps", "boosting/200", make, size.job(2, 200), **many),
    )
    note = "From a row-major float32 array to a fitted ensemble. Ours is `adaboost-real`."
    return Group("boosting", f"Boosting: {rows:,} x 20, two classes", note, cases)
