"""Pages of the reference: one for each public module and one for each public class.

They are written to reference/api/ before the pages are read. What is public is decided in one
place, tools/check_docs.py.
"""

import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

from check_docs import public_attributes, public_modules
from sphinx.application import Sphinx

FOLDER = "reference/api"


def write_pages(app: Sphinx) -> None:
    """Write the pages that changed, and remove those of names that are gone."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    pages = api_pages(public_modules())
    for file in folder.glob("*.rst"):
        if file.name not in pages:
            file.unlink()
    for name, text in pages.items():
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def api_pages(modules: list[ModuleType]) -> dict[str, str]:
    """Return the text of every page by its file's name."""
    homes: dict[int, str] = {}  # by object: its name in the first module that offers it
    pages = {"index.rst": _index(modules)}
    for module in modules:
        held = {name: getattr(module, name) for name in module.__all__ if name[0] != "_"}
        for name, value in held.items():
            full = f"{module.__name__}.{name}"
            if inspect.isroutine(value) or inspect.isclass(value):
                homes.setdefault(id(value), full)
            if inspect.isclass(value) and homes[id(value)] == full:
                pages[f"{full}.rst"] = _class_page(module.__name__, name, value)
        pages[f"{module.__name__}.rst"] = _module_page(module, held, homes)
    return pages


def _index(modules: list[ModuleType]) -> str:
    lines = [*_title("Python"), "The public modules and what they offer.", ""]
    lines += [*_hidden_toctree([module.__name__ for module in modules])]
    lines += [".. list-table::", "   :widths: 25 75", ""]
    for module in modules:
        summary = (inspect.getdoc(module) or "").partition("\n\n")[0].replace("\n", " ")
        lines += [f"   * - :doc:`{module.__name__}`", f"     - {summary}"]
    return _text(lines)


def _module_page(module: ModuleType, held: dict[str, Any], homes: dict[int, str]) -> str:
    """Return the page of a module: tables of what it offers, then its functions in full."""
    here = module.__name__
    groups: dict[str, list[str]] = {"Classes": [], "Functions": [], "Errors and warnings": []}
    for value in held.values():
        if id(value) in homes:
            groups[_group(value)].append(homes[id(value)])
    own = [name for names in groups.values() for name in names if name.rpartition(".")[0] == here]
    functions = [name for name in own if name in groups["Functions"]]
    lines = [*_title(here), f".. py:module:: {here}", "", inspect.getdoc(module) or "", ""]
    lines += _hidden_toctree([name for name in own if name not in functions])
    for group, names in groups.items():
        lines += _table(group, [_seen_from(here, name) for name in names])
    lines += _constants({name: held[name] for name in held if _is_constant(held[name])})
    lines += _title("Functions in full", "-") if functions else []
    for name in functions:
        lines += [f".. autofunction:: {name}", ""]
    return _text(lines)


def _class_page(home: str, name: str, cls: type[Any]) -> str:
    """Return the page of a class: its description, a table of its members, and each in full."""
    directives = {}
    for attribute, held in sorted(public_attributes(cls).items()):
        if isinstance(held, property):
            directives[f"{name}.{attribute}"] = "autoproperty"
        elif inspect.isfunction(getattr(held, "__func__", held)):
            directives[f"{name}.{attribute}"] = "automethod"
    lines = [*_title(name), f".. currentmodule:: {home}", ""]
    lines += [f".. autoclass:: {name}", ""]
    lines += _table("Methods and properties", list(directives))
    lines += _title("In full", "-") if directives else []
    for member, directive in directives.items():
        lines += [f".. {directive}:: {member}", ""]
    return _text(lines)


# ---- pieces of a page ----------------------------------------------------------------------


def _group(value: Any) -> str:
    if inspect.isclass(value):
        return "Errors and warnings" if issubclass(value, BaseException) else "Classes"
    return "Functions"


def _is_constant(value: Any) -> bool:
    return isinstance(value, str | int | float | tuple | dict)


def _text(lines: list[str]) -> str:
    return "\n".join([*lines, ""])


def _title(text: str, line: str = "=") -> list[str]:
    return [text, line * len(text), ""]


def _hidden_toctree(names: list[str]) -> list[str]:
    return [".. toctree::", "   :hidden:", "", *(f"   {name}" for name in names), ""]


def _table(title: str, names: list[str]) -> list[str]:
    if not names:
        return []
    rows = [f"   {name}" for name in names]
    return [*_title(title, "-"), ".. autosummary::", "   :nosignatures:", "", *rows, ""]


def _seen_from(here: str, name: str) -> str:
    """Return a full name as a table on the page of the module ``here`` needs it."""
    home, _, short = name.rpartition(".")
    return short if home == here else f"~{name}"


def _constants(held: dict[str, Any]) -> list[str]:
    """Return a list of constants with their values, of mappings the keys only."""
    lines = _title("Constants", "-") if held else []
    for name, value in held.items():
        lines += [f"``{name}``", f"    ``{tuple(value) if isinstance(value, dict) else value!r}``"]
        lines.append("")
    return lines


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", write_pages, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
