"""The server answers its own page only, and says in one sentence why it refuses a request."""

import re
from http.client import HTTPConnection

import pytest

from polytomy.studio import Application, StudioError, StudioServer
from tests.studio.conftest import ask


@pytest.fixture
def echo(serve):
    return serve(Application(lambda nonce: f"<p>{nonce}", {"echo": lambda given: given}))


def test_server_listens_on_loopback_and_prints_a_new_token(serve, echo):
    other = serve(echo.application)
    assert echo.server_address[0] == "127.0.0.1"
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32,}", echo.url)
    assert echo.token != other.token


def test_server_calls_routes_with_json(echo):
    assert ask(echo, "echo", {"a": [1, "ü"]}) == (200, {"a": [1, "ü"]})


@pytest.mark.parametrize("token", [None, "", "wrong", "ü"])
def test_server_needs_the_token(echo, token):
    given = None if token is None else token.encode("latin-1")
    status, answer = ask(echo, "echo", headers={"X-Polytomy-Token": given})
    assert status == 403
    assert "open the URL that `polytomy studio` printed" in answer["error"]


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", "/?TOKEN=x"])
def test_page_needs_the_token(echo, path):
    status, answer = ask(echo, None, method="GET", path=path)
    assert status == 403
    assert "token" in answer["error"]


def test_page_has_a_policy_with_a_new_nonce(echo):
    seen = set()
    for _ in range(2):
        connection = HTTPConnection("127.0.0.1", echo.port, timeout=10)
        connection.request("GET", f"/?token={echo.token}")
        answer = connection.getresponse()
        nonce = answer.read().decode().removeprefix("<p>")
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith(f"default-src 'none'; script-src 'nonce-{nonce}'; style-src")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Set-Cookie"] is None
        seen.add(nonce)
        connection.close()
    assert len(seen) == 2


def test_other_methods_are_refused(echo):
    for method in ("OPTIONS", "PUT", "DELETE"):
        assert ask(echo, "echo", method=method)[0] == 501


def test_an_answer_that_is_no_json_is_a_failure(serve, capsys):
    server = serve(Application(str, {"nan": lambda given: {"x": float("nan")}}))
    assert ask(server, "nan")[0] == 500
    assert "ValueError" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "evil.example:80", ""])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_server_answers_to_its_own_name_only(echo, host, method):
    path = f"/?token={echo.token}" if method == "GET" else None
    status, answer = ask(echo, "echo", method=method, path=path, headers={"Host": host})
    assert status == 421
    assert "answers to 127.0.0.1:" in answer["error"]


def test_server_refuses_other_origins(echo):
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{echo.port}"):
        assert ask(echo, "echo", headers={"Origin": origin})[0] == 403
    for host in ("127.0.0.1", "localhost"):
        assert ask(echo, "echo", headers={"Origin": f"http://{host}:{echo.port}"})[0] == 200


@pytest.mark.parametrize(
    ("how", "status", "words"),
    [
        ({"body": "{"}, 400, "not valid JSON"),
        ({"body": "[" * 100_000}, 400, "not valid JSON"),
        ({"body": "[1]"}, 400, "must be a JSON object"),
        ({"headers": {"Content-Type": "text/plain"}}, 415, "must be JSON"),
        ({"headers": {"Content-Length": "-1"}}, 411, "must state their length"),
        ({"headers": {"Content-Length": str(10**12)}}, 413, "must be below"),
        ({"path": "/api/none"}, 404, "There is no function"),
        ({"path": "/api/__class__"}, 404, "There is no function"),
        ({"path": "/echo"}, 404, "There is no function"),
        ({"method": "GET", "path": "/../etc/passwd"}, 404, "no such page"),
    ],
)
def test_server_refuses_what_it_cannot_read(echo, how, status, words):
    found, answer = ask(echo, "echo", **how)
    assert (found, words in answer["error"]) == (status, True)
    assert ask(echo, "echo", {"still": "alive"}) == (200, {"still": "alive"})


def test_server_hides_failures_of_the_program(serve, capsys):
    server = serve(Application(str, {"fail": lambda given: given["missing"]}))
    status, answer = ask(server, "fail")
    assert status == 500
    assert answer["error"] == "The studio failed (KeyError); the terminal shows where."
    assert "KeyError: 'missing'" in capsys.readouterr().err


def test_server_says_that_a_port_is_in_use(echo):
    with pytest.raises(StudioError, match=rf"port {echo.port} cannot be used \(.*in use\)"):
        StudioServer(echo.application, echo.port)
