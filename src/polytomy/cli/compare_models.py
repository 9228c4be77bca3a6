"""``polytomy compare A B DATA``: champion against challenger on the rows of a file."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import CommandError

if TYPE_CHECKING:
    from polytomy.estimators import Comparison
    from polytomy.io import LabelledTable

_MOST_LEAVES = 5  # leaves with disagreements that are printed
_MOST_ROWS = 10  # numbers of rows that are printed


@dataclass(frozen=True, slots=True)
class ComparedModels:
    """The files and options of a comparison of two models."""

    a: Path
    b: Path
    data: Path
    target: str | None
    weights: str | None
    drop_unlabelled: bool
    jobs: int | None
    disagreements: Path | None
    costs: list[str] | None = None


def compare_models(given: ComparedModels) -> None:
    """Print the differences of two models on rows, and write the rows on which they disagree."""
    from rich.console import Console

    from polytomy.estimators.reading.comparison import compare_on

    from .files import check_output
    from .predict import delimiter_for
    from .progress import ProgressBar
    from .rows import is_training_file, rows_fitted

    if str(given.data) == "-":
        raise CommandError("DATA is read once for each model, so it cannot be stdin")
    if given.disagreements is not None:
        check_output(given.disagreements, given.a, given.b, given.data)
        delimiter_for(given.disagreements)
    with ProgressBar("comparing"):
        models = _load(given)
        first = _read(models[0], given, given.target)
        second = _read(models[1], given, first.target)
        for model in models:
            model.n_jobs = given.jobs
        found = compare_on(
            models[0],
            first.table,
            models[1],
            second.table,
            first.labels,
            sample_weight=first.weights,
            cost_matrix=_costs(models, first, given.costs),
            names=(str(given.a), str(given.b)),
        )
    is_shown = str(given.disagreements) != "-"
    console = Console(highlight=False, soft_wrap=True, stderr=not is_shown)
    if given.target is None:
        console.print(f"target: {first.target}", markup=False)
    console.print(str(found), markup=False)
    for name, model, rows in zip("ab", models, (first, second), strict=True):
        if is_training_file(model, rows):
            fitted = f"{name} was fitted on {rows_fitted(model):,} of these {len(rows):,} rows"
            console.print(f"Caution: {fitted}, so its errors are optimistic.", markup=False)
    for line in _lines_on_rows(found, is_listed=given.disagreements is None):
        console.print(line, markup=False)
    if given.disagreements is not None:
        _write(given, found, first.target)
        if is_shown:
            n = len(found.disagreements)
            console.print(f"Wrote {n:,} rows to {given.disagreements}", markup=False)


def _load(given: ComparedModels) -> list[Any]:
    """Return the two models, which predict alike."""
    from polytomy.estimators.reading.comparison import both_classify

    from .files import load_predictor

    models = [load_predictor(path) for path in (given.a, given.b)]
    if not both_classify(*models) and given.costs:
        raise CommandError("--cost is for classification")
    return models


def _costs(
    models: list[Any], rows: "LabelledTable", given: list[str] | None
) -> dict[tuple[Any, Any], float] | None:
    """Return the costs of ``--cost``, by classes of the rows or of the models."""
    import numpy as np

    from .options import parse_costs

    if not given:
        return None
    return parse_costs(given, np.concatenate([rows.labels, *(m.classes_ for m in models)]))


def _read(clf: Any, given: ComparedModels, target: str | None) -> "LabelledTable":
    from .rows import RowOptions, read_rows_for

    return read_rows_for(clf, given.data, RowOptions(target, given.weights, given.drop_unlabelled))


def _lines_on_rows(found: "Comparison", *, is_listed: bool) -> list[str]:
    """Return where the models disagree: the leaves of the first, and the first rows."""
    lines = []
    leaves = [one for one in found.leaves if one.disagreements]
    if leaves:
        lines += ["", "leaves of a with most disagreements:"]
        lines += [
            f"  {one.disagreements:,} of {one.rows:,} rows (a wrong on {one.errors_a:,}, b on "
            f"{one.errors_b:,}): {one.rule}"
            for one in leaves[:_MOST_LEAVES]
        ]
    if is_listed and "error" in found.measures and len(found.disagreements):
        numbers = (found.disagreements + 1).tolist()
        more = f", ... ({len(numbers):,} in all)" if len(numbers) > _MOST_ROWS else ""
        lines += ["", f"rows: {', '.join(f'{i:,}' for i in numbers[:_MOST_ROWS])}{more}"]
        lines += ["--disagreements FILE writes them with both predictions"]
    return lines


def _write(given: ComparedModels, found: "Comparison", target: str) -> None:
    """Write the rows on which the models disagree: number, target, predictions and cells."""
    import numpy as np

    from polytomy.io import read_table
    from polytomy.io.labelled import column_cells, missing_rows

    from .files import open_output
    from .predict import delimiter_for, write_csv

    assert given.disagreements is not None
    table, at = read_table(given.data), found.disagreements
    number = np.arange(table.n_rows)
    if given.drop_unlabelled:
        number = np.delete(number, missing_rows(column_cells(table, target)))
    number = number[at]
    columns: list[tuple[str, Any]] = [
        ("row", number + 1),
        ("prediction_a", found.predicted_a[at]),
        ("prediction_b", found.predicted_b[at]),
    ]
    cells = table.take(number)
    columns += [(name, column_cells(cells, name)) for name in table.names]
    with open_output(given.disagreements) as file:
        write_csv(file, columns, delimiter_for(given.disagreements))
