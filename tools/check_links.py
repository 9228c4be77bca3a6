"""Check the links of a built site: every local target and anchor exists, and nothing is remote.

Run ``python tools/check_links.py docs/_build/html``. It prints a line for each broken link and for
each script, style, font or image that a page would fetch from the network; the exit code is then 1.
"""

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors of a page, its links, and the files that it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what a tag names."""
        named = {key: value for key, value in attrs if value is not None}
        self.anchors |= {named[key] for key in ("id", "name") if key in named}
        if tag == "a" and "href" in named:
            self.links.append(named["href"])
        elif tag == "link" and named.get("rel") not in ("canonical", "author"):
            self.loaded.append(named.get("href", ""))
        elif tag in ("script", "img", "source", "iframe"):
            self.loaded.append(named.get("src", ""))


@cache
def page_of(file: Path) -> Page:
    """Return the parsed page of a file."""
    return Page(file.read_text(encoding="utf-8"))


def broken(file: Path) -> Iterator[str]:
    """Yield what is wrong with the links of a page."""
    page = page_of(file)
    for link in page.loaded:
        if urlsplit(link).netloc:
            yield f"{link}: loaded from the network"
    for link in (*page.links, *filter(None, page.loaded)):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or link == "#":
            continue
        target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        if target.is_dir():
            target /= "index.html"
        if not target.is_file():
            yield f"{link}: no such file"
        elif parts.fragment and not _has_anchor(target, unquote(parts.fragment)):
            yield f"{link}: no such anchor"


def _has_anchor(file: Path, name: str) -> bool:
    return file.suffix != ".html" or name in page_of(file).anchors


def main() -> int:
    """Check the pages below the folder of the command line, and return the exit code."""
    (folder,) = map(Path, sys.argv[1:])
    folder = folder.resolve()
    pages = sorted(file for file in folder.rglob("*.html") if "_static" not in file.parts)
    found = [f"{file.relative_to(folder)}: {fault}" for file in pages for fault in broken(file)]
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(pages)} pages checked, {len(found)} broken links")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
