"""The functions that the page calls, without a browser."""

import json
from importlib.resources import files

import numpy as np
import pytest

import polytomy
from polytomy import TreeClassifier, TreeRegressor
from polytomy.studio import Workbench, studio_application
from polytomy.studio.constraints import CONSTRAINTS
from polytomy.studio.page import SCRIPTS, STYLES, TEMPLATE
from tests.studio.conftest import ask, cars_rows, table_rows

DISPLACEMENT = {"node": 0, "column": "displacement", "thresholds": [150, 250]}


def do(server, name, **given):
    """Call a function on the version that is now, and return its answer."""
    version = ask(server, "state")[1]["version"]
    status, answer = ask(server, name, {"version": version, **given})
    assert status == 200, answer
    return answer


def refusal(server, name, **given):
    """Return why a function refuses a request."""
    version = ask(server, "state")[1]["version"]
    status, answer = ask(server, name, {"version": version, **given})
    assert status == 400, answer
    assert ask(server, "state")[1]["version"] == version
    return answer["error"]


def test_edits_answer_with_their_price_and_the_new_state(studio):
    state = do(studio, "split", **DISPLACEMENT)
    assert (state["version"], state["figures"]["leaves"], len(state["log"])) == (2, 3, 1)
    done = state["done"]
    assert (done["before"]["leaves"], done["after"]["leaves"], done["nodes"]) == (1, 3, [1, 2, 3])
    assert done["forgone"] == pytest.approx(0.0608, abs=0.02)
    assert do(studio, "merge", node=0, branches=[1, 2])["figures"]["leaves"] == 2
    assert do(studio, "regrow", node=1, max_leaves=3)["figures"]["leaves"] == 4
    assert do(studio, "collapse", node=1)["figures"]["leaves"] == 2
    assert do(studio, "relabel", node=1, label=0)["nodes"][1]["label"] == 0
    state = do(studio, "ban", node=0, column="weight", reason="it is not known")
    assert state["log"][-1]["text"].endswith("(it is not known)")
    for left in range(5, -1, -1):
        assert len(do(studio, "undo")["log"]) == left
    assert not ask(studio, "state")[1]["can_undo"]
    assert len(do(studio, "redo")["log"]) == 1


def test_state_is_its_version_if_the_page_has_it(studio):
    state = ask(studio, "state")[1]
    assert ask(studio, "state", {"version": 1, "asked": 0}) == (200, {"version": 1})
    assert {"nodes", "figures", "log", "held_out", "constraints"} <= state.keys()
    assert state["held_out"] == {"rows": 98, "asked": 0, "error": None}


