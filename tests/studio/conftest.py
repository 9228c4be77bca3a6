"""A studio that runs in this process, requests to it, and its page in a browser."""

import json
import threading
from http.client import HTTPConnection

import numpy as np
import pytest

from polytomy import TreeClassifier
from polytomy.cli.demo import split_cars
from polytomy.io import LabelledTable
from polytomy.studio import StudioRows, StudioServer, Workbench, studio_application
from polytomy.table import Table


def cars_rows():
    """Return the bundled cars, a quarter of them held out."""
    cars = split_cars()
    rows = LabelledTable(cars.table, cars.origin, None, "origin")
    return StudioRows(rows.take(cars.training), rows.take(cars.test))


def table_rows(columns, labels):
    """Return the rows of columns and labels, none held out."""
    return StudioRows(LabelledTable(Table.of(columns), np.asarray(labels), None, "y"))


@pytest.fixture
def serve():
    """Return a function that starts a server of an application, and stops it after the test."""
    running = []

    def start(application, **how):
        server = StudioServer(application, **how)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        running.append((server, thread))
        return server

    def stop(server):
        server.shutdown()
        server.server_close()

    start.stop = stop
    yield start
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join(5)


@pytest.fixture
def studio(serve):
    """Return a server of the cars, on which a tree is begun with one leaf."""
    return serve(studio_application(Workbench(cars_rows(), TreeClassifier())))


@pytest.fixture
def open_tab(browser):
    """Return a function that opens a URL in a new tab; a tab that logs an error fails its test."""
    contexts, complaints = [], []

    def open_url(url, width=1600, height=1000, *, expected=(), **how):
        context = browser.new_context(viewport={"width": width, "height": height}, **how)
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()

        def complain(message):
            if message.type != "log" and not any(words in message.text for words in expected):
                complaints.append(message.text)

        page.on("console", complain)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(url)
        page.wait_for_selector(".gain-row, .splits .muted")
        return page

    yield open_url
    for context in contexts:
        context.close()
    assert complaints == []


def ask(server, name, given=None, *, method="POST", body=None, headers=(), path=None):
    """Return the status and the JSON of an answer to a request."""
    sent = {"Content-Type": "application/json", "X-Polytomy-Token": server.token}
    sent |= dict(headers)
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    text = json.dumps(given or {}) if body is None else body
    connection.request(
        method,
        path or f"/api/{name}",
        text if method == "POST" else None,
        {k: v for k, v in sent.items() if v is not None},
    )
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    kind = answer.headers.get_content_type()
    return answer.status, json.loads(text) if kind == "application/json" else text
