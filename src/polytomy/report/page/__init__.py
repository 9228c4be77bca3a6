"""The report page: facts, styles and scripts in one HTML file that needs no network."""

import json
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from string import Template
from typing import Any, Final

from polytomy._errors import ParameterError
from polytomy.export import CLASS_COLOURS, class_colour, text_colour

TEMPLATE: Final = "shared/template.html"
DARK_COLOURS: Final = "shared/dark.css"

SHARED_SCRIPTS: Final = (
    "shared/dom.js",
    "shared/names.js",
    "shared/format.js",
    "shared/classes.js",
    "shared/line_chart.js",
    "shared/bar_charts.js",
    "shared/scatter_chart.js",
    "shared/numbers.js",
    "shared/sections.js",
    "shared/confusion.js",
    "shared/times.js",
    "shared/cells.js",
    "shared/decision/chart.js",
    "shared/decision/decision.js",
    "shared/decision/groups.js",
    "shared/decision/drift.js",
    "shared/decision/record.js",
)
"""The scripts of every page, in the order in which they run."""

SCRIPTS: Final = {
    "tree": (
        *SHARED_SCRIPTS,
        "tree/model.js",
        "tree/class_target.js",
        "tree/number_target.js",
        "tree/density_target.js",
        "tree/target.js",
        "tree/node_text.js",
        "tree/state.js",
        "tree/layout.js",
        "tree/node_box.js",
        "tree/icicle.js",
        "tree/drawing.js",
        "tree/navigation.js",
        "tree/tooltip.js",
        "tree/search.js",
        "tree/tree_section.js",
        "tree/node_panel.js",
        "tree/predict_row.js",
        "tree/pruning_path.js",
        "tree/growth.js",
        "tree/leaves.js",
        "tree/page.js",
    ),
    "boosted": (
        *SHARED_SCRIPTS,
        "boosted/votes.js",
        "boosted/score_functions.js",
        "boosted/predict_row.js",
        "boosted/rounds.js",
        "boosted/page.js",
    ),
    "forest": (*SHARED_SCRIPTS, "forest/page.js"),
}
"""The scripts of each kind of page; the last one builds the page."""

STYLES: Final = {
    "tree": ("shared/page.css", "shared/decision/decision.css", "tree/tree.css"),
    "boosted": ("shared/page.css", "shared/decision/decision.css", "boosted/boosted.css"),
    "forest": ("shared/page.css", "shared/decision/decision.css", "boosted/boosted.css"),
}
"""The style sheets of each kind of page."""


def render(facts: dict[str, Any]) -> str:
    """Return the HTML page that shows the facts of a report.

    The page links to nothing: styles, scripts and facts are part of the file, and its security
    policy forbids loading anything else. Without JavaScript it shows ``facts["text"]``.

    Parameters
    ----------
    facts : dict
        The facts of a tree, of boosted trees or of a forest, from ``polytomy.report.facts``.

    Returns
    -------
    str
        The HTML.

    Raises
    ------
    ParameterError
        If ``facts["kind"]`` is not "tree", "boosted" or "forest".

    Examples
    --------
    >>> page = render({"kind": "tree", "title": "A tree", "text": "one leaf"})
    >>> page.splitlines()[0], "<title>A tree</title>" in page
    ('<!doctype html>', True)
    """
    kind = facts.get("kind")
    if kind not in SCRIPTS:
        kinds = ", ".join(repr(name) for name in SCRIPTS)
        raise ParameterError(f"facts['kind'] must be one of {kinds}; got {kind!r}")
    scripts = map(read_file, SCRIPTS[kind])
    text = escape(str(facts["text"]))
    return assemble(read_file(TEMPLATE), facts, page_styles(facts), scripts, text=text)


def assemble(
    template: str,
    facts: dict[str, Any],
    styles: Iterable[str],
    scripts: Iterable[str],
    **fields: str,
) -> str:
    """Return a page: a template, filled with facts, style sheets and scripts.

    Parameters
    ----------
    template : str
        HTML with the fields ``$title``, ``$style``, ``$facts`` and ``$script``.
    facts : dict
        The facts; their title is that of the page.
    styles, scripts : iterable of str
        The texts of the style sheets and scripts, in order.
    **fields : str
        Further fields of the template, as HTML.

    Returns
    -------
    str
        The HTML.
    """
    return Template(template).substitute(
        title=escape(str(facts["title"])),
        style="\n".join(styles),
        facts=as_json(facts),
        script="\n".join(scripts),
        **fields,
    )


def page_styles(facts: dict[str, Any], *more: str) -> list[str]:
    """Return the style sheets of the page of some facts, with more before the dark colours."""
    return [_class_colours(facts), *map(read_file, STYLES[facts["kind"]]), *more, _dark_colours()]


def as_json(facts: dict[str, Any]) -> str:
    r"""Return facts as JSON that is safe inside a script element.

    The result contains no ``<``, so no text can close the element, and neither of the two line
    separators that JSON allows but older versions of JavaScript do not.

    Examples
    --------
    >>> as_json({"name": "</script>"})
    '{"name":"\\u003c/script>"}'
    """
    text = json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _class_colours(facts: dict[str, Any]) -> str:
    """Return the CSS variables of the class colours, and of the text colours readable on them."""
    lines = []
    for i in range(max(len(facts.get("classes", ())), len(CLASS_COLOURS))):
        colour = class_colour(i)
        lines.append(f"  --class-{i}: {colour};\n  --class-ink-{i}: {text_colour(colour)};")
    return "\n".join([":root {", *lines, "}"])


def _dark_colours() -> str:
    """Return the style sheet of dark colours: as chosen on the page, or by default the system's."""
    dark = read_file(DARK_COLOURS)
    chosen = dark.replace(":root", ':root[data-theme="dark"]')
    default = dark.replace(":root", ':root:not([data-theme="light"])')
    return (
        f"@media screen {{\n{chosen}}}\n"
        f"@media screen and (prefers-color-scheme: dark) {{\n{default}}}"
    )


def read_file(name: str) -> str:
    """Return the text of a file of the page, such as "shared/dom.js"."""
    return files("polytomy.report.page").joinpath(name).read_text(encoding="utf-8")
