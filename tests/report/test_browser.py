"""Without a browser the tests of the pages are skipped, but never where everything must run."""

import shutil

import pytest

from tests.report.browser import find_browser


@pytest.fixture(autouse=True)
def no_browser(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)


def test_without_a_browser_the_reason_is_told(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="install one of chromium"):
        find_browser()


def test_ci_must_have_one(monkeypatch):
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no browser"):
        find_browser()
