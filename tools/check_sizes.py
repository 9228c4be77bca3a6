"""Check that files, functions and argument lists stay within the budgets of the house.

Python (``src/**/*.py`` and ``tools/*.py``): a file has at most 400 lines, a function at most
40 code lines (docstrings, comments and blank lines are free) and at most 7 arguments (``self``
and ``cls`` are free). Estimators and the command line must spell out their many parameters, so
``__init__`` and ``report`` under ``estimators`` and every function under ``cli`` may take as many
arguments as they need, and the lines of their signatures are free too.

C++ (``cpp/**/*.cpp`` and ``cpp/**/*.hpp``): a file has at most 250 lines, ``bind.cpp`` 400; and
only ``bind.cpp`` and the files in ``cpp/bind`` know the binding library.

Run ``python tools/check_sizes.py [root]``. Each offence is printed on a line of its own and the
exit code is then 1.
"""

import ast
import io
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MAX_PYTHON_LINES = 400
MAX_FUNCTION_LINES = 40
MAX_ARGUMENTS = 7
MAX_CPP_LINES = 250
MAX_BINDING_LINES = 400
BINDING_FILE = "bind.cpp"
BINDING_FOLDER = "bind"
BINDING_LIBRARY = "nanobind"

Function = ast.FunctionDef | ast.AsyncFunctionDef

# Tokens that do not make a line a line of code.
SILENT_TOKENS = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


class Offence(NamedTuple):
    """One broken rule at one place."""

    path: Path
    line: int
    sentence: str

    def __str__(self) -> str:
        return f"{self.path.as_posix()}:{self.line}: {self.sentence}"


class Report(NamedTuple):
    """What was looked at, and what was wrong with it."""

    python_files: int
    functions: int
    cpp_files: int
    offences: list[Offence]


def docstring_lines(tree: ast.Module) -> set[int]:
    """Return the numbers of the lines that docstrings occupy."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | Function):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            text = node.body[0]
            lines.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    return lines


def code_lines(source: str, tree: ast.Module) -> set[int]:
    """Return the numbers of the lines that hold code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in SILENT_TOKENS:
            lines.update(range(token.start[0], token.end[0] + 1))
    blank = {i for i, line in enumerate(source.splitlines(), 1) if not line.strip()}
    return lines - blank - docstring_lines(tree)


def count_arguments(function: Function) -> int:
    """Return the number of arguments, without ``self`` and ``cls``."""
    spec = function.args
    positional = [*spec.posonlyargs, *spec.args]
    if positional and positional[0].arg in {"self", "cls"}:
        positional = positional[1:]
    starred = [arg for arg in (spec.vararg, spec.kwarg) if arg is not None]
    return len(positional) + len(spec.kwonlyargs) + len(starred)


def may_take_many(path: Path, function: Function) -> bool:
    """Tell whether the argument limit does not hold for this function."""
    package = path.with_suffix("").parts[:3]
    if package == ("src", "polytomy", "estimators"):
        return function.name in ("__init__", "report")
    return package == ("src", "polytomy", "cli")


def check_function(path: Path, function: Function, code: set[int]) -> Iterator[Offence]:
    """Yield the offences of one function."""
    exempt = may_take_many(path, function)
    first = function.body[0].lineno if exempt else function.lineno
    last = function.end_lineno or function.lineno
    length = sum(first <= line <= last for line in code)
    if length > MAX_FUNCTION_LINES:
        sentence = f"{function.name} has {length} code lines; at most {MAX_FUNCTION_LINES} allowed."
        yield Offence(path, function.lineno, sentence)
    arguments = count_arguments(function)
    if arguments > MAX_ARGUMENTS and not exempt:
        sentence = f"{function.name} has {arguments} arguments; at most {MAX_ARGUMENTS} allowed."
        yield Offence(path, function.lineno, sentence)


def check_length(path: Path, source: str, limit: int) -> Iterator[Offence]:
    """Yield an offence when a file has too many lines."""
    length = len(source.splitlines())
    if length > limit:
        yield Offence(path, limit + 1, f"the file has {length} lines; at most {limit} allowed.")


def check_python(path: Path, source: str) -> tuple[int, list[Offence]]:
    """Return the number of functions in a Python file, and its offences."""
    offences = list(check_length(path, source, MAX_PYTHON_LINES))
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        return 0, [*offences, Offence(path, error.lineno or 1, f"not Python: {error.msg}.")]
    code = code_lines(source, tree)
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    for function in functions:
        offences.extend(check_function(path, function, code))
    return len(functions), offences


def check_cpp(path: Path, source: str) -> Iterator[Offence]:
    """Yield the offences of a C++ file."""
    if path.name == BINDING_FILE:
        yield from check_length(path, source, MAX_BINDING_LINES)
        return
    yield from check_length(path, source, MAX_CPP_LINES)
    if path.parent.name == BINDING_FOLDER:
        return
    for number, line in enumerate(source.splitlines(), 1):
        if BINDING_LIBRARY in line:
            sentence = f"only {BINDING_FILE} and cpp/bind may speak of {BINDING_LIBRARY}."
            yield Offence(path, number, sentence)


def check_tree(root: Path) -> Report:
    """Check every file under ``root`` that has a budget."""
    python_files = sorted([*root.glob("src/**/*.py"), *root.glob("tools/*.py")])
    cpp_files = sorted([*root.glob("cpp/**/*.cpp"), *root.glob("cpp/**/*.hpp")])
    functions = 0
    offences: list[Offence] = []
    for file in python_files:
        count, found = check_python(file.relative_to(root), file.read_text(encoding="utf-8"))
        functions += count
        offences.extend(found)
    for file in cpp_files:
        offences.extend(check_cpp(file.relative_to(root), file.read_text(encoding="utf-8")))
    return Report(len(python_files), functions, len(cpp_files), sorted(offences))


def main() -> int:
    """Check the repository and return the exit code."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    report = check_tree(root)
    for offence in report.offences:
        print(offence)
    if report.offences:
        return 1
    if report.python_files == 0:
        print("There are no Python files under src or tools; is this the root of the repository?")
        return 1
    print(
        f"{report.python_files} Python files with {report.functions} functions and "
        f"{report.cpp_files} C++ files are within their budgets."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
