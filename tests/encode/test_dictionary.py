"""Categories: sorted dictionaries, missing cells, new categories, a hundred thousand of them."""

import numpy as np
import pytest

from polytomy import TableError
from polytomy.encode import encode
from polytomy.encode.dictionary import look_up, sort_categories
from polytomy.table import Table


def categorize(values):
    column = Table.of({"x": values}).columns[0]
    categories, new_code, has_missing = sort_categories(column)
    assert has_missing == bool((column.codes < 0).any())
    return categories, new_code[column.codes]  # -1 reads the last, that of missing cells


def test_codes_follow_the_sorted_categories():
    categories, codes = categorize(np.array(["b", "a", None, "c", "a"], dtype=object))
    assert categories == ("a", "b", "c")
    assert codes.tolist() == [1, 0, 3, 2, 0]


def test_row_order_does_not_matter():
    names = np.array([f"n{i % 97}" for i in range(500)])
    order = np.random.default_rng(0).permutation(500)
    categories, codes = categorize(names)
    shuffled_categories, shuffled = categorize(names[order])
    assert categories == shuffled_categories
    np.testing.assert_array_equal(codes[order], shuffled)


def test_mixed_types_are_grouped_not_compared():
    categories, codes = categorize(np.array([3, "a", 1.5, "3", None], dtype=object))
    assert sorted(map(str, categories)) == ["1.5", "3", "3", "a"]
    assert sorted(codes.tolist()) == [0, 1, 2, 3, 4]


def test_new_categories_are_unknown_and_nan_is_missing():
    cells = np.array(["a", "z", None, float("nan")], dtype=object)
    codes = look_up(Table.of({"x": cells}).columns[0], ("a", "b"))
    assert codes.tolist() == [0, -2, -1, -1]


def test_a_hundred_thousand_categories():
    names = np.array([f"user {i}" for i in range(100_000)] * 2, dtype=object)
    coded = encode(Table.of({"who": names}))
    assert coded.columns[0].dtype == np.uint32
    assert coded.schema[0].n_values == 100_000
    assert [coded.schema[0].categories[c] for c in coded.columns[0][:50]] == names[:50].tolist()


@pytest.mark.parametrize("dtype", ["U3", "S3", object, np.dtypes.StringDType()])
def test_every_kind_of_text(dtype):
    coded = encode(Table.of({"x": np.array(["b", "a", "b"]).astype(dtype)}))
    assert coded.columns[0].tolist() == [1, 0, 1]


def test_numbers_may_be_named_nominal():
    coded = encode(Table.of(np.array([[3.0, 1], [7, 2], [np.nan, 1]]), nominal=[0]))
    assert coded.schema[0].categories == (3.0, 7.0)
    assert coded.columns[0].tolist() == [0, 1, 2]
    assert coded.schema[1].kind == "ordered"


def test_what_cannot_be_a_category_is_told_so():
    cells = np.empty(2, dtype=object)
    cells[:] = [[1, 2], [3]]
    with pytest.raises(TableError, match=r"column 'x' holds values that cannot be categories"):
        encode(Table.of({"x": cells}))
