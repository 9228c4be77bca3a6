"""``polytomy demo``: a first tree on a real table, read aloud."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from polytomy._types import AnyArray, IntArray
    from polytomy.model import Model
    from polytomy.table import Table

CAR = "volvo 245"  # one of the cars held out, and the only one of its name
SEED = 0
HELD_OUT = 0.25


def demo(
    leaves: Annotated[
        int, typer.Option(metavar="N", help="Grow at most so many leaves, 2 or more.")
    ] = 12,
    write: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the table there, as CSV.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Let --write replace a file.")] = False,
) -> None:
    """Grow a tree that tells where a car was made, and read it."""
    from rich.console import Console

    from . import paint

    if leaves < 2:
        raise typer.BadParameter(f"must be at least 2, got {leaves}", param_hint="--leaves")
    if force and write is None:
        raise typer.BadParameter("has no meaning without --write FILE", param_hint="--force")
    console = Console(highlight=False, soft_wrap=True)
    if write is not None:
        n_cars = write_cars(write, replace=force)
        console.print(f"Wrote {n_cars} cars to {write}\n", markup=False)
    cars = split_cars()
    model = grown(cars, leaves)
    paint.heading(console, len(cars.train), len(cars.held))
    paint.tree(console, model)
    both = [our_score(cars, model), peer_score(cars, model.tree.n_leaves)]
    paint.scores(console, both, len(cars.held))
    paint.car(console, model, *one_car(cars, CAR))


def write_cars(path: Path, *, replace: bool) -> int:
    """Write the table to a file and return how many cars it has."""
    from polytomy.data import cars_csv

    from .write import write_bytes

    table = cars_csv()
    if path.exists() and not replace:
        hint = "is a folder" if path.is_dir() else "exists; add --force to replace it"
        raise typer.BadParameter(f"{path} {hint}", param_hint="--write")
    write_bytes(path, table)
    return table.count(b"\n") - 1


@dataclass(frozen=True, slots=True)
class Cars:
    """The cars: what a tree may ask about, what it is to tell, and which rows it may see."""

    names: "AnyArray"
    table: "Table"
    classes: "AnyArray"
    labels: "IntArray"
    train: "IntArray"
    held: "IntArray"


@dataclass(frozen=True, slots=True)
class Score:
    """How a tree does: its size, the mean number of questions, and the shares it gets wrong."""

    name: str
    leaves: int
    questions: float
    train_error: float
    held_error: float


def split_cars() -> Cars:
    """Return the cars, a quarter of each origin held out, the same quarter every time."""
    import numpy as np
    from sklearn.model_selection import train_test_split

    from polytomy.data import load_cars
    from polytomy.table import Table

    columns, origin = load_cars()
    names = columns.pop("name")
    classes, labels = np.unique(origin, return_inverse=True)
    rows = np.arange(len(labels))
    train, held = train_test_split(rows, test_size=HELD_OUT, stratify=labels, random_state=SEED)
    return Cars(names, Table.of(columns), classes, labels, np.sort(train), np.sort(held))


def grown(cars: Cars, leaves: int) -> "Model":
    """Grow a tree on the training cars, as ``TreeClassifier(max_leaves=leaves)`` does."""
    from polytomy.encode import Target, encode
    from polytomy.estimators import run_of
    from polytomy.grow import GrowParams, grow
    from polytomy.model import Model

    target = Target.of(cars.labels[cars.train], len(cars.classes))
    coded = encode(cars.table.take(cars.train), target.units)
    growth = grow(coded, target, GrowParams(max_leaves=leaves))
    return Model(coded.schema, growth.tree, cars.classes, run_of(growth))


def our_score(cars: Cars, model: "Model") -> Score:
    """Return how a model does on the cars it was grown on and on the others."""
    from polytomy.predict import apply

    tree = model.tree
    leaf = apply(tree, model.schema, cars.table)
    wrong = tree.label[leaf] != cars.labels
    asked = float(tree.depth[leaf[cars.train]].mean())
    errors = float(wrong[cars.train].mean()), float(wrong[cars.held].mean())
    return Score("polytomy", tree.n_leaves, asked, *errors)


def peer_score(cars: Cars, leaves: int) -> Score:
    """Return how scikit-learn's tree of as many leaves does."""
    import numpy as np
    from sklearn.tree import DecisionTreeClassifier

    numbers = np.column_stack([column.values for column in cars.table.columns])
    peer = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=SEED)
    peer.fit(numbers[cars.train], cars.labels[cars.train])
    wrong = peer.predict(numbers) != cars.labels
    asked = float(peer.decision_path(numbers[cars.train]).sum(axis=1).mean()) - 1
    errors = float(wrong[cars.train].mean()), float(wrong[cars.held].mean())
    return Score("scikit-learn", int(peer.get_n_leaves()), asked, *errors)


def one_car(cars: Cars, name: str) -> tuple[str, "Table", str]:
    """Return a held-out car: its name, its cells, and where it was made."""
    row = cars.held[cars.names[cars.held] == name][:1]
    return name, cars.table.take(row), str(cars.classes[cars.labels[row[0]]])
