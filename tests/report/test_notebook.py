"""The small HTML view of a tree for notebooks."""

from html import escape
from html.parser import HTMLParser

import numpy as np
import pytest

from polytomy import BoostedTreeClassifier, ForestClassifier, ForestRegressor
from polytomy.report.notebook import compact_html
from tests.export import number_trees
from tests.export.awkward_tables import bushy, chain
from tests.report.tree_cases import NAMES, case

MARK = '<pre class="polytomy-model">'
VOID = {"br", "img", "hr", "meta", "link", "input"}


class Strict(HTMLParser):
    """Checks that tags are balanced, and collects the text outside styles."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.words = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)


def test_html_explains_expected_shares():
    assert "expected share of new rows" in compact_html(case("priced").clf._model)
    assert "expected share" not in compact_html(case("training shares").clf._model)


def parsed(html):
    page = Strict()
    page.feed(html)
    page.close()
    assert page.open == []
    return page


@pytest.mark.parametrize("name", NAMES)
def test_html_contains_the_whole_tree(name):
    model = case(name).clf._model
    page = parsed(compact_html(model, most=10_000))
    tags = [tag for tag, _ in page.seen]
    assert "script" not in tags
    assert tags.count("details") == model.tree.n_nodes - model.tree.n_leaves
    leaves = [a for tag, a in page.seen if a.get("class") == "leaf"]
    assert len(leaves) == model.tree.n_leaves
    text = "".join(page.words)
    assert f"{model.tree.rows[0]} rows" in text
    for attrs in (a for tag, a in page.seen if tag == "i"):
        assert attrs["style"].startswith("width:")


def test_html_escapes_names():
    html = compact_html(case("nasty").clf._model)
    assert "it's" not in html.replace("it&#x27;s", "")
    assert "<=" not in html


def test_html_of_large_trees_is_limited():
    model = bushy(2000)[0]._model
    html = compact_html(model)
    page = parsed(html)
    shown = [a for tag, a in page.seen if tag == "details" or a.get("class") == "leaf"]
    assert len(shown) <= 150
    assert "more leaves" in html
    more = sum(int(w.split("… ")[1].split()[0]) for w in page.words if "… " in w)
    leaves = sum(a.get("class") == "leaf" for _, a in page.seen)
    folded = sum("… " in w for w in page.words)
    assert more + leaves - folded == model.tree.n_leaves
    assert len(html) < 100_000


def test_html_of_a_long_chain_is_written():
    parsed(compact_html(chain(3000)[1]))


@pytest.mark.parametrize("name", number_trees.NAMES)
def test_html_of_a_numeric_target_shows_means(name):
    reg, X = number_trees.case(name)
    html = reg._repr_html_()
    page = parsed(compact_html(reg._model, most=10_000))
    text = "".join(page.words)
    assert "All rowsmean " in text
    assert f"{len(X)} rows" in text
    leaves = [a for tag, a in page.seen if a.get("class") == "leaf"]
    assert len(leaves) == reg.n_leaves_
    tooltips = [a["title"] for tag, a in page.seen if a.get("class") == "bar"]
    assert len(tooltips) == reg.tree_.n_nodes
    assert all("standard deviation" in tooltip for tooltip in tooltips)
    assert ("expected mean of new rows" in html) == (name != "training means")


@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor, BoostedTreeClassifier])
def test_an_ensemble_shows_its_text(kind):
    rows, labels = [[1, "a<b"], [2, "c"], [3, "c"], [4, "a<b"]], [0, 1, 1, 0]
    model = kind(3)
    assert MARK not in model._repr_html_()
    shown = model.fit(rows, labels)._repr_html_().rpartition(MARK)[2]
    assert shown.startswith(escape(model.to_text().splitlines()[0]))
    assert "a<b" not in shown


def test_a_long_text_is_cut():
    rows = np.random.default_rng(0).random((80, 30))
    model = BoostedTreeClassifier(60).fit(rows, np.arange(80) % 3)
    shown = model._repr_html_().rpartition(MARK)[2]
    assert "more lines: print(model.to_text())" in shown
    assert shown.count("\n") < 80
