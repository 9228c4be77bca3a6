"""``polytomy demo``: grow a tree on a bundled data set and print it, or write the data."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polytomy._text import percent

from . import options

if TYPE_CHECKING:
    from rich.console import Console

    from polytomy._types import AnyArray, IntArray
    from polytomy.table import Table

CAR = "bmw 320i"  # a held-out car, and the only one of this name
SEED = 0
TEST_FRACTION = 0.25
_LEAVES = 12


def demo(
    leaves: Annotated[
        int | None,
        options.option("Maximum number of leaves, at least 2.", default=str(_LEAVES), metavar="N"),
    ] = None,
    write: Annotated[
        Path | None,
        options.option("Write the data to this CSV file, and grow no tree.", metavar="FILE"),
    ] = None,
    force: Annotated[
        bool, options.option("Let --write replace an existing file.", "--force", default="off")
    ] = False,
) -> None:
    """Grow and explain a tree on bundled data about cars, or write the data to a file.

    The tree predicts where a car was made.
    """
    from rich.console import Console

    if leaves is not None and leaves < 2:
        raise typer.BadParameter(f"must be at least 2, got {leaves}", param_hint="--leaves")
    if force and write is None:
        raise typer.BadParameter("needs --write FILE", param_hint="--force")
    if leaves is not None and write is not None:
        raise typer.BadParameter(
            "cannot be used with --write, which grows no tree", param_hint="--leaves"
        )
    console = Console(highlight=False, soft_wrap=True)
    if write is not None:
        n_cars = write_cars(write, replace=force)
        if str(write) != "-":  # then the data are on the standard output
            console.print(f"Wrote {n_cars} cars to {write}", markup=False)
        return
    cars = split_cars()
    clf = grow_tree(cars, _LEAVES if leaves is None else leaves)
    _print_heading(console, cars)
    _print_tree(console, clf)
    scores = [score_polytomy(cars, clf), score_sklearn(cars, clf.n_leaves_)]
    _print_scores(console, scores, len(cars.test))
    _print_explanation(console, clf, cars, CAR)


def write_cars(path: Path, *, replace: bool) -> int:
    """Write the cars to a CSV file and return their number."""
    from polytomy.data import cars_csv

    from .files import write_output

    table = cars_csv()
    if path.exists() and not replace:
        hint = "is a folder" if path.is_dir() else "exists; add --force to replace it"
        raise typer.BadParameter(f"{path} {hint}", param_hint="--write")
    write_output(path, table)
    return table.count(b"\n") - 1


@dataclass(frozen=True, slots=True)
class Cars:
    """The cars: names, predictors, origins, and the numbers of training and test rows."""

    names: "AnyArray"
    table: "Table"
    origin: "AnyArray"
    training: "IntArray"
    test: "IntArray"


@dataclass(frozen=True, slots=True)
class Score:
    """The size of a tree, the mean number of splits per row, and its error rates."""

    name: str
    leaves: int
    questions: float
    training_error: float
    test_error: float


def split_cars() -> Cars:
    """Return the cars with a fixed quarter of each origin held out."""
    import numpy as np

    from polytomy._resample import hold_out
    from polytomy.data import load_cars
    from polytomy.table import Table

    columns, origin = load_cars()
    names = columns.pop("name")
    labels = np.unique(origin, return_inverse=True)[1]
    training, test = hold_out(labels, TEST_FRACTION, np.random.RandomState(SEED))
    return Cars(names, Table.of(columns), origin, training, test)


def grow_tree(cars: Cars, leaves: int) -> Any:
    """Return a tree grown on the training rows."""
    from polytomy import TreeClassifier

    clf = TreeClassifier(max_leaves=leaves)
    return clf.fit(cars.table.take(cars.training), cars.origin[cars.training])


def score_polytomy(cars: Cars, clf: Any) -> Score:
    """Return the score of a tree of polytomy."""
    wrong = clf.predict(cars.table) != cars.origin
    errors = float(wrong[cars.training].mean()), float(wrong[cars.test].mean())
    return Score("polytomy", clf.n_leaves_, clf.n_questions_, *errors)


def score_sklearn(cars: Cars, leaves: int) -> Score:
    """Return the score of a scikit-learn tree with the same number of leaves."""
    import numpy as np
    from sklearn.tree import DecisionTreeClassifier

    matrix = np.column_stack([column.values for column in cars.table.columns])
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=SEED)
    tree.fit(matrix[cars.training], cars.origin[cars.training])
    wrong = tree.predict(matrix) != cars.origin
    questions = float(tree.decision_path(matrix[cars.training]).sum(axis=1).mean()) - 1
    errors = float(wrong[cars.training].mean()), float(wrong[cars.test].mean())
    return Score("scikit-learn", int(tree.get_n_leaves()), questions, *errors)


def _print_heading(console: "Console", cars: Cars) -> None:
    from rich.text import Text

    from .output import line_width

    console.print(Text("Where was a car made?", style="bold"))
    text = (
        f"A tree grown on {len(cars.training)} cars from 1970 to 1982; {len(cars.test)} other cars "
        "are held out. Each leaf shows an origin, its share to expect of new cars with a 95 % "
        "interval, and in parentheses its share of the training cars in the leaf."
    )
    console.print(Text("\n".join(wrap(text, line_width(console)))))
    console.print()


def _print_tree(console: "Console", clf: Any) -> None:
    from .output import colour_classes, line_width

    text = clf.to_text(max_width=line_width(console))
    console.print(colour_classes(text, clf.classes_.tolist()))
    console.print()


def _print_scores(console: "Console", scores: Sequence[Score], n_test: int) -> None:
    from rich.text import Text

    head = f"{'':<14}{'leaves':>6}{'questions':>12}{'training':>12}{'held-out':>12}"
    second = f"{'':<14}{'':>6}{'per car':>12}{'error':>12}{'error':>12}"
    console.print(Text(f"{head}\n{second}", style="bold"))
    for score in scores:
        line = Text(f"{score.name:<14}{score.leaves:>6}{score.questions:>12.2f}")
        line.append(f"{percent(score.training_error, 1):>12}")
        line.append(f"{percent(score.test_error, 1):>12}", style="bold")
        console.print(line)
    console.print(Text(f"One of the {n_test} held-out cars is {1 / n_test:.1%}.", style="dim"))
    console.print()


def _print_explanation(console: "Console", clf: Any, cars: Cars, name: str) -> None:
    """Explain the prediction for one held-out car."""
    from rich.text import Text

    from .output import colour_classes, print_wrapped

    row = cars.test[cars.names[cars.test] == name][:1]
    car, origin = cars.table.take(row), str(cars.origin[row[0]])
    predicted, classes = str(clf.predict(car)[0]), clf.classes_.tolist()
    question = f"The {name} was held out. Why does the tree predict {predicted}?"
    console.print(Text(question, style="bold"))
    print_wrapped(console, str(clf.explain(car)), classes)
    verdict = "is correct" if predicted == origin else f"is wrong: it was made in {origin}"
    console.print(colour_classes(f"The prediction {predicted} {verdict}.", classes))
