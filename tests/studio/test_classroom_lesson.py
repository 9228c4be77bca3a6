"""Lessons: the gains of the textbooks, formulas that hold, and trees compared with the grower's."""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import TreeClassifier
from polytomy._errors import ParameterError
from polytomy.data import load_tennis
from polytomy.index import INDICES
from polytomy.io import LabelledTable
from polytomy.studio import StaleError
from polytomy.studio.classroom import BUNDLED, Classroom, own_table
from polytomy.studio.classroom.lesson import Lesson
from polytomy.studio.classroom.working import INDEX_TEXTS, PRICES, worked_node, worked_split
from polytomy.table import Table


def rows_of(columns, labels, target="y"):
    return LabelledTable(Table.of(columns), np.asarray(labels), None, target)


def tennis(**how):
    return Lesson(BUNDLED["tennis"].load(), **how)


def grown_by_the_grower(lesson):
    """Take the grower's split at every node, and return the comparison."""
    while lesson.phase == "guess":
        lesson.guess({"stop": True})
        lesson.go_on({"with": "grower"})
    lesson.finish({})
    return lesson.view()["compare"]


def keys_in(value):
    if isinstance(value, dict):
        return set(value).union(*map(keys_in, value.values()))
    return set().union(*map(keys_in, value)) if isinstance(value, list) else set()


def evaluated(formula):
    """Return the value of a formula as a reader would work it out."""
    plain = formula.replace("\N{MINUS SIGN}", "-").replace("·", "*").replace("²", "**2")
    plain = plain.replace("log₂", "log2").replace("√", "sqrt")
    assert re.fullmatch(r"[-+*/(). 0-9]*((log2|sqrt)[-+*/(). 0-9]*)*", plain)
    return eval(plain, {"log2": math.log2, "sqrt": math.sqrt})


def test_gains_of_play_tennis_are_those_of_the_textbooks():
    lesson = tennis()
    lesson.guess({"column": "humidity"})
    shown = lesson.view()["reveal"]
    gains = {c["column"]: round(c["gain"]["value"], 3) for c in shown["columns"]}
    assert gains == {"outlook": 0.247, "humidity": 0.152, "wind": 0.048, "temperature": 0.029}
    assert next(iter(gains)) == shown["winner"]["column"] == "outlook"
    mine = shown["mine"]
    assert round(mine["node"]["value"], 3) == 0.940
    assert [(b["answer"], b["counts"], round(b["value"], 3)) for b in mine["branches"]] == [
        ("high", [4, 3], 0.985),
        ("normal", [1, 6], 0.592),
    ]
    assert round(mine["rest"]["value"], 3) == 0.788
    assert round(shown["points"], 4) == round(0.151836 / 0.246750, 4)


def test_gains_and_p_values_are_those_of_split_table():
    columns, play = load_tennis()
    table = Table.of(columns)
    clf = TreeClassifier(procedure="id3", max_leaves=None, honest=False).fit(table, play)
    known = {s.column: s for s in clf.split_table(table, play)}
    lesson = tennis()
    lesson.guess({"column": "wind"})
    for shown in lesson.view()["reveal"]["columns"]:
        other = known[shown["column"]]
        assert shown["gain"]["value"] == pytest.approx(other.gain, abs=1e-12)
        assert shown["p_value"] == f"{other.p_value:.4f}"
        assert shown["p_adjusted"] == f"{other.p_adjusted:.4f}"
        assert shown["split"] == other.split


@given(
    st.sampled_from(sorted(INDEX_TEXTS)),
    st.lists(st.integers(0, 40), min_size=2, max_size=6).filter(
        lambda c: sum(x > 0 for x in c) > 1
    ),
)
def test_formulas_have_the_value_that_is_shown(index, counts):
    node = worked_node(index, np.array(counts, dtype=float))
    assert node["value"] == pytest.approx(evaluated(node["formula"]), abs=1e-9)
    assert node["value"] * sum(counts) == pytest.approx(INDICES[index].value(np.array(counts)))


def test_formulas_of_one_and_of_many_classes():
    assert worked_node("entropy", np.array([7.0, 0.0])) == {
        "counts": [7, 0],
        "rows": 7,
        "value": 0.0,
        "formula": "all rows have the same class",
    }
    assert all("…" in worked_node(index, np.ones(9))["formula"] for index in INDEX_TEXTS)


def test_a_worked_split_adds_up():
    counts = np.array([[0.0, 4], [2, 3], [3, 2]])
    worked = worked_split("entropy", "hatano", counts, ["overcast", "rain", "sunny"])
    for part in ("rest", "gain"):
        assert worked[part]["value"] == pytest.approx(evaluated(worked[part]["formula"]), abs=1e-4)
    assert worked["gain"]["value"] == pytest.approx(0.246750, abs=1e-6)
    assert worked["price"] == 2.0  # ceil(log2 3)
    assert worked["worth"] == pytest.approx(0.246750 / 2, abs=1e-6)


