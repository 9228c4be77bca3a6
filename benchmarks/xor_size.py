"""The size of a greedy tree for an exclusive-or, with irrelevant columns.

The pruning lecture remarks (8.1.9) that greedy growth has no guarantee on the size: with uniformly
distributed binary columns, no column gives information about ``x1 XOR x2`` until the tree has split
on x1 or x2. Four leaves suffice, but a greedy tree splits at random until it finds one of the two.
Here trees are grown until every leaf is pure, and their leaves are counted:

- on samples, where chance decides which column seems relevant;
- on the full table, with every row once, where all gains are exactly zero and ties go to the lowest
  column: if x1 and x2 come last, every row becomes a leaf; if they come first, four leaves suffice.

The column "at random" is the mean size if each split chooses uniformly among the unused columns:
L(0) = 4, L(d) = (2 * 4 + d * 2 L(d - 1)) / (d + 2).
"""

import argparse
from functools import cache
from itertools import product

import numpy as np

from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.table import Table

IRRELEVANT = (0, 2, 4, 6, 8, 10)
WAYS = (("per-leaf", "gini"), ("kearns-mansour", "entropy"))


def leaves(bits: np.ndarray, relevant: tuple[int, int], way: tuple[str, str]) -> int:
    """Return the number of leaves of a pure tree for the exclusive-or of two columns."""
    first, second = relevant
    target = Target.of(bits[:, first] ^ bits[:, second], n_classes=2)
    procedure, index = way
    params = GrowParams(max_leaves=None, procedure=procedure, index=index)
    tree = grow(encode(Table.of(bits)), target, params).tree
    pure = np.count_nonzero(tree.counts[tree.leaves()], axis=1) == 1
    assert pure.all(), "the exclusive-or is a function of the columns, so every leaf can be pure"
    return tree.n_leaves


def sampled(d: int, rows: int, seed: int) -> tuple[np.ndarray, tuple[int, int]]:
    """Draw uniform rows of d + 2 bits, and the positions of the two relevant ones."""
    rng = np.random.default_rng([seed, d])
    bits = rng.integers(0, 2, size=(rows, d + 2), dtype=np.uint8)
    first, second = rng.choice(d + 2, size=2, replace=False).tolist()
    return bits, (first, second)


def full_table(d: int) -> np.ndarray:
    """Return every row of d + 2 bits once."""
    return np.array(list(product((0, 1), repeat=d + 2)), dtype=np.uint8)


@cache
def at_random(d: int) -> float:
    """Return the mean size of a tree that splits at random until it finds x1 or x2."""
    return 4.0 if d == 0 else (2 * 4 + d * 2 * at_random(d - 1)) / (d + 2)


def print_sampled(rows: int, seeds: int) -> None:
    """Print the median, mean and range of the size over samples, by the number of columns."""
    print(f"leaves of the pure tree, {rows:,} sampled rows, {seeds} seeds\n")
    print(f"{'':12}" + "".join(f"{'/'.join(w):<30}" for w in WAYS).rstrip())
    print(f"{'irrelevant':>10}  " + f"{'median  mean   range':<30}" * len(WAYS) + "at random")
    for d in IRRELEVANT:
        samples = [sampled(d, rows, seed) for seed in range(seeds)]
        cells = []
        for way in WAYS:
            sizes = [leaves(bits, relevant, way) for bits, relevant in samples]
            middle = f"{np.median(sizes):<8g}{np.mean(sizes):<7.1f}"
            cells.append(f"{middle}{min(sizes)}-{max(sizes)}")
        print(f"{d:>10}  " + "".join(f"{cell:<30}" for cell in cells) + f"{at_random(d):.1f}")


def print_full() -> None:
    """Print the size on the full table, with the relevant columns last and first."""
    print("\nleaves of the pure tree, every row once\n")
    print(f"{'':18}" + "".join(f"  {'/'.join(w):<24}" for w in WAYS).rstrip())
    head = f"{'irrelevant':>10}{'rows':>8}" + f"  {'x1, x2 last':<13}{'first':<11}" * len(WAYS)
    print(head.rstrip())
    for d in IRRELEVANT:
        bits = full_table(d)
        line = f"{d:>10}{len(bits):>8}"
        for way in WAYS:
            last, first = leaves(bits, (d, d + 1), way), leaves(bits, (0, 1), way)
            line += f"  {last:<13}{first:<11}"
        print(line.rstrip())


def main() -> None:
    """Parse the command line and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000, help="rows of a sample (2000)")
    parser.add_argument("--seeds", type=int, default=25, help="samples for each line (25)")
    options = parser.parse_args()
    print_sampled(options.rows, options.seeds)
    print_full()


if __name__ == "__main__":
    main()
