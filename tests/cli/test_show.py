"""``polytomy show``."""

import io
import re
import sys

import pytest

import polytomy
from tests.found_trees import with_origin


def test_show_prints_the_text_of_the_tree(run, model):
    clf = polytomy.load(model)
    assert run("show", model) == (0, clf.to_text(max_width=100) + "\n", "")
    narrow = run("show", model, "--width", 40, "--depth", 1)[1]
    assert narrow == clf.to_text(max_width=40, max_depth=1) + "\n"
    assert run("show", model, "--p-chance")[1] == clf.to_text(p_chance=True) + "\n"


def test_show_refuses_a_width_of_0(refuse, model):
    assert refuse("show", model, "--width", 0) == "a text needs a width of at least 20, got 0"


def test_show_and_certify_state_the_origin_of_a_tree(run, model, tmp_path):
    path = tmp_path / "taught.json"
    taught = with_origin(polytomy.load(model))
    taught.save(path)
    assert run("show", path) == (0, taught.to_text(max_width=100) + "\n", "")
    for command in ("show", "certify"):
        assert "Grown with a teacher: forest of 200 trees" in run(command, path)[1]


def test_show_prints_the_votes_of_a_boosted_model(run, refuse, boosted):
    assert run("show", boosted)[1] == polytomy.load(boosted).to_text() + "\n"
    assert "this model is boosted" in refuse("show", boosted, "--depth", 2)


def test_show_colours_change_no_character(run, model, monkeypatch):
    plain = run("show", model, "--width", 80)[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    coloured = run("show", model, "--width", 80)[1]
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_show_refuses_a_width_or_depth_that_is_too_small(refuse, model):
    clf = polytomy.load(model)
    for option, parameter, value in (("--width", "max_width", 5), ("--depth", "max_depth", 0)):
        with pytest.raises(polytomy.PolytomyError) as error:
            clf.to_text(**{parameter: value})
        assert refuse("show", model, option, value) == str(error.value)


def test_show_reads_a_model_from_stdin(run, model, monkeypatch):
    shown = run("show", model)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(model.read_bytes())))
    assert run("show", "-") == shown


def test_show_refuses_a_damaged_model(refuse, model, data_file):
    data = model.read_bytes()
    assert refuse("show", data_file(data[: len(data) // 2], "m.json"))


def test_show_prints_the_gains_of_a_node(run, model, cars):
    clf = polytomy.load(model)
    code, out, err = run("show", model, cars, "--gains", "--target", "origin")
    assert (code, err) == (0, "")
    head, names, *lines = out.splitlines()
    assert re.fullmatch(r"node 0: 392 rows, entropy \d\.\d{3} bits", head)
    assert "gain" in names
    assert sum(line.startswith("*") for line in lines) == 1
    node = clf.tree_.children(0)[0]
    assert run("show", model, cars, "--gains", "--node", node)[1].startswith(f"node {node}: ")


def test_show_refuses_gains_without_rows_or_a_tree(refuse, model, boosted, cars, tumours):
    assert "add DATA" in refuse("show", model, "--gains")
    assert "is for a classification tree" in refuse("show", boosted, tumours, "--gains")
    assert "DATA is for --gains only" in refuse("show", model, cars)
    assert "--node is for --gains only" in refuse("show", model, "--node", 1)
    assert "node must be an integer" in refuse("show", model, cars, "--gains", "--node", 99)
