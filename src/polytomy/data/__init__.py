"""Tables that come with the library; README.md beside them says where each is from."""

import csv
from importlib.resources import files
from io import StringIO

import numpy as np

from polytomy._types import AnyArray

_TEXT = ("name", "origin")  # the columns of the cars that are not numbers


def cars_csv() -> bytes:
    """Return the file of the cars as it lies in the package: UTF-8, a header, a line a car."""
    return files(__name__).joinpath("cars.csv").read_bytes()


def load_cars() -> tuple[dict[str, AnyArray], AnyArray]:
    """Return 392 cars of 1970 to 1982, by column, and where each was made.

    The columns are ``name`` (text), ``mpg``, ``cylinders``, ``displacement`` (cubic inches),
    ``horsepower``, ``weight`` (pounds), ``acceleration`` (seconds to 60 miles an hour) and
    ``year``. The origin is ``Europe``, ``Japan`` or ``USA``. No cell is missing.

    >>> columns, origin = load_cars()
    >>> list(columns)
    ['name', 'mpg', 'cylinders', 'displacement', 'horsepower', 'weight', 'acceleration', 'year']
    >>> str(columns["name"][0]), float(columns["mpg"][0]), str(origin[0])
    ('chevrolet chevelle malibu', 18.0, 'USA')
    >>> len(origin), np.unique(origin).tolist()
    (392, ['Europe', 'Japan', 'USA'])
    """
    header, *rows = csv.reader(StringIO(cars_csv().decode("utf-8"), newline=""))
    cells = dict(zip(header, zip(*rows, strict=True), strict=True))
    columns = {
        name: np.array(held, dtype=str if name in _TEXT else np.float64)
        for name, held in cells.items()
    }
    return columns, columns.pop("origin")


__all__ = ["cars_csv", "load_cars"]
