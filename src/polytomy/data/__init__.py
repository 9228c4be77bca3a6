"""Example tables that come with the library; README.md beside them names their sources."""

import csv
from importlib.resources import files
from io import StringIO

import numpy as np

from polytomy._types import AnyArray

_TEXT = ("name", "origin")  # columns of text; the others are numeric


def cars_csv() -> bytes:
    """Return the bytes of the cars table as a CSV file: UTF-8, a header, one line per car."""
    return files(__name__).joinpath("cars.csv").read_bytes()


def load_cars() -> tuple[dict[str, AnyArray], AnyArray]:
    """Return the columns of 392 cars of 1970 to 1982, and the origin of each car.

    The columns are ``name`` (text), ``mpg``, ``cylinders``, ``displacement`` (cubic inches),
    ``horsepower``, ``weight`` (pounds), ``acceleration`` (seconds to 60 miles an hour) and
    ``year``. The origin is ``Europe``, ``Japan`` or ``USA``. There are no missing cells.

    >>> columns, origin = load_cars()
    >>> list(columns)
    ['name', 'mpg', 'cylinders', 'displacement', 'horsepower', 'weight', 'acceleration', 'year']
    >>> str(columns["name"][0]), float(columns["mpg"][0]), str(origin[0])
    ('chevrolet chevelle malibu', 18.0, 'USA')
    >>> len(origin), np.unique(origin).tolist()
    (392, ['Europe', 'Japan', 'USA'])
    """
    columns = {
        name: np.array(held, dtype=str if name in _TEXT else np.float64)
        for name, held in _cells("cars.csv").items()
    }
    return columns, columns.pop("origin")


def load_tennis() -> tuple[dict[str, AnyArray], AnyArray]:
    """Return the weather of 14 days, and whether tennis was played on each: "no" or "yes".

    The columns are ``outlook``, ``temperature``, ``humidity`` and ``wind``, all of them text.

    >>> columns, play = load_tennis()
    >>> list(columns)
    ['outlook', 'temperature', 'humidity', 'wind']
    >>> len(play), (play == "yes").sum().item(), str(columns["outlook"][0])
    (14, 9, 'sunny')
    """
    columns = {name: np.array(held, dtype=str) for name, held in _cells("tennis.csv").items()}
    return columns, columns.pop("play")


def _cells(file: str) -> dict[str, tuple[str, ...]]:
    """Return the cells of each column of a CSV file in this folder."""
    text = files(__name__).joinpath(file).read_text(encoding="utf-8")
    header, *rows = csv.reader(StringIO(text, newline=""))
    return dict(zip(header, zip(*rows, strict=True), strict=True))


__all__ = ["cars_csv", "load_cars", "load_tennis"]
