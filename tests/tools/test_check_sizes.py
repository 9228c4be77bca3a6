"""The size check catches each offence it names, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "check_sizes.py"


@pytest.fixture
def check(tmp_path):
    """Write files into an otherwise clean tree and run the check on it."""

    def run(files):
        for name, text in {"src/polytomy/clean.py": "x = 1\n", **files}.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        command = [sys.executable, str(SCRIPT), str(tmp_path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.stderr == ""
        return result.returncode, result.stdout.splitlines()

    return run


def function(body_lines, arguments="", name="f"):
    return f"def {name}({arguments}):\n" + "    x = 1\n" * body_lines


def letters(count):
    return ", ".join("abcdefghijklmnop"[:count])


def test_counts_are_printed_when_all_is_well(check):
    code, lines = check({"src/polytomy/a.py": function(3), "cpp/a.cpp": "int a;\n"})
    assert code == 0
    assert lines == ["2 Python files with 1 functions and 1 C++ files are within their budgets."]


@pytest.mark.parametrize("name", ["src/polytomy/a.py", "src/polytomy/deep/er/a.py", "tools/a.py"])
def test_long_python_file(check, name):
    assert check({name: "x = 1\n" * 400})[0] == 0
    assert check({name: "x = 1\n" * 401}) == (
        1,
        [f"{name}:401: the file has 401 lines; at most 400 allowed."],
    )


def test_long_function(check):
    # The line of the signature counts, so 39 lines of body are the most.
    assert check({"src/polytomy/a.py": function(39)})[0] == 0
    assert check({"src/polytomy/a.py": "\n\n" + function(40)}) == (
        1,
        ["src/polytomy/a.py:3: f has 41 code lines; at most 40 allowed."],
    )


def test_docstrings_comments_and_blank_lines_are_free(check):
    free = '    """Say what it does.\n\n    At length.\n    """\n' + "    # why\n\n" * 50
    inner = '    def g():\n        """Say it.\n\n        Again.\n        """\n        # why\n'
    head, body = function(37).split("\n", 1)
    source = f"{head}\n{free}{body}{inner}        return 1\n"
    assert check({"src/polytomy/a.py": source})[0] == 0
    code, lines = check({"src/polytomy/a.py": source + "    return 2\n"})
    assert code == 1
    assert "f has 41 code lines" in lines[0]


def test_text_that_is_no_docstring_is_code(check):
    source = 'def f():\n    return """\n' + "text\n\n" * 40 + '"""\n'
    code, lines = check({"src/polytomy/a.py": source})
    assert code == 1
    assert "f has 43 code lines" in lines[0]


@pytest.mark.parametrize(
    "signature",
    [
        letters(8),
        f"self, {letters(8)}",
        f"cls, /, {letters(8)}",
        f"*, {letters(8)}",
        f"{letters(4)}, /, e, *, f, g, h",
        f"{letters(6)}, *args, **rest",
    ],
)
def test_many_arguments(check, signature):
    assert check({"tools/a.py": function(1, signature)}) == (
        1,
        ["tools/a.py:1: f has 8 arguments; at most 7 allowed."],
    )


@pytest.mark.parametrize("signature", [letters(7), f"self, {letters(7)}", "a, *, b"])
def test_seven_arguments_are_allowed(check, signature):
    assert check({"src/polytomy/a.py": function(1, signature)})[0] == 0


def test_async_and_nested_functions_are_seen(check):
    source = f"class A:\n    async def f(self, {letters(8)}):\n        pass\n"
    code, lines = check({"src/polytomy/a.py": source})
    assert code == 1
    assert lines[0].startswith("src/polytomy/a.py:2: f has 8 arguments")


def test_fields_of_a_dataclass_are_not_arguments(check):
    fields = "".join(f"    {letter}: int\n" for letter in "abcdefghij")
    source = f"from dataclasses import dataclass\n@dataclass\nclass A:\n{fields}"
    assert check({"src/polytomy/a.py": source})[0] == 0


def test_estimators_may_take_many_arguments_in_init_only(check):
    names = [f"p{i}" for i in range(25)]
    signature = "\n    self,\n" + "".join(f"    {name},\n" for name in names)
    body = "".join(f"    self.{name} = {name}\n" for name in names)
    init = f"def __init__({signature}):\n{body}"
    assert check({"src/polytomy/estimators/a.py": init})[0] == 0
    assert check({"src/polytomy/estimators/a.py": init.replace("__init__", "fit")})[0] == 1
    assert check({"src/polytomy/grow/a.py": init})[0] == 1


def test_estimators_may_not_be_long(check):
    code, lines = check({"src/polytomy/estimators/a.py": function(41, name="__init__")})
    assert code == 1
    assert "__init__ has 41 code lines" in lines[0]


@pytest.mark.parametrize("name", ["src/polytomy/cli/fit.py", "src/polytomy/cli.py"])
def test_the_command_line_may_take_many_arguments(check, name):
    assert check({name: function(1, letters(12))})[0] == 0
    assert check({"src/polytomy/click.py": function(1, letters(12))})[0] == 1


@pytest.mark.parametrize(
    ("name", "limit"),
    [("stats.cpp", 250), ("stats.hpp", 250), ("bind.cpp", 400), ("bind/a.cpp", 250)],
)
def test_long_cpp_file(check, name, limit):
    assert check({f"cpp/{name}": "//\n" * limit})[0] == 0
    assert check({f"cpp/{name}": "//\n" * (limit + 1)}) == (
        1,
        [f"cpp/{name}:{limit + 1}: the file has {limit + 1} lines; at most {limit} allowed."],
    )


def test_the_binding_library_stays_in_bind(check):
    include = "#include <nanobind/nanobind.h>\n"
    assert check({"cpp/bind.cpp": include, "cpp/bind/a.hpp": include})[0] == 0
    assert check({"cpp/stats.hpp": "//\n" + include}) == (
        1,
        ["cpp/stats.hpp:2: only bind.cpp and cpp/bind may speak of nanobind."],
    )


def test_every_offence_is_printed_in_order(check):
    code, lines = check(
        {
            "src/polytomy/b.py": function(41, letters(8)),
            "src/polytomy/a.py": function(41),
            "cpp/a.cpp": "// nanobind\n",
        }
    )
    assert code == 1
    assert [line.split(":")[0] for line in lines] == [
        "cpp/a.cpp",
        "src/polytomy/a.py",
        "src/polytomy/b.py",
        "src/polytomy/b.py",
    ]


def test_a_file_that_does_not_parse_is_an_offence(check):
    code, lines = check({"src/polytomy/a.py": "x = 1\ndef\n"})
    assert code == 1
    assert lines[0].startswith("src/polytomy/a.py:2: not Python: ")


def test_an_empty_tree_does_not_pass(tmp_path):
    command = [sys.executable, str(SCRIPT), str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "no Python files" in result.stdout
