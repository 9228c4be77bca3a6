"""Fits in DuckDB beside fits in memory: CPU time, and the number of queries by arity.

    python benchmarks/in_database.py [rows]

Both use one thread. The time in memory includes reading the table through Arrow.
"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable
from time import process_time
from typing import Any

import duckdb

from polytomy import TreeClassifier
from polytomy.sql import fit

ROWS = 1_000_000
REPEATS = 3
ARITIES = (2, 4, 8)


def create(connection: Any, name: str, columns: list[str], target: str, n_rows: int) -> None:
    """Create a table of random columns ``x0``, ``x1`` and so on, and a target ``y``."""
    connection.execute("SELECT setseed(0.5)")
    cells = ", ".join(f"{column} AS x{j}" for j, column in enumerate(columns))
    connection.execute(f"CREATE TABLE drawn AS SELECT {cells} FROM range({n_rows})")
    connection.execute(f"CREATE TABLE {name} AS SELECT *, ({target})::INTEGER AS y FROM drawn")
    connection.execute("DROP TABLE drawn")


def in_memory(connection: Any, table: str, tree: TreeClassifier) -> TreeClassifier:
    """Read a table and fit a tree on it."""
    rows = connection.sql(f"FROM {table}").to_arrow_table()
    return tree.fit(rows.drop_columns("y"), rows["y"].to_numpy())


def least(job: Callable[[], Any]) -> float:
    """Return the least CPU time of a job."""
    times = []
    for _ in range(REPEATS):
        begin = process_time()
        job()
        times.append(process_time() - begin)
    return min(times)


def main() -> None:
    """Print both comparisons."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="?", type=int, default=ROWS, help="number of rows")
    n_rows = parser.parse_args().rows
    connection = duckdb.connect(config={"threads": 1})
    mixed = ["random()"] * 10 + [f"round(random() * {99 + j}, 1)" for j in range(6)]
    mixed += [f"chr(97 + (random() * {j})::INTEGER)" for j in (5, 9, 17, 24)]
    steps = (
        "(x0 > 0.3)::INT + 2 * (x1 * x2 > 0.3)::INT + (x12 > 40)::INT + (x17 IN ('a', 'c'))::INT"
    )
    create(connection, "mixed", mixed, f"({steps} + (random() < 0.2)::INT) % 3", n_rows)
    bands = "(x0 * 7)::INT * 3 + (x1 * 5)::INT * 2 + (x2 * 6)::INT"
    create(connection, "bands", ["random()"] * 6, f"({bands} + (random() < 0.1)::INT) % 3", n_rows)

    print(f"{n_rows:,} rows, 20 columns, CPU seconds")
    for parameters in ({"max_leaves": 64}, {"max_leaves": 64, "procedure": "hatano"}):
        tree = TreeClassifier(**parameters)
        local = least(lambda tree=tree: in_memory(connection, "mixed", tree))
        there = least(lambda tree=tree: fit(connection, "mixed", target="y", estimator=tree))
        print(f"  {parameters}: in memory {local:.1f}, in DuckDB {there:.1f}")

    print("queries for 64 leaves, by the most branches of a node")
    for procedure in ("per-leaf", "hatano", "priced"):
        numbers = [
            fit(
                connection,
                "bands",
                target="y",
                estimator=TreeClassifier(64, procedure=procedure, max_arity=arity),
            ).queries_
            for arity in ARITIES
        ]
        pairs = zip(ARITIES, numbers, strict=True)
        print(f"  {procedure}: {', '.join(f'{arity}: {number}' for arity, number in pairs)}")


if __name__ == "__main__":
    main()
