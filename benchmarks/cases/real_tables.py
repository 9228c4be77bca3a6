"""Real tables, where the data folder has them."""

from functools import partial

import real
from case import Case, Group, Size

NAMES = ("adult", "covertype")
SOME = NAMES[:1]  # of them, in a rehearsal: the other takes seconds to read


def group(size: Size) -> Group:
    """Return the cases that can be run; the note names the others."""
    wanted = SOME if size.quick else NAMES
    there = [name for name in wanted if real.is_there(name)]
    cases = tuple(
        Case(name, f"real/{name}", partial(real.table_of, name), size.job(), seconds=9.0)
        for name in there
    )
    note = (
        "From a pandas frame of float32 and categories to a fitted model, 64 leaves. "
        "adult: 48,842 x 14, covertype: 581,012 x 12, seven classes (LightGBM, XGBoost and "
        "HistGradientBoosting: a tree a class)."
    )
    absent = [name for name in wanted if name not in there]
    if absent:
        note += f" Not there, so not run: {', '.join(absent)}."
    return Group("real", "Real tables", note, cases)
