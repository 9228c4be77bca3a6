"""Drawn trees: nothing overlaps, everything is said, and no name is mistaken for mathematics."""

import importlib.util
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

from polytomy import ParameterError, TreeClassifier
from polytomy.plot import plot_tree
from polytomy.plot.text import DrawnText
from polytomy.plot.tree.legend import ClassStyles
from polytomy.tree import IntervalQuestion, TreeBuilder
from tests.plot.drawn import assert_tidy, cards_of, words

mpl.use("Agg")
from matplotlib import pyplot as plt

ROOT = Path(__file__).parents[2]
RNG_SEED = 3
DASH = " \N{EN DASH} "


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    flip = np.random.default_rng(RNG_SEED).random(len(y)) < 0.15
    return X, np.array(["malignant", "benign"])[np.where(flip, 1 - y, y)]


def digits():
    return load_digits(return_X_y=True, as_frame=True)


def wide_categories():
    """Long categories, many of them, missing cells, and bands that want many answers."""
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
def test_nothing_overlaps_at_64_leaves(table, orientation):
    clf = TreeClassifier(max_leaves=64, procedure="hatano", max_arity=8).fit(*table())
    assert clf.tree_.n_leaves > 50
    ax = clf.plot(orientation=orientation)
    assert_tidy(ax)
    assert_branches_pass_no_strangers(ax)


def assert_branches_pass_no_strangers(ax):
    """A branch touches the card it comes from and the one it leads to, and no other."""
    streams = next(c for c in ax.collections if c.get_zorder() == 1).get_paths()
    cards = [path.get_extents() for path in cards_of(ax).get_paths()]
    assert len(streams) == len(cards) - 1
    for place, stream in enumerate(streams, 1):  # cards and branches are in one order
        touched = [i for i, card in enumerate(cards) if stream.intersects_bbox(card)]
        assert place in touched
        assert len(touched) <= 2
        assert max(touched) == place


def test_auto_grows_down_on_a_page_and_else_to_the_right():
    small, large = (TreeClassifier(max_leaves=n).fit(*cancer()) for n in (4, 64))
    inches = [clf.plot().figure.get_size_inches().tolist() for clf in (small, large)]
    down = small.plot(orientation="down").figure.get_size_inches().tolist()
    right = large.plot(orientation="right").figure.get_size_inches().tolist()
    assert inches == [down, right]


def test_the_trees_above_have_up_to_eight_branches():
    clf = TreeClassifier(max_leaves=64, procedure="hatano", max_arity=8).fit(*wide_categories())
    assert np.diff(clf.tree_.child_start).max() >= 6


@pytest.mark.parametrize("dpi", [80, 100, 200])
def test_nothing_overlaps_on_axes_of_any_size(dpi):
    clf = TreeClassifier(max_leaves=12).fit(*cancer())
    axes = plt.subplots(1, 2, figsize=(16, 8), dpi=dpi)[1]
    for ax, orientation in zip(axes, ("down", "right"), strict=True):
        assert clf.plot(ax, orientation=orientation) is ax
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the tree is too large")  # in few pixels
        for ax in axes:
            assert_tidy(ax)


def test_nodes_and_leaves_say_what_they_are():
    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = TreeClassifier(max_leaves=4).fit(X, np.array(["setosa", "versicolor", "virginica"])[y])
    said = words(clf.plot())
    tree = clf.tree_
    assert "petal length (cm)?" in said
    assert "<= 2.45" in said
    assert "setosa 100%" in said
    assert sum(text.endswith(" rows") for text in said) >= tree.n_leaves
    assert said[-4:] == [
        "setosa",
        "versicolor",
        "virginica",
        "width of a branch: its share of the rows",
    ]
    assert len(cards_of(clf.plot()).get_paths()) == tree.n_nodes
    assert words(clf.plot(legend=False)) == said[:-4]


def test_branches_are_as_wide_as_their_share_of_the_rows():
    X = np.repeat([[0.0], [1.0], [2.0]], [60, 30, 10], axis=0)
    clf = TreeClassifier(max_leaves=3, max_arity=3).fit(X, X[:, 0] % 2)
    ax = clf.plot(orientation="down")
    streams = next(c for c in ax.collections if c.get_zorder() == 1)
    wide = [np.ptp(path.vertices[-3:-1, 0]) for path in streams.get_paths()]
    first = [abs(path.vertices[0, 0] - path.vertices[-2, 0]) for path in streams.get_paths()]
    np.testing.assert_allclose(np.array(first) / sum(first), [0.6, 0.3, 0.1])
    assert len(wide) == 3


