"""Check that every public name is documented in full.

Public are the names in ``__all__`` of the modules in ``MODULES``, and of their classes the methods
and properties without a leading underscore that polytomy itself defines. For these the docstring
(numpydoc) must

- exist,
- list every parameter of the signature under *Parameters* (fields of a class may stand under
  *Attributes* instead),
- give the default of each optional parameter in its type line as ``default=...``, correctly, or
  as ``optional`` if it is None,
- have a *Returns* or *Yields* section if the function returns something.

Run ``python tools/check_docs.py [module ...]``. It prints a line for each omission; the exit code
is then 1.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
MODULES = (
    "polytomy",
    "polytomy.reference",
    "polytomy.io",
    "polytomy.grow",
    "polytomy.prune",
    "polytomy.theory",
    "polytomy.boost",
    "polytomy.estimators",
    "polytomy.evaluate",
    "polytomy.sql",
    "polytomy.dask",
)
NEEDS = {"polytomy.dask": "dask", "polytomy.sql": "duckdb"}  # a module is left out without it

_UNDERLINE = re.compile(r"-{3,}")
_DEFAULT = re.compile(r"default\s*=\s*(.+)$")
_STARS: dict[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}
_NOTHING = (None, "None", "NoReturn", "Never")


class Finding(NamedTuple):
    """What is missing from the documentation of one name."""

    file: str
    line: int
    name: str
    missing: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.name}: {self.missing}"


# ---- reading docstrings ------------------------------------------------------------------------


def sections(docstring: str) -> dict[str, list[str]]:
    r"""Return the lines of each underlined section by its title.

    >>> sections("Return x.\n\nReturns\n-------\nint\n    The x.")
    {'Returns': ['int', '    The x.']}
    """
    lines = inspect.cleandoc(docstring).splitlines()
    found: dict[str, list[str]] = {}
    title = ""
    for line, after in pairwise([*lines, ""]):
        if _UNDERLINE.fullmatch(after.strip()):
            title = line.strip()
            found[title] = []
        elif title and not _UNDERLINE.fullmatch(line.strip()):
            found[title].append(line)
    return found


def documented(lines: list[str]) -> dict[str, str]:
    """Return the type line of each name in a section; ``a, b : int`` documents two names.

    >>> documented(["a, b : int, default=1", "    Words.", "*args", "    More."])
    {'a': 'int, default=1', 'b': 'int, default=1', '*args': ''}
    """
    found = {}
    for line in lines:
        if line.strip() and not line[0].isspace():
            names, _, kind = line.partition(" : ")
            found.update({name.strip(): kind.strip() for name in names.split(",")})
    return found


# ---- comparing with the signature --------------------------------------------------------------


def missing_parameters(signature: inspect.Signature, parts: dict[str, list[str]]) -> Iterator[str]:
    """Yield what the docstring lacks of a signature's parameters."""
    attributes = documented(parts.get("Attributes", []))
    known = {
        **documented(parts.get("Parameters", [])),
        **documented(parts.get("Other Parameters", [])),
    }
    for parameter in signature.parameters.values():
        name = _STARS.get(parameter.kind, "") + parameter.name
        if parameter.name in ("self", "cls") or parameter.name.startswith("_"):
            continue
        if name not in known:
            if name not in attributes:
                yield f"parameter {name} is not documented"
        elif parameter.default is not inspect.Parameter.empty:
            yield from _wrong_default(name, parameter.default, known[name])


def _wrong_default(name: str, default: Any, kind: str) -> Iterator[str]:
    stated = _DEFAULT.search(kind)
    if stated is None:
        if default is not None or "optional" not in kind:
            yield f"parameter {name} does not state its default ({default!r})"
        return
    try:
        value = ast.literal_eval(stated[1].rstrip("."))
    except (ValueError, SyntaxError):  # an expression or words
        return
    if value != default and isinstance(default, str | int | float | tuple | None):
        yield f"parameter {name} has the default {default!r}, not {value!r}"


