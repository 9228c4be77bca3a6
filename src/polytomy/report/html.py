"""The page of a report: facts, styles and scripts in one HTML file that needs no network."""

import json
from html import escape
from importlib.resources import files
from string import Template
from typing import Any, Final

from polytomy._errors import ParameterError

SHARED: Final = (
    "dom.js",
    "names.js",
    "format.js",
    "classes.js",
    "axes.js",
    "charts.js",
    "bars.js",
    "frame.js",
)
"""The scripts of every page, in the order they are read."""

SCRIPTS: Final = {
    "tree": (
        *SHARED,
        "model.js",
        "words.js",
        "state.js",
        "layout.js",
        "box.js",
        "drawing.js",
        "view.js",
        "keys.js",
        "camera.js",
        "tip.js",
        "treesection.js",
        "tables.js",
        "details.js",
        "options.js",
        "find.js",
        "times.js",
        "route.js",
        "row.js",
        "sizes.js",
        "grown.js",
        "confusion.js",
        "leaves.js",
        "certificate.js",
        "tree.js",
    ),
    "boosted": (
        *SHARED,
        "times.js",
        "boosted_votes.js",
        "boosted_cells.js",
        "boosted_scores.js",
        "boosted_panels.js",
        "boosted_row.js",
        "boosted_rounds.js",
        "boosted.js",
    ),
}
"""The scripts of each kind of page: what makes a page is the last of them."""

STYLES: Final = {
    "tree": ("style.css", "tree.css"),
    "boosted": ("style.css", "boosted.css"),
}
"""The style sheets of each kind of page."""


def render(facts: dict[str, Any]) -> str:
    """Return the page that shows the facts of a report.

    One file without a link to anything: styles, scripts and facts are inside it, and its security
    policy forbids it to load more. Where scripts do not run, it shows ``facts["text"]``.

    Parameters
    ----------
    facts : dict
        What the page is to show, plain enough for JSON: ``kind`` ("tree" or "boosted"), ``title``,
        ``text`` and what the scripts of that kind read.

    Returns
    -------
    str
        The HTML.

    Raises
    ------
    ParameterError
        If the facts are of no known kind.

    Examples
    --------
    >>> page = render({"kind": "tree", "title": "A tree", "text": "one leaf"})
    >>> page.splitlines()[0], "<title>A tree</title>" in page
    ('<!doctype html>', True)
    """
    kind = facts.get("kind")
    if kind not in SCRIPTS:
        known = " or ".join(repr(name) for name in SCRIPTS)
        raise ParameterError(f"facts['kind'] must be {known}, got {kind!r}")
    return Template(_read("shell.html")).substitute(
        title=escape(str(facts["title"])),
        text=escape(str(facts["text"])),
        style="\n".join(_read(name) for name in STYLES[kind]),
        facts=as_json(facts),
        script="\n".join(_read(name) for name in SCRIPTS[kind]),
    )


def as_json(facts: dict[str, Any]) -> str:
    r"""Return facts as JSON that is safe inside a script element.

    No ``<`` is left, so no text can close the element, nor the two line ends that JSON knows and
    older scripts do not.

    Examples
    --------
    >>> as_json({"name": "</script>"})
    '{"name":"\\u003c/script>"}'
    """
    text = json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _read(name: str) -> str:
    """Return a file of the page."""
    return files("polytomy.report").joinpath("page", name).read_text(encoding="utf-8")
