"""Settings for every test."""

import pytest
from hypothesis import settings

# The machine may be busy: how long an example takes says nothing.
settings.register_profile("polytomy", deadline=None)
settings.load_profile("polytomy")


@pytest.fixture
def data_file(tmp_path):
    """Write a small file and return its path."""

    def write(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
