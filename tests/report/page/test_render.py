"""The page as a file: its content, and the escaping of text."""

import json
import re
from importlib.resources import files

import pytest

from polytomy.export import CLASS_COLOURS, text_colour
from polytomy.report.page import DARK_COLOURS, SCRIPTS, STYLES, TEMPLATE, as_json, render
from tests.report.tree_cases import facts_of

PAGE = files("polytomy.report.page")


FOLDERS = ("shared", "shared/decision", "tree", "boosted", "forest")


HOSTILE = "</script><b>\"'&amp;$title ${facts} \u2028\u2029 <!--🌳"


def held(page):
    """Return the facts that a page holds."""
    found = re.search(r'<script type="application/json" id="facts">(.*?)</script>', page, re.S)
    return json.loads(found.group(1))


def test_page_contains_the_facts():
    facts = facts_of("plain")
    assert held(render(facts)) == json.loads(json.dumps(facts))


def test_page_escapes_text_that_looks_like_markup():
    facts = {"kind": "tree", "title": HOSTILE, "text": HOSTILE, "classes": [HOSTILE]}
    page = render(facts)
    assert held(page) == facts
    assert "<b>" not in page
    assert page.count("</script>") == 2
    assert "\u2028" not in as_json(facts)


def test_page_links_to_nothing():
    page = render(facts_of("plain"))
    assert "default-src 'none'" in page
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page)
    assert "url(" not in page
    assert "@import" not in page


def test_page_has_language_title_and_noscript_text():
    facts = facts_of("plain")
    page = render(facts)
    assert page.startswith("<!doctype html>")
    assert '<html lang="en">' in page
    assert f"<title>{facts['title']}</title>" in page
    assert 'name="viewport"' in page
    inside = page.split("<noscript>")[1].split("</noscript>")[0]
    assert facts["text"].splitlines()[0] in inside


def test_page_has_the_class_colours_of_the_diagrams():
    page = render(facts_of("plain"))
    for i, colour in enumerate(CLASS_COLOURS):
        assert page.count(f"--class-{i}: ") == 1
        assert f"--class-{i}: {colour};\n  --class-ink-{i}: {text_colour(colour)};" in page


def test_render_rejects_numbers_that_json_lacks():
    with pytest.raises(ValueError, match="not JSON compliant"):
        render({"kind": "tree", "title": "", "text": "", "x": float("nan")})


def test_render_rejects_an_unknown_kind():
    with pytest.raises(ValueError, match="must be one of 'tree', 'boosted', 'forest'; got 'stump'"):
        render({"kind": "stump", "title": "", "text": ""})


def test_page_uses_every_file():
    used = {TEMPLATE, DARK_COLOURS}.union(*SCRIPTS.values(), *STYLES.values())
    found = {
        f"{folder}/{file.name}"
        for folder in FOLDERS
        for file in PAGE.joinpath(folder).iterdir()
        if file.is_file()
    }
    assert found == used


@pytest.mark.parametrize("name", sorted({n for names in SCRIPTS.values() for n in names}))
def test_scripts_cannot_close_their_element(name):
    script = PAGE.joinpath(name).read_text(encoding="utf-8")
    assert len(script.splitlines()) <= 400
    assert "</script" not in script.lower()
    assert "innerHTML" not in script
    assert "eval(" not in script
