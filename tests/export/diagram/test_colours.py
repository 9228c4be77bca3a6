"""The palette and its text colours."""

import pytest

from polytomy.export.diagram import CLASS_COLOURS, contrast, node_colour, text_colour


def parts(colour):
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))


def test_contrast_is_that_of_wcag():
    assert contrast(parts("#000000"), parts("#ffffff")) == pytest.approx(21)
    assert contrast(parts("#777777"), parts("#ffffff")) == pytest.approx(4.478, abs=1e-3)


@pytest.mark.parametrize("colour", CLASS_COLOURS)
def test_text_colour_is_readable_on_class_colours(colour):
    assert contrast(parts(text_colour(colour)), parts(colour)) >= 4.5


@pytest.mark.parametrize("label", range(8))
def test_node_colour_leaves_black_text_readable(label):
    assert contrast(parts("#000000"), parts(node_colour(label, 1.0, 8))) >= 4.5
