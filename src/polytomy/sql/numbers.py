"""Numbers in a database, for regression trees with squared errors."""

from math import isfinite, ldexp
from typing import ClassVar

import numpy as np

from polytomy._errors import TargetError
from polytomy._types import FloatArray
from polytomy.encode import RESIDUE_UNIT, GroupSums, NumberScale, NumericTarget, Target
from polytomy.grow import GroupResidues, Histograms, SampleTotals, TargetFacts

from .database import SQL, Database
from .targets import Found, StoredTarget, spread
from .weights import WeighedRows

_TERMS = 3  # moments of a number


class StoredNumbers(StoredTarget):
    """Numbers as two components; see ``polytomy.encode.NumericTarget``.

    Every result is that of NumPy, bit for bit: numbers are added, multiplied and rounded in the
    same order, and all sums are of integers, or of terms that float64 adds without rounding.

    Parameters
    ----------
    database : Database
        The database.
    weighed : WeighedRows
        The rows with their numbers, ``y``, and weights.
    """

    groups: ClassVar[tuple[str, ...]] = ()

    def __init__(self, database: Database, weighed: WeighedRows) -> None:
        self._given, rows = weighed.given, weighed.rows
        self.scale = scale = _read_scale(database, weighed)
        components = self._components(database)
        self.cells = {"y": ("y", "DOUBLE")}
        if weighed.given:
            self.cells["weight"] = "weight", "DOUBLE"
        self.cells |= {name: (sql, "BIGINT") for name, sql in components.items()}
        self.sums = {"above": "above", "below": "below"}
        sums = ", ".join(f"CAST(sum({sql}) AS BIGINT) AS {n}" for n, sql in components.items())
        sql = f"SELECT {sums} FROM {rows.relation}"
        found = database.fetch(sql, **dict.fromkeys(components, "int64"))
        above, below, residue = (int(found[name][0]) for name in components)
        counts = np.array([above, below], dtype=np.int64)
        unit, span = ldexp(1.0, -scale.exponent), scale.span
        self.facts = TargetFacts(rows.n_rows, counts, unit, True, unit * (span * span / 4), scale)
        ends = np.array([scale.low]), np.array([scale.low + span])
        residues = GroupResidues(np.array([residue], dtype=np.int64), *ends)
        self.totals = SampleTotals(counts, rows.n_rows, True, residues)

    def _components(self, database: Database) -> dict[str, str]:
        """Return the SQL of what a row counts for both components, and of its residue.

        These are the operations of ``NumericTarget.on_scale``.
        """
        scale, factor = self.scale, SQL.number(2.0**self.scale.exponent)
        whole = factor
        if self._given:
            whole = f"CAST({database.whole(f'weight * {factor}')} AS DOUBLE)"
        share = f"(y - {SQL.number(scale.low)}) / {SQL.number(scale.span or 1.0)}"
        above = database.whole(f"{share} * {whole}")
        first = f"CAST({above} AS DOUBLE)"
        second = f"({whole} - {first})"
        finer = SQL.number(1 / RESIDUE_UNIT)
        alone = database.whole(f"{first} * {second} * 4E0 / {whole} * {finer}")
        return {"above": above, "below": f"CAST({second} AS BIGINT)", "residue": alone}

    def histograms(self, found: Found, shape: tuple[int, int]) -> list[Histograms]:
        """Return histograms from the sums of each part and code; ``shape`` is their number."""
        at = found["part"], found["code"]
        n_rows = spread(shape, at, found["n"])
        components = np.stack([spread(shape, at, found[name]) for name in self.sums], axis=2)
        pairs = zip(components, n_rows, strict=True)
        return [Histograms(np.ascontiguousarray(counts), rows) for counts, rows in pairs]

    def taken(self, found: Found) -> Target:
        """Return the target of some rows, given their stored columns."""
        weights = found["weight"].astype(np.float64) if self._given else None
        return NumericTarget.on_scale(self.scale, found["y"].astype(np.float64), weights)

    def residues(self, database: Database, rows: str, n_parts: int) -> GroupResidues:
        """Return the residues of parts of the rows.

        Parameters
        ----------
        database : Database
            The database.
        rows : str
            A query for the rows; the column ``part`` numbers the parts.
        n_parts : int
            The number of parts.

        Returns
        -------
        GroupResidues
            The residues.
        """
        found = database.fetch(
            "SELECT part, CAST(sum(residue) AS BIGINT) AS amount, min(y) AS low, max(y) AS high "
            f"FROM ({rows}) AS moved GROUP BY part",
            part="int64",
            amount="int64",
            low="float64",
            high="float64",
        )
        at = np.asarray(found["part"], dtype=np.int64)
        low, high = np.full(n_parts, np.inf), np.full(n_parts, -np.inf)
        low[at], high[at] = found["low"], found["high"]
        return GroupResidues(spread((n_parts,), (at,), found["amount"]), low, high)

    def moments(self, database: Database, rows: str, n_parts: int) -> FloatArray:
        """Return the moments of parts of the rows; see ``NumericTarget.moments``.

        Every term is split as ``polytomy.encode.exact_sums`` does, so that no sum is rounded.

        Parameters
        ----------
        database : Database
            The database.
        rows : str
            A query for the rows; the column ``part`` numbers the parts.
        n_parts : int
            The number of parts.

        Returns
        -------
        ndarray of shape (n_parts, 3)
            The moments.
        """
        weight, far = "weight" if self._given else "1E0", f"(y - {SQL.number(self.scale.centre)})"
        terms = [weight, f"{far} * {weight}", f"{far} * {far} * {weight}"]
        anchors = np.array([bound.anchors() for bound in self.scale.bounds()[:_TERMS]]).T
        left = ", ".join(f"{term} AS r{i}" for i, term in enumerate(terms))
        query = f"SELECT part, {left} FROM ({rows}) AS placed"
        levels: list[str] = []
        for level, large in enumerate(anchors.tolist()):
            multiples = [f"m{level}{i}" for i in range(_TERMS)]
            split = [
                f"(r{i} + {SQL.number(x)}) - {SQL.number(x)} AS {m}"
                for i, (m, x) in enumerate(zip(multiples, large, strict=True))
            ]
            rest = [f"r{i} - {m} AS r{i}" for i, m in enumerate(multiples)]
            query = f"SELECT *, {', '.join(split)} FROM ({query}) AS terms{level}"
            kept = ", ".join(["part", *levels, *multiples, *rest])
            query = f"SELECT {kept} FROM ({query}) AS split{level}"
            levels += multiples
        sums = ", ".join(f"sum({m}) AS {m}" for m in levels)
        found = database.fetch(
            f"SELECT part, {sums} FROM ({query}) AS levels GROUP BY part",
            part="int64",
            **dict.fromkeys(levels, "float64"),
        )
        out = np.zeros((len(anchors), n_parts, _TERMS))
        for level in range(len(anchors)):
            for i in range(_TERMS):
                out[level, np.asarray(found["part"], dtype=np.int64), i] = found[f"m{level}{i}"]
        return GroupSums(out).total()


def _read_scale(database: Database, weighed: WeighedRows) -> NumberScale:
    """Return the scale of the numbers."""
    rows = weighed.rows
    sql = f"SELECT min(y) AS low, max(y) AS high FROM {rows.relation}"
    found = database.fetch(sql, low="float64", high="float64")
    low, high = float(found["low"][0]) + 0.0, float(found["high"][0]) + 0.0
    if not (isfinite(low) and isfinite(high)):
        raise TargetError(f"the target must be finite, but is from {low:g} to {high:g}")
    mean = low
    if low < high:
        mean_of = "sum(y * weight) / sum(weight)" if weighed.given else "avg(y)"
        found = database.fetch(f"SELECT {mean_of} AS mean FROM {rows.relation}", mean="float64")
        mean = float(found["mean"][0])
    return NumberScale.of("squared_error", (low, high), mean, weighed.total, rows.n_rows)
