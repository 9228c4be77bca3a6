"""The functions that the page of the studio calls."""

from typing import Any

from .page import studio_page
from .server import Answer, Application, Handler
from .workbench import Workbench, integer, price_facts


def studio_application(workbench: Workbench) -> Application:
    """Return the application of the studio: its page, and the functions that it calls.

    Parameters
    ----------
    workbench : Workbench
        The tree.

    Returns
    -------
    Application
        What a ``StudioServer`` serves.
    """
    return Application(
        lambda nonce: studio_page(workbench.state(), nonce), studio_routes(workbench)
    )


def studio_routes(workbench: Workbench) -> dict[str, Handler]:
    """Return the functions of the studio by name."""

    def state(given: dict[str, Any]) -> Answer:
        if given.get("version") == workbench.version:
            return {"version": workbench.version}
        return workbench.state()

    def split(given: dict[str, Any]) -> Answer:
        workbench.check_version(given.get("version"))
        arguments = {
            k: given[k] for k in ("thresholds", "groups", "arity", "missing") if k in given
        }
        node, column = integer(given, "node"), given.get("column")
        done = workbench.change(lambda session: session.split(node, column, **arguments))
        return {**workbench.state(), "done": price_facts(done)}

    def undo(given: dict[str, Any]) -> Answer:
        workbench.check_version(given.get("version"))
        workbench.change(lambda session: session.undo())
        return workbench.state()

    return {"state": state, "split": split, "undo": undo}