@pytest.mark.parametrize("name", ["split", "undo", "node", "column", "price", "held_out", "grow"])
@pytest.mark.parametrize("version", [0, None, "1"])
def test_a_stale_version_is_refused(studio, name, version):
    status, answer = ask(studio, name, {**DISPLACEMENT, "version": version})
    assert (status, answer["stale"]) == (409, True)


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("split", {"node": 9, "column": "weight"}, "Node must be an integer from 0 to 0, got 9."),
        ("split", {"node": 0, "column": "nobody"}, "There is no column 'nobody'."),
        ("split", {"node": 0, "column": -1}, "There is no column -1."),
        ("split", {"node": True, "column": 0}, "Node must be an integer, got True."),
        ("split", {**DISPLACEMENT, "thresholds": ["x"]}, "must be a finite number"),
        ("split", {**DISPLACEMENT, "thresholds": [9, 1]}, "Thresholds must ascend"),
        ("split", {**DISPLACEMENT, "thresholds": [1e9]}, "that branch is empty"),
        ("split", {"node": 0, "column": 0, "groups": [[0], [1]]}, "is ordered"),
        ("split", {**DISPLACEMENT, "reason": 3}, "Reason must be text, got 3."),
        ("price", {"node": 0, "column": 99}, "There is no column 99."),
        ("node", {"node": None}, "Node must be an integer, got None."),
        ("collapse", {"node": 0}, "is a leaf already"),
        ("merge", {"node": 0, "branches": "01"}, "Branches must be integers"),
        ("regrow", {"node": 0, "max_leaves": 0}, "max_leaves must be an integer >= 1"),
        ("relabel", {"node": 0, "label": 7}, "There is no class 7."),
        ("undo", {}, "no edit to undo"),
        ("redo", {}, "There is no edit to redo."),
        ("limit", {"constraints": {"max_arity": 1}}, "a whole number from 2 on"),
        (
            "grow",
            {"constraints": {"min_child_share": 0.9}},
            "must be a number from 0 to 0.5.",
        ),
        ("limit", {"constraints": {"index": "x"}}, "Constraints must be an object"),
        ("grow", {"constraints": {"monotonic_cst": {"0": 2}}}, "Directions must be -1, 0 or 1"),
        ("grow", {"constraints": {"monotonic_cst": {"0": 1}}}, "needs two classes"),
        ("grow", {"constraints": {"monotonic_cst": {"0": True}}}, "Directions must be -1, 0 or 1"),
        ("limit", {"constraints": {"monotonic_cst": {"0": 1}}}, "needs two classes"),
        ("limit", {"constraints": {"column_cost": {"9" * 5000: 1}}}, "must have positions"),
        ("limit", {"constraints": {"column_cost": {"²": 1}}}, "must have positions"),
        ("limit", {"constraints": {"column_cost": {"0": True}}}, "Costs must be numbers"),
        ("limit", {"constraints": {"only_after": {"0": [0]}}}, "can never be asked"),
        ("limit", {"constraints": {"only_after": {"0": [1], "1": [0]}}}, "can never be asked"),
        (
            "grow",
            {"constraints": {"only_after": {"0": [0]}}, "by_hand": True},
            "can never be asked",
        ),
        ("open", {"text": "{}"}, "Not a polytomy model file"),
        ("open", {}, "Text must be text, got None."),
        ("save", {"kind": "../secret"}, "There is no file '../secret'"),
    ],
)
def test_wrong_requests_are_refused_in_a_sentence(studio, name, given, words):
    assert words in refusal(studio, name, **given)


def test_null_takes_constraints_on_columns_back(studio):
    names = ("never_ask", "columns_first", "only_after", "column_cost", "monotonic_cst")
    for constraints, expected in (
        ({"column_cost": {"0": 2}}, {"column_cost"}),
        (dict.fromkeys(names), set()),
    ):
        found = do(studio, "grow", constraints=constraints)["constraints"]
        assert {one["name"] for one in found if one["value"]} & set(names) == expected


def test_constraints_of_arrays_are_shown():
    columns, array = ["a", "b", "c"], np.array
    shown = {one.name: one for one in CONSTRAINTS}
    assert shown["monotonic_cst"].facts(array([0, 1, -1]), columns)["value"] == {1: 1, 2: -1}
    assert shown["never_ask"].facts(array([0]), columns)["value"] == [0]


def test_node_and_column_tell_the_best_splits(studio):
    found = do(studio, "node", node=0)
    first = found["columns"][0]
    assert [option["arity"] for option in first["options"]] == list(range(2, 9))
    assert all(0 <= height <= 1 for column in found["columns"] for height in column["small"])
    assert [len(option["cuts"]) for option in first["options"]] == list(range(1, 8))
    assert all(0 < cut < 1 for option in first["options"] for cut in option["cuts"])
    column = do(studio, "column", node=0, column=first["column"])
    assert sum(map(sum, column["counts"])) == found["rows"] == 294
    for option in column["options"]:
        price = do(studio, "price", node=0, column=first["column"], **_stated(option))
        assert price["gain"] == pytest.approx(option["gain"])
        assert price["error"] == pytest.approx(option["error"])
    do(studio, "split", **DISPLACEMENT)
    own = do(studio, "column", node=0, column="displacement")["own"]
    assert own == {"thresholds": [150, 250], "missing": None}


