"""Readers and checks of drawn trees."""

import numpy as np
from matplotlib.collections import PathCollection


def words(ax):
    return [text.get_text() for text in ax.texts]


def boxes(ax):
    """Return the extents of all cards and texts, in pixels."""
    ax.figure.canvas.draw()
    renderer = ax.figure.canvas.get_renderer()
    cards = [path.get_extents(ax.transData) for path in cards_of(ax).get_paths()]
    texts = [text.get_window_extent(renderer) for text in ax.texts]
    return cards, texts


def cards_of(ax):
    return next(c for c in ax.collections if isinstance(c, PathCollection) and c.get_zorder() == 2)


def ends(extents):
    return np.array([(b.x0, b.y0, b.x1, b.y1) for b in extents])


def overlaps(a, b, slack=1.0):
    """Return which of a overlap which of b by more than a pixel, the tolerance of hinting."""
    wide = np.minimum(a[:, None, 2], b[None, :, 2]) - np.maximum(a[:, None, 0], b[None, :, 0])
    high = np.minimum(a[:, None, 3], b[None, :, 3]) - np.maximum(a[:, None, 1], b[None, :, 1])
    return (wide > slack) & (high > slack)


def assert_tidy(ax):
    """Check that nothing overlaps, and that texts are inside one card or outside all cards."""
    cards, texts = map(ends, boxes(ax))
    assert not np.triu(overlaps(cards, cards), 1).any()
    clash = np.argwhere(np.triu(overlaps(texts, texts), 1))
    assert not len(clash), [(words(ax)[i], words(ax)[j]) for i, j in clash[:5]]
    over = overlaps(texts, cards)
    assert (over.sum(axis=1) <= 1).all()
    for i, j in np.argwhere(over):
        inside = (cards[j, :2] <= texts[i, :2] + 1).all() & (texts[i, 2:] <= cards[j, 2:] + 1).all()
        assert inside, words(ax)[i]
    frame = ax.get_window_extent()
    both = np.concatenate((cards, texts))
    assert both[:, 0].min() >= frame.x0 - 1
    assert both[:, 2].max() <= frame.x1 + 1
    assert both[:, 1].min() >= frame.y0 - 1
    assert both[:, 3].max() <= frame.y1 + 1
