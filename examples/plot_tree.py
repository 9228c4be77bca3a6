"""A tree that tells where a car was made, and the columns it asks about, drawn.

The table comes with the library: 392 cars of 1970 to 1982, from Europe, Japan and the USA. A figure
is as large as its tree needs. They go to ``tree.png`` and ``importances.png`` in the working
directory.
"""

from pathlib import Path

from polytomy import TreeClassifier
from polytomy.data import load_cars
from polytomy.table import frame_of


def main() -> None:
    """Grow a tree on the cars, draw it and its importances, and say where they are."""
    cars, origin = load_cars()
    del cars["name"]  # it gives the maker away
    table = frame_of(cars)
    clf = TreeClassifier(max_leaves=10).fit(table, origin)
    print(f"{clf.tree_.n_leaves} leaves, right about {clf.score(table, origin):.1%} of the cars")
    for axes, name in ((clf.plot(), "tree.png"), (clf.plot_importances(), "importances.png")):
        axes.figure.savefig(name, dpi=155)
        print(f"drawn: {Path(name).resolve()}")


if __name__ == "__main__":
    main()
