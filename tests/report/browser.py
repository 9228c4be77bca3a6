"""Finding a Chromium browser to open pages with."""

import os
import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = f"no browser to open pages with; install one of {', '.join(NAMES)}"


def find_browser():
    """Return the path of a browser; without one, skip the test, or fail if CI is set."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and os.environ.get("CI", "").lower() == "true":
        pytest.fail(MISSING)
    if found is None:
        pytest.skip(MISSING)
    return found


def launch_options():
    """Return the options of the browser; root cannot use its sandbox."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return {"executable_path": find_browser(), "args": ["--no-sandbox"] if root else []}