def _stated(option):
    return {key: option[key] for key in ("thresholds", "groups", "missing") if key in option}


def test_groups_are_codes_and_others_get_the_rest(serve):
    rng = np.random.default_rng(0)
    cells = np.array([None, *"abcdefg"], dtype=object)[rng.integers(0, 8, 400)]
    rows = table_rows({"c": cells, "x": rng.normal(size=400)}, np.isin(cells.astype(str), ["a"]))
    server = serve(studio_application(Workbench(rows, TreeClassifier())))
    column = do(server, "column", node=0, column="c")
    a = column["codes"][column["names"].index("a")]
    assert column["missing"] == np.sum(cells == None)  # noqa: E711
    state = do(server, "split", node=0, column="c", groups=[[a], []], others=1)
    first, second = state["nodes"][1:]
    assert (first["answer"], first["rows"]) == ("c is a", np.sum(cells == "a"))
    assert second["rows"] == 400 - first["rows"]
    assert "no category with the code 'a'" in refusal(
        server, "price", node=0, column="c", groups=[["a"], []], others=1
    )
    assert (
        "others must"
        in refusal(server, "price", node=0, column="c", groups=[[a]], others=4).lower()
    )


def test_held_out_error_is_that_of_the_predictions(studio):
    do(studio, "split", **DISPLACEMENT)
    state = do(studio, "held_out")
    held = cars_rows().held_out
    clf = _saved(studio)
    assert state["held_out"]["error"] == pytest.approx(
        np.mean(clf.predict(held.table) != held.labels)
    )
    assert do(studio, "held_out")["held_out"]["asked"] == 1
    assert do(studio, "undo")["held_out"] == {"rows": 98, "asked": 1, "error": None}
    assert "held_out_error" not in json.dumps(ask(studio, "state")[1]["log"])


def _saved(server):
    text = do(server, "save", kind="model")["text"]
    workbench = Workbench(cars_rows(), TreeClassifier())
    workbench.open_model(text)
    return workbench.session.estimator()


def test_report_has_held_out_rows_only_if_their_error_was_asked_for(studio):
    do(studio, "split", **DISPLACEMENT)
    assert '"test_error":' not in do(studio, "save", kind="report")["text"]
    do(studio, "held_out")
    assert '"test_error":' in do(studio, "save", kind="report")["text"]


def test_grown_trees_keep_constraints_and_can_be_undone(serve):
    rng = np.random.default_rng(0)
    x = rng.uniform(size=400)
    rows = table_rows({"x": x, "z": rng.uniform(size=400)}, x + rng.normal(size=400) / 5)
    server = serve(studio_application(Workbench(rows, TreeRegressor())))
    given = {"max_leaves": 5, "monotonic_cst": {"0": 1}, "min_samples_leaf": 20, "never_ask": [1]}
    state = do(server, "grow", constraints=given)
    leaves = [node for node in state["nodes"] if "children" not in node]
    assert (len(leaves) <= 5, min(leaf["rows"] for leaf in leaves) >= 20) == (True, True)
    assert {c["name"]: c["value"] for c in state["constraints"]}["monotonic_cst"] == {"0": 1}
    assert {c["name"]: c["value"] for c in state["constraints"]}["never_ask"] == [1]
    assert [one["column"] for one in do(server, "node", node=0)["columns"]] == [0]
    state = do(server, "grow", constraints={**given, "monotonic_cst": {"0": -1}}, by_hand=True)
    assert (state["figures"]["leaves"], state["can_undo"]) == (1, True)
    words = refusal(server, "split", node=0, column="x", thresholds=[0.5])
    assert "breaks a direction of monotonic_cst" in words
    assert do(server, "undo")["figures"]["leaves"] == len(leaves)
    assert do(server, "undo")["figures"]["leaves"] == 1
    assert do(server, "redo")["figures"]["leaves"] == len(leaves)


