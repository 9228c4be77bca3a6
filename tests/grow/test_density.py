"""Growing density trees: the best first split, whole units of length, and the path of prunings."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy.density import DensityModel, cells_of, missing_odds
from polytomy.encode import Target, encode
from polytomy.grow import DensityPath, GrowParams, best_size, grow_density
from polytomy.grow.density import whole_units
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import pruned
from tests.naive.density import best_grouping, best_split


def grown(columns, least=1, most=3, max_leaves=None, loss="likelihood", weights=None):
    table = Table.of(columns)
    coded = encode(table)
    target = Target.of(np.zeros(table.n_rows, dtype=int), 1, weights)
    odds = missing_odds(coded, weights)
    params = GrowParams(
        max_leaves=max_leaves,
        max_arity=most,
        min_samples_leaf=least,
        families=("intervals", "groups"),
    )
    tree = grow_density(coded, target, cells_of(coded.schema, odds), params, loss)
    return DensityModel(coded.schema, odds, tree, 0.0)


def first_gain(model):
    """Return the gain per added branch of the first split."""
    children = model.tree.children(0)
    return model.gains[children].sum() / (len(children) - 1) if len(children) else 0.0


values = st.lists(st.sampled_from([0.0, 1.0, 2.0, 4.0, 4.5, 9.0]), min_size=2, max_size=14)


@given(values, st.integers(0, 4), st.integers(1, 3))
def test_first_split_of_an_ordered_column_is_the_best(x, n_missing, least):
    cells = np.array([*x, *[np.nan] * n_missing])
    model = grown({"x": cells}, least)
    lengths = model.cells[0].lengths
    _, rows = np.unique(x, return_counts=True)
    missing = (n_missing, lengths[-1]) if n_missing else None
    expected = best_split(rows.tolist(), lengths[: len(rows)].tolist(), missing, least, 3)
    assert first_gain(model) == pytest.approx(expected, abs=1e-9 * len(cells))


@given(st.lists(st.integers(0, 6), min_size=2, max_size=5), st.integers(1, 3))
def test_first_split_of_categories_is_the_best(counts, least):
    rows = [n for n in counts if n]
    if sum(rows) == 0:
        return
    x = np.repeat([f"c{i}" for i in range(len(rows))], rows)
    model = grown({"x": x}, least)
    expected = best_grouping(rows, least, 3)
    assert first_gain(model) == pytest.approx(expected, abs=1e-9 * len(x))


@given(
    st.lists(st.floats(1e-12, 1e12), min_size=1, max_size=20),
    st.data(),
)
def test_whole_units_add_up_and_follow_the_lengths(lengths, data):
    n = len(lengths)
    inside = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    inside[data.draw(st.integers(0, n - 1))] = True
    units = whole_units(np.array(lengths), inside, 1 << 50)
    assert units.sum() == 1 << 50
    assert (units[inside] >= 1).all()
    assert (units[~inside] == 0).all()
    share = np.array(lengths)[inside] / np.array(lengths)[inside].sum()
    np.testing.assert_allclose(units[inside] / 2.0**50, share, atol=n * 2.0**-49)


@pytest.mark.parametrize("loss", ["likelihood", "squared"])
def test_path_improves_the_training_loss_with_every_size(loss):
    rng = np.random.default_rng(0)
    model = grown({"x": rng.normal(size=200), "y": rng.normal(size=200)}, loss=loss, max_leaves=20)
    path = DensityPath(model, loss)
    shares, volume = model.weight / model.weight[0], np.exp(model.log_relative_volume)
    if loss == "likelihood":
        logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0) - np.log(volume)
        value = shares * logs
    else:
        value = shares**2 / volume
    total = []
    for size in path.sizes.tolist():
        cut = path.nodes_at(size)
        leaves = _leaves(model.tree, set(cut.tolist()))
        assert len(leaves) == size
        total.append(value[leaves].sum())
    assert (np.diff(total) > 0).all()


def _leaves(tree, cut):
    found, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        if node in cut or tree.is_leaf(node):
            found.append(node)
        else:
            waiting += tree.children(node).tolist()
    return found


def test_held_out_loss_of_the_path_is_that_of_the_pruned_models():
    rng = np.random.default_rng(1)
    model = replace(grown({"x": rng.normal(size=100)}, max_leaves=9), prior=1.0)
    held = Table.of({"x": np.append(rng.normal(size=30), [9.0, np.nan])})
    weights = rng.uniform(1, 3, size=32)
    path = DensityPath(model, "likelihood", held, weights)
    for place, size in enumerate(path.sizes.tolist()):
        small = replace(model, tree=pruned(model.tree, path.nodes_at(size))[0])
        scores = small.score_rows(held, apply(small.tree, small.schema, held))
        loss = -np.average(scores, weights=weights)
        assert path.held_out[place] == pytest.approx(loss, rel=1e-9)
    assert best_size([path], int(path.sizes[-1])) == path.sizes[np.argmin(path.held_out)]
