"""The figure of a tree."""

import subprocess
import sys
import time
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer, load_digits

from polytomy import ParameterError, TreeClassifier
from polytomy.plot import plot_tree
from polytomy.tree import IntervalSplit, TreeBuilder
from tests.plot.drawn_tree import assert_tidy, cards_of, words

RNG_SEED = 3


def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    flip = np.random.default_rng(RNG_SEED).random(len(y)) < 0.15
    return X, np.array(["malignant", "benign"])[np.where(flip, 1 - y, y)]


def digits():
    return load_digits(return_X_y=True, as_frame=True)


def wide_categories():
    """Many long categories, missing cells, and numbers that need many branches."""
    rng = np.random.default_rng(RNG_SEED)
    n = 5000
    towns = [
        f"{a} {b} upon {c}"
        for a in ("Great", "Little")
        for b in ("Snoring", "Wenham", "Ö")
        for c in ("Tweed", "the Wold", "Tyne", "Avon")
    ]
    X = pd.DataFrame(
        {
            "town_$of$_birth": rng.choice(towns, n),
            "band": rng.uniform(0, 8, n),
            "kind": rng.choice(list("abcdef"), n),
        }
    )
    place = pd.factorize(X["town_$of$_birth"])[0]
    noise = rng.integers(0, 5, n) * (rng.random(n) < 0.1)
    y = (place + X["band"].astype(int) * 3 + X["kind"].map(ord) * 2 + noise) % 5
    X.loc[rng.random(n) < 0.05, "town_$of$_birth"] = None
    return X, np.array(["first", "second class", "third", "a fourth, long one", "5"])[y]


@pytest.mark.parametrize("orientation", ["down", "right"])
@pytest.mark.parametrize("table", [cancer, digits, wide_categories])
def test_figure_of_64_leaves_has_no_overlaps(table, orientation):
    clf = TreeClassifier(max_leaves=64, procedure="hatano", max_arity=8).fit(*table())
    assert clf.tree_.n_leaves > 50
    ax = clf.plot(orientation=orientation)
    assert_tidy(ax)
    assert_branches_touch_only_their_cards(ax)


def assert_branches_touch_only_their_cards(ax):
    """Check that a branch touches only the two cards that it connects."""
    branches = next(c for c in ax.collections if c.get_zorder() == 1).get_paths()
    cards = [path.get_extents() for path in cards_of(ax).get_paths()]
    assert len(branches) == len(cards) - 1
    for place, branch in enumerate(branches, 1):  # cards and branches are in one order
        touched = [i for i, card in enumerate(cards) if branch.intersects_bbox(card)]
        assert place in touched
        assert len(touched) <= 2
        assert max(touched) == place


def test_auto_orientation_is_down_if_the_tree_fits_a_page():
    how = {"procedure": "per-leaf", "honest": False}
    small, large = (TreeClassifier(max_leaves=n, **how).fit(*cancer()) for n in (4, 64))
    inches = [clf.plot().figure.get_size_inches().tolist() for clf in (small, large)]
    down = small.plot(orientation="down").figure.get_size_inches().tolist()
    right = large.plot(orientation="right").figure.get_size_inches().tolist()
    assert inches == [down, right]


def test_figure_tables_give_up_to_eight_branches():
    clf = TreeClassifier(max_leaves=64, procedure="hatano", max_arity=8).fit(*wide_categories())
    assert np.diff(clf.tree_.child_start).max() >= 6


@pytest.mark.parametrize("dpi", [80, 100, 200])
def test_figure_on_axes_of_any_size_has_no_overlaps(dpi):
    clf = TreeClassifier(max_leaves=12).fit(*cancer())
    axes = plt.subplots(1, 2, figsize=(16, 8), dpi=dpi)[1]
    for ax, orientation in zip(axes, ("down", "right"), strict=True):
        assert clf.plot(ax, orientation=orientation) is ax
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the tree is too large")  # at a low resolution
        for ax in axes:
            assert_tidy(ax)


def test_branches_are_as_wide_as_their_share_of_the_rows():
    X = np.repeat([[0.0], [1.0], [2.0]], [60, 30, 10], axis=0)
    clf = TreeClassifier(max_leaves=3, max_arity=3).fit(X, X[:, 0] % 2)
    ax = clf.plot(orientation="down")
    branches = next(c for c in ax.collections if c.get_zorder() == 1)
    wide = [np.ptp(path.vertices[-3:-1, 0]) for path in branches.get_paths()]
    first = [abs(path.vertices[0, 0] - path.vertices[-2, 0]) for path in branches.get_paths()]
    np.testing.assert_allclose(np.array(first) / sum(first), [0.6, 0.3, 0.1])
    assert len(wide) == 3


