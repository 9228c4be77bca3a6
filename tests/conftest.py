"""Settings for every test."""

import pytest
from hypothesis import settings

from tests.report.browser import launch_options

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


@pytest.fixture(scope="session")
def browser():
    """Return the browser that all tests share: a process can have only one."""
    options = launch_options()
    sync_playwright = pytest.importorskip("playwright.sync_api").sync_playwright
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**options)
        yield browser
        browser.close()