def test_a_cut_tree_says_how_much_is_hidden():
    clf = TreeClassifier(max_leaves=32).fit(*cancer())
    ax = clf.plot(max_depth=1)
    hidden = [text for text in words(ax) if text.startswith("…")]
    assert hidden
    tree = clf.tree_
    shown = sum(tree.is_leaf(c) for c in tree.children(0).tolist())
    assert shown + sum(int(text.split("(")[1].split()[0]) for text in hidden) == tree.n_leaves
    assert len(cards_of(ax).get_paths()) == 1 + tree.arity(0)
    assert_tidy(ax)


def test_one_leaf():
    X, y = cancer()
    ax = TreeClassifier(max_leaves=1).fit(X, y).plot()
    assert words(ax)[1:] == ["of 569 rows", "benign", "malignant"]
    assert_tidy(ax)


@pytest.mark.parametrize("orientation", ["auto", "down", "right"])
def test_a_chain_of_a_thousand_questions(orientation):
    clf = TreeClassifier(2).fit([[0.0], [1.0]], [0, 1])
    n = 1000
    builder, node = TreeBuilder(np.array([n, 1.0]), n + 1), 0
    for i in range(n):
        left = np.array([[1.0, 0.0], [n - i - 1, 1.0]])
        node = builder.split(
            node, IntervalQuestion(0, np.array([i + 0.5]), -1, 0), left, [1, n - i]
        )[1]
    model = replace(clf._model, grown=builder.finish(), contracted=False)
    with pytest.warns(UserWarning, match="1,001 leaves takes long.*max_depth="):
        ax = plot_tree(model, orientation=orientation)
    with pytest.warns(UserWarning, match="larger figure"):
        ax.figure.canvas.draw()
    assert max(ax.figure.get_size_inches()) <= 81
    assert len(cards_of(ax).get_paths()) == 2 * n + 1


def test_a_thousand_leaves_are_drawn_in_time():
    rng = np.random.default_rng(RNG_SEED)
    X, y = rng.random((6000, 5)), rng.integers(0, 3, 6000)
    clf = TreeClassifier(max_leaves=1000).fit(X, y)
    started = time.process_time()
    with pytest.warns(UserWarning, match="takes long"):
        ax = clf.plot()
    ax.figure.canvas.draw()
    assert time.process_time() - started < 30  # it takes about 5 s
    assert max(ax.figure.get_size_inches()) <= 81


NAMES = [
    "$\\frac{",
    "a_b^c $x$",
    "two\nlines\tand a tab",
    "größe Ελλ Привет שלום",
    "n" * 300,
    "",
    "{\\%#&~",
]


@pytest.mark.parametrize("orientation", ["down", "right"])
def test_any_name_is_drawn_as_it_is(orientation):
    rng = np.random.default_rng(RNG_SEED)
    X = pd.DataFrame({name: rng.choice(np.array(NAMES, dtype=object), 700) for name in NAMES})
    y = np.array(NAMES, dtype=object)[
        (pd.factorize(X[NAMES[0]])[0] + pd.factorize(X[NAMES[1]])[0] * 2) % 7
    ]
    clf = TreeClassifier(max_leaves=24).fit(X, y)
    ax = clf.plot(orientation=orientation)
    assert_tidy(ax)
    assert all(isinstance(text, DrawnText) and not text.get_parse_math() for text in ax.texts)
    assert max(map(len, words(ax))) < 60
    assert "$\\frac{" in words(ax)


def test_letters_no_font_has_do_no_harm():
    X = pd.DataFrame({"日本語": ["高い", "低い"] * 20})
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # matplotlib says which letters it lacks
        ax = TreeClassifier(2).fit(X, [0, 1] * 20).plot()
        ax.figure.canvas.draw()
    assert "日本語?" in words(ax)


def test_dates_labels_and_missing_cells_in_short_words():
    n = 400
    day = pd.date_range("2020-01-01", periods=n)
    size = pd.Categorical(
        np.array(["S", "M", "L", "XL"])[np.arange(n) % 4], ["S", "M", "L", "XL"], ordered=True
    )
    part = np.arange(n) // 100
    X = pd.DataFrame({"day": day, "size": size, "x": np.where(np.arange(n) % 5, part, np.nan)})
    said = words(TreeClassifier(4, max_arity=4).fit(X[["day"]], part % 2).plot())
    assert any(text.startswith("<= 2020-04-0") for text in said)
    assert any(f"{DASH}07-" in text for text in said)  # in the same year
    said = words(TreeClassifier(2).fit(X[["size"]], np.arange(n) % 4 > 1).plot())
    assert {f"S{DASH}M", f"L{DASH}XL"} <= set(said)
    said = words(
        TreeClassifier(8, max_arity=8).fit(X[["x"]], np.where(np.arange(n) % 5, part % 2, 1)).plot()
    )
    assert any("missing" in text for text in said)


