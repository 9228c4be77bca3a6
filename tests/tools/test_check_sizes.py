"""The size check: each alarm, and what is not counted."""

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


def function(body_lines, name="f", indent=""):
    return f"{indent}def {name}():\n" + f"{indent}    x = 1\n" * body_lines


def test_check_prints_the_number_of_files(check):
    code, lines = check({"src/polytomy/a.py": function(3), "cpp/base/a.cpp": "int a;\n"})
    assert (code, lines) == (0, ["3 files checked, 0 alarms"])


@pytest.mark.parametrize(
    "name", ["src/polytomy/deep/er/a.py", "tools/a.py", "tests/a.py", "cpp/a.hpp", "cpp/b/a.cpp"]
)
def test_check_reports_a_long_file(check, name):
    assert check({name: "\n" * 600})[0] == 0
    code, lines = check({name: "\n" * 601})
    assert code == 1
    assert lines[0] == f"{name}:1: 601 lines in the file; the alarm is at 600"


def test_check_reports_a_long_function(check):
    assert check({"src/polytomy/a.py": function(60)})[0] == 0
    code, lines = check({"src/polytomy/a.py": "\n\n" + function(61)})
    assert code == 1
    assert lines[0] == "src/polytomy/a.py:3: 61 lines of code in f; the alarm is at 60"


@pytest.mark.parametrize("kind", ["async ", ""])
def test_check_reports_long_methods_and_inner_functions(check, kind):
    method = "class A:\n" + function(61, "m", "    ").replace("def", f"{kind}def")
    inner = "def outer():\n" + function(61, "inner", "    ")
    code, lines = check({"tools/a.py": method, "tools/b.py": inner})
    assert code == 1
    assert [line.split(" in ")[1].split(";")[0] for line in lines[:3]] == ["m", "outer", "inner"]


def test_check_does_not_count_signature_docstring_comments_and_blank_lines(check):
    signature = "def f(\n" + "".join(f"    a{i},\n" for i in range(70)) + "):\n"
    free = '    """Words.\n\n' + "    words\n" * 70 + '    """\n' + "    # words\n\n" * 70
    assert check({"src/polytomy/a.py": signature + free + "    x = 1\n" * 60})[0] == 0


def test_check_refuses_a_folder_without_sources(tmp_path):
    command = [sys.executable, str(SCRIPT), str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "is it the root of the repository?" in result.stdout
