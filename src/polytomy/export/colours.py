"""Colours of nodes: the class by hue, its share by strength; the words say both again."""

# Okabe and Ito's, which colour-blind readers can tell apart; classes beyond them are grey.
_HUES = (
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (230, 159, 0),
)
_GREY = (128, 128, 128)
_STRONGEST = 0.7  # of the hue; black text stays readable on it


def fill(label: int, share: float, n_classes: int) -> str:
    """Return the colour of a node as ``#rrggbb``: white where no class is above chance.

    >>> fill(0, 0.5, 2), fill(0, 1.0, 2), fill(9, 1.0, 12)
    ('#ffffff', '#4c9cc9', '#a6a6a6')
    """
    hue = _HUES[label] if label < len(_HUES) else _GREY
    chance = 1 / n_classes
    strength = _STRONGEST * max(0.0, share - chance) / (1 - chance) if n_classes > 1 else 0.0
    mixed = (round(255 + (part - 255) * strength) for part in hue)
    return "#" + "".join(f"{part:02x}" for part in mixed)
