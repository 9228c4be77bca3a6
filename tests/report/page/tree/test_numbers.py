"""The page of a regression tree: nodes, panel, leaves, predictions, sizes and evaluation."""

import re

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

from polytomy.export import target_format
from polytomy.prune import ErrorBudget
from tests.report.number_cases import NAMES, case, facts_of
from tests.report.page_reader import (
    MINUS,
    expand_all,
    leaf_table,
    move_to_size,
    predict_rows,
    settle,
    tree_items,
    typed_row,
)

some = pytest.mark.parametrize("name", ["plain", "weighted", "training means", "counts"])
every = pytest.mark.parametrize("name", NAMES)

VALUE = rf"{MINUS}?\d+(?:,\d{{3}})*(?:\.\d+)?(?:e{MINUS}?\d+)?"


def values(text):
    """Return the numbers in a text of the page."""
    return [float(t.replace(MINUS, "-").replace(",", "")) for t in re.findall(VALUE, text)]


def last_digit(model):
    """Return how much the last digit that is shown is worth."""
    return 10.0 ** -target_format(model).decimals


def figures(page, which):
    """Return the figures of the evaluation on "training" or "test" rows."""
    names = page.locator(f"#evaluation-{which} dt").all_inner_texts()
    shown = page.locator(f"#evaluation-{which} dd").all_inner_texts()
    return {name: values(text)[0] for name, text in zip(names, shown, strict=True)}


@every
def test_leaves_table_has_the_means(open_facts, name):
    c, facts = case(name), facts_of(name)
    means, digit = c.reg._model.kept_means, last_digit(c.reg._model)
    table = leaf_table(open_facts(facts))
    assert len(table) == c.reg._model.kept.n_leaves
    for row in table:
        leaf, cells = row["leaf"], row["cells"][3 if facts["weighted"] else 2 :]
        wanted = [means.expected[leaf], means.low[leaf], means.high[leaf]]
        np.testing.assert_allclose(values(cells[0]), wanted, atol=0.51 * digit)
        written = target_format(c.reg._model)(float(means.expected[leaf]))
        assert values(cells[0])[0] == pytest.approx(float(written), rel=1e-12)
        assert cells[0].endswith("!") == bool(means.is_doubtful[leaf])
        if c.reg.honest:
            assert values(cells[1])[0] == pytest.approx(means.training[leaf], abs=0.51 * digit)


@some
def test_page_predicts_the_mean_of_a_row(open_facts, name):
    c, facts = case(name), facts_of(name)
    page, digit = open_facts(facts), last_digit(c.reg._model)
    rows = c.X_test[:40]
    found = predict_rows(page, [typed_row(facts, row) for _, row in rows.iterrows()])
    wanted = c.reg.predict(rows)
    for one, mean in zip(found, wanted, strict=True):
        assert facts["nodes"][int(one["leaf"])]["expected"] == pytest.approx(mean)
    shown = page.locator("#row-outcome .value").inner_text()
    assert values(shown)[0] == pytest.approx(wanted[-1], abs=0.51 * digit)
    assert "95 % interval of the mean" in page.locator("#row-outcome").inner_text()


@every
def test_evaluation_has_the_errors_of_the_predictions(open_facts, name):
    c, facts = case(name), facts_of(name)
    page, digit = open_facts(facts), last_digit(c.reg._model)
    for which, X, y, w in (
        ("training", c.X, c.y, c.weights),
        ("test", c.X_test, c.y_test, None),
    ):
        predicted, found = c.reg.predict(X), figures(page, which)
        r2 = r2_score(y, predicted, sample_weight=w)
        assert found["R²"] == pytest.approx(r2, abs=0.00051)
        error = mean_squared_error(y, predicted, sample_weight=w)
        assert found["Mean squared error"] == pytest.approx(error, rel=1e-3)
        absolute = mean_absolute_error(y, predicted, sample_weight=w)
        assert found["Mean absolute error"] == pytest.approx(absolute, abs=0.51 * digit)
        dots = page.locator(f"#evaluation-{which} .dot").count()
        assert 0 < dots <= c.reg._model.kept.n_leaves
    header = page.locator("#top").inner_text()
    assert f"{r2:.3f}".replace("-", MINUS) in header


