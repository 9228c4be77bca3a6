"""
Drawing a tree
==============

A tree that predicts where a car was made, and the importances of its columns.

The table is part of polytomy: 392 cars of the years 1970 to 1982, from Europe, Japan and the USA.
The figures are saved as ``tree.png`` and ``importances.png`` in the working directory.
"""

from pathlib import Path

from polytomy import TreeClassifier
from polytomy.data import load_cars
from polytomy.table import frame_of


def main() -> None:
    """Grow a tree on the cars, and save drawings of the tree and its importances."""
    cars, origin = load_cars()
    del cars["name"]  # it includes the manufacturer
    table = frame_of(cars)
    clf = TreeClassifier(max_leaves=10).fit(table, origin)
    print(f"{clf.tree_.n_leaves} leaves, {clf.score(table, origin):.1%} of the cars are correct")
    for axes, name in ((clf.plot(), "tree.png"), (clf.plot_importances(), "importances.png")):
        axes.figure.savefig(name, dpi=155)
        print(f"saved: {Path(name).resolve()}")


if __name__ == "__main__":
    main()
