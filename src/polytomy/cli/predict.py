"""``polytomy predict``: predict the class, number or log-density of every row of a data file."""

import csv
import gzip
import re
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from io import StringIO
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from . import options
from .errors import CommandError

if TYPE_CHECKING:
    from polytomy._types import AnyArray
    from polytomy.table import Table

_ROWS = 100_000  # rows that are turned into text at a time
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")  # begin a formula in a spreadsheet
_NUMBER = re.compile(r"[+-]([\d.,' ]+([eE][+-]?\d+)?%?)?")  # or a sign alone, which is harmless
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": ",", "": ","}


def predict(
    model: options.ModelFile,
    data: options.DataFiles,
    *,
    output: Annotated[
        Path,
        options.option(
            "File to write, .csv or .tsv, optionally with .gz; - for stdout.",
            "--output",
            "-o",
            default="-",
            metavar="FILE",
            allow_dash=True,
        ),
    ] = Path("-"),
    proba: Annotated[
        bool,
        options.option("Also write the probability of each class.", "--proba", default="off"),
    ] = False,
    interval: Annotated[
        bool,
        options.option(
            "Also write the 95 % interval of the mean. For regression trees.",
            "--interval",
            default="off",
        ),
    ] = False,
    leaf: Annotated[
        bool,
        options.option(
            "Also write the number of the leaf. For a single tree.", "--leaf", default="off"
        ),
    ] = False,
    explain: Annotated[
        bool,
        options.option(
            "Also write the conditions on the way to the leaf. For a single tree.",
            "--explain",
            default="off",
        ),
    ] = False,
    keep: options.Keep = None,
    sep: options.Sep = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    dayfirst: options.DayFirst = None,
    jobs: options.Jobs = None,
) -> None:
    """Predict the class, number or log-density of every row of a data file.

    The predictions are written as CSV, one line per row of DATA. Columns are matched by name.
    Columns that the model does not use are ignored, unless --keep names them. A regression tree
    predicts the mean to expect. For a density tree, the log-density and the box of every row are
    written. Text is read as in the training data: with the same currency signs, decimal marks and
    dates.

    Parquet and Arrow files, folders and patterns are read and written some rows at a time.
    """
    given = dict(locals())
    from polytomy.io import read_parts_for_model

    from .files import check_output, load_model, open_output, schema_of
    from .progress import ProgressBar

    path = options.one_or_many(data)
    check_output(output, path, model)
    delimiter = delimiter_for(output)
    clf = load_model(model)
    clf.n_jobs = jobs
    wanted = [n for n in ("proba", "interval", "leaf", "explain") if given[n]]
    _check_kind(clf, wanted)
    reading = _reading(clf, given)
    n_rows = 0
    with ExitStack() as stack:
        bar = stack.enter_context(ProgressBar("predicting"))
        parts = read_parts_for_model(
            path, schema_of(clf), bar.show, options=reading, keep=keep or ()
        )
        first = next(parts)  # nothing is written if the data cannot be read
        file: Any = stack.enter_context(open_output(output))
        if output.suffix.lower() == ".gz":
            file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        for part, kept in chain([first], parts):
            columns = [*_kept(kept), *_predictions(clf, part, wanted)]
            _check_names([name for name, _ in columns])
            write_csv(file, columns, delimiter, header=n_rows == 0)
            n_rows += part.n_rows
    if str(output) != "-":
        typer.echo(f"Wrote {n_rows:,} predictions to {output}")


def _reading(clf: Any, given: dict[str, Any]) -> Any:
    """Return how to read text: as in the training data, unless options say otherwise."""
    from .rows import reading_of

    own, stored = options.reading_options(given), reading_of(clf)
    return own if stored is None else stored.overridden(own)


