"""
A tree inside DuckDB
====================

Histograms by GROUP BY, and the model file of a fit in memory.

The rows of the table stay in the database. A round is one query, which counts the histograms of
several nodes.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

import polytomy

ROWS = 20_000

# Three predictors, one of them with missing cells, and a target that depends on two of them.
TABLE = f"""
CREATE TABLE visits AS
SELECT
    round(20 + 60 * ((i * 7919) % {ROWS}) / {ROWS}.0)::INTEGER AS age,
    CASE WHEN i % 11 = 0 THEN NULL ELSE ((i * 104729) % 9973) / 100.0 END AS minutes,
    ['mail', 'search', 'direct', 'friend'][1 + (i * 31) % 4] AS source,
    DATE '2025-01-01' + ((i * 13) % 365)::INTEGER AS day,
FROM range({ROWS}) AS r(i)
"""
TARGET = """
CREATE VIEW labelled AS
SELECT *, CASE
    WHEN age < 35 AND source IN ('search', 'friend') THEN 'buys'
    WHEN age BETWEEN 50 AND 64 AND minutes > 20 THEN 'buys'
    WHEN minutes > 90 THEN 'asks'
    ELSE 'leaves'
END AS outcome
FROM visits
"""


def saved(tree: polytomy.TreeClassifier) -> str:
    """Return the model file of a tree."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        tree.save(path)
        return path.read_text()


def main() -> None:
    """Fit in the database and in memory, compare the files, and count queries."""
    with duckdb.connect() as connection:
        connection.execute(TABLE)
        connection.execute(TARGET)
        tree = polytomy.sql.fit(connection, "labelled", target="outcome", max_leaves=12)
        queries = {
            arity: polytomy.sql.fit(
                connection, "labelled", target="outcome", procedure="per-leaf", max_arity=arity
            ).queries_
            for arity in (2, 4, 8)
        }
        rows = connection.sql("SELECT * FROM labelled").to_arrow_table()
    local = polytomy.TreeClassifier(max_leaves=12)
    local.fit(rows.drop_columns("outcome"), rows["outcome"].to_numpy())

    print(tree.to_text())
    print(f"same model file as in memory: {saved(tree) == saved(local)}")
    for arity, number in queries.items():
        print(f"per-leaf, at most {arity} branches: {number} queries")


if __name__ == "__main__":
    main()
