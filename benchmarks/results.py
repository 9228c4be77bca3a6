"""The outcomes of a run: one JSON file a group, and how to look things up in them."""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"


def folder(quick: bool) -> Path:
    """Return where the results are kept; a rehearsal's are kept apart."""
    return RESULTS / "quick" if quick else RESULTS


def save(outcome: dict[str, Any], name: str, quick: bool) -> None:
    """Write an outcome."""
    folder(quick).mkdir(parents=True, exist_ok=True)
    path = folder(quick) / f"{name}.json"
    path.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")


class Results:
    """All outcomes there are, those of earlier runs too."""

    def __init__(self, quick: bool) -> None:
        paths = sorted(folder(quick).glob("*.json"))
        self.quick = quick
        self.files = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in paths}

    @property
    def groups(self) -> dict[str, dict[str, Any]]:
        """The groups of cases by name."""
        return {name: told for name, told in self.files.items() if "cases" in told}

    def case(self, key: str) -> dict[str, Any] | None:
        """Return a case by its key."""
        every = (case for told in self.groups.values() for case in told["cases"])
        return next((case for case in every if case["key"] == key), None)

    def contestant(self, key: str, name: str) -> dict[str, Any]:
        """Return what became of a contestant of a case; nothing if it had no part in it."""
        case = self.case(key)
        part = [] if case is None else case["contestants"]
        return next((told for told in part if told["name"] == name), {})
