"""Distinct rows: equal rows are merged, and costs beyond the unavoidable are kept exactly."""

from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy.encode import Target, encode
from polytomy.optimal import DistinctRows
from polytomy.table import Table
from tests.strategies import cases


@settings(max_examples=100, deadline=None)
@given(cases(max_rows=14, max_columns=2, max_classes=3), st.data())
def test_distinct_rows_keep_the_cost_of_every_labelling(case, data):
    rows = DistinctRows.of(case.coded, case.target, ("ordered", "nominal"))
    groups = defaultdict(lambda: [0] * case.n_classes)
    used = [j for j, n in enumerate(case.coded.schema.n_codes()) if n > 1]
    for i, (label, unit) in enumerate(zip(case.labels, case.units, strict=True)):
        groups[tuple(int(case.coded.columns[j][i]) for j in used)][label] += unit
    classes = st.integers(0, case.n_classes - 1)
    labelling = {group: data.draw(classes) for group in sorted(groups)}
    direct = sum(sum(counts) - counts[labelling[group]] for group, counts in groups.items())
    cost = rows.unavoidable
    for i in range(rows.n_rows):
        entries = slice(rows.start[i], rows.start[i + 1])
        weights = dict(
            zip(rows.labels[entries].tolist(), rows.weights[entries].tolist(), strict=True)
        )
        own = tuple(int(code) for code in rows.codes[:, i])
        cost += max(weights.values()) - weights.get(labelling[own], 0)
    assert cost == direct


def test_distinct_rows_leave_out_columns_that_cannot_split():
    table = Table.of(
        {"x": np.array([1.0, 2.0]), "c": np.array(["a", "b"], object), "k": np.ones(2)}
    )
    rows = DistinctRows.of(encode(table), Target.of([0, 1]), ("nominal",))
    assert rows.codes.tolist() == [[0, 1]]
    assert rows.is_nominal.tolist() == [1]


def test_distinct_rows_of_a_table_without_any_split():
    coded = encode(Table.of({"x": np.ones(3)}))
    rows = DistinctRows.of(coded, Target.of([0, 1, 1]), ("ordered",))
    assert (rows.n_rows, rows.unavoidable, rows.codes.shape) == (1, 1, (0, 1))
