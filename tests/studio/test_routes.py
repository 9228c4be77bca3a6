"""The functions that the page calls."""

from tests.studio.conftest import ask


def test_split_and_undo_change_the_version(studio):
    _, state = ask(studio, "state")
    assert (state["version"], state["summary"]["leaves"], state["log"]) == (1, 1, [])
    given = {"version": 1, "node": 0, "column": "displacement", "thresholds": [150, 250]}
    _, state = ask(studio, "split", given)
    assert (state["version"], state["summary"]["leaves"], len(state["log"])) == (2, 3, 1)
    _, state = ask(studio, "undo", {"version": 2})
    assert (state["version"], state["summary"]["leaves"], state["log"]) == (3, 1, [])


def test_a_stale_version_is_refused(studio):
    status, answer = ask(studio, "undo", {"version": 0})
    assert (status, answer["stale"]) == (409, True)


def test_an_unknown_node_is_refused(studio):
    status, answer = ask(studio, "split", {"version": 1, "node": 9, "column": "weight"})
    assert status == 400
    assert answer["error"] == "Node must be an integer from 0 to 0, got 9."
