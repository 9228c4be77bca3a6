"""The results of benchmarks: where they are stored, and how documents are filled with them."""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"


def folder(quick: bool) -> Path:
    """Return the folder of the results; a quick trial has a folder of its own."""
    return RESULTS / "quick" if quick else RESULTS


def save(outcome: dict[str, Any], name: str, quick: bool) -> None:
    """Write the results of a group."""
    folder(quick).mkdir(parents=True, exist_ok=True)
    path = folder(quick) / f"{name}.json"
    path.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")


class Results:
    """All stored results, including those of earlier runs."""

    def __init__(self, quick: bool) -> None:
        paths = sorted(folder(quick).glob("*.json"))
        self.quick = quick
        self.files = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in paths}

    @property
    def groups(self) -> dict[str, dict[str, Any]]:
        """The groups of cases by name."""
        return {name: group for name, group in self.files.items() if "cases" in group}

    def case(self, key: str) -> dict[str, Any] | None:
        """Return a case by its key, or None."""
        every = (case for group in self.groups.values() for case in group["cases"])
        return next((case for case in every if case["key"] == key), None)

    def contestant(self, key: str, name: str) -> dict[str, Any]:
        """Return the outcome of a contestant of a case; an empty one if it took no part."""
        case = self.case(key)
        outcomes = [] if case is None else case["contestants"]
        return next((outcome for outcome in outcomes if outcome["name"] == name), {})


def filled(text: str, name: str, lines: list[str]) -> str:
    """Return a document with new lines between the markers of a name."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    before, found, rest = text.partition(begin)
    if not found or end not in rest:
        raise SystemExit(f"the document has no markers for {name}")
    after = rest.partition(end)[2]
    return before + "\n".join([begin, *lines, end]) + after


def fill_document(path: Path, tables: dict[str, list[str]]) -> None:
    """Write tables between their markers in a document."""
    text = path.read_text(encoding="utf-8")
    for name, lines in tables.items():
        text = filled(text, name, lines)
    path.write_text(text, encoding="utf-8")
    print(f"\nwrote {path}")
