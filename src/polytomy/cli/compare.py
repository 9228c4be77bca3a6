"""``polytomy compare``: our trees and the others' on the same folds of one table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .bad_input import BadInputError

if TYPE_CHECKING:
    from .contest import Contender, Result
    from .sample import Sample


def compare(
    data: options.Data,
    *,
    target: options.Target,
    leaves: Annotated[
        list[int] | None,
        typer.Option(metavar="N", show_default="8 and 32", help="A budget; give several."),
    ] = None,
    gamma: Annotated[
        float | None, typer.Option(help="Also compare mansour-mcallester with this gamma.")
    ] = None,
    folds: Annotated[int, typer.Option(metavar="N", help="The folds of cross-validation.")] = 5,
    seed: Annotated[
        int,
        typer.Option(metavar="N", min=0, max=2**32 - 1, help="Which rows are in which fold."),
    ] = 0,
    weights: options.Weights = None,
    categorical: options.Categorical = None,
    numeric: options.Numeric = None,
    drop: options.Drop = None,
    drop_unlabelled: options.DropUnlabelled = False,
    jobs: options.Jobs = None,
) -> None:
    """Cross-validate our trees, scikit-learn's, and LightGBM's if it is installed.

    The error is the mean over the folds, with its standard deviation; leaves, questions a row and
    seconds to fit are means, too.
    """
    from rich.console import Console

    from .contenders import contenders
    from .sample import Request, sample_of
    from .wait import Waiting

    budgets = leaves or [8, 32]
    if min(budgets) < 2:
        raise typer.BadParameter("must be at least 2", param_hint="--leaves")
    lists = tuple(categorical or ()), tuple(numeric or ()), tuple(drop or ())
    with Waiting("reading"):
        sample = sample_of(Request(data, target, weights, *lists, drop_unlabelled))
    who = contenders(budgets, gamma, jobs, list(lists[0]))
    results = _contested(sample, who, folds, seed)
    console = Console(highlight=False)
    for reason in sample.left_out:
        console.print(f"left out {reason}", markup=False)
    console.print(_table(results, len(sample.labels), folds))


def _contested(
    sample: "Sample", who: "Sequence[Contender]", folds: int, seed: int
) -> "list[Result]":
    from .contest import contest, folds_of
    from .wait import Waiting

    parts = folds_of(sample.labels, folds, seed)
    if parts is None:
        raise BadInputError(f"--folds must be from 2 to the {len(sample.labels)} rows, got {folds}")
    with Waiting("comparing", total=len(parts) * len(who)) as waiting:
        return [contest(one, sample, parts, waiting.step) for one in who]


def _table(results: "Sequence[Result]", n_rows: int, folds: int) -> Any:
    from rich import box
    from rich.table import Table

    look: dict[str, Any] = {"box": box.SIMPLE_HEAD, "pad_edge": False, "collapse_padding": True}
    table = Table(caption=_caption(n_rows, folds), caption_justify="left", **look)
    table.add_column("tree", no_wrap=True)
    for name in ("budget", "error", "+-", "leaves", "questions", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    least = min(result.error for result in results)
    for result in results:
        style = "bold" if result.error == least else None
        numbers = (f"{result.error:.1%}", f"{result.spread:.1%}", f"{result.leaves:.1f}")
        more = (f"{result.questions:.2f}", f"{result.seconds:.3f}")
        table.add_row(result.name, result.budget, *numbers, *more, style=style)
    return table


def _caption(n_rows: int, folds: int) -> str:
    return (
        f"{folds} folds of {n_rows:,} rows; +- is the standard deviation over them. "
        "scikit-learn sees categories one-hot, LightGBM fits one round."
    )
