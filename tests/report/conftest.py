"""Pages opened in a real browser; a page that logs an error or uses the network fails its test."""

import pytest

from polytomy.report.page import render


@pytest.fixture
def open_page(browser):
    """Return a function that opens a file in a new window."""
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


@pytest.fixture(scope="session")
def page_files(tmp_path_factory):
    """Return a function that writes the page of some facts, once for each set of facts."""
    folder, written = tmp_path_factory.mktemp("pages"), {}

    def write(facts):
        if id(facts) not in written:
            path = folder / f"page-{len(written)}.html"
            path.write_text(render(facts), encoding="utf-8")
            written[id(facts)] = path, facts  # the facts are kept, so that their id stays theirs
        return written[id(facts)][0]

    return write


@pytest.fixture
def open_facts(open_page, page_files):
    """Return a function that opens the page of some facts."""
    return lambda facts, **how: open_page(page_files(facts), **how)
