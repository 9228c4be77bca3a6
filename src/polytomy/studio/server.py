"""The studio's web server: for one user on this machine, and for nobody else.

It listens on the loopback interface only. Every request must name this server as its host, so that
a foreign site cannot reach it through a name that resolves to 127.0.0.1; a request from another
origin is refused; and every request but the favicon's needs the token, which is part of the URL
that the command prints. The page sends it in a header, which no foreign page can do.
"""

import json
import secrets
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, cast
from urllib.parse import parse_qs, urlsplit

from polytomy._errors import PolytomyError

HOST: Final = "127.0.0.1"
TOKEN_HEADER: Final = "X-Polytomy-Token"
MAX_BODY: Final = 64 * 1024 * 1024  # bytes; a model file that is opened travels in a body
_IDLE = 60.0  # seconds after which a connection without requests is closed

Answer = dict[str, Any]
Handler = Callable[[dict[str, Any]], Answer]


class StudioError(PolytomyError):
    """A request that the studio cannot carry out; its text is shown on the page."""


class StaleError(StudioError):
    """A request that was made on a state that another tab has changed since."""


@dataclass(frozen=True, slots=True)
class Application:
    """What a server serves: a page, and the functions that the page calls.

    Parameters
    ----------
    page : callable
        Returns the HTML of the page, given the nonce that its ``script`` and ``style`` elements
        must have: the security policy allows no others.
    routes : mapping
        The functions, by name: ``POST /api/<name>`` with a JSON object calls one with that object,
        and answers with the object that it returns. One runs at a time.
    """

    page: Callable[[str], str]
    routes: Mapping[str, Handler]
    lock: threading.Lock = field(default_factory=threading.Lock)


class StudioServer(ThreadingHTTPServer):
    """A server of one application on 127.0.0.1.

    Parameters
    ----------
    application : Application
        What it serves.
    port : int, default=0
        The port; 0 takes any free one.
    token : str or None, default=None
        The secret that requests must have; None makes a random one.
    """

    daemon_threads = True
    allow_reuse_address = sys.platform != "win32"  # there it would share the port

    def __init__(self, application: Application, port: int = 0, token: str | None = None) -> None:
        self.application = application
        self.token = secrets.token_urlsafe(24) if token is None else token
        try:
            super().__init__((HOST, port), _Request)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise StudioError(
                f"port {port} cannot be used ({reason.lower()}); choose another one with --port, "
                "or leave it out"
            ) from None

    @property
    def port(self) -> int:
        """The port that the server listens on."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """The address of the page, with the token."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names by which requests may call this server."""
        return f"{HOST}:{self.port}", f"localhost:{self.port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a browser that has gone; print other errors."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Refused(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: HTTPStatus, text: str, **more: Any) -> None:
        super().__init__(text)
        self.status, self.answer = status, {"error": text, **more}


class _Request(BaseHTTPRequestHandler):
    """One connection: checks every request, and calls the application."""

    protocol_version = "HTTP/1.1"  # one connection for many requests
    server_version, sys_version = "polytomy", ""
    timeout = _IDLE
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body in one packet

    @property
    def _studio(self) -> StudioServer:
        return cast(StudioServer, self.server)

    def do_GET(self) -> None:
        """Serve the page."""
        self._answer(self._page)

    def do_POST(self) -> None:
        """Call a function of the application."""
        self._answer(self._call)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the terminal shows the URL, and requests contain the token."""

    def _answer(self, work: Callable[[], None]) -> None:
        try:
            self._check_sender()
            work()
        except _Refused as refused:
            self.close_connection = True  # a body may be unread
            self._send(refused.status, "application/json", _as_json(refused.answer))

    def _check_sender(self) -> None:
        """Refuse requests by another name, and from other pages."""
        studio = self._studio
        if self.headers.get("Host") not in studio.hosts:
            raise _Refused(
                HTTPStatus.MISDIRECTED_REQUEST, f"This server answers to {studio.hosts[0]} only."
            )
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in studio.hosts}:
            raise _Refused(HTTPStatus.FORBIDDEN, "Requests from other sites are refused.")

    def _check_token(self, given: str | None) -> None:
        if not compare_digest((given or "").encode(), self._studio.token.encode()):
            what = "wrong" if given else "missing"
            raise _Refused(
                HTTPStatus.FORBIDDEN,
                f"The token is {what}: open the URL that `polytomy studio` printed when it was "
                "started last.",
            )

    def _page(self) -> None:
        url = urlsplit(self.path)
        if url.path != "/":
            raise _Refused(HTTPStatus.NOT_FOUND, "There is no such page.")
        self._check_token(parse_qs(url.query).get("token", [None])[0])
        nonce = secrets.token_urlsafe(16)
        with self._studio.application.lock:
            page = self._studio.application.page(nonce)
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
            "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        )
        self._send(HTTPStatus.OK, "text/html", page, {"Content-Security-Policy": policy})

    def _call(self) -> None:
        url, routes = urlsplit(self.path), self._studio.application.routes
        self._check_token(self.headers.get(TOKEN_HEADER))
        name = url.path.removeprefix("/api/")
        if name == url.path or name not in routes:
            raise _Refused(HTTPStatus.NOT_FOUND, f"There is no function {url.path!r}.")
        given = self._body()
        try:
            with self._studio.application.lock:
                text = _as_json(routes[name](given))
        except StaleError as error:
            raise _Refused(HTTPStatus.CONFLICT, _sentence(error), stale=True) from None
        except PolytomyError as error:
            raise _Refused(HTTPStatus.BAD_REQUEST, _sentence(error)) from None
        except Exception as error:
            self._studio.handle_error(self.request, self.client_address)
            words = f"The studio failed ({type(error).__name__}); the terminal shows where."
            raise _Refused(HTTPStatus.INTERNAL_SERVER_ERROR, words) from None
        self._send(HTTPStatus.OK, "application/json", text)

    def _body(self) -> dict[str, Any]:
        """Return the JSON object in the body of a request."""
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Requests must be JSON.")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "Requests must state their length.")
        if int(length) > MAX_BODY:
            most = f"{MAX_BODY // 2**20} MB"
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"Requests must be below {most}.")
        try:
            given = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise _Refused(HTTPStatus.BAD_REQUEST, "The request is not valid JSON.") from None
        if not isinstance(given, dict):
            raise _Refused(HTTPStatus.BAD_REQUEST, "The request must be a JSON object.")
        return given

    def _send(
        self, status: HTTPStatus, kind: str, text: str, headers: Mapping[str, str] | None = None
    ) -> None:
        body = text.encode("utf-8", errors="replace")
        self.send_response(status)
        fixed = {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        }
        for name, value in {**fixed, **(headers or {})}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


def _as_json(answer: Answer) -> str:
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _sentence(error: Exception) -> str:
    """Return the text of an error as one sentence: a capital letter first, a full stop last."""
    text = " ".join(str(error).split())
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