def test_thresholds_are_short_and_part_what_they_should():
    x = np.array([1 / 3, 1 / 3 + 1e-7, 123456.75, 123457.5, -2.0, -1.0])
    clf = TreeClassifier(6, max_arity=6).fit(
        np.repeat(x, 9).reshape(-1, 1), np.repeat([0, 1, 0, 1, 0, 1], 9)
    )
    said = words(clf.plot())
    assert "<= -1.5" in said
    assert any(text.startswith("0.3333334") for text in said)
    assert any(text.endswith("123457") or text.startswith("> 123457") for text in said)


def test_categories_are_named_or_are_the_others():
    towns = np.array([f"town number {i}" for i in range(30)])
    X = pd.DataFrame({"town": np.tile(towns, 20), "x": 0.0})
    few = np.isin(X["town"], ["town number 3", "town number 4"])
    said = words(TreeClassifier(2).fit(X, few).plot())
    assert "others" in said
    assert "{town number 3, town number 4}" in said


def own_questions():
    """The module of the example with a family of its own."""
    spec = importlib.util.spec_from_file_location(
        "hyperplanes", ROOT / "examples" / "hyperplanes.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["hyperplanes"] = module
    spec.loader.exec_module(module)
    return module


def test_a_users_own_question_is_in_its_own_words():
    rng = np.random.default_rng(7)
    X = rng.uniform(-1, 1, size=(1000, 2))
    y = (np.floor((X[:, 0] + 0.7 * X[:, 1]) / 0.55) % 2 == 0).astype(int)
    X = pd.DataFrame(X, columns=["east", "north"])
    clf = TreeClassifier(6, families=("intervals", own_questions().Slopes())).fit(X, y)
    assert clf.tree_.own
    ax = clf.plot()
    assert any(text.startswith("z = ") for text in words(ax))
    assert any("z <= " in text for text in words(ax))
    assert_tidy(ax)


def test_many_classes_have_looks_and_the_rest_is_grey():
    ten = ClassStyles.of(np.ones(10))
    assert len({(ten.bar(i).colour, ten.bar(i).hatch) for i in range(10)}) == 10
    counts = np.arange(30.0)
    many = ClassStyles.of(counts)
    assert [i for i in range(30) if many.nth[i] >= 0] == list(range(19, 30))
    assert len({(many.bar(i).colour, many.bar(i).hatch) for i in range(19, 30)}) == 11
    assert many.bar(0).colour == many.bar(18).colour
    rng = np.random.default_rng(RNG_SEED)
    X = rng.random((900, 3))
    ax = TreeClassifier(20).fit(X, (X[:, 0] * 30).astype(int)).plot()
    assert "19 other classes, named where they are" in words(ax)
    assert_tidy(ax)


def test_axes_that_change_their_size_keep_text_in_place():
    clf = TreeClassifier(max_leaves=8).fit(*cancer())
    ax = clf.plot()
    ax.set_title("A tree")
    assert_tidy(ax)
    ax.figure.set_size_inches(3, 9)
    with pytest.warns(UserWarning, match="larger figure"):
        assert_tidy(ax)


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_figures_are_saved(kind, tmp_path):
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
def test_wrong_wishes_are_refused(wrong, sentence):
    clf = TreeClassifier(max_leaves=2).fit(*cancer())
    with pytest.raises(ParameterError, match=sentence):
        clf.plot(**wrong)


def test_without_matplotlib_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import polytomy\n"
        "clf = polytomy.TreeClassifier(2).fit([[0.], [1.]], [0, 1])\n"
        "try: clf.plot()\n"
        "except polytomy.MissingPackageError as e: print(e)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "polytomy[plot]"' in out.stdout


def test_the_model_itself_is_enough():
    clf = TreeClassifier(max_leaves=4).fit(*cancer())
    pruned = replace(clf._model, contracted=False)
    ax = plot_tree(pruned)
    assert len(cards_of(ax).get_paths()) == clf._model.kept.n_nodes
