"""Synthetic rows: where their cells come from, and pairs of categories that cannot be."""

import numpy as np
import pandas as pd
import pytest

from polytomy.encode import encode
from polytomy.table import Nominal, Table
from polytomy.teach import mix_rows, synthetic


def mixed_table(n_rows, seed=0):
    """Return a table with numbers, text and missing cells."""
    rng = np.random.default_rng(seed)
    number = np.where(rng.random(n_rows) < 0.1, np.nan, rng.standard_normal(n_rows))
    town = rng.choice(np.array(["Bonn", "Kiel", "Graz", None], dtype=object), n_rows)
    return Table.of({"number": number, "town": town, "whole": rng.integers(0, 9, n_rows)})


def independent(n_rows, n_columns):
    """Return the codes of a table of distinct numbers."""
    x = np.random.default_rng(1).standard_normal((n_rows, n_columns))
    return encode(Table.of(x, names=[f"x{j}" for j in range(n_columns)]))


def as_cells(column):
    """Return the cells of a column; missing ones as None."""
    if isinstance(column, Nominal):
        return [None if c < 0 else column.categories[c] for c in column.codes.tolist()]
    return [None if pd.isna(v) else v for v in column.values.tolist()]


def test_every_cell_is_that_of_a_real_row():
    table = mixed_table(50)
    coded = encode(table)
    mixture = mix_rows(coded, 300, seed=3)
    assert mixture.n_rows == 300
    made = mixture.of_table(table)
    for column, real, rows in zip(made.columns, table.columns, mixture.source, strict=True):
        known = as_cells(real)
        assert as_cells(column) == [known[i] for i in rows.tolist()]


def test_codes_of_synthetic_rows_are_those_of_their_cells():
    table = mixed_table(50)
    coded = encode(table)
    mixture = mix_rows(coded, 100, seed=5)
    codes = mixture.of_codes(coded)
    assert codes.n_rows == 100
    made = [as_cells(c) for c in mixture.of_table(table).columns]
    real = [as_cells(c) for c in table.columns]
    for column, known, found, given in zip(codes.columns, real, made, coded.columns, strict=True):
        code_of = dict(zip(known, given.tolist(), strict=True))
        assert column.tolist() == [code_of[cell] for cell in found]


def test_a_fifth_of_the_cells_come_from_other_rows():
    coded = independent(500, 15)
    source = mix_rows(coded, 2000, seed=0).source
    copied = np.array([np.bincount(rows).argmax() for rows in source.T])
    share = (source != copied).mean(axis=1)
    assert abs(share.mean() - synthetic.SWAPPED) < 0.01
    assert abs(share - synthetic.SWAPPED).max() < 0.04  # of each column
    drawn = np.bincount(source[source != copied], minlength=500)
    assert drawn.min() > 0  # from any other row


def test_same_seed_gives_the_same_rows():
    coded = independent(60, 4)
    first, again, other = (mix_rows(coded, 40, seed).source for seed in (7, 7, 8))
    assert (first == again).all()
    assert (first != other).any()


def test_rows_are_drawn_by_their_weight():
    coded = independent(4, 2)
    source = mix_rows(coded, 8000, 0, np.array([0.0, 1.0, 0.0, 3.0])).source
    for rows in source:  # copied and swapped cells alike
        assert set(rows.tolist()) == {1, 3}
        assert abs((rows == 3).mean() - 0.75) < 0.03


@pytest.mark.parametrize("n_rows", [1, 2])
def test_few_rows_can_be_mixed(n_rows):
    source = mix_rows(independent(n_rows, 3), 20, seed=0).source
    assert set(source.ravel().tolist()) <= set(range(n_rows))


# ---- impossible pairs


def dependent(n_rows=200, n_copies=1):
    """Return a table in which a town lies in one country; ``n_copies`` columns say so."""
    town = np.tile(["Bonn", "Kiel", "Graz", "Linz"], n_rows // 4)
    country = np.where(np.isin(town, ["Bonn", "Kiel"]), "DE", "AT")
    columns = {"town": town, **{f"country{i}": country for i in range(n_copies)}}
    return Table.of({**columns, "x": np.arange(float(len(town)))})


@pytest.mark.parametrize("n_copies", [1, 12])  # of 12, most attempts fail
def test_impossible_pairs_never_occur(n_copies):
    table = dependent(n_copies=n_copies)
    coded = encode(table)
    mixture = mix_rows(coded, 500, seed=0)
    made = mixture.of_codes(coded)
    for j in range(1, n_copies + 1):
        seen = set(zip(coded.columns[0].tolist(), coded.columns[j].tolist(), strict=True))
        found = set(zip(made.columns[0].tolist(), made.columns[j].tolist(), strict=True))
        assert found <= seen
    assert (mixture.source[0] != mixture.source[-1]).any()


def test_pairs_that_are_only_rare_may_occur():
    """In eight rows no pair is expected ten times: nothing follows from its absence."""
    table = dependent(8)
    coded = encode(table)
    made = mix_rows(coded, 500, seed=0).of_codes(coded)
    assert len(set(zip(made.columns[0].tolist(), made.columns[1].tolist(), strict=True))) == 8


def test_columns_with_too_many_pairs_are_not_compared(monkeypatch):
    monkeypatch.setattr(synthetic, "_PAIRS", 3)
    coded = encode(dependent())
    made = mix_rows(coded, 500, seed=0).of_codes(coded)
    assert len(set(zip(made.columns[0].tolist(), made.columns[1].tolist(), strict=True))) == 8
