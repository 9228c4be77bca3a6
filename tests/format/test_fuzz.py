"""A few thousand mutated files: each is refused or harmless. ``make fuzz`` tries more."""

from itertools import islice
from json import loads
from random import Random

import pytest
from fuzz_fields import field_cases, field_mutants, field_outcome
from fuzz_format import Mutant, cases, mutants, outcome
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy.format import ModelFormatError, parsed, to_bytes

CASES = cases()
FIELD_CASES = field_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_mutated_file_is_refused_or_harmless(case):
    found = {}
    for mutant in islice(mutants(case, Random(case.name)), 150):
        found.setdefault(outcome(case, mutant).split(",")[0], mutant)
    assert found.keys() <= {"refused", "same", "another"}, found


@pytest.mark.parametrize("case", FIELD_CASES, ids=lambda case: case.name)
def test_changed_field_is_refused_or_found_if_it_changes_a_prediction(case):
    found = {}
    for mutant in islice(field_mutants(case, Random(case.name)), 150):
        found.setdefault(field_outcome(case, mutant), mutant.place)
    assert found.keys() <= {"refused", "same", "found"}, found


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_refused(data):
    with pytest.raises(ModelFormatError):
        parsed(data)


TEXT = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.data())
def test_arbitrary_json_in_any_place_is_refused_or_harmless(data):
    """Put JSON of any kind into any place of a document, with a checksum that fits."""
    case = data.draw(st.sampled_from(CASES))
    document = loads(case.data)
    del document["checksum"]
    holder = document
    while True:
        keys = sorted(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = data.draw(st.sampled_from(keys))
        inside = holder[key]
        if not isinstance(inside, dict | list) or not inside or data.draw(st.integers(0, 3)) == 0:
            break
        holder = inside
    holder[key] = data.draw(TEXT)
    try:
        written = to_bytes(document)
    except ValueError:  # nan: no JSON
        return
    assert not outcome(case, Mutant("any JSON", written, True)).startswith("WRONG")
