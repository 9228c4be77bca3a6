"""The page of the classroom: the look and the charts of the report, with scripts of its own."""

from importlib.resources import files
from typing import Any, Final

from polytomy.report import page as report_page

REPORT_SCRIPTS: Final = (
    "shared/dom.js",
    "shared/names.js",
    "shared/format.js",
    "shared/classes.js",
    "shared/line_chart.js",
    "shared/sections.js",
)
STUDIO_SCRIPTS: Final = ("server.js",)
SCRIPTS: Final = (
    "parts.js",
    "tree_list.js",
    "guess.js",
    "working.js",
    "compare.js",
    "lesson.js",
    "icicle.js",
    "game.js",
    "weight_game.js",
    "branching_game.js",
    "classroom.js",
)
"""The scripts of the classroom, which follow those of the report and of the studio, in order."""

_PLAIN: Final = {"kind": "forest"}  # a page of the report without a drawing of a tree


def classroom_page(facts: dict[str, Any], nonce: str) -> str:
    """Return the HTML of the classroom's page.

    Parameters
    ----------
    facts : dict
        The state of the classroom.
    nonce : str
        The nonce of its scripts and style sheets.

    Returns
    -------
    str
        The HTML.
    """
    studio, here = files("polytomy.studio.page"), files(__package__)
    return report_page.assemble(
        studio.joinpath("template.html").read_text(encoding="utf-8"),
        facts,
        report_page.page_styles(_PLAIN, here.joinpath("classroom.css").read_text(encoding="utf-8")),
        [
            *map(report_page.read_file, REPORT_SCRIPTS),
            *(studio.joinpath(name).read_text(encoding="utf-8") for name in STUDIO_SCRIPTS),
            *(here.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS),
        ],
        nonce=nonce,
    )
