"""Sets of categories in words."""

import re

from hypothesis import given
from hypothesis import strategies as st

from polytomy.export import format_set


@given(
    st.lists(st.text("abcdef", min_size=1, max_size=8), min_size=1, max_size=60),
    st.integers(24, 80),
)
def test_format_set_counts_the_names_it_leaves_out(names, width):
    text = format_set(names, width)
    assert text[0] + text[-1] == "{}"
    more = re.search(r"\+(\d+) more", text)
    shown = text[1:-1].split(", ")
    assert len(shown) - (more is not None) + (int(more[1]) if more else 0) == len(names)
    assert shown[0] == names[0]
    assert shown[-1] == names[-1]
