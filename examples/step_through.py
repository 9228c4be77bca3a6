"""
Growth, step by step
====================

Step through a growth run, and see what each step considered.

``polytomy.reference`` grows trees in plain NumPy, as the papers print it: every split of a leaf is
enumerated. This example takes Quinlan's 14 days of weather, prints each step of a run with the
splits that were considered, and checks that the compiled engine takes the same steps and ends with
the same tree.

Run ``python step_through.py [procedure]``; the procedure is ``hatano`` (the default), ``per-leaf``
or ``kearns-mansour``.
"""

import argparse

import numpy as np

from polytomy.encode import Target, encode
from polytomy.grow import Expansion, Grower, GrowParams
from polytomy.reference import Run, Step, run_bound, run_gamma
from polytomy.table import Table

# From J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993. Temperature in degrees
# Fahrenheit, humidity in per cent.
DAYS = """
outlook   temperature  humidity  windy  play
sunny              75        70    yes   yes
sunny              80        90    yes    no
sunny              85        85     no    no
sunny              72        95     no    no
sunny              69        70     no   yes
overcast           72        90    yes   yes
overcast           83        78     no   yes
overcast           64        65    yes   yes
overcast           81        75     no   yes
rain               71        80    yes    no
rain               65        70    yes    no
rain               75        80     no   yes
rain               68        80     no   yes
rain               70        96     no   yes
"""
NUMBERS = ("temperature", "humidity")


def weather() -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return the columns of the table and the class of each row."""
    header, *rows = (line.split() for line in DAYS.strip().splitlines())
    columns = dict(zip(header, map(np.array, zip(*rows, strict=True)), strict=True))
    labels = columns.pop("play")
    return columns | {name: columns[name].astype(float) for name in NUMBERS}, labels


def compare(step: Step, expansion: Expansion | None, names: tuple[str, ...]) -> None:
    """Check that the engine split the same leaf in the same way, and print its gain."""
    assert expansion is not None
    assert expansion.leaf == step.leaf.number
    assert (expansion.arity, expansion.option.feature) == (step.split.arity, step.split.column)
    assert abs(expansion.gain - step.split.gain) <= 1e-12 * step.leaf_value
    column = names[expansion.option.feature]
    print(
        f"  engine: leaf {expansion.leaf} in {expansion.arity} by {column}, "
        f"gain {expansion.gain:.4g}, advantage {expansion.advantage:.4g}\n"
    )


def main() -> None:
    """Take both runs through their steps side by side."""
    parser = argparse.ArgumentParser(description="Step through a growth run.")
    choices = ("hatano", "per-leaf", "kearns-mansour")
    parser.add_argument("procedure", nargs="?", choices=choices, default=choices[0])
    procedure = parser.parse_args().procedure
    rules = {"procedure": procedure, "index": "gini", "max_leaves": 8, "max_arity": 4}

    columns, labels = weather()
    run = Run(columns, labels, **rules)
    table = Table.of(columns)
    codes = np.unique(labels, return_inverse=True)[1]
    grower = Grower(encode(table), Target.of(codes), GrowParams(**rules))

    print(f"{len(labels)} days; the engine takes each step after the reference.\n")
    while (step := run.step()) is not None:
        print(step)
        compare(step, grower.step(), table.names)
    assert grower.step() is None
    print(f"The tree of the reference, after {len(run.steps)} steps:\n\n{run}\n")

    tree, leaf_of_row = grower.tree(), grower.leaves()
    for leaf in run.leaves:
        assert leaf_of_row[leaf.rows].tolist() == [leaf.number] * len(leaf.rows)
        assert tree.counts[leaf.number].tolist() == leaf.counts.tolist()
    print(f"The engine's tree has the same {tree.n_leaves} leaves, with the same rows in each.")

    print(
        f"The gamma of this run is {run_gamma(run):.4g}. The theorem of the procedure then bounds"
    )
    print(f"the index of the tree by {run_bound(run):.4g}; it is {run.tree_index:.4g}.")


if __name__ == "__main__":
    main()