def returns_something(function: Any) -> bool:
    """Return whether the annotation of a function names a return value."""
    annotation = inspect.signature(function).return_annotation
    return annotation is not inspect.Signature.empty and annotation not in _NOTHING


# ---- walking the public names ------------------------------------------------------------------


def check_function(function: Any, name: str) -> Iterator[Finding]:
    """Yield what is missing from a function or method."""
    docstring = inspect.getdoc(function)
    if not docstring:
        yield _finding(function, name, "has no docstring")
        return
    parts = sections(docstring)
    for missing in missing_parameters(inspect.signature(function), parts):
        yield _finding(function, name, missing)
    if returns_something(function) and not {"Returns", "Yields"} & set(parts):
        yield _finding(function, name, "has no Returns section")


def check_class(cls: type[Any], name: str) -> Iterator[Finding]:
    """Yield what is missing from a class, its parameters, methods and properties."""
    if not cls.__doc__:
        yield _finding(cls, name, "has no docstring")
    elif not issubclass(cls, BaseException) and not getattr(cls, "_is_protocol", False):
        parts = sections(cls.__doc__)
        if "Parameters" not in parts:  # it may inherit the constructor, and its description
            parts |= sections(_constructor_owner(cls).__doc__ or "")
        for missing in missing_parameters(inspect.signature(cls), parts):
            yield _finding(cls, name, missing)
    for attribute, held in sorted(public_attributes(cls).items()):
        member = f"{name}.{attribute}"
        if isinstance(held, property):
            if not (held.__doc__ or "").strip():
                yield _finding(held.fget, member, "has no docstring")
        elif inspect.isfunction(function := getattr(held, "__func__", held)):
            yield from check_function(function, member)


def _constructor_owner(cls: type[Any]) -> type[Any]:
    """Return the class of polytomy that defines the constructor of a class."""
    root = cls.__module__.partition(".")[0]
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] == root and "__init__" in vars(base):
            return base
    return cls


def public_attributes(cls: type[Any]) -> dict[str, Any]:
    """Return the public attributes that polytomy defines for a class or inherits within itself."""
    found: dict[str, Any] = {}
    root = cls.__module__.partition(".")[0]
    for base in reversed(cls.__mro__):
        if base.__module__.partition(".")[0] == root:
            found.update({n: held for n, held in vars(base).items() if not n.startswith("_")})
    return found


def check_module(module: ModuleType) -> Iterator[Finding]:
    """Yield what is missing from the public names of a module."""
    for name in module.__all__:
        held = getattr(module, name)
        full = f"{module.__name__}.{name}"
        if inspect.isclass(held):
            yield from check_class(held, full)
        elif inspect.isfunction(held):
            yield from check_function(held, full)


def _finding(held: Any, name: str, missing: str) -> Finding:
    held = inspect.unwrap(held)
    try:
        file = Path(inspect.getsourcefile(held) or "?").resolve()
        line = inspect.getsourcelines(held)[1]
    except (OSError, TypeError):
        return Finding("?", 0, name, missing)
    inside = file.is_relative_to(ROOT)
    return Finding((file.relative_to(ROOT) if inside else file).as_posix(), line, name, missing)


def public_modules() -> list[ModuleType]:
    """Return the public modules whose packages are installed."""
    names = [name for name in MODULES if find_spec(NEEDS.get(name, name)) is not None]
    return [resolve_name(name) for name in names]


def main() -> int:
    """Check the modules named on the command line, or all, and return the exit code."""
    modules = [resolve_name(name) for name in sys.argv[1:]] or public_modules()
    # A method that several classes inherit is reported once.
    once = {(f.file, f.line, f.missing): f for m in reversed(modules) for f in check_module(m)}
    found = sorted(once.values())
    print(*found, sep="\n", end="\n" if found else "")
    n_names = sum(len(module.__all__) for module in modules)
    print(f"{n_names} public names checked, {len(found)} omissions")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
