"""The page on screens of all sizes, in print, without scripts, and of large trees."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier
from polytomy.report.page import render
from tests.report import number_cases
from tests.report.page_reader import follow_a_row, leaf_table, settle
from tests.report.tree_cases import NAMES, case, facts_of

LONG = "a very long name " * 30


HOSTILE = ["</script><b>bold</b>", 'it\'s "quoted" & <i>', "🌳🌲", LONG, "${facts} $title"]


UNLABELLED = """() => [...document.querySelectorAll("input, select, button, [role]:is(svg)")]
  .filter((e) => !(e.labels?.length || e.getAttribute("aria-label") || e.textContent.trim()))
  .map((e) => e.outerHTML)"""


CONTRAST = """() => {
  const light = (c) => {
    const [r, g, b] = c.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const c = getComputedStyle(at).backgroundColor;
      if (c !== "rgba(0, 0, 0, 0)" && !c.startsWith("color(")) return c;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = [];
  for (const e of document.querySelectorAll("body *:not(svg *):not(script):not(noscript)")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !e.checkVisibility() || e.closest(".matrix")) continue;
    const [a, b] = [getComputedStyle(e).color, behind(e)].map(light);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push([ratio.toFixed(2), e.outerHTML.slice(0, 120)]);
  }
  return poor;
}"""


def hostile_table(n=400):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.normal(size=n).round(2) for name in HOSTILE[:4]})
    X[HOSTILE[4]] = rng.choice(HOSTILE, n)
    score = X[HOSTILE[0]] + X[HOSTILE[3]] * (X[HOSTILE[4]] == LONG) + 0.2 * rng.normal(size=n)
    return X, pd.Series(np.array(HOSTILE)[np.digitize(score, [-1, -0.3, 0.3, 1])], name=HOSTILE[0])


@pytest.fixture(scope="module")
def large():
    """Return the facts of a tree of a thousand leaves."""
    rng = np.random.default_rng(0)
    n = 20_000
    X = pd.DataFrame({f"column {i}": rng.normal(size=n).round(3) for i in range(8)})
    X["kind"] = rng.choice([f"kind {i}" for i in range(12)], n)
    score = np.sin(3 * X["column 0"]) + X["column 1"] * X["column 2"] + rng.normal(size=n)
    y = np.digitize(score + (X["kind"] > "kind 5"), [-1, 0, 1])
    clf = TreeClassifier(procedure="per-leaf", max_leaves=1000).fit(X[:15000], y[:15000])
    assert clf.n_leaves_ == 1000
    return clf.report_facts(X[:15000], y[:15000], X[15000:], y[15000:])


STEPS = """(places) => places.map((place) => {
  const slider = document.getElementById("size");
  const start = performance.now();
  slider.value = place;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  document.body.getBoundingClientRect();
  return performance.now() - start;
})"""


EVERY = [pytest.param(facts_of, name, id=name) for name in NAMES]
EVERY += [
    pytest.param(number_cases.facts_of, name, id=f"numbers, {name}") for name in number_cases.NAMES
]


@pytest.mark.parametrize(("facts_of", "name"), EVERY)
@pytest.mark.parametrize("width", [1600, 360])
def test_page_fits_its_screen(open_facts, facts_of, name, width):
    page = open_facts(facts_of(name), width=width, height=740)
    settle(page)
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    assert page.evaluate(UNLABELLED) == []
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.get_by_role("tree").count() == 1
    for link in page.locator("nav a").all():
        assert page.locator(link.get_attribute("href")).count() == 1


@pytest.mark.parametrize("facts_of", [facts_of, number_cases.facts_of], ids=["classes", "numbers"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(open_facts, facts_of, scheme):
    page = open_facts(facts_of("plain"), scheme=scheme)
    follow_a_row(page)
    page.get_by_label("size", exact=True).fill("0.3")
    assert page.evaluate(CONTRAST) == []


def test_colours_follow_the_system_and_the_button(open_facts):
    page = open_facts(facts_of("plain"), scheme="dark")
    ground = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")  # noqa: E731
    dark = ground()
    page.get_by_role("button", name="Switch to light colours").click()
    assert ground() != dark
    page.reload()
    assert ground() != dark
    page.get_by_role("button", name="Switch to dark colours").click()
    assert ground() == dark


def test_names_are_shown_as_text(open_facts):
    X, y = hostile_table()
    clf = TreeClassifier(procedure="per-leaf", max_leaves=20).fit(X, y)
    for width in (1600, 360):
        page = open_facts(clf.report_facts(X, y, X, y), width=width)
        page.get_by_role("button", name="Expand all").click()
        settle(page)
        assert page.locator("main b:text-is('bold')").count() == 0
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
        rules = {" and ".join(r.conditions) for r in clf.to_rules()}
        assert {row["cells"][0] for row in leaf_table(page)} == rules


def test_ids_are_unique_and_references_exist(open_facts):
    page = open_facts(facts_of("plain"))
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    described = "[...document.querySelectorAll('[aria-labelledby], [aria-controls]')]"
    for at in ("labelledby", "controls"):
        names = page.evaluate(f"{described}.map((e) => e.getAttribute('aria-{at}'))")
        assert {name for name in names if name} <= set(ids)


def test_headings_skip_no_level(open_facts):
    page = open_facts(facts_of("plain"))
    levels = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map((e) => Number(e.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_skip_link_is_focused_first(open_facts):
    page = open_facts(facts_of("plain"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_page_without_scripts_shows_the_text(open_facts):
    facts = facts_of("plain")
    page = open_facts(facts, java_script_enabled=False)
    assert facts["text"].splitlines()[1].strip() in page.locator("pre").inner_text()


def test_touch_expands_and_collapses(open_facts):
    page = open_facts(facts_of("plain"), width=360, height=740, has_touch=True, is_mobile=True)
    page.get_by_role("button", name="Collapse").tap()
    page.locator("[data-node='0'] .toggle .area").tap()
    assert page.get_by_role("treeitem").count() == 1
    page.locator("[data-node='0'] .toggle .area").tap()
    assert page.get_by_role("treeitem").count() > 1


def test_print_has_the_whole_tree_and_no_buttons(open_facts):
    page = open_facts(facts_of("sixty classes"))
    page.get_by_role("button", name="Expand all").click()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("[role=treeitem].leaf").count() == case("sixty classes").clf.n_leaves_
    assert page.locator("button:not(.link, .sort):visible").count() == 0
    heads = page.locator(".leaves thead th")
    assert heads.first.inner_text().startswith("Rule")
    assert heads.first.is_visible()


def test_print_says_what_is_collapsed(open_facts):
    page = open_facts(facts_of("sixty classes"))
    page.get_by_role("button", name="Collapse").click()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    note = page.locator("#tree .in-print").inner_text()
    leaves = case("sixty classes").clf.n_leaves_
    assert "collapsed" in note
    assert f"of {leaves} leaves" in note


def test_page_of_a_thousand_leaves_is_below_two_megabytes(large):
    assert len(render(large).encode()) < 2_000_000


def test_slider_is_quick_with_a_thousand_leaves(open_facts, large):
    page = open_facts(large)
    page.get_by_role("button", name="Expand all").click()
    last = len(large["path"]["sizes"]) - 1
    took = page.evaluate(STEPS, np.linspace(last, 0, 21).astype(int).tolist())
    assert np.median(took) < 250  # milliseconds; about 20 where the machine has nothing else to do
    assert page.get_by_role("treeitem").count() <= 300
    settle(page)
    assert len(leaf_table(page)) == 1


BROKEN_WORDS = """() => [...document.querySelectorAll("#confusion tbody th")].flatMap((head) =>
  [...head.childNodes].filter((n) => n.nodeType === 3).flatMap((text) =>
    [...text.data.matchAll(/\\S+/g)].filter((word) => {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      return range.getClientRects().length > 1;
    }).map((word) => word[0])))"""


def test_names_in_a_narrow_confusion_matrix_break_between_words(open_facts):
    names = np.array(["approved", "rejected", "sent to review", "withdrawn"])
    x = np.arange(400.0)[:, None]
    y = names[np.arange(400) // 100]
    page = open_facts(TreeClassifier(max_leaves=4).fit(x, y).report_facts(x, y), width=360)
    assert page.locator("#confusion tbody th").count() == 4
    assert page.evaluate(BROKEN_WORDS) == []