def test_nothing_is_told_before_the_guess():
    for table in BUNDLED.values():
        view = Lesson(table.load()).view()
        told = {"gain", "worth", "points", "p_value", "p_adjusted", "price", "rest", "forgone"}
        assert not told & keys_in(view)
        json.dumps(view, allow_nan=False)


def test_the_student_sees_counts_by_value_and_small_tables_in_full():
    here = tennis().view()["here"]
    outlook = here["columns"][0]
    rows = dict(zip(outlook["labels"], zip(*outlook["by_class"], strict=True), strict=True))
    assert rows == {"overcast": (0, 4), "rain": (2, 3), "sunny": (3, 2)}
    assert here["cells"]["rows"][0] == ["sunny", "hot", "high", "weak"]
    assert here["cells"]["labels"][:3] == [0, 0, 1]
    assert Lesson(BUNDLED["iris"].load()).view()["here"]["cells"] is None


@pytest.mark.parametrize("procedure", PRICES)
@pytest.mark.parametrize("index", INDEX_TEXTS)
@pytest.mark.parametrize(("table", "leaves"), [("tennis", 4), ("tennis", 8), ("iris", 4)])
def test_a_student_who_follows_the_grower_gets_its_tree(table, leaves, index, procedure):
    lesson = Lesson(BUNDLED[table].load(), index=index, procedure=procedure, max_leaves=leaves)
    compare = grown_by_the_grower(lesson)
    assert compare["differences"] == []
    assert compare["mine"] == compare["grower"]


def test_trees_are_compared_where_they_part():
    lesson = tennis()
    lesson.guess({"column": "outlook"})
    assert lesson.view()["reveal"]["same"]
    lesson.go_on({"with": "mine"})
    view = lesson.view()
    rain = next(node["id"] for node in view["tree"] if node["answer"] == "rain")
    lesson.pick({"node": rain})
    assert lesson.view()["here"]["path"] == ["outlook: rain"]
    lesson.guess({"column": "humidity"})
    lesson.go_on({"with": "mine"})
    lesson.finish({})
    compare = lesson.view()["compare"]
    assert compare["differences"] == [
        {"path": ["outlook: rain"], "mine": "humidity: high | normal", "other": None},
        {"path": ["outlook: sunny"], "mine": None, "other": "humidity: high | normal"},
    ]
    assert compare["mine"]["leaves"] == compare["grower"]["leaves"] == 4
    assert compare["mine"]["training_error"] == pytest.approx(4 / 14)
    assert compare["grower"]["training_error"] == pytest.approx(2 / 14)
    assert compare["points"] == pytest.approx((1 + 0.019973 / 0.970951) / 2, abs=1e-5)
    assert compare["mine"]["held_out_error"] is None


def test_held_out_rows_are_for_the_end_only():
    lesson = Lesson(BUNDLED["iris"].load())
    view = lesson.view()
    assert (view["rows"], view["held_out"]) == (112, 38)
    assert "held_out_error" not in keys_in(view)
    assert 0 <= grown_by_the_grower(lesson)["mine"]["held_out_error"] < 0.2


def test_thresholds_and_arities_can_be_guessed():
    lesson = Lesson(BUNDLED["iris"].load())
    lesson.guess({"column": "petal width", "thresholds": [1.5, 0.8, 0.8]})
    mine = lesson.view()["reveal"]["mine"]
    assert mine["split"] == "<= 0.8 | 0.8 to 1.5 | > 1.5"
    assert mine["price"] == 2
    lesson.undo({})
    lesson.guess({"column": "petal width", "arity": 3})
    best = lesson.view()["reveal"]["mine"]
    assert len(best["branches"]) == 3
    assert best["gain"]["value"] >= mine["gain"]["value"] - 1e-12


def test_undo_goes_back_through_the_whole_lesson():
    lesson, views = tennis(), []
    steps = [
        lambda: lesson.guess({"column": "wind"}),
        lambda: lesson.go_on({"with": "mine"}),
        lambda: lesson.guess({"stop": True}),
        lambda: lesson.go_on({"with": "mine"}),
        lambda: lesson.guess({"column": "outlook"}),
        lambda: lesson.go_on({"with": "grower"}),
        lambda: lesson.finish({}),
    ]
    for step in steps:
        views.append(lesson.view())
        step()
    lesson.undo({})
    assert lesson.view() == views[6]
    for at in (4, 2, 0):  # a guess and the choice after it are one step
        lesson.undo({})
        assert lesson.view() == views[at]
    with pytest.raises(ParameterError, match="no guess to take back"):
        lesson.undo({})


def test_a_lesson_ends_at_its_leaves_and_where_nothing_gains():
    lesson = tennis(max_leaves=3)
    lesson.guess({"column": "outlook"})
    lesson.go_on({})
    assert lesson.phase == "end"
    xor = rows_of({"a": ["0", "0", "1", "1"], "b": ["0", "1", "0", "1"]}, ["n", "y", "y", "n"])
    assert Lesson(xor).phase == "end"  # the third base case of the lectures
    with pytest.raises(ParameterError, match="no split to guess"):
        Lesson(xor).guess({"column": "a"})


