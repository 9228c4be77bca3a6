"""The code on every page of the documentation runs, and prints what the page shows.

The ``python`` and ``bash`` blocks of a page run in order, in one namespace and one folder that is
empty at first. A block without a language directly after them is what they print; a line ``...`` in
it stands for any number of lines. Two comments direct this:

- ``<!-- not run: reason -->`` directly before a block skips it,
- ``<!-- setup ... -->`` holds Python code that runs at its place and is not shown.
"""

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
BUILT = {"_build", "gallery"}
DOCS = [p for p in ROOT.glob("docs/**/*.md") if not BUILT & set(p.relative_to(ROOT).parts)]
PAGES = [str(page.relative_to(ROOT)) for page in sorted([ROOT / "README.md", *DOCS])]

PIECES = re.compile(
    r"^(?P<fence>```+)(?P<language>\w*)[^\n]*\n(?P<code>.*?)^(?P=fence)$"
    r"|^<!-- setup\n(?P<setup>.*?)^-->$"
    r"|^<!-- not run: (?P<reason>[^\n]+) -->$",
    re.MULTILINE | re.DOTALL,
)
BASH = textwrap.dedent("""
    set -e
    polytomy() { "$PYTHON" -c 'from polytomy.cli.entry import main; main()' "$@"; }
""")


class Block(NamedTuple):
    """A block of code that runs, and what it prints according to the page."""

    line: int
    language: str
    code: str
    output: str | None = None


def blocks_of(text: str) -> list[Block]:
    """Return the blocks of a page that run."""
    blocks: list[Block] = []
    before, end = "", 0  # what the piece before is, and where it ends
    for piece in PIECES.finditer(text):
        if text[end : piece.start()].strip():
            before = ""
        kind = "setup" if piece["setup"] else "skip" if piece["reason"] else piece["language"]
        line = text.count("\n", 0, piece.start()) + 2  # the first line of code
        if kind == "setup":
            blocks.append(Block(line, "python", piece["setup"]))
        elif kind in ("python", "bash") and before == "skip":
            kind = "skipped"
        elif kind in ("python", "bash"):
            blocks.append(Block(line, kind, piece["code"]))
        elif kind == "" and before in ("python", "bash"):
            blocks[-1] = blocks[-1]._replace(output=piece["code"])
        before, end = kind, piece.end()
    return blocks


def run_python(block: Block, page: str, names: dict[str, Any]) -> str:
    """Run a block of statements, or of a session with prompts, and return what it prints."""
    code = block.code
    if code.lstrip().startswith(">>> "):
        run_session(block, page, names)
        return ""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        # With empty lines ahead, a traceback shows the lines of the page.
        exec(compile("\n" * (block.line - 1) + code, page, "exec"), names)
    return printed.getvalue()


def run_session(block: Block, page: str, names: dict[str, Any]) -> None:
    """Run a block with prompts, which shows its own output."""
    test = doctest.DocTestParser().get_doctest(block.code, {}, page, page, block.line - 1)
    test.globs = names
    report = io.StringIO()
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed = doctest.DocTestRunner(optionflags=flags).run(test, out=report.write, clear_globs=False)
    assert not failed.failed, report.getvalue()


def run_bash(block: Block, folder: Path) -> str:
    """Run shell commands and return what they print."""
    environment = {**os.environ, "PYTHON": sys.executable, "COLUMNS": "100", "TERM": "dumb"}
    command = ["bash", "-c", BASH + block.code]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{block.code}\n{done.stdout}{done.stderr}"
    return done.stdout


def same_output(printed: str, shown: str) -> bool:
    """Return whether a text is what a page shows, where a line ``...`` stands for any lines."""
    lines = [line.rstrip() for line in shown.strip("\n").splitlines()]
    pattern = "".join(r"(?:.*\n)*?" if x == "..." else re.escape(x) + r"\n" for x in lines)
    text = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
    return re.fullmatch(pattern, text) is not None


def run_page(text: str, page: str, folder: Path) -> None:
    """Run the blocks of a page and compare their output."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks_of(text):
        printed = (
            run_python(block, page, names)
            if block.language == "python"
            else run_bash(block, folder)
        )
        if block.output is not None and not same_output(printed, block.output):
            pytest.fail(
                f"{page}:{block.line} prints\n{printed}\nnot\n{block.output}", pytrace=False
            )


@pytest.mark.parametrize("page", PAGES)
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        run_page((ROOT / page).read_text(encoding="utf-8"), page, tmp_path)


# ---- the runner itself -----------------------------------------------------------------------


def test_blocks_and_their_output():
    text = (
        "```python\na = 1\n```\n\n```\n1\n```\n\ntext\n\n```\nno output\n```\n"
        "<!-- not run: needs a database -->\n```python\nb\n```\n\n```\nnor this\n```\n"
        "<!-- setup\nc = 3\n-->\n\n```sql\nselect\n```\n```bash\nls\n```\n"
    )
    assert blocks_of(text) == [
        Block(2, "python", "a = 1\n", "1\n"),
        Block(23, "python", "c = 3\n"),
        Block(30, "bash", "ls\n"),
    ]


@pytest.mark.parametrize(
    ("printed", "shown", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a  \nb", "a\nb\n", True),
        ("a\nb\nc\nd", "a\n...\nd\n", True),
        ("a\nd", "a\n...\nd\n", True),
        ("a\nb", "a\n...\n", True),
        ("a\nb", "a\n", False),
        ("a", "a\nb\n", False),
        ("ab", "a.\n", False),
    ],
)
def test_same_output(printed, shown, same):
    assert same_output(printed, shown) == same


@pytest.mark.parametrize(
    "code", ["```python\nprint(2)\n```\n```\n3\n```\n", "```python\n>>> 1 + 1\n3\n```\n"]
)
def test_wrong_output_is_found(code, tmp_path):
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        run_page(code, "page.md", tmp_path)


def test_a_failing_command_is_found(tmp_path):
    with pytest.raises(AssertionError):
        run_page("```bash\nfalse\n```\n", "page.md", tmp_path)


def test_blocks_share_names_and_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(
        "```python\nfrom pathlib import Path\nx = Path('f').write_text('hi')\n```\n"
        "```bash\ncat f\n```\n```\nhi\n```\n"
        "```python\nprint(x)\n```\n```\n2\n```\n",
        "page.md",
        tmp_path,
    )
