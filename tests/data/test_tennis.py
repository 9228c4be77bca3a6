"""The bundled table of 14 days has the counts of the textbooks."""

import numpy as np

from polytomy.data import load_tennis


def test_tennis_has_the_counts_of_the_textbooks():
    columns, play = load_tennis()
    values = {name: sorted(set(held.tolist())) for name, held in columns.items()}
    assert values == {
        "outlook": ["overcast", "rain", "sunny"],
        "temperature": ["cool", "hot", "mild"],
        "humidity": ["high", "normal"],
        "wind": ["strong", "weak"],
    }
    assert dict(zip(*np.unique(play, return_counts=True), strict=True)) == {"no": 5, "yes": 9}
    sunny = columns["outlook"] == "sunny"
    assert (play[sunny] == "yes").sum() == 2
    assert sunny.sum() == 5


def test_load_tennis_returns_a_new_copy():
    load_tennis()[0]["wind"][:] = ""
    assert "" not in load_tennis()[0]["wind"]
