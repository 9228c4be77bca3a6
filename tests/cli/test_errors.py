"""Error messages with the names of options instead of parameters."""

import pytest

from polytomy.cli.errors import in_options, message_for

FLAGS = {"max_leaves": "--leaves", "max_bins": "--bins", "index": "--index"}
FLAGS |= {"honest": "--honest", "honest=True": "--honest", "honest=False": "--no-honest"}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("max_leaves must be below max_bins", "--leaves must be below --bins"),
        (
            "the model's max_leaves must be below the tree's max_bins",
            "the model's --leaves must be below the tree's --bins",
        ),
        ("the trees' max_leaves and rows' max_bins", "the trees' --leaves and rows' --bins"),
        ("max_leaves of column max_leaves", "--leaves of column max_leaves"),
        ("max_leaves names 'max_leaves'", "--leaves names 'max_leaves'"),
        ('max_leaves names "a\'s max_leaves"', '--leaves names "a\'s max_leaves"'),
        (r"max_leaves names 'a\'s \" max_bins'", r"--leaves names 'a\'s \" max_bins'"),
        ("the tree's 'max_bins' and max_leaves", "the tree's 'max_bins' and --leaves"),
        ("max_leaves got ['max_bins', 'a']", "--leaves got ['max_bins', 'a']"),
        ("index must be known, not an index", "--index must be known, not an index"),
        ("the index must be known", "the index must be known"),
        ("it needs index='gini'", "it needs --index gini"),
        ("use max_leaves=8, or other=8", "use --leaves 8, or other=8"),
        ("use honest=False, not honest=True", "use --no-honest, not --honest"),
        ("it names \"index='gini'\"", "it names \"index='gini'\""),
        ("", ""),
    ],
)
def test_parameters_become_options_outside_of_quotation_marks(message, expected):
    assert in_options(message, FLAGS) == expected


def test_parameters_of_the_fit_become_options_only_with_a_value():
    message = "pruner must be known; boost with max_depth=1"
    of_fit = {"pruner": "--prune", "max_depth": "--max-depth"}
    assert in_options(message, {}, of_fit) == "pruner must be known; boost with --max-depth 1"


def test_failed_imports_are_not_failed_writes(tmp_path, monkeypatch):
    (tmp_path / "broken_library.py").write_text("raise OSError('libgomp.so.1: cannot open')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(OSError, match="libgomp") as caught:
        __import__("broken_library")
    assert message_for(caught.value) == "cannot import broken_library: libgomp.so.1: cannot open"
    with pytest.raises(OSError, match="directory") as caught:
        (tmp_path / "none" / "file").write_text("")
    assert message_for(caught.value).startswith(f"cannot write {tmp_path}/none/file: no such")
