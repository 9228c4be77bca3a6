"""The page of a forest in a browser: its numbers are those of the model."""

import pytest
from sklearn.datasets import load_diabetes

from polytomy import ForestClassifier, ForestRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Write a page for numbers and one for classes; return their paths and models."""
    folder = tmp_path_factory.mktemp("forests")
    made = {
        "numbers": (ForestRegressor(10, max_leaves=9).fit(X, y), y),
        "classes": (ForestClassifier(10, max_leaves=9).fit(X, y > 140), y > 140),
    }
    for name, (forest, target) in made.items():
        forest.report(folder / f"{name}.html", X, target, X[:80], target[:80])
    return {name: (folder / f"{name}.html", forest) for name, (forest, _) in made.items()}


@pytest.mark.parametrize(
    ("name", "sections"),
    [
        ("numbers", ["Predicted and actual"]),
        ("classes", ["Confusion matrix", "Decisions"]),
    ],
)
@pytest.mark.parametrize("width", [1600, 360])
def test_page_has_its_sections_and_fits_its_screen(open_page, pages, name, sections, width):
    page = open_page(pages[name][0], width=width)
    shown = ["Summary", "Out-of-bag error", *sections, "Data", "Model card"]
    assert page.locator("section h2").all_inner_texts() == shown
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_figures_of_numbers_are_those_of_the_forest(open_page, pages):
    path, forest = pages["numbers"]
    page = open_page(path)
    figures = dict(
        zip(
            page.locator("#top dt").all_inner_texts(),
            page.locator("#top dd").all_inner_texts(),
            strict=True,
        )
    )
    assert figures["Out-of-bag R²"] == f"{forest.oob_score_:.3f}"
    out_of_bag = page.locator("#predicted-out-of-bag")
    assert out_of_bag.locator("dd").first.inner_text() == f"{forest.oob_score_:.3f}"
    assert out_of_bag.locator(".dot").count() == 25
    assert page.locator("#predicted-test .dot").count() == 8