def test_files_go_to_the_folder_only(serve, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    bench = Workbench(cars_rows(), TreeClassifier(), folder)
    server = serve(studio_application(bench))
    assert do(server, "split", **DISPLACEMENT)["folder"] == str(folder)
    assert [path.name for path in folder.iterdir()] == ["autosave.json"]
    assert polytomy.load(folder / "autosave.json").n_leaves_ == 3
    for kind in ("model", "log", "report"):
        assert do(server, "save", kind=kind).keys() == {"name", "path"}
    names = {"autosave.json", "model.json", "log.json", "report.html"}
    assert {path.name for path in folder.iterdir()} == names
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert "autosave.json" in do(server, "undo")["autosave_error"]
    assert "Cannot write" in refusal(server, "save", kind="log")


def test_page_uses_every_file_and_no_markup_from_text():
    folder = files("polytomy.studio.page")
    names = {path.name for path in folder.iterdir() if path.name.endswith((".js", ".css", ".html"))}
    assert names == {TEMPLATE, *STYLES, *SCRIPTS}
    for name in names:
        text = folder.joinpath(name).read_text(encoding="utf-8")
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "http:", "https:"):
            assert word not in text, (name, word)


def test_constraints_on_the_order_and_cost_of_columns(serve):
    server = serve(studio_application(Workbench(cars_rows(), TreeClassifier())))
    names = [column["name"] for column in ask(server, "state")[1]["columns"]]
    year, weight = names.index("year"), names.index("weight")
    given = {
        "max_leaves": "cv",
        "only_after": {str(year): [weight]},
        "column_cost": {str(weight): 0.01, str(year): 0},
    }
    state = do(server, "grow", constraints=given)
    shown = {one["name"]: one["value"] for one in state["constraints"]}
    assert shown["max_leaves"] == "cv"
    assert shown["only_after"] == {str(year): [weight]}
    assert shown["column_cost"] == {str(weight): 0.01}
    assert state["chosen_leaves"] == state["figures"]["leaves"]
    do(server, "collapse", node=0)
    text = do(server, "save", kind="model")["text"]
    state = do(server, "open", text=text)
    assert (state["figures"]["leaves"], state["chosen_leaves"] > 1) == (1, True)
    assert {one["name"]: one["value"] for one in state["constraints"]} == shown
    for wrong, words in (
        ({"column_cost": {"0": -1}}, "Costs must be numbers of at least 0"),
        ({"column_cost": {"99": 1}}, "positions of columns"),
        ({"only_after": {"0": "x"}}, "Columns must be a list of positions"),
        ({"max_leaves": "many"}, "Most leaves must be a whole number"),
        ({"max_arity": "cv"}, "Most branches of a split must be a whole number"),
    ):
        assert words in refusal(server, "grow", constraints=wrong)


def test_cost_of_mistakes_is_a_figure(serve):
    rows = cars_rows()
    costs = {("Japan", "USA"): 3, ("USA", "Japan"): 2, ("Europe", "USA"): 5}
    clf = TreeClassifier(cost_matrix=costs)
    server = serve(studio_application(Workbench(rows, clf)))
    before = ask(server, "state")[1]["figures"]["cost"]
    state = do(server, "split", **DISPLACEMENT)
    session = polytomy.edit(clf, rows.training.table, rows.training.labels)
    session.split(0, "displacement", thresholds=[150, 250])
    expected = session.estimator().cost(rows.training.table, rows.training.labels)
    assert state["figures"]["cost"] == pytest.approx(expected, abs=1e-5)
    assert state["done"]["before"]["cost"] == before
    assert state["done"]["after"]["cost"] == state["figures"]["cost"] < before
    plain = serve(studio_application(Workbench(rows, TreeClassifier())))
    assert "cost" not in ask(plain, "state")[1]["figures"]
