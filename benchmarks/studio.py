"""How long the studio takes to answer: 20 edits of a tree on 1,000,000 rows and 20 columns.

Every edit is a request to the server, as the page makes it. Before it, the page asks for the
alternatives of the node, when a reader selects the node; that request is timed on its own. The
times of all processors, in parentheses, depend less on what else the machine does.

    python benchmarks/studio.py [--rows 1000000]
"""

import argparse
import json
import threading
import time
from http.client import HTTPConnection
from typing import Any, NamedTuple

import numpy as np

from polytomy import TreeClassifier
from polytomy.io import LabelledTable
from polytomy.studio import StudioRows, StudioServer, Workbench, studio_application
from polytomy.table import Table


def synthetic_rows(n: int, seed: int = 0) -> LabelledTable:
    """Return rows with 14 continuous, 3 whole-numbered and 3 categorical columns, and 3 classes."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {f"x{j}": rng.normal(size=n) for j in range(14)}
    columns |= {f"x{j}": rng.integers(0, 9, n).astype(float) for j in range(14, 17)}
    columns |= {f"x{j}": np.array(list("abcdefgh"))[rng.integers(0, 8, n)] for j in range(17, 20)}
    score = columns["x0"] + 0.7 * np.abs(columns["x1"]) + 0.5 * (columns["x15"] > 4)
    score = score + 0.6 * (columns["x18"] == "c") + rng.normal(size=n)
    labels = np.array(["low", "middle", "high"])[np.digitize(score, [0.3, 1.6])]
    return LabelledTable(Table.of(columns), labels, None, "y")


EDITS: list[tuple[str, dict[str, Any]]] = [
    ("split", {"node": 0, "column": "x0"}),
    ("split", {"node": 0, "column": "x0", "thresholds": [-0.5, 0.4, 1.2]}),
    ("split", {"node": 1, "column": "x1"}),
    ("split", {"node": 2, "column": "x18", "groups": [[2], [0, 1]], "others": 1}),
    ("split", {"node": 3, "column": "x1", "thresholds": [-1, 1]}),
    ("split", {"node": 4, "column": "x15"}),
    ("merge", {"node": 0, "branches": [1, 2]}),
    ("undo", {}),
    ("relabel", {"node": 5, "label": 0}),
    ("collapse", {"node": 2}),
    ("split", {"node": 2, "column": "x2", "thresholds": [0]}),
    ("undo", {}),
    ("undo", {}),
    ("redo", {}),
    ("split", {"node": 0, "column": "x1"}),
    ("undo", {}),
    ("split", {"node": 1, "column": "x5", "thresholds": [-1, 0, 1]}),
    ("collapse", {"node": 0}),
    ("split", {"node": 0, "column": "x19", "groups": [[0], [1, 2]], "others": 1}),
    ("split", {"node": 0, "column": "x0", "thresholds": [0, 1]}),
]


def main() -> None:
    """Print the time of every edit, and the median and the worst."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    start = time.perf_counter()
    workbench = Workbench(StudioRows(synthetic_rows(parser.parse_args().rows)), TreeClassifier())
    print(f"beginning {time.perf_counter() - start:.1f} s")
    server = StudioServer(studio_application(workbench))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    connection = HTTPConnection("127.0.0.1", server.port)
    headers = {"Content-Type": "application/json", "X-Polytomy-Token": server.token}

    def ask(name: str, given: dict[str, Any]) -> Measured:
        begun, used = time.perf_counter(), time.process_time()
        body = json.dumps({"version": workbench.version, **given})
        connection.request("POST", f"/api/{name}", body, headers)
        text = connection.getresponse().read()
        times = time.perf_counter() - begun, time.process_time() - used
        answer = json.loads(text)
        if "error" in answer:
            raise SystemExit(f"{name} {given}: {answer['error']}")
        return Measured(1000 * times[0], 1000 * times[1], len(text) / 1000)

    done: dict[str, list[Measured]] = {"alternatives": [], "edits": []}
    for name, given in EDITS:
        done["alternatives"].append(ask("node", {"node": given.get("node", 0)}))
        done["edits"].append(ask(name, given))
        before, edit = done["alternatives"][-1], done["edits"][-1]
        print(f"{name:<9} {edit}, {edit.size:.0f} kB; alternatives before it {before}")
    for what, found in done.items():
        passed, used = [one.passed for one in found], [one.used for one in found]
        print(
            f"{what:<13}median {np.median(passed):4.0f} ms ({np.median(used):.0f}), "
            f"worst {max(passed):4.0f} ms ({max(used):.0f})"
        )


class Measured(NamedTuple):
    """The milliseconds that passed and that processors used, and the size of the answer in kB."""

    passed: float
    used: float
    size: float

    def __str__(self) -> str:
        return f"{self.passed:4.0f} ms ({self.used:.0f})"


if __name__ == "__main__":
    main()