def test_a_column_that_gains_nothing_can_be_guessed():
    columns = {"even": ["p", "q", "p", "q"], "good": ["p", "p", "q", "q"]}
    lesson = Lesson(rows_of(columns, ["n", "n", "y", "y"]))
    lesson.guess({"column": "even"})
    reveal = lesson.view()["reveal"]
    assert reveal["points"] == 0
    assert reveal["mine"]["split"] == "p | q"
    assert [c["split"] for c in reveal["columns"]] == ["p | q", None]
    lesson.go_on({"with": "mine"})
    assert [node["rows"] for node in lesson.view()["tree"]] == [4, 2, 2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "choose a column"),
        ({"column": 3}, "choose a column"),
        ({"column": "nope"}, "there is no column 'nope'"),
        ({"column": "wind", "thresholds": [1]}, "has categories"),
        ({"column": "wind", "thresholds": ["x"]}, "thresholds must be a list of numbers"),
        ({"column": "wind", "thresholds": []}, "thresholds must be a list of numbers"),
        ({"column": "wind", "arity": 2.5}, "arity must be a whole number"),
        ({"column": "wind", "arity": 7}, "no split with 7 branches"),
    ],
)
def test_wrong_guesses_are_refused_and_change_nothing(given, message):
    lesson = tennis()
    before = lesson.view()
    with pytest.raises(ParameterError, match=message):
        lesson.guess(given)
    assert lesson.view() == before


def test_splits_that_the_rules_forbid_are_refused():
    lesson = Lesson(BUNDLED["iris"].load(), procedure="kearns-mansour")
    with pytest.raises(ParameterError, match="binary splits only"):
        lesson.guess({"column": "petal width", "thresholds": [0.8, 1.5]})
    lesson = Lesson(BUNDLED["iris"].load(), max_leaves=2)
    with pytest.raises(ParameterError, match="1 of at most 2 leaves"):
        lesson.guess({"column": "petal width", "thresholds": [0.8, 1.5]})
    with pytest.raises(ParameterError, match="no split to choose"):
        lesson.go_on({})
    with pytest.raises(ParameterError, match="choose a node"):
        lesson.pick({"node": [0]})


def test_lessons_bear_hostile_names_missing_cells_and_constant_columns():
    name = '</script><img src=x onerror="alert(1)">'
    columns = {
        name: np.array(["a\n", None, "", "b", "a\n", "b"] * 4, dtype=object),
        " ": np.array([1.0, np.nan, 3, np.inf, -np.inf, 1e300] * 4),
        "same": np.zeros(24),
    }
    lesson = Lesson(rows_of(columns, ["<b>", "", "<b>"] * 8))
    json.dumps(lesson.view(), allow_nan=False)
    columns_seen = lesson.view()["here"]["columns"]
    assert [c["distinct"] for c in columns_seen][2] == 1
    compare = grown_by_the_grower(lesson)
    json.dumps(lesson.view(), allow_nan=False)
    assert compare["differences"] == []


def test_own_tables_need_classes():
    numbers = LabelledTable(
        Table.of({"a": np.arange(4.0)}), np.arange(4.0), None, "y", "regression"
    )
    with pytest.raises(ParameterError, match="choose a target with classes"):
        own_table(numbers)
    with pytest.raises(ParameterError, match="nothing to learn"):
        own_table(rows_of({"a": [1.0]}, ["x"]))
    weighted = LabelledTable(Table.of({"a": [1.0, 2.0]}), np.array(["x", "y"]), np.ones(2), "y")
    with pytest.raises(ParameterError, match="counts rows"):
        own_table(weighted)


def test_the_classroom_begins_with_the_users_table():
    room = Classroom(rows_of({"a": ["p", "p", "q", "q"]}, ["x", "x", "y", "x"], "label"))
    view = room.view()
    assert view["table"] == "own"
    assert view["lesson"]["target"] == "label"
    assert [t["name"] for t in view["choices"]["tables"]] == ["own", *BUNDLED]


def test_the_classroom_refuses_requests_of_another_tab():
    room = Classroom()
    routes = room.routes()
    routes["lesson_guess"]({"version": 1, "column": "wind"})
    with pytest.raises(StaleError, match="another tab"):
        routes["lesson_guess"]({"version": 1, "column": "wind"})
    assert routes["state"]({})["version"] == 2


def test_a_new_lesson_has_the_rules_of_the_request():
    room = Classroom()
    begin = room.routes()["lesson_begin"]
    view = begin({"version": 1, "table": "cars", "index": "sqrt", "procedure": "hatano"})["lesson"]
    assert (view["index"], view["procedure"], view["rows"]) == ("sqrt", "hatano", 294)
    for wrong in ({"table": "x"}, {"index": 1}, {"procedure": "x"}, {"max_leaves": 1}):
        with pytest.raises(ParameterError, match="must be"):
            begin({"version": 2, **wrong})
    assert room.view()["lesson"] == view