def test_figure_counts_the_leaves_below_max_depth():
    clf = TreeClassifier(max_leaves=32).fit(*cancer())
    ax = clf.plot(max_depth=1)
    hidden = [text for text in words(ax) if text.startswith("…")]
    assert hidden
    tree = clf.tree_
    shown = sum(tree.is_leaf(c) for c in tree.children(0).tolist())
    assert shown + sum(int(text.split("(")[1].split()[0]) for text in hidden) == tree.n_leaves
    assert len(cards_of(ax).get_paths()) == 1 + tree.arity(0)
    assert_tidy(ax)


def test_figure_draws_a_single_leaf():
    X, y = cancer()
    ax = TreeClassifier(max_leaves=1).fit(X, y).plot()
    assert words(ax)[1:] == [
        "(56% of 569 rows)",
        "benign",
        "malignant",
        "leaf: expected share of new rows (share of training rows)",
    ]
    assert_tidy(ax)


@pytest.mark.parametrize("orientation", ["auto", "down", "right"])
def test_figure_draws_a_chain_of_a_thousand_splits(orientation):
    clf = TreeClassifier(2, procedure="per-leaf").fit([[0.0], [1.0]], [0, 1])
    n = 1000
    builder, node = TreeBuilder(np.array([n, 1.0]), n + 1), 0
    for i in range(n):
        left = np.array([[1.0, 0.0], [n - i - 1, 1.0]])
        node = builder.split(node, IntervalSplit(0, np.array([i + 0.5]), -1, 0), left, [1, n - i])[
            1
        ]
    model = replace(clf._model, grown=builder.finish(), contracted=False)
    with pytest.warns(UserWarning, match="1,001 leaves takes long.*max_depth="):
        ax = plot_tree(model, orientation=orientation)
    with pytest.warns(UserWarning, match="larger figure"):
        ax.figure.canvas.draw()
    assert max(ax.figure.get_size_inches()) <= 81
    assert len(cards_of(ax).get_paths()) == 2 * n + 1


def test_figure_draws_a_thousand_leaves_quickly():
    rng = np.random.default_rng(RNG_SEED)
    X, y = rng.random((6000, 5)), rng.integers(0, 3, 6000)
    clf = TreeClassifier(max_leaves=1000, procedure="per-leaf").fit(X, y)
    started = time.process_time()
    with pytest.warns(UserWarning, match="takes long"):
        ax = clf.plot()
    ax.figure.canvas.draw()
    assert time.process_time() - started < 30  # it takes about 5 s
    assert max(ax.figure.get_size_inches()) <= 81


def test_figure_draws_letters_without_a_font():
    X = pd.DataFrame({"日本語": ["高い", "低い"] * 20})
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # matplotlib warns about missing glyphs
        ax = TreeClassifier(2).fit(X, [0, 1] * 20).plot()
        ax.figure.canvas.draw()
    assert "日本語?" in words(ax)


def test_figure_text_scales_with_its_axes():
    clf = TreeClassifier(max_leaves=8, procedure="per-leaf", honest=False).fit(*cancer())
    ax = clf.plot()
    ax.set_title("A tree")
    assert_tidy(ax)
    ax.figure.set_size_inches(3, 9)
    with pytest.warns(UserWarning, match="larger figure"):
        assert_tidy(ax)


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_figure_is_saved_in_several_formats(kind, tmp_path):
    path = tmp_path / f"tree.{kind}"
    TreeClassifier(max_leaves=4).fit(*cancer()).plot().figure.savefig(path)
    assert path.stat().st_size > 1000


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"orientation": "up"}, "orientation"),
        ({"max_depth": 0}, "max_depth"),
        ({"max_depth": "2"}, "max_depth"),
    ],
)
def test_figure_refuses_invalid_parameters(wrong, sentence):
    clf = TreeClassifier(max_leaves=2).fit(*cancer())
    with pytest.raises(ParameterError, match=sentence):
        clf.plot(**wrong)


def test_figure_without_matplotlib_explains_the_installation():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import polytomy\n"
        "clf = polytomy.TreeClassifier(2).fit([[0.], [1.]], [0, 1])\n"
        "try: clf.plot()\n"
        "except polytomy.MissingPackageError as e: print(e)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "polytomy[plot]"' in out.stdout


def test_plot_tree_accepts_a_model():
    clf = TreeClassifier(max_leaves=4).fit(*cancer())
    pruned = replace(clf._model, contracted=False)
    ax = plot_tree(pruned)
    assert len(cards_of(ax).get_paths()) == clf._model.kept.n_nodes
