"""The state of a classroom, and the functions that its page calls."""

from collections.abc import Callable, Mapping
from typing import Any

from polytomy.io import LabelledTable
from polytomy.studio import requests
from polytomy.studio.server import Answer, Application, Handler, StaleError

from .branching_play import BranchingPlay
from .lesson import MOST_LEAVES, Lesson
from .page import classroom_page
from .tables import BUNDLED, own_table
from .weight_play import WeightPlay
from .working import INDEX_TEXTS, PRICES

OWN = "own"
"""The name of the user's table."""


class Classroom:
    """A lesson and two games, kept on the server so that reloading the page loses nothing.

    Parameters
    ----------
    rows : LabelledTable or None, default=None
        The user's table, which the first lesson is about. Without one it is about playing tennis.

    Examples
    --------
    >>> room = Classroom()
    >>> room.view()["lesson"]["phase"], room.view()["table"]
    ('guess', 'tennis')
    >>> done = room.routes()["lesson_guess"]({"version": 1, "column": "outlook"})
    >>> round(done["lesson"]["reveal"]["mine"]["gain"]["value"], 3), done["version"]
    (0.247, 2)
    """

    def __init__(self, rows: LabelledTable | None = None) -> None:
        own = {} if rows is None else {OWN: own_table(rows)}
        self._tables = {**own, **BUNDLED}
        self._table = next(iter(self._tables))
        self.version = 1
        self._seen: dict[str, Any] = {}  # views that are still current
        self.lesson = Lesson(self._tables[self._table].load())
        self.weight = WeightPlay.begin({})
        self.branching = BranchingPlay.begin({"s": 16})

    def routes(self) -> dict[str, Handler]:
        """Return the functions of the classroom by name; each returns the whole state."""
        routes: dict[str, Handler] = {"state": lambda _given: self.view()}
        parts: dict[str, tuple[Callable[[Mapping[str, Any]], None], tuple[str, ...]]] = {
            "lesson": (self._begin_lesson, ("guess", "go_on", "pick", "undo", "finish")),
            "weight": (self._begin_weight, ("move", "library", "undo")),
            "branching": (self._begin_branching, ("move", "library", "undo")),
        }
        for part, (begin, actions) in parts.items():
            routes[f"{part}_begin"] = self._handler(part, begin)
            for name in actions:
                routes[f"{part}_{name}"] = self._handler(part, self._action(part, name))
        return routes

    def view(self) -> Answer:
        """Return everything that the page shows."""
        for part in ("lesson", "weight", "branching"):
            if part not in self._seen:
                self._seen[part] = getattr(self, part).view()
        return {
            "title": "Classroom",
            "version": self.version,
            "table": self._table,
            "classes": self.lesson.classes,
            "choices": self._choices(),
            **self._seen,
        }

    def _choices(self) -> dict[str, Any]:
        """Return what a new lesson or game can be about."""
        tables = [
            {"name": name, "title": table.title, "about": table.about}
            for name, table in self._tables.items()
        ]
        indices = {name: f"{text.name}: {text.formula}" for name, text in INDEX_TEXTS.items()}
        return {
            "tables": tables,
            "indices": indices,
            "procedures": PRICES,
            "most_leaves": MOST_LEAVES,
            "weight": WeightPlay.sides,
            "branching": BranchingPlay.sides,
        }

    def _action(self, part: str, name: str) -> Callable[[Mapping[str, Any]], None]:
        def act(given: Mapping[str, Any]) -> None:
            getattr(getattr(self, part), name)(given)  # the part may be a new one by then

        return act

    def _handler(self, part: str, act: Callable[[Mapping[str, Any]], None]) -> Handler:
        def handler(given: dict[str, Any]) -> Answer:
            if given.get("version") != self.version:
                raise StaleError("another tab went on; this one now shows the classroom as it is")
            act(given)
            self.version += 1
            self._seen.pop(part, None)
            return self.view()

        return handler

    def _begin_lesson(self, given: Mapping[str, Any]) -> None:
        table = requests.choice(given, "table", self._tables, self._table)
        index = requests.choice(given, "index", INDEX_TEXTS, "entropy")
        procedure = None
        if given.get("procedure") is not None:
            procedure = requests.choice(given, "procedure", PRICES, "id3")
        leaves = requests.whole(given, "max_leaves", 2, MOST_LEAVES, 8)
        rows = self._tables[table].load()
        self.lesson = Lesson(rows, index=index, procedure=procedure, max_leaves=leaves)
        self._table = table

    def _begin_weight(self, given: Mapping[str, Any]) -> None:
        self.weight = WeightPlay.begin(given)

    def _begin_branching(self, given: Mapping[str, Any]) -> None:
        self.branching = BranchingPlay.begin(given)


def classroom_application(classroom: Classroom) -> Application:
    """Return the application of a classroom: its page, and the functions that it calls.

    Parameters
    ----------
    classroom : Classroom
        The classroom.

    Returns
    -------
    Application
        What a ``StudioServer`` serves.
    """
    return Application(lambda nonce: classroom_page(classroom.view(), nonce), classroom.routes())
