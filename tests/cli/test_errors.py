"""Error messages with the names of options instead of parameters."""

import pytest

from polytomy.cli.errors import in_options

FLAGS = {"max_leaves": "--leaves", "max_bins": "--bins", "index": "--index"}


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
        ("", ""),
    ],
)
def test_parameters_become_options_outside_of_quotation_marks(message, expected):
    assert in_options(message, FLAGS) == expected
