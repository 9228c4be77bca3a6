"""The page in a real browser: growing by hand, editing, saving, by pointer and by keyboard."""

import json

import numpy as np
import pytest

import polytomy
from polytomy import TreeClassifier, TreeRegressor
from polytomy.studio import Workbench, studio_application
from tests.studio.conftest import cars_rows, table_rows
from tests.studio.page_driver import compose, figures, press, select, settle, split, tab_to

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "\"'`</script><script>alert(2)</script>",
    "\u202egnol\u202c \x07 ${facts}",
]


def download(page, kind):
    page.click("summary.button")
    with page.expect_download() as found:
        page.click(f"[data-save='{kind}']")
    return found.value.path()


def test_a_tree_is_grown_edited_undone_saved_and_opened(studio, open_tab):
    page = open_tab(studio.url, accept_downloads=True)
    assert figures(page)["Leaves"] == "1"
    split(page, "displacement")
    select(page, 1)
    split(page, "weight")
    assert figures(page)["Leaves"] != "2"
    leaves, text = figures(page)["Leaves"], page.text_content(".tree-area")
    page.click("text=Undo")
    page.wait_for_function("() => document.getElementById('tab-edits').textContent === 'Edits (1)'")
    assert figures(page)["Leaves"] == "2"
    page.click("text=Redo")
    page.wait_for_function("() => document.getElementById('tab-edits').textContent === 'Edits (2)'")
    assert (figures(page)["Leaves"], page.text_content(".tree-area")) == (leaves, text)

    path = download(page, "model")
    clf, rows = polytomy.load(path), cars_rows().training
    assert polytomy.verify(clf, rows.table, rows.labels).ok
    assert str(clf.n_leaves_) == leaves
    log = json.loads(download(page, "log").read_text())
    assert [edit["operation"] for edit in log["edits"]] == ["split", "split"]
    assert "Decision tree for origin" in download(page, "report").read_text()

    page.click("text=Undo")
    page.wait_for_function("() => document.getElementById('tab-edits').textContent === 'Edits (1)'")
    page.set_input_files("#open-file", path)
    page.wait_for_selector("text=Opened")
    assert (figures(page)["Leaves"], page.inner_text("#tab-edits")) == (leaves, "Edits (2)")
    page.click("text=Undo")
    page.wait_for_function("() => document.getElementById('tab-edits').textContent === 'Edits (1)'")


def test_a_threshold_is_dragged_and_its_price_shown(studio, open_tab):
    page = open_tab(studio.url)
    compose(page, "displacement")
    best = page.input_value(".cut-fields input")
    box = page.locator(".threshold circle").bounding_box()
    page.mouse.move(box["x"] + 7, box["y"] + 7)
    page.mouse.down()
    page.mouse.move(box["x"] + 80, box["y"] + 30, steps=4)
    page.mouse.up()
    page.wait_for_selector(".draft-price .forgone")
    moved = page.input_value(".cut-fields input")
    assert float(moved) > float(best) + 20
    page.click("text=Split here")
    page.wait_for_selector(f"text=displacement <= {moved}")
    assert "gain forgone" in page.inner_text(".price")


def test_a_threshold_is_shown_with_all_its_digits(studio, open_tab):
    page = open_tab(studio.url)
    compose(page, "weight")
    assert page.input_value(".cut-fields input") == "2528.5"
    assert page.get_attribute(".threshold", "aria-valuetext") == "2528.5"


def test_branches_are_merged_and_nodes_collapsed_regrown_relabelled_and_banned(studio, open_tab):
    page = open_tab(studio.url)
    page.fill("#regrow-leaves", "5")
    page.fill("#reason", "a start")
    page.click("button:text-is('Grow')")
    page.wait_for_selector(".price:has-text('(a start)')")
    assert figures(page)["Leaves"] == "5"
    settle(page)
    if page.is_visible("#branch-1"):
        page.check("#branch-0")
        page.check("#branch-1")
        page.click("text=Merge the ticked branches")
        page.wait_for_selector(".price:has-text('Merge')")
    page.click("text=Overview")
    page.click("text=Collapse into a leaf")
    page.wait_for_selector(".price:has-text('Collapse')")
    assert page.locator("[data-node]").count() == 1
    page.click("text=Overview")
    page.select_option("#relabel-class", label="Japan")
    page.click("button:text-is('Predict')")
    page.wait_for_selector(".price:has-text('Relabel')")
    assert float(figures(page)["Training error"].split()[0]) > 60
    settle(page)
    compose(page, "displacement")
    page.click("text=Ban this column")
    page.wait_for_selector(".price:has-text('Ban column displacement')")
    settle(page)
    assert not page.is_visible(".gain-row:has-text('displacement')")


