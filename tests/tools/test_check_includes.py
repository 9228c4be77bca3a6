"""The include check: each rule, on files given by name."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def check(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    import check_includes  # noqa: PLC0415

    return check_includes.check


def including(*names):
    return "".join(f'#include "{name}"\n' for name in names)


CLEAN = {
    "base/types.hpp": "#include <vector>\n",
    "encode/cuts.hpp": including("base/types.hpp"),
    "search/runs.hpp": including("base/types.hpp"),
    "grow/growth.hpp": including("encode/cuts.hpp", "search/runs.hpp", "base/types.hpp"),
    "boost/booster.cpp": including("grow/growth.hpp", "base/types.hpp"),
    "predict/route.hpp": including("base/types.hpp"),
    "prune/minplus.hpp": including("base/types.hpp"),
    "bind/module.cpp": "#include <nanobind/nanobind.h>\n"
    + including("predict/route.hpp", "prune/minplus.hpp", "grow/growth.hpp"),
}


def test_check_finds_nothing_in_the_allowed_order(check):
    assert check(CLEAN) == []


@pytest.mark.parametrize(
    ("file", "target"),
    [
        ("base/b.hpp", "encode/cuts.hpp"),
        ("encode/b.hpp", "search/runs.hpp"),
        ("search/b.cpp", "grow/growth.hpp"),
        ("predict/b.cpp", "grow/growth.hpp"),
        ("prune/b.cpp", "predict/route.hpp"),
        ("boost/b.cpp", "predict/route.hpp"),
    ],
)
def test_check_reports_an_include_against_the_order(check, file, target):
    (found,) = check({**CLEAN, file: "\n" + including(target)})
    assert found.startswith(f'cpp/{file}:2: {file.split("/")[0]} may not include "{target}"')


def test_check_reports_an_include_without_its_folder(check):
    (found,) = check({**CLEAN, "base/b.cpp": including("types.hpp")})
    assert found == 'cpp/base/b.cpp:1: "types.hpp" is not a file in cpp; write "folder/file.hpp"'


def test_check_reports_a_file_outside_the_folders(check):
    found = check({**CLEAN, "loose.cpp": "", "extra/b.cpp": ""})
    assert [line.split(":")[0] for line in found] == ["cpp/extra/b.cpp", "cpp/loose.cpp"]


@pytest.mark.parametrize("header", ["<nanobind/ndarray.h>", "<Python.h>"])
def test_check_reports_binding_headers_outside_bind(check, header):
    (found,) = check({**CLEAN, "grow/b.cpp": f"#  include {header}\n"})
    assert found.startswith("cpp/grow/b.cpp:1: only bind may include")


def test_check_reports_headers_that_include_one_another(check):
    ring = {f"grow/{a}.hpp": including(f"grow/{b}.hpp") for a, b in ("pq", "qr", "rp")}
    (found,) = check({**CLEAN, **ring, "grow/s.cpp": including("grow/q.hpp")})
    assert found.endswith("grow/p.hpp -> grow/q.hpp -> grow/r.hpp -> grow/p.hpp")


def test_check_allows_two_ways_to_one_header(check):
    two = {
        "grow/p.hpp": including("grow/q.hpp", "grow/r.hpp"),
        "grow/q.hpp": including("grow/r.hpp"),
    }
    assert check({**CLEAN, **two, "grow/r.hpp": ""}) == []


def test_tool_reads_a_folder_and_sets_the_exit_code(tmp_path):
    for name, text in {**CLEAN, "base/b.hpp": including("grow/growth.hpp")}.items():
        file = tmp_path / "cpp" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    command = [sys.executable, str(TOOLS / "check_includes.py"), str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    first, last = result.stdout.splitlines()
    assert first.startswith("cpp/base/b.hpp:1: base may not include")
    assert last == "9 C++ files checked, 1 includes against the order"
    (tmp_path / "cpp/base/b.hpp").unlink()
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
