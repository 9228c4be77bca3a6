"""Reading a page in a browser: numbers, tables, visible nodes, predictions of typed rows."""

import re

import pandas as pd

from polytomy._text import one_line

MINUS = "\N{MINUS SIGN}"

SETTLED = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"

PREDICT = """(rows) => rows.map((cells) => {
  const form = document.querySelector("#row form");
  for (const field of form.querySelectorAll("[data-column]")) {
    const cell = cells[field.dataset.column];
    const isList = field.tagName === "SELECT";
    if (cell === undefined) field.value = isList ? "missing" : "";
    else if (!isList) field.value = cell.text;
    else field.value = cell.unknown ? "unseen" : String(cell.place);
  }
  form.dispatchEvent(new Event("input", { bubbles: true }));
  const outcome = document.querySelector("#row-outcome");
  return {
    leaf: outcome.dataset.leaf,
    predicted: outcome.dataset.predicted,
    conditions: [...outcome.querySelectorAll(".steps b")].map((b) => b.textContent),
  };
})"""


def settle(page):
    """Wait until the page has been redrawn."""
    page.evaluate(SETTLED)


def number(text):
    """Return the first number in a text of the page."""
    found = re.search(rf"{MINUS}?[\d,]+(\.\d+)?", text)
    return float(found.group().replace(MINUS, "-").replace(",", ""))


def leaf_table(page):
    """Return the rows of the table of leaves: rule, prediction and numbers."""
    more = page.get_by_role("button", name=re.compile("Show all .* leaves"))
    if more.count():
        more.click()
    return page.evaluate(
        """() => [...document.querySelectorAll(".leaves tbody tr")].map((tr) => ({
          leaf: Number(tr.dataset.leaf),
          cells: [...tr.cells]
            .map((td) => td.querySelector(".class-label > span:last-child") ?? td)
            .map((e) => e.textContent),
        }))"""
    )


def confusion(page, which):
    """Return the confusion matrix of "training" or "test" rows."""
    rows = page.locator(f"#confusion-{which} .matrix tbody tr")
    return [
        [number(c) for c in row.locator("td:not(.error)").all_inner_texts()] for row in rows.all()
    ]


def move_to_size(page, size, facts):
    """Move the slider to a size of the path."""
    page.get_by_label("Size of the tree").fill(str(facts["path"]["sizes"].index(size)))
    settle(page)


def typed_row(facts, row):
    """Return the cells of a row (a pandas Series) as typed text, by column."""
    cells = {}
    for j, column in enumerate(facts["columns"]):
        cell = row.iloc[j]
        if not (isinstance(cell, str) or pd.notna(cell)):
            continue
        cells[str(j)] = typed_cell(column, cell)
    return cells


def typed_cell(column, cell):
    names = column.get("labels", column.get("categories"))
    if names is not None:
        text = one_line(cell)
        place = names.index(text) if text in names else -1
        return {"text": text, "place": place, "unknown": place < 0}
    if column["kind"] == "times":
        return {"text": pd.Timestamp(cell).isoformat(sep=" ")}
    return {"text": repr(cell.item() if hasattr(cell, "item") else cell)}


def follow_a_row(page):
    """Show the panel in which a row is entered."""
    page.get_by_role("button", name="Follow a row").click()


def predict_rows(page, rows):
    """Enter rows one after the other; return the leaf, prediction and conditions of each."""
    return page.evaluate(PREDICT, rows)


def tree_items(page):
    """Return the drawn nodes."""
    return page.get_by_role("treeitem")


def focused_node(page):
    """Return the number of the focused node."""
    return int(page.evaluate("document.activeElement.dataset.node"))


def visible_nodes(page):
    """Return the numbers of the drawn nodes, from top to bottom."""
    return [int(item.get_attribute("data-node")) for item in tree_items(page).all()]


def expand_all(page):
    """Expand all nodes and fit the tree to the view."""
    page.get_by_role("button", name="Expand all").click()
    page.get_by_role("button", name="Fit").click()
