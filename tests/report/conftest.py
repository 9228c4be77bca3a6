"""Pages opened in a real browser; a page that complains or asks for a network fails its test."""

import pytest
from playwright.sync_api import sync_playwright

from polytomy.report.html import render
from tests.report.browser import launch_options


@pytest.fixture(scope="module")
def browser():
    options = launch_options()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**options)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    """Open a file; whatever a page does, it must not complain, nor ask for anything but itself."""
    contexts, complaints, requests = [], [], []

    def open_file(path, width=1600, height=1000, scheme="light", **how):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **how
        )
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text) if m.type != "log" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []


@pytest.fixture
def open_facts(open_page, tmp_path):
    """Open the page of some facts."""

    def open_rendered(facts, **how):
        path = tmp_path / f"page-{len(list(tmp_path.iterdir()))}.html"
        path.write_text(render(facts), encoding="utf-8")
        return open_page(path, **how)

    return open_rendered
