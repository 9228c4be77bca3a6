"""The page of a tree: summary, importances and certificate."""

from importlib.resources import files

import numpy as np
import pytest

from polytomy._text import percent_number
from tests.report.page_reader import number, settle
from tests.report.tree_cases import case, facts_of


@pytest.mark.parametrize("name", ["plain", "hatano", "kearns-mansour", "pruned", "own"])
def test_certificate_is_shown(open_facts, name):
    facts = facts_of(name)["certificate"]
    page = open_facts(facts_of(name))
    section = page.locator("#certificate")
    assert section.locator(".pill").inner_text() == (
        "Covered" if facts["covered"] else "Not covered"
    )
    table = section.get_by_role("table").first
    shown = [row.locator("th, td").all_inner_texts() for row in table.locator("tbody tr").all()]
    assert shown == [list(figure) for figure in facts["figures"]]
    section.get_by_text("Full text of the certificate").click()
    assert section.locator("pre").inner_text() == str(case(name).clf.certificate_)


def test_importances_are_those_of_the_model(open_facts):
    clf = case("plain").clf
    page = open_facts(facts_of("plain"))
    wanted = sorted((x for x in clf.feature_importances_ if x > 0), reverse=True)
    shown = [number(t) / 100 for t in page.locator("#importances .value").all_inner_texts()]
    np.testing.assert_allclose(shown, wanted, atol=0.0006)


def test_summary_is_that_of_the_model(open_facts):
    c = case("plain")
    page = open_facts(facts_of("plain"))
    shown = dict(
        zip(
            page.locator(".figures dt").all_inner_texts(),
            map(number, page.locator(".figures dd").all_inner_texts()),
            strict=True,
        )
    )
    assert shown["Leaves"] == c.clf.n_leaves_
    assert shown["Depth"] == c.clf.depth_
    assert shown["Questions per row"] == pytest.approx(c.clf.n_questions_, abs=0.006)
    assert shown["Training error"] == pytest.approx(100 - 100 * c.clf.score(c.X, c.y), abs=0.06)


def test_page_without_rows_has_no_alternatives_or_test_errors(open_facts):
    page = open_facts(case("plain").clf.report_facts())
    assert page.locator(".menu").count() == 0
    assert page.locator("#confusion-test").count() == 0
    assert page.get_by_role("columnheader", name="Test rows").count() == 0
    page.get_by_label("Size of the tree").fill("2")
    settle(page)
    assert "test" not in page.get_by_label("Size of the tree").get_attribute("aria-valuetext")


def test_certificate_has_a_table_of_bounds_for_new_rows(open_facts):
    page = open_facts(facts_of("plain"))
    message = page.locator("#certificate > p").nth(1).inner_text()
    assert "generalization()" not in message
    assert message.endswith(".")
    table = page.get_by_role("region", name="Bounds for new rows")
    shown = [row.locator("th, td").all_inner_texts() for row in table.locator("tbody tr").all()]
    assert shown == [list(bound) for bound in facts_of("plain")["certificate"]["generalization"]]


def test_percentages_are_those_of_python_and_read_0_or_100_only_if_they_are(plain):
    script = files("polytomy.report.page").joinpath("shared/format.js").read_text(encoding="utf-8")
    shares = [0.0, 1e-9, 4e-4, 0.004, 0.005, 0.125, 0.5, 0.995, 0.9996, 1 - 1e-7, 1 - 1e-16, 1.0]
    for digits in (0, 1):
        say = f"(all) => {{ {script}\nreturn all.map((x) => percentNumber(x, {digits})); }}"
        shown = plain.evaluate(say, shares)
        assert shown == [percent_number(share, digits) for share in shares]
        said = zip(shares, (text.strip("<>") for text in shown), strict=True)
        assert [x for x, text in said if float(text) in (0, 100)] == [0.0, 1 - 1e-16, 1.0]


def test_ticks_of_an_axis_have_one_format(plain):
    script = files("polytomy.report.page").joinpath("shared/format.js").read_text(encoding="utf-8")
    say = f"(all) => {{ {script}\nreturn all.map(tickFormat(formatTick, all)); }}"
    assert plain.evaluate(say, [0, 250_000, 750_000, 1_000_000]) == ["0", "2.5e5", "7.5e5", "1e6"]
    assert plain.evaluate(say, [0, 250_000, 750_000]) == ["0", "250,000", "750,000"]
    assert plain.evaluate(say, [0, 0.00005, 0.0001]) == ["0", "5e\u22125", "1e\u22124"]
    assert plain.evaluate(say, [0.5, 1, 1.5]) == ["0.5", "1", "1.5"]