def _check_kind(clf: Any, wanted: Sequence[str]) -> None:
    """Raise an error if the model cannot predict what is asked for."""
    from .files import classes_of, ensemble_word, is_density

    if is_density(clf):
        if wanted:
            raise CommandError(f"--{wanted[0]} is for a target, but this is a density tree")
        return
    is_regressor, word = classes_of(clf) is None, ensemble_word(clf)
    if "proba" in wanted and is_regressor:
        raise CommandError(
            "--proba is for classes, but this model predicts numbers"
            + ("" if word else "; --interval writes the interval of the mean")
        )
    if "interval" in wanted and not is_regressor:
        raise CommandError(
            "--interval is for regression trees, but this model predicts classes; --proba writes "
            "their probabilities"
        )
    single = [name for name in wanted if name in ("interval", "leaf", "explain")]
    if single and word:
        trees = "regression trees" if single == ["interval"] else "a single tree"
        raise CommandError(f"--{single[0]} is for {trees}, but this model is {word}")


def _check_names(names: list[str]) -> None:
    """Raise an error if a column that is kept has the name of one that is written."""
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise CommandError(f"--keep {twice[0]} has the name of a column that predict writes")


def _kept(table: "Table | None") -> "list[tuple[str, AnyArray]]":
    from polytomy.io import column_cells

    return [] if table is None else [(n, column_cells(table, n)) for n in table.names]


def _predictions(clf: Any, table: "Table", wanted: Sequence[str]) -> "list[tuple[str, AnyArray]]":
    """Return the columns to write, with their names."""
    import numpy as np

    from .files import is_density

    if is_density(clf):
        boxes = np.array([region.where for region in clf.predict_region(table)], dtype=object)
        return [("log_density", clf.score_samples(table)), ("region", boxes)]
    columns = [("prediction", clf.predict(table))]
    if "proba" in wanted:
        names = [f"p_{c}" for c in clf.classes_.tolist()]
        columns += zip(names, clf.predict_proba(table).T, strict=True)
    if "interval" in wanted:
        columns += zip(("low", "high"), clf.predict_interval(table).T, strict=True)
    if "leaf" in wanted:
        columns.append(("leaf", clf.apply(table)))
    if "explain" in wanted:
        columns.append(("explanation", _explanations(clf, table)))
    return columns


def _explanations(clf: Any, table: "Table") -> "AnyArray":
    """Return the conditions on the way to the leaf of each row."""
    import numpy as np

    texts = {rule.leaf: rule.condition for rule in clf.to_rules()}
    leaves, number = np.unique(clf.apply(table), return_inverse=True)
    return np.array([texts[leaf] for leaf in leaves.tolist()], dtype=object)[number]


def delimiter_for(output: Path) -> str:
    """Return the delimiter for a file name; raise an error if it is not that of a CSV file."""
    plain = output.with_suffix("") if output.suffix.lower() == ".gz" else output
    if plain.suffix.lower() not in _DELIMITERS:
        raise CommandError(
            f"cannot write {output}: predictions are written as CSV; use the suffix .csv or .tsv"
        )
    return _DELIMITERS[plain.suffix.lower()]


def write_csv(
    file: BinaryIO,
    columns: "Sequence[tuple[str, AnyArray]]",
    delimiter: str,
    *,
    header: bool = True,
) -> None:
    """Write columns as CSV, with or without their names in the first line."""
    if header:
        file.write(_as_csv([[_defused(name) for name, _ in columns]], delimiter))
    for start in range(0, len(columns[0][1]), _ROWS):
        cells = [_cells(column[start : start + _ROWS]) for _, column in columns]
        file.write(_as_csv(zip(*cells, strict=True), delimiter))


def _cells(column: "AnyArray") -> list[Any]:
    """Return the cells of a column, with text that is safe to open in a spreadsheet."""
    cells: list[Any] = column.tolist()
    if column.dtype.kind not in "OSU":
        return cells
    return [_defused(cell) if isinstance(cell, str) else cell for cell in cells]


def _defused(text: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet would take it for a formula.

    Text that is a number or a sign, such as -1 or +, stays as it is.
    """
    if not text.startswith(_FORMULA_SIGNS) or _NUMBER.fullmatch(text):
        return text
    return f"'{text}"


def _as_csv(rows: Iterable[Sequence[Any]], delimiter: str) -> bytes:
    text = StringIO(newline="")
    # Before Python 3.13, carriage returns are quoted only if they are in the line terminator.
    lines: Any = SimpleNamespace(write=lambda line: text.write(f"{line[:-2]}\n"))
    csv.writer(lines, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode("utf-8")
