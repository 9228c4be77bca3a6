"""House rules that are tests: what is registered is tested, and imports stay light."""

import subprocess
import sys

from polytomy import reference
from polytomy.grow import FAMILIES, PROCEDURES
from polytomy.index import INDICES
from tests import strategies

LIGHT = """
import sys
import polytomy, polytomy.table, polytomy.encode, polytomy.grow, polytomy.tree, polytomy.predict
heavy = {"sklearn", "scipy", "pandas", "polars", "pyarrow", "dask", "matplotlib"} & set(sys.modules)
print(sorted(heavy))
"""


def test_what_is_registered_has_an_oracle():
    assert set(INDICES) == set(reference.INDICES) == set(strategies.INDEX_NAMES)
    assert tuple(FAMILIES) == reference.FAMILIES
    assert set(PROCEDURES) == set(reference.PROCEDURES)


def test_importing_everything_pulls_in_no_framework():
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
