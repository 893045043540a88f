"""What every answer of the server says to browsers: what a page may load, and who may frame it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from bokeh.server.util import check_allowlist
from tornado.httputil import HTTPHeaders, HTTPServerRequest, ResponseStartLine
from tornado.web import OutputTransform

# Bokeh's pages carry inline scripts without a nonce, its axes compile their formatters with `new Function`, and Panel loads its components
# from blobs: without any of the three the pages stay empty. All else comes from this server, goes to it alone, and is framed by nobody.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class _Refusing:
    """A connection whose answer is a refusal in its first line, too: a transform changes the code, and Tornado writes the page's words."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def write_headers(self, start_line: ResponseStartLine, headers: HTTPHeaders, chunk: bytes | None = None) -> Any:
        """The connection's own, with the words of the code."""
        return self._connection.write_headers(start_line._replace(reason=HTTPStatus(start_line.code).phrase), headers, chunk)


def guard(hosts: list[str]) -> type[OutputTransform]:
    """A transform for Tornado that writes these headers, and refuses pages asked of by another host's name:
    whoever lets their own name point to this machine would read them.
    """

    class Guard(OutputTransform):
        def __init__(self, request: HTTPServerRequest) -> None:
            self.refused = not check_allowlist(request.host, hosts)
            if self.refused:
                request.connection = _Refusing(request.connection)  # type: ignore[assignment] # a connection in all that is asked of it

        def transform_first_chunk(
            self,
            status_code: int,
            headers: HTTPHeaders,
            chunk: bytes,
            finishing: bool,  # noqa: ARG002
        ) -> tuple[int, HTTPHeaders, bytes]:
            if self.refused:
                text = b"The app is not served under this name: start `avh review` with --origin HOST:PORT or --url."
                headers = HTTPHeaders({"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(text))})
                status_code, chunk = HTTPStatus.MISDIRECTED_REQUEST, text
            for name, value in HEADERS.items():
                headers[name] = value
            return status_code, headers, chunk

        def transform_chunk(self, chunk: bytes, finishing: bool) -> bytes:  # noqa: ARG002
            return b"" if self.refused else chunk

    return Guard
