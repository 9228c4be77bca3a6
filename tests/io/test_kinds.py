"""Kinds of CSV columns, inferred from their cells or required."""

import numpy as np
import pytest

from polytomy.io.csv_reader import ColumnBuilder
from polytomy.io.kinds import (
    DESCRIPTIONS,
    NEXT_KINDS,
    PARSERS,
    parse_booleans,
    parse_integers,
    parse_numbers,
    parse_text,
    parse_times,
    parse_zoned_times,
)


@pytest.mark.parametrize(
    ("cells", "dtype_kind"),
    [
        (["1", "-2", "+3"], "i"),
        (["1", " 2 "], "i"),
        (["1", "2.5", "1e-3"], "f"),
        (["1", "", "3"], "f"),
        (["99999999999999999999999", "1"], "f"),
        (["true", "FALSE"], "b"),
        (["true", "NA"], "O"),
        (["2026-01-31", "2026-01-31 12:30"], "M"),
        (["2026-01-31T12:30:00Z", "2026-01-31T12:30:00+02:00"], "O"),
        (["2026-01-31T12:30:00Z", "2026-01-31T12:30:00"], "O"),
        (["2026-13-31"], "O"),
        (["2026", "now"], "O"),
        (["1_000", "2"], "O"),
        (["\u0661", "2"], "O"),  # the Arabic digit one
        (["yes", "no"], "O"),
        (["?", "NaN", "null", "x"], "O"),
        (["?", "NaN", "null", "<NA>"], "f"),
    ],
)
def test_kind_is_the_first_that_fits_all_cells(cells, dtype_kind):
    column = ColumnBuilder("x")
    assert column.add(cells)
    assert column.values().dtype.kind == dtype_kind
    assert len(column.values()) == len(cells)


def test_parsers_return_none_for_cells_of_another_kind():
    assert parse_integers(["1.5"]) is None
    assert parse_numbers(["1.5", "x"]) is None
    assert parse_booleans(["yes"]) is None
    assert parse_times(["2026-01-31T12:00Z"]) is None
    assert parse_zoned_times(["2026-01-31T12:00"]) is None


def test_text_is_stripped_and_equal_cells_share_a_string():
    values = parse_text([" a ", "NA", "", "?", "a"], {})
    assert values.tolist() == ["a", None, None, None, "a"]
    assert values[0] is values[4]


def test_zoned_times_are_converted_to_utc():
    values = parse_zoned_times(["2026-01-31T12:30:00Z", "2026-01-31T12:30:00+02:00", ""])
    assert [v if v is None else v.isoformat() for v in values] == [
        "2026-01-31T12:30:00+00:00",
        "2026-01-31T10:30:00+00:00",
        None,
    ]


def test_missing_time_is_nat():
    values = parse_times(["2026-01-31", "NA"])
    assert values[0] == np.datetime64("2026-01-31", "us")
    assert np.isnat(values[1])


def test_every_kind_has_a_parser_and_a_description():
    kinds = set(NEXT_KINDS) - {None}
    assert kinds == set(DESCRIPTIONS) == set(PARSERS) | {"text"}
