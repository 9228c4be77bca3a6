"""The palette and its text colours."""

import pytest

from polytomy.export.diagram import (
    CLASS_COLOURS,
    MeanScale,
    contrast,
    luminance,
    mean_colour,
    node_colour,
    node_colours,
    text_colour,
)
from tests.export.number_trees import NAMES, case


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


@pytest.mark.parametrize("position", [0.0, 0.5, 1.0])
def test_mean_colour_leaves_black_text_readable(position):
    assert contrast(parts("#000000"), parts(mean_colour(position))) >= 4.5


@pytest.mark.parametrize("name", NAMES)
def test_larger_means_have_stronger_colours(name):
    model = case(name)[0]._model
    light = [luminance(parts(colour)) for colour in node_colours(model)]
    means = model.node_means.expected
    ordered = [light[node] for node in means.argsort()]
    assert ordered == sorted(ordered, reverse=True)
    if model.tree.n_leaves > 1:
        assert (mean_colour(0.0), mean_colour(1.0)) == (
            node_colours(model)[min(model.tree.leaves(), key=means.__getitem__)],
            node_colours(model)[max(model.tree.leaves(), key=means.__getitem__)],
        )


def test_scale_of_one_mean_has_one_position():
    assert MeanScale(3.0, 3.0).position(3.0) == 0
    assert [MeanScale(1.0, 3.0).position(x) for x in (0.0, 1.0, 2.0, 9.0)] == [0, 0, 0.5, 1]
