"""The package as a whole: registries, public names and imports."""

import subprocess
import sys

import polytomy
from polytomy import reference
from polytomy.grow import FAMILIES, PROCEDURES
from polytomy.index import INDICES
from tests import strategies

LIGHT = """
import sys
import polytomy, polytomy.table, polytomy.encode, polytomy.grow, polytomy.tree, polytomy.predict
import polytomy.io, polytomy.reference
heavy = {"sklearn", "scipy", "pandas", "polars", "pyarrow", "dask", "matplotlib"} & set(sys.modules)
print(sorted(heavy))
"""


def test_registries_have_the_names_of_the_reference():
    assert set(INDICES) == set(reference.INDICES) == set(strategies.INDEX_NAMES)
    assert tuple(FAMILIES) == reference.FAMILIES
    assert set(PROCEDURES) == set(reference.PROCEDURES)


def test_public_names_can_be_imported():
    assert dir(polytomy) == sorted(polytomy.__all__)
    for name in polytomy.__all__:
        assert getattr(polytomy, name) is not None


def test_import_of_the_core_loads_no_framework():
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
