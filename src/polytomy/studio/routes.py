"""The functions that the page of the studio calls.

Those that change the tree need the version that the page shows, and answer with the new state.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from polytomy._numbers import is_integer
from polytomy.encode import NominalColumn
from polytomy.estimators import EditSession

from .constraints import read_constraints
from .facts import MISSING, column_facts, node_facts, price_facts, split_facts
from .page import studio_page
from .requests import integer, text
from .server import Answer, Application, Handler, StudioError
from .workbench import Workbench

_SPLIT = ("thresholds", "groups", "arity", "missing")  # what states a split


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
    edits = {
        "split": _split,
        "collapse": _collapse,
        "merge": _merge,
        "regrow": _regrow,
        "relabel": _relabel,
        "ban": _ban,
    }
    others: dict[str, Callable[[Workbench, dict[str, Any]], Answer]] = {
        "state": _state,
        "node": _node,
        "column": _column,
        "price": _price,
        "undo": partial(_change, work=lambda bench, _: bench.undo()),
        "redo": partial(_change, work=lambda bench, _: bench.redo()),
        "limit": partial(
            _change, work=lambda bench, given: bench.limit(_constraints(bench, given))
        ),
        "grow": partial(_change, work=_grow),
        "open": partial(_change, work=lambda bench, given: bench.open_model(text(given, "text"))),
        "held_out": _held_out,
        "save": lambda bench, given: bench.save(text(given, "kind")),
    }
    return {
        **{name: partial(_edit, workbench, work) for name, work in edits.items()},
        **{name: partial(work, workbench) for name, work in others.items()},
    }


def _edit(
    bench: Workbench, work: Callable[[Workbench, EditSession, dict[str, Any]], Any], given: Any
) -> Answer:
    """Carry out an edit, and answer with its price and the new state."""
    bench.check_version(given.get("version"))
    before = bench.cost_figure()
    done = price_facts(bench.change(lambda session: work(bench, session, given)))
    done["before"] |= before
    done["after"] |= bench.cost_figure()
    return {**bench.state(), "done": done}


def _change(bench: Workbench, given: dict[str, Any], work: Callable[..., Any]) -> Answer:
    """Carry out a change that is no edit, and answer with the new state."""
    bench.check_version(given.get("version"))
    work(bench, given)
    return bench.state()


# ---- what the page asks for ----------------------------------------------------------------------


def _state(bench: Workbench, given: dict[str, Any]) -> Answer:
    """Answer with the state, or with its version alone if the page shows it already."""
    known = given.get("version") == bench.version and given.get("asked") == bench.n_asked
    return {"version": bench.version} if known else bench.state()


def _node(bench: Workbench, given: dict[str, Any]) -> Answer:
    bench.check_version(given.get("version"))
    return node_facts(bench.session, integer(given, "node"))


def _column(bench: Workbench, given: dict[str, Any]) -> Answer:
    bench.check_version(given.get("version"))
    node, column = integer(given, "node"), _column_of(bench, given)
    return column_facts(bench.session, bench.schema, node, column)


def _price(bench: Workbench, given: dict[str, Any]) -> Answer:
    bench.check_version(given.get("version"))
    node, column = integer(given, "node"), _column_of(bench, given)
    return split_facts(bench.session.price(node, column, **_stated(bench, given)))


def _held_out(bench: Workbench, given: dict[str, Any]) -> Answer:
    bench.check_version(given.get("version"))
    bench.ask_held_out()
    return bench.state()


# ---- edits ---------------------------------------------------------------------------------------


def _split(bench: Workbench, session: EditSession, given: dict[str, Any]) -> Any:
    column, stated = _column_of(bench, given), _stated(bench, given)
    return session.split(integer(given, "node"), column, **stated, reason=_reason(given))


def _collapse(bench: Workbench, session: EditSession, given: dict[str, Any]) -> Any:
    del bench
    return session.collapse(integer(given, "node"), reason=_reason(given))


def _merge(bench: Workbench, session: EditSession, given: dict[str, Any]) -> Any:
    del bench
    return session.merge(integer(given, "node"), given.get("branches", []), reason=_reason(given))


def _regrow(bench: Workbench, session: EditSession, given: dict[str, Any]) -> Any:
    del bench
    return session.regrow(
        integer(given, "node"), integer(given, "max_leaves"), reason=_reason(given)
    )


def _relabel(bench: Workbench, session: EditSession, given: dict[str, Any]) -> Any:
    classes, label = bench.session.estimator()._model.classes, integer(given, "label")
    if classes is None or not 0 <= label < len(classes):
        raise StudioError(f"there is no class {label}")
    return session.relabel(integer(given, "node"), classes.tolist()[label], reason=_reason(given))


def _ban(bench: Workbench, session: EditSession, given: dict[str, Any]) -> Any:
    return session.ban(_column_of(bench, given), integer(given, "node"), reason=_reason(given))


def _grow(bench: Workbench, given: dict[str, Any]) -> None:
    bench.grow(_constraints(bench, given), by_hand=bool(given.get("by_hand")))


# ---- arguments -----------------------------------------------------------------------------------


def _column_of(bench: Workbench, given: dict[str, Any]) -> int:
    """Return the position of the column that a request names."""
    column, names = given.get("column"), bench.schema.names
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, str) or not 0 <= integer(given, "column") < len(names):
        raise StudioError(f"there is no column {column!r}")
    return integer(given, "column")


def _constraints(bench: Workbench, given: dict[str, Any]) -> dict[str, Any]:
    return read_constraints(given.get("constraints"), list(bench.schema.names))


def _reason(given: dict[str, Any]) -> str:
    return text(given, "reason", "")


def _stated(bench: Workbench, given: dict[str, Any]) -> dict[str, Any]:
    """Return the split of a request as the arguments of ``split``."""
    stated = {name: given[name] for name in _SPLIT if given.get(name) is not None}
    if "groups" in stated:
        stated["groups"] = _groups(bench, given)
    return stated


def _groups(bench: Workbench, given: dict[str, Any]) -> list[list[Any]]:
    """Return groups of codes as groups of categories.

    The group at ``others`` also gets the categories of the node that no group lists.
    """
    node, column, groups = integer(given, "node"), _column_of(bench, given), given["groups"]
    if not isinstance(groups, list) or not all(isinstance(group, list) for group in groups):
        raise StudioError("groups must be lists of codes")
    spec = bench.schema[column]
    if not isinstance(spec, NominalColumn):
        raise StudioError(f"column {spec.name!r} is ordered: split it at thresholds")
    groups = [list(group) for group in groups]
    others = given.get("others")
    if others is not None:
        if not 0 <= integer(given, "others") < len(groups):
            raise StudioError("others must be the number of a group")
        found = bench.session.distribution(node, column)
        listed = {code for group in groups for code in group if isinstance(code, int)}
        assert found.codes is not None
        groups[others] += [code for code in found.codes.tolist() if code not in listed]
        if MISSING not in listed and found.missing.any():
            groups[others].append(MISSING)
    return [[_category(code, spec) for code in group] for group in groups]


def _category(code: Any, spec: NominalColumn) -> Any:
    if not is_integer(code) or not MISSING <= code < spec.n_values:
        raise StudioError(f"column {spec.name!r} has no category with the code {code!r}")
    return None if code == MISSING else spec.categories[code]
