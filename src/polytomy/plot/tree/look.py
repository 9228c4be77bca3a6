"""The look of a drawing: names of columns, names and colours of classes, and intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._text import class_title, distinct_names, one_line
from polytomy.density import DensityModel
from polytomy.export import AnyModel, class_colour
from polytomy.plot.axes import ensure_matplotlib
from polytomy.plot.names import shown_names
from polytomy.plot.palette import BLUE

LINE = 24  # characters of a class name, and of a line of a split's label
NARROW_LINE = 14  # characters of a line of a split's label if there is little room


@dataclass(frozen=True, slots=True)
class Look:
    """The names of the columns, the names and colours of the classes, and intervals in leaves.

    ``columns`` fit on two lines of a split's label, ``narrow_columns`` on three narrow ones. A tree
    without classes has no names, and a single colour: that of the highest leaf.
    """

    columns: list[str]
    narrow_columns: list[str]
    names: tuple[str, ...]
    colours: tuple[str, ...]
    intervals: bool = False

    @classmethod
    def of(
        cls,
        model: AnyModel,
        class_names: Any = None,
        colors: Any = None,
        *,
        intervals: bool = False,
    ) -> "Look":
        """Return the look of a model's drawing.

        Parameters
        ----------
        model : Model or DensityModel
            The model.
        class_names : sequence or mapping, default=None
            A name for each class, or for some classes by class. None shows the classes themselves.
        colors : str, sequence or mapping, default=None
            A colour for each class, or for some classes by class; for a tree without classes, the
            colour of the highest leaf. None is the palette of all figures.
        intervals : bool, default=False
            Whether leaves show the 95 % interval of their share or mean.
        """
        columns = model.schema.names
        shown = shown_names(columns, LINE, 2), shown_names(columns, NARROW_LINE, 3)
        if isinstance(model, DensityModel) or model.is_numeric:
            if class_names is not None:
                raise ParameterError("class_names is for trees that predict a class")
            colour = BLUE if colors is None else _hex(colors)
            return cls(*shown, (), (colour,), intervals)
        classes = np.asarray(model.classes).tolist()
        names = [class_title(name) for name in model.class_names]
        own = [class_colour(i) for i in range(len(classes))]
        chosen = _chosen("class_names", class_names, classes, names)
        return cls(
            *shown,
            tuple(one_line(name) for name in chosen),
            tuple(c if c in own else _hex(c) for c in _chosen("colors", colors, classes, own)),
            intervals,
        )

    @property
    def short_names(self) -> list[str]:
        """The names of the classes, shortened."""
        return distinct_names(self.names, LINE)

    @property
    def colour(self) -> str:
        """The colour of the highest leaf of a tree without classes."""
        return self.colours[0]


def _chosen(what: str, given: Any, classes: Sequence[Any], default: Sequence[str]) -> list[Any]:
    """Return what was chosen for each class, or the default."""
    if given is None:
        return list(default)
    if isinstance(given, Mapping):
        unknown = [key for key in given if key not in classes]
        if unknown:
            raise ParameterError(
                f"{what} has no class {unknown[0]!r}; the classes are {list(classes)}"
            )
        return [given.get(c, own) for c, own in zip(classes, default, strict=True)]
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != len(classes):
        raise ParameterError(
            f"{what} must have one entry for each of the {len(classes)} classes, or be a mapping "
            f"from classes, got {given!r}"
        )
    return list(given)


def _hex(colour: Any) -> str:
    """Return a colour of matplotlib as ``#rrggbb``."""
    ensure_matplotlib()
    from matplotlib.colors import to_hex  # noqa: PLC0415

    try:
        return to_hex(colour)
    except ValueError as error:
        raise ParameterError(f"colors has an unknown colour: {colour!r}") from error