def test_everything_is_done_by_keyboard(studio, open_tab):
    page = open_tab(studio.url)
    tab_to(page, ".gain-row")
    press(page, "Enter")
    page.wait_for_selector(".draft-price b")
    tab_to(page, ".threshold")
    before = page.get_attribute(".threshold", "aria-valuetext")
    press(page, "ArrowRight", "PageUp", "ArrowLeft")
    assert page.get_attribute(".threshold", "aria-valuetext") != before
    page.wait_for_selector(".draft-price .forgone")
    tab_to(page, "button.primary")
    press(page, "Enter")
    page.wait_for_selector(".price:has-text('Split node 0')")
    settle(page)
    page.focus("#find-column")
    tab_to(page, "[data-node]")
    press(page, "ArrowDown", "Enter")
    page.wait_for_selector("h3:has-text('Leaf')")
    press(page, "Control+z")
    page.wait_for_selector("#tab-edits:has-text('(0)')")
    press(page, "Control+Shift+z")
    page.wait_for_selector("#tab-edits:has-text('(1)')")
    tab_to(page, "#tab-node")
    press(page, "ArrowRight")
    assert page.is_visible("#constraint-max_leaves")


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1600, "light")])
def test_page_fits_its_window(studio, open_tab, width, scheme):
    page = open_tab(studio.url, width, color_scheme=scheme)
    split(page, "displacement")
    compose(page, "weight")
    for tab in ("node", "constraints", "edits"):
        page.click(f"#tab-{tab}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input")].filter((e) =>
          e.getClientRects().length && e.getBoundingClientRect().height < 24
          && e.type !== "checkbox" && !e.closest(".hidden-text"))
          .map((e) => e.outerHTML)"""
    )
    assert [one for one in small if "hidden-text" not in one] == []


def test_two_tabs_work_on_one_tree(studio, open_tab):
    refused = ["409 (Conflict)"]
    first, second = open_tab(studio.url), open_tab(studio.url, expected=refused)
    split(first, "displacement")
    compose_stale = second.locator(".gain-row").first
    compose_stale.click()
    second.wait_for_selector("text=changed in another tab")
    second.wait_for_selector("#tab-edits:has-text('(1)')")
    assert figures(second) == figures(first)
    settle(second)
    first.click("text=Undo")
    first.wait_for_selector("#tab-edits:has-text('(0)')")
    second.click("text=Undo")
    second.wait_for_selector("text=changed in another tab")
    second.wait_for_selector("#tab-edits:has-text('(0)')")
    second.click("#held-out")
    second.wait_for_selector("#held-out-asked:has-text('once')")
    first.evaluate("dispatchEvent(new Event('focus'))")  # as if the reader came back to it
    first.wait_for_selector("#held-out-asked:has-text('once')")
    assert figures(second) == figures(first)


def test_held_out_error_is_counted_once_for_each_tree(studio, open_tab):
    page = open_tab(studio.url)
    assert "Ask" in page.inner_text(".held-out")
    page.click("#held-out")
    page.wait_for_selector("#held-out-asked:has-text('once')")
    split(page, "displacement")
    assert "once" in page.inner_text(".held-out")
    assert page.is_visible("#held-out")
    page.click("#held-out")
    page.wait_for_selector("#held-out-asked:has-text('2 times')")
    page.click("text=Undo")
    page.wait_for_selector("#tab-edits:has-text('(0)')")
    assert "2 times" in page.inner_text(".held-out")
    assert not page.is_visible("#held-out")


def test_constraints_limit_suggestions_and_growth(studio, open_tab):
    page = open_tab(studio.url, expected=["400 (Bad Request)"])
    page.click("#tab-constraints")
    page.fill("#constraint-max_leaves", "3")
    page.fill("#constraint-max_arity", "2")
    page.click("text=Grow a tree")
    page.wait_for_function("() => document.querySelector('.figures dd').textContent === '3'")
    page.click("#tab-node")
    settle(page)
    assert "2 branches" in page.inner_text("#split-arity")
    assert "3 branches" not in page.inner_text("#split-arity")
    page.click("#tab-constraints")
    page.fill("#constraint-max_arity", "1")
    page.click("button:text-is('Keep the tree')")
    page.wait_for_selector("text=Most branches of a split must be a whole number from 2 on.")
    page.click("text=Undo")
    page.wait_for_function("() => document.querySelector('.figures dd').textContent === '1'")


NODES_IN_VIEW = """() => {
  const area = document.querySelector(".tree-area").getBoundingClientRect();
  const boxes = [...document.querySelectorAll("[data-node] .box")]
    .map((e) => e.getBoundingClientRect());
  const inside = (box) => box.left >= area.left && box.right <= area.right
    && box.top >= area.top && box.bottom <= area.bottom;
  return { drawn: boxes.length, inside: boxes.filter(inside).length };
}"""


def zoom_into_a_corner(page):
    for _ in range(6):
        page.click("button[aria-label='Zoom in']")
    page.evaluate("document.querySelector('.tree-area').scrollTo(9999, 9999)")
    settle(page)
    in_view = page.evaluate(NODES_IN_VIEW)
    assert in_view["inside"] < in_view["drawn"]


def test_a_new_tree_is_fitted_to_its_area(studio, open_tab):
    page = open_tab(studio.url)
    page.click("#tab-constraints")
    for leaves in (4, 20, 3, 19):
        page.fill("#constraint-max_leaves", str(leaves))
        page.click("text=Grow a tree")
        page.wait_for_function(
            f"() => document.querySelector('.figures dd').textContent === '{leaves}'"
        )
        settle(page)
        in_view = page.evaluate(NODES_IN_VIEW)
        assert in_view["inside"] == in_view["drawn"] > leaves
        zoom_into_a_corner(page)
    page.click("text=Undo")
    page.wait_for_function("() => document.querySelector('.figures dd').textContent === '3'")
    in_view = page.evaluate(NODES_IN_VIEW)
    assert in_view["inside"] == in_view["drawn"]


def test_the_new_tree_is_in_sight_on_a_phone(studio, open_tab):
    page = open_tab(studio.url, 360, reduced_motion="reduce")
    page.click("#tab-constraints")
    page.click("text=Grow a tree")
    page.wait_for_function("() => document.querySelector('.figures dd').textContent !== '1'")
    box = page.locator("#node-0 .box").bounding_box()
    assert 0 <= box["y"] < page.viewport_size["height"]


def test_branches_of_a_first_split_are_in_view_on_a_phone(studio, open_tab):
    page = open_tab(studio.url, 360)
    split(page, "displacement")
    in_view = page.evaluate(NODES_IN_VIEW)
    assert in_view["inside"] == in_view["drawn"] == 3


def test_columns_get_an_order_and_a_cost_and_leaves_a_choice(studio, open_tab):
    page = open_tab(studio.url)
    page.click("#tab-constraints")
    page.check("#constraint-max_leaves-cv")
    assert page.is_disabled("#constraint-max_leaves")
    page.click("summary:text-is('Cost of asking about columns')")
    page.fill("#column_cost-0", "0.02")
    page.click("summary:text-is('Ask only below others')")
    page.click("#only_after-add")
    page.select_option("#only_after-0", "1")
    page.select_option("#only_after-0-above", ["0", "2"])
    page.click("text=Grow a tree")
    page.wait_for_selector("text=by cross-validation, which chose")
    assert page.is_checked("#constraint-max_leaves-cv")
    assert page.input_value("#column_cost-0") == "0.02"
    chosen = (
        "[...document.querySelector('#only_after-0-above').selectedOptions].map((o) => o.value)"
    )
    assert (page.input_value("#only_after-0"), page.evaluate(chosen)) == ("1", ["0", "2"])


def test_hostile_names_are_text(serve, open_tab):
    rng = np.random.default_rng(0)
    n = 200
    codes = rng.integers(0, 3, n)
    columns = {HOSTILE[0]: np.array(HOSTILE)[codes], HOSTILE[2]: rng.normal(size=n) + codes}
    rows = table_rows(columns, np.array([HOSTILE[1], "b", ""])[codes])
    page = open_tab(serve(studio_application(Workbench(rows, TreeClassifier()))).url)
    page.on("dialog", lambda dialog: pytest.fail("a name was run as a script"))
    page.click(".gain-row:has-text('<img')")
    page.wait_for_selector(".groups select")
    page.click(".composer:not([hidden]) button.primary")
    page.wait_for_selector(".price:has-text('Split node 0')")
    settle(page)
    page.click("#tab-constraints")
    page.click("#tab-edits")
    page.wait_for_timeout(50)
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert HOSTILE[0] in page.inner_text("#panel-edits")


def test_a_regression_tree_is_grown(serve, open_tab):
    rng = np.random.default_rng(1)
    x, kind = rng.uniform(size=300), rng.integers(0, 4, 300)
    x[:20] = np.nan
    columns = {"x": x, "kind": np.array(list("abcd"))[kind]}
    rows = table_rows(columns, np.nan_to_num(x) * 3 + kind + rng.normal(size=300) / 9)
    page = open_tab(serve(studio_application(Workbench(rows, TreeRegressor()))).url)
    split(page, "kind")
    select(page, 1)
    compose(page, "x")
    page.select_option("#missing-branch", "own")
    page.wait_for_function(
        "() => !document.querySelector('.composer:not([hidden]) .primary').disabled"
    )
    page.click(".composer:not([hidden]) button.primary")
    page.wait_for_selector("text=x is missing")
    assert "%" not in figures(page)["Training loss"]
