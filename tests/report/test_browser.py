"""Without a browser the tests of the pages are skipped, except in continuous integration."""

import shutil

import pytest

from tests.report.browser import find_browser


@pytest.fixture(autouse=True)
def no_browser(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)


def test_find_browser_skips_with_a_reason(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="install one of chromium"):
        find_browser()


def test_find_browser_fails_in_ci(monkeypatch):
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no browser"):
        find_browser()
