"""Styles of classes: the first classes have the same colour in every figure."""

from hypothesis import given
from hypothesis import strategies as st

from polytomy.export import CLASS_COLOURS
from polytomy.plot.palette import COLOURS, OutputStyle, style_numbers


def test_output_styles_have_the_colours_of_their_classes():
    styles = [OutputStyle.nth(n, n, "") for n in style_numbers(range(6), len(COLOURS))]
    assert [style.colour for style in styles] == list(CLASS_COLOURS)


@given(st.sets(st.integers(0, 40), max_size=7))
def test_style_numbers_are_distinct_and_keep_those_of_the_first_classes(chosen):
    classes = sorted(chosen)
    numbers = style_numbers(classes, 7)
    assert len(set(numbers)) == len(classes)
    assert all(0 <= n < 7 for n in numbers)
    pairs = zip(numbers, classes, strict=True)
    assert all(n == label for n, label in pairs if label < len(CLASS_COLOURS))
