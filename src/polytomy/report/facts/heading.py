"""The heading of a report, and the size limits of its facts."""

from dataclasses import dataclass
from typing import Any

from polytomy._text import one_line

FORMAT = 1
PAGE_BUDGET = 1_650_000  # bytes of JSON; optional facts are left out until the rest fits
LEAST_BUDGET = 250_000  # bytes that optional facts may always take
TEXT_BUDGET = 60_000  # characters of the model as text, for browsers without scripts


@dataclass(frozen=True, slots=True)
class Heading:
    """The version of polytomy, and the title and target of a report.

    Without a title, the report is named after the kind of model and the target.
    """

    version: str
    title: str | None = None
    target: str | None = None

    def facts(self, kind: str, name: str) -> dict[str, Any]:
        """Return the first facts of a report on a model of a kind, such as "Boosted trees"."""
        target = {} if self.target is None else {"target": one_line(self.target)}
        default = f"{name} for {target['target']}" if target else name
        title = default if self.title is None else one_line(self.title)
        head = {"kind": kind, "format": FORMAT, "version": self.version, "title": title}
        return head | target