@pytest.mark.parametrize("name", ["plain", "weighted", "uncontracted"])
def test_smaller_tree_has_its_own_means_and_errors(open_facts, name):
    c, facts = case(name), facts_of(name)
    page = open_facts(facts)
    for size in facts["path"]["sizes"][:: max(1, len(facts["path"]["sizes"]) // 3)]:
        move_to_size(page, size, facts)
        assert len(leaf_table(page)) == size
        place = facts["path"]["sizes"].index(size)
        error = facts["path"]["errors"][place] / facts["path"]["total"]
        assert figures(page, "training")["Mean squared error"] == pytest.approx(error, rel=1e-3)
        text = page.get_by_label("Size of the tree").get_attribute("aria-valuetext")
        assert values(text)[1] == pytest.approx(error, rel=1e-3)
        assert "training mean squared error" in text
    if name == "uncontracted":
        pruned = c.reg.prune(ErrorBudget(select=size))
        assert size == 1 or pruned.n_leaves_ <= size


@some
def test_panel_shows_the_node(open_facts, name):
    facts = facts_of(name)
    page = open_facts(facts)
    expand_all(page)
    panel = page.locator("#details")
    digit = last_digit(case(name).reg._model)
    for number in (0, facts["path"]["toggles"][-1][-1]):
        page.locator(f"#node-{number}").click(position={"x": 20, "y": 20})
        settle(page)
        node = facts["nodes"][number]
        verdict = panel.locator(".verdict").inner_text()
        assert values(verdict)[0] == pytest.approx(node["expected"], abs=0.51 * digit)
        assert "mean" in verdict
        cells = panel.locator("table").first.locator("tbody tr").first.locator("td")
        shown = [values(text)[0] for text in cells.all_inner_texts()]
        assert shown[1] == pytest.approx(node["mean"], abs=0.51 * digit)
        assert shown[2] == pytest.approx(node["deviation"], abs=0.51 * digit)
        assert panel.locator(".spread .bin-line circle").count() > 0
    gains = page.evaluate("document.querySelectorAll('#details .menu').length")
    assert gains == (1 if "children" in node else 0)


def test_nodes_are_coloured_by_their_mean(open_facts):
    facts = facts_of("plain")
    page = open_facts(facts)
    expand_all(page)
    fills = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll(".node.leaf")].map((group) =>
          [group.dataset.node, group.querySelector(".swatch").style.fill]))"""
    )
    share = {n: float(re.search(r"([\d.]+)%", fill)[1]) for n, fill in fills.items()}
    means = [facts["nodes"][int(n)]["expected"] for n in share]
    order = np.argsort(means)
    positions = np.array(list(share.values()))[order]
    assert (np.diff(positions) >= 0).all()
    assert (positions[0], positions[-1]) == (0, 100)


def test_tooltip_and_accessible_name_tell_the_mean(open_facts):
    facts = facts_of("plain")
    page = open_facts(facts)
    item = tree_items(page).nth(0)
    item.hover()
    assert "standard deviation" in page.locator("#node-tip").inner_text()
    leaf = page.locator(".node.leaf").first
    assert re.search(r"leaf, mean .* expected, .* in training", leaf.get_attribute("aria-label"))


def test_nodes_keep_their_colour_at_every_zoom(open_facts):
    page = open_facts(facts_of("plain"))
    expand_all(page)
    seen = set()
    for _ in range(14):
        fills = page.evaluate(
            """() => [...document.querySelectorAll(".node.leaf")].map((group) =>
              [...group.querySelectorAll("rect")].map((r) => r.style.fill).filter(Boolean)[0])"""
        )
        assert all("--mean-high" in fill for fill in fills)
        seen.add(page.evaluate("document.querySelector('.node.leaf').querySelectorAll('*').length"))
        page.get_by_role("button", name="Zoom out").click()
        settle(page)
    assert len(seen) > 1  # in full, and without text


def test_names_of_the_target_are_shown_as_text(open_facts):
    c = case("plain")
    name = "</script><b>bold</b> " + "a long name " * 40
    page = open_facts(c.reg.report_facts(c.X, c.y.rename(name), c.X_test, c.y_test), width=390)
    settle(page)
    assert page.locator("main b", has_text="bold").count() == 0
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    assert "<b>bold</b>" in page.locator(".mean-scale").inner_text()


def test_page_without_rows_has_no_test_figures(open_facts):
    facts = case("plain").reg.report_facts()
    page = open_facts(facts)
    assert page.locator("#evaluation-test").count() == 0
    assert set(figures(page, "training")) == {"R²", "Mean squared error"}
    assert "Test" not in page.locator("#top .figures").inner_text()
