"""Letting people in: the login page for passwords, and the header of a trusted proxy, as Bokeh's authentication hooks."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bokeh.server.auth_provider import AuthProvider
from tornado.template import Template
from tornado.web import RequestHandler

from avh_ui.errors import ConfigError
from avh_ui.ui.access.access import COOKIE, COOKIE_DAYS, Access, name_in
from avh_ui.ui.access.password_file import PasswordFile
from avh_ui.ui.access.tries import Tries

LOGIN = Path(__file__).parents[1] / "login.html"
# Each takes 0.2 s of a processor and 16 MB: a crowd of guesses waits and does not take the machine.
_AT_ONCE = 2
_LOG = logging.getLogger(__name__)


class Passwords(AuthProvider):
    """Lets in who has a password. Who is removed from the file is out at the next page."""

    def __init__(self, access: Access, file: PasswordFile) -> None:
        self.access, self.file, self.tries = access, file, Tries()
        self.guesses = asyncio.Semaphore(_AT_ONCE)
        super().__init__()

    @property
    def get_user(self) -> Callable[[Any], Any]:
        """The name of who is logged in, None for nobody."""

        def user(handler: Any) -> str | None:
            value = handler.get_secure_cookie(COOKIE, max_age_days=COOKIE_DAYS)
            name = "" if value is None else value.decode("utf-8", "replace")
            try:
                return name if name and name in self.file.entries() else None
            except ConfigError:
                _LOG.exception("nobody can log in")
                return None

        return user

    @property
    def login_url(self) -> str:
        """Where nobody is sent."""
        return "/login"

    @property
    def login_handler(self) -> type[RequestHandler]:
        """The page with the form."""
        return type("Login", (LoginHandler,), {"gate": self})

    @property
    def logout_url(self) -> str:
        """Where one leaves."""
        return "/logout"

    @property
    def logout_handler(self) -> type[RequestHandler]:
        """Leaving."""
        return LogoutHandler

    def address(self, request: Any) -> str:
        """Whose tries are counted: the peer, or whom a trusted proxy names as the last before it."""
        peer = peer_of(request)
        forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        return forwarded if forwarded and self.access.trusts(peer) else peer


class LoginHandler(RequestHandler):
    """The form, and what it sends; held to a limit of tries and to forms of our own (XSRF)."""

    gate: Passwords

    def get(self) -> None:
        """The form."""
        self._form()

    async def post(self) -> None:
        """Let in, or say why not; never whether it was the name or the password."""
        self.check_xsrf_cookie()
        name, password = (self.get_body_argument(part, "", strip=False) for part in ("username", "password"))
        address = self.gate.address(self.request)
        async with self.gate.guesses:
            # Asked only now: tries that wait at the same time count each other.
            wait = self.gate.tries.wait(name, address)
            if wait:
                self.set_status(429)
                self.set_header("Retry-After", str(math.ceil(wait)))
                self._form(f"Too many tries. Try again in {math.ceil(wait / 60)} minutes.")
                return
            try:
                right = await asyncio.to_thread(self.gate.file.check, name, password)
            except ConfigError:
                _LOG.exception("nobody can log in")
                self.set_status(503)
                self._form("Nobody can log in now: the password file cannot be used. The app's log says why.")
                return
        if not right:
            self.gate.tries.wrong(name, address)
            _LOG.warning("a login as %r from %s was refused", name[:100], address)
            self.set_status(401)
            self._form("The name or the password is wrong.")
            return
        self.gate.tries.right(name, address)
        self.set_signed_cookie(COOKIE, name, expires_days=COOKIE_DAYS, httponly=True, samesite="Lax", secure=self.gate.access.secure)
        # Relative to this page: before the app may stand a proxy that serves it below a path, of which nothing here is known.
        self.redirect("." + _inside(self.get_body_argument("next", "/")))

    def _form(self, problem: str = "") -> None:
        to = _inside(self.get_argument("next", "/"))
        self.finish(Template(LOGIN.read_text(encoding="utf-8")).generate(problem=problem, xsrf=self.xsrf_token.decode("ascii"), next=to))


class LogoutHandler(RequestHandler):
    """Forgets who is logged in."""

    def get(self) -> None:
        """To the login page."""
        self.clear_cookie(COOKIE, path="/")
        self.redirect("login")


class Proxied(AuthProvider):
    """Lets in whom a trusted proxy names; nobody else, and nobody from another address."""

    def __init__(self, access: Access) -> None:
        self.access = access
        super().__init__()

    @property
    def get_user(self) -> Callable[[Any], Any]:
        """The name in the header, None unless it comes from a proxy that is trusted."""

        def user(handler: Any) -> str | None:
            if not self.access.trusts(peer_of(handler.request)):
                _LOG.warning("a request from %s, which is no trusted proxy, was refused", peer_of(handler.request))
                return None
            return name_in(handler.request.headers, self.access.header) or None

        return user

    @property
    def login_url(self) -> str:
        """Where nobody is sent."""
        return "/refused"

    @property
    def login_handler(self) -> type[RequestHandler]:
        """The page that says so."""
        return RefusedHandler


class RefusedHandler(RequestHandler):
    """What who comes round the proxy, or without a name, is told."""

    def get(self) -> None:
        """403."""
        self.set_status(403)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish("The proxy before this app did not say who you are. Open the app by its public address.")


def peer_of(request: Any) -> str:
    """The address at the other end of the connection, whatever headers say."""
    address = getattr(request.connection.context, "address", None)
    # A socket of this machine's file system has no address.
    return str(address[0]) if isinstance(address, tuple) and address else "127.0.0.1" if address in ("", b"", None) else str(address)


def _inside(path: str) -> str:
    """A path of this app; the front page for what a browser could take for another host."""
    fine = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if fine else "/"
