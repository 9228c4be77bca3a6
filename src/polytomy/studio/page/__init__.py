"""The page of the studio: the tree of the report's page, with scripts that call the server."""

from importlib.resources import files
from typing import Any, Final

from polytomy.report import page as report_page

TEMPLATE: Final = "template.html"
STYLES: Final = ("studio.css",)
SCRIPTS: Final = (
    "server.js",
    "notices.js",
    "live.js",
    "files.js",
    "header.js",
    "cuts.js",
    "groups.js",
    "composer.js",
    "node_tab.js",
    "constraints.js",
    "side_panel.js",
    "studio.js",
)
"""The scripts that follow those of the tree's report, in the order in which they run."""

_REPORT_PAGE = "tree/page.js"  # builds the page of the report


def studio_page(facts: dict[str, Any], nonce: str) -> str:
    """Return the HTML of the studio's page.

    Parameters
    ----------
    facts : dict
        The state of the studio.
    nonce : str
        The nonce of its scripts and style sheets.

    Returns
    -------
    str
        The HTML.
    """
    names = [name for name in report_page.SCRIPTS["tree"] if name != _REPORT_PAGE]
    return page_of(__package__, facts, nonce, names, STYLES, SCRIPTS)


def page_of(
    package: str,
    facts: dict[str, Any],
    nonce: str,
    report_scripts: list[str],
    styles: tuple[str, ...],
    scripts: tuple[str, ...],
) -> str:
    """Return a page made of files of the report's page and of those in a package.

    Parameters
    ----------
    package : str
        The package that contains the style sheets and scripts.
    facts : dict
        What the page shows, with its ``title``.
    nonce : str
        The nonce of the scripts and style sheets.
    report_scripts : list of str
        Scripts of the report's page, which run first.
    styles, scripts : tuple of str
        Names of files of the package, in order.

    Returns
    -------
    str
        The HTML.
    """
    own = [_read(package, name) for name in scripts]
    return report_page.assemble(
        _read(__package__, TEMPLATE),
        facts,
        report_page.page_styles(
            {"kind": "tree", **facts}, *(_read(package, name) for name in styles)
        ),
        [*map(report_page.read_file, report_scripts), "{", *own, "}"],  # own names in a block
        nonce=nonce,
    )


def _read(package: str, name: str) -> str:
    """Return the text of a file of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")
