"""What every answer of the server says to browsers: what a page may load, and who may frame it."""

from __future__ import annotations

from bokeh.server.util import check_allowlist
from tornado.httputil import HTTPHeaders, HTTPServerRequest
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


def guard(hosts: list[str]) -> type[OutputTransform]:
    """A transform for Tornado that writes these headers, and refuses pages asked of by another host's name:
    whoever lets their own name point to this machine would read them.
    """

    class Guard(OutputTransform):
        def __init__(self, request: HTTPServerRequest) -> None:
            self.refused = not check_allowlist(request.host, hosts)

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
                status_code, chunk = 421, text
            for name, value in HEADERS.items():
                headers[name] = value
            return status_code, headers, chunk

        def transform_chunk(self, chunk: bytes, finishing: bool) -> bytes:  # noqa: ARG002
            return b"" if self.refused else chunk

    return Guard
