"""Workbooks of trees: their formulas predict like the tree, within the limits of Excel."""

import re

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier
from polytomy._errors import ParameterError, TreeError
from polytomy.export import tree_workbook
from polytomy.export.xlsx import Bold, Formula, Input, Sheet, cell_name, workbook
from tests.export.awkward_tables import TARGETS, bushy, fitted_to, nasty_frame
from tests.export.libreoffice import computed, needs_office
from tests.export.own_split import own_model
from tests.naive.excel import Book

openpyxl = pytest.importorskip("openpyxl")


def rows_of(path, n):
    book = Book(openpyxl.load_workbook(path))
    heads = book.row("Predict", 1)
    return [dict(zip(heads, book.row("Predict", i + 2), strict=True)) for i in range(n)]


def plain_frame(n=200):
    """A frame without times, infinities and empty texts, which a cell cannot hold."""
    frame = nasty_frame(n).drop(columns=["day", "zoned"])
    frame["float64"] = frame["float64"].replace([np.inf, -np.inf], [1e300, -1e300])
    frame['te"xt'] = frame['te"xt'].replace("", "full")
    return frame


@pytest.mark.parametrize("target", TARGETS)
def test_workbook_predicts_from_every_kind_of_column(target, tmp_path):
    frame = plain_frame()
    clf = fitted_to(target, frame, max_leaves=60)
    some = frame.head(50).copy()
    some.loc[5:9, 'te"xt'] = "PLAIN"  # not "plain"
    clf.to_xlsx(tmp_path / "tree.xlsx", some)
    rows = rows_of(tmp_path / "tree.xlsx", 50)
    leaves = clf.apply(some).tolist()
    assert [row["leaf"] for row in rows] == leaves
    assert [row["prediction"] for row in rows] == clf.predict(some).tolist()
    rules = {rule.leaf: rule.condition for rule in clf.to_rules()}
    assert [row["rule"] for row in rows] == [rules[leaf] for leaf in leaves]
    if target == "classes":
        shares = [[row[f"p_{c}"] for c in clf.classes_] for row in rows]
        assert shares == clf.predict_proba(some).tolist()


@needs_office
@pytest.mark.parametrize("target", ["classes", "squared_error"])
def test_workbook_predicts_in_libreoffice(target, tmp_path):
    frame = plain_frame().drop(columns=["near 2^53", "huge"])  # it keeps 15 digits
    clf = fitted_to(target, frame, max_leaves=60)
    some = frame.head(50)
    clf.to_xlsx(tmp_path / "tree.xlsx", some)
    rows = computed(tmp_path / "tree.xlsx", "Predict")
    assert [row["leaf"] for row in rows] == clf.apply(some).tolist()
    wanted = clf.predict(some).tolist()
    if target != "classes":
        wanted = [float(f"{x:.15g}") for x in wanted]
    assert [row["prediction"] for row in rows] == wanted


def test_workbook_keeps_within_the_limits_of_excel(tmp_path):
    clf, frame = bushy(400)
    path = tmp_path / "tree.xlsx"
    clf.to_xlsx(path, frame.head(2))
    sheet = openpyxl.load_workbook(path)["Predict"]
    heads = [cell.value for cell in sheet[1]]
    assert "part 2" in heads
    for cell in sheet[2]:
        if cell.data_type == "f":
            depths = np.cumsum([{"(": 1, ")": -1}[c] for c in re.findall(r"[()]", cell.value)])
            assert len(cell.value) <= 8192
            assert depths.max() <= 64
    assert [row["leaf"] for row in rows_of(path, 2)] == clf.apply(frame.head(2)).tolist()


def test_workbook_is_empty_at_first(tmp_path):
    clf = TreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]] * 3, [0, 0, 1, 1] * 3)
    clf.to_xlsx(tmp_path / "tree.xlsx", rows=2)
    assert [row["prediction"] for row in rows_of(tmp_path / "tree.xlsx", 2)] == ["", ""]


def test_workbook_of_a_single_leaf(tmp_path):
    clf = TreeClassifier().fit([[1.0], [2.0]], ["only", "only"])
    clf.to_xlsx(tmp_path / "tree.xlsx", [[1.0]])
    assert rows_of(tmp_path / "tree.xlsx", 1)[0]["prediction"] == "only"


def test_workbook_refuses_what_it_cannot_express(tmp_path):
    with pytest.raises(TreeError, match="user-defined split"):
        tree_workbook(own_model())
    clf = TreeClassifier(procedure="per-leaf").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ParameterError, match="rows must be an integer"):
        clf.to_xlsx(tmp_path / "x.xlsx", rows=0)
    with pytest.raises(TreeError, match="cannot hold the number inf"):
        clf.to_xlsx(tmp_path / "x.xlsx", [[np.inf]])


def test_writer_keeps_text_as_it_is(tmp_path):
    texts = ["=1+1", "<&>'\"", " blank ", "two\nlines", "\x07bell", "_x0041_", "é日🌳", "1", "TRUE"]
    path = tmp_path / "texts.xlsx"
    path.write_bytes(workbook([Sheet("a", [[*texts], [1.5, True, None, Input(2), Bold("b")]])]))
    sheet = openpyxl.load_workbook(path)["a"]
    read = [cell.value for cell in sheet[1]]
    assert [openpyxl.utils.escape.unescape(t) for t in read] == texts
    assert "f" not in [cell.data_type for cell in sheet[1]]
    assert [cell.value for cell in sheet[2]][:5] == [1.5, True, None, 2, "b"]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("x" * 40_000, "32,767 characters"),
        ("\ud800", "cannot hold the text"),
        (float("inf"), "cannot hold the number"),
        (Formula("1+" * 5000 + "1"), "Excel allows 8,192"),
    ],
)
def test_writer_refuses_what_a_cell_cannot_hold(cell, message):
    with pytest.raises(TreeError, match=message):
        workbook([Sheet("a", [[cell]])])


def test_writer_refuses_more_columns_than_a_sheet_has():
    assert cell_name(0, 16_383) == "XFD1"
    with pytest.raises(TreeError, match="at most 1,048,576 and 16,384"):
        workbook([Sheet("a", [[None] * 16_385])])


def test_workbook_holds_awkward_names(tmp_path):
    names = ["=A1", "a'b", 'say "hi"', "{0}", "{h1}", "<x>&", "é\n", "x" * 300, "Predict!A1"]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (400, len(names))).astype(float), columns=names)
    clf = TreeClassifier(procedure="per-leaf", max_leaves=100).fit(frame, rng.integers(0, 3, 400))
    clf.to_xlsx(tmp_path / "tree.xlsx", frame.head(20))
    rows = rows_of(tmp_path / "tree.xlsx", 20)
    assert [row["prediction"] for row in rows] == clf.predict(frame.head(20)).tolist()
