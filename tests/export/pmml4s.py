"""PMML documents run by PMML4S, an engine on the Java machine.

As a script, read ``[[document, rows], ...]`` as JSON and print the results. It runs in a process of
its own, because the Java machine takes over the signals of its process.
"""

import importlib.util
import json
import shutil
import subprocess
import sys

import pytest

needs_pmml4s = pytest.mark.skipif(
    shutil.which("java") is None or importlib.util.find_spec("pypmml") is None,
    reason="Java or pypmml is not installed",
)


def evaluate(documents):
    """Return the results of PMML4S, a dict for each row, for pairs of a document and its rows."""
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(documents),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return json.loads(done.stdout.splitlines()[-1])


def main():
    from pypmml import Model  # noqa: PLC0415 - not on every machine

    documents = json.load(sys.stdin)
    models = [(Model.fromString(text), rows) for text, rows in documents]
    found = [[dict(model.predict(row)) for row in rows] for model, rows in models]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
