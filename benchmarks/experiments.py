"""What the experiments of docs/evidence/boosting.md share: options, folds and figures."""

import argparse
import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import Any

from quality.plan import classification_tables, split
from results import HERE, fill_document, folder
from tables import Data

DOCUMENT = HERE.parent / "docs" / "evidence" / "boosting.md"


def add_options(parser: argparse.ArgumentParser, folds: int, repeats: int) -> None:
    """Add the options that all experiments have."""
    add = parser.add_argument
    add("--data", type=Path, metavar="PATH", help="folder of tables with a catalog.json")
    add("--tables", nargs="+", metavar="NAME", help="these tables only")
    add("--folds", type=whole(2), default=folds, metavar="N", help=f"folds ({folds})")
    add("--repeats", type=whole(1), default=repeats, metavar="N", help=f"repeats ({repeats})")
    add("--output", type=Path, metavar="PATH", help="where to write (benchmarks/results)")
    add("--quick", action="store_true", help="a small trial of the command")
    add("--write", action="store_true", help=f"write the results into {DOCUMENT.name} of docs")


def parsed(parser: argparse.ArgumentParser, arguments: list[str] | None) -> argparse.Namespace:
    """Parse the command line and set the data folder."""
    given = parser.parse_args(arguments)
    if given.write and given.quick:
        parser.error("the document is not written from a quick trial")
    if given.data is not None:
        os.environ["POLYTOMY_DATA"] = str(given.data.resolve())
    return given


def whole(least: int) -> Any:
    """Return a parser of integers that are at least this."""

    def read(text: str) -> int:
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"{value} is less than {least}")
        return value

    read.__name__ = "integer"
    return read


def chosen_tables(given: argparse.Namespace, quick: int) -> list[str]:
    """Return the tables that the command line names, or all; every so often one if it is quick."""
    tables = classification_tables()
    unknown = sorted(set(given.tables or ()) - set(tables))
    if unknown:
        raise SystemExit(f"not among the tables at hand: {', '.join(unknown)}")
    if given.tables:
        return given.tables
    return tables[:: max(1, len(tables) // quick)][:quick] if given.quick else tables


def folds_of(data: Data, given: argparse.Namespace) -> Iterator[tuple[Data, Data]]:
    """Yield the training and the held-out rows of every fold of every repeat."""
    for repeat in range(given.repeats):
        for fold in range(given.folds):
            yield split(data, given.folds, repeat, fold)


def output_path(given: argparse.Namespace, name: str) -> Path:
    """Return the file to write, in a folder that exists."""
    path = given.output or folder(given.quick) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def panels(high: int, wide: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return a new figure and its panels, a row for each line of them."""
    from matplotlib import pyplot  # noqa: PLC0415

    pyplot.switch_backend("Agg")  # for files: no window is opened
    return pyplot.subplots(high, wide, figsize=size, squeeze=False, layout="constrained")


def save_figure(figure: Any, given: argparse.Namespace, path: Path) -> None:
    """Write a figure; with --write also into the images of the documents."""
    figure.savefig(path, dpi=120)
    print(f"wrote {path}")
    if given.write:  # a small file: a few colours at a lower resolution
        from PIL import Image  # noqa: PLC0415  # comes with matplotlib

        drawn = BytesIO()
        figure.savefig(drawn, dpi=80)
        few = Image.open(drawn).convert("RGB").quantize(24)
        few.save(DOCUMENT.parents[1] / "images" / f"{path.stem}.png", optimize=True)


def finish(given: argparse.Namespace, tables: dict[str, list[str]], start: float) -> None:
    """Print the tables and the time; with --write also fill the document."""
    for lines in tables.values():
        print("\n" + "\n".join(lines))
    print(f"\n{perf_counter() - start:.0f} s")
    if given.write:
        fill_document(DOCUMENT, tables)
