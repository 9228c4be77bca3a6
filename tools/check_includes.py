"""Check that the C++ folders include one another in one direction only.

Every file lies in one of the folders of ``ALLOWED`` and writes its includes as
``"folder/file.hpp"``. It may include headers of its own folder and of the folders that the table
lists for it. No header includes itself, directly or through others. Only ``bind`` includes the
headers of Python and nanobind.

Run ``python tools/check_includes.py [root]``. The exit code is 1 if a rule is broken.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# What each folder may include besides itself; the order of the build, from the bottom up.
ALLOWED: dict[str, tuple[str, ...]] = {
    "base": (),
    "encode": ("base",),
    "search": ("base",),
    "predict": ("base",),
    "optimal": ("base",),
    "grow": ("base", "encode", "search"),
    "prune": ("base", "encode", "search", "grow"),
    "polish": ("base", "search", "grow"),
    "boost": ("base", "encode", "search", "grow"),
    "bind": ("base", "encode", "search", "predict", "optimal", "prune", "polish", "grow", "boost"),
}
BINDING_FOLDER = "bind"

_QUOTED = re.compile(r'\s*#\s*include\s*"([^"]+)"')
_BINDING = re.compile(r"\s*#\s*include\s*<(nanobind/|Python\.h)")


class Include(NamedTuple):
    """One quoted include: the including file and its line, and the name as written."""

    file: str
    line: int
    target: str


def folder_of(name: str) -> str:
    """Return the folder of a file named relative to ``cpp``; empty if it lies in ``cpp`` itself."""
    return name.rpartition("/")[0]


def read(sources: dict[str, str]) -> tuple[list[Include], list[str]]:
    """Return the quoted includes of all files, and a message for each misplaced binding header."""
    includes, found = [], []
    for name, text in sources.items():
        for number, line in enumerate(text.splitlines(), 1):
            if match := _QUOTED.match(line):
                includes.append(Include(name, number, match[1]))
            elif _BINDING.match(line) and folder_of(name) != BINDING_FOLDER:
                found.append(
                    f"cpp/{name}:{number}: only {BINDING_FOLDER} may include {line.strip()}"
                )
    return includes, found


def check_folders(sources: dict[str, str]) -> Iterator[str]:
    """Yield a message for each file outside the known folders."""
    for name in sources:
        if folder_of(name) not in ALLOWED:
            yield f"cpp/{name}:1: the file is in none of the folders {', '.join(ALLOWED)}"


def check_directions(includes: list[Include], sources: dict[str, str]) -> Iterator[str]:
    """Yield a message for each include that does not exist or is not allowed."""
    for file, line, target in includes:
        source, other = folder_of(file), folder_of(target)
        if target not in sources:
            yield f'cpp/{file}:{line}: "{target}" is not a file in cpp; write "folder/file.hpp"'
        elif source in ALLOWED and other not in (source, *ALLOWED[source]):
            may = ", ".join((source, *ALLOWED[source]))
            yield f'cpp/{file}:{line}: {source} may not include "{target}", only {may}'


def find_cycles(includes: list[Include]) -> Iterator[str]:
    """Yield a message for each cycle of headers that include one another."""
    graph: dict[str, list[str]] = {}
    for file, _, target in includes:
        graph.setdefault(file, []).append(target)
    finished: set[str] = set()

    def visit(name: str, path: list[str]) -> Iterator[str]:
        if name in path:
            cycle = [*path[path.index(name) :], name]
            yield f"cpp/{name}:1: headers include one another: {' -> '.join(cycle)}"
        elif name not in finished:
            for target in graph.get(name, ()):
                yield from visit(target, [*path, name])
            finished.add(name)

    for name in sorted(graph):
        yield from visit(name, [])


def check(sources: dict[str, str]) -> list[str]:
    """Return all messages for files given by name, relative to ``cpp``, with their text."""
    includes, found = read(sources)
    directions = check_directions(includes, sources)
    return sorted([*found, *check_folders(sources), *directions, *find_cycles(includes)])


def main() -> int:
    """Check the repository and return the exit code."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    files = sorted([*root.glob("cpp/**/*.cpp"), *root.glob("cpp/**/*.hpp")])
    names = {file.relative_to(root / "cpp").as_posix(): file for file in files}
    found = check({name: file.read_text(encoding="utf-8") for name, file in names.items()})
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(files)} C++ files checked, {len(found)} includes against the order")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
