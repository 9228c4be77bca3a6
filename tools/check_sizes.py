"""Report files and functions that have grown out of proportion.

The limits are alarms, not budgets: 600 lines for a Python or C++ file, 60 lines of code for a
Python function (its signature, docstring, comments and blank lines are not counted). A file over
its limit usually holds two subjects, a function two steps.

Run ``python tools/check_sizes.py [root]``. The exit code is 1 if anything is reported.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 60
PATTERNS = ("src/**/*.py", "tools/*.py", "tests/**/*.py", "cpp/**/*.cpp", "cpp/**/*.hpp")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def code_lines(function: Function) -> int:
    """Return the number of lines with code in the body of a function."""
    has_docstring = ast.get_docstring(function, clean=False) is not None
    nodes = [node for part in function.body[has_docstring:] for node in ast.walk(part)]
    ends = [(getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)) for node in nodes]
    return len({line for pair in ends for line in pair} - {0})


def check_file(name: str, source: str) -> Iterator[str]:
    """Yield a line of text for each alarm of a file."""
    length = len(source.splitlines())
    if length > MAX_FILE_LINES:
        yield f"{name}:1: {length} lines in the file; the alarm is at {MAX_FILE_LINES}"
    if not name.endswith(".py"):
        return
    for node in ast.walk(ast.parse(source, name)):
        if isinstance(node, Function) and (length := code_lines(node)) > MAX_FUNCTION_LINES:
            words = f"{length} lines of code in {node.name}; the alarm is at {MAX_FUNCTION_LINES}"
            yield f"{name}:{node.lineno}: {words}"


def main() -> int:
    """Check the repository and return the exit code."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    files = sorted({file for pattern in PATTERNS for file in root.glob(pattern)})
    if not files:
        print(f"no source files under {root}; is it the root of the repository?")
        return 1
    alarms = [
        alarm
        for file in files
        for alarm in check_file(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))
    ]
    print(*alarms, sep="\n", end="\n" if alarms else "")
    print(f"{len(files)} files checked, {len(alarms)} alarms")
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())
