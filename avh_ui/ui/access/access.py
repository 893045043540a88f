"""How people are known to the app: not at all, by password, by a provider of identities (OIDC), or by a proxy before it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit

from tornado.web import decode_signed_value

from avh_ui.ui.access.password_file import PasswordFile

# The signed cookie that names who logged in, as Panel calls it, and how long it holds, in days: a working day.
COOKIE, COOKIE_DAYS = "user", 1.0


@dataclass(frozen=True)
class Oidc:
    """A provider of identities: its addresses, this app's id and secret there, and which of a person's properties is the name."""

    client_id: str
    client_secret: str
    authorize_url: str
    token_url: str
    user_url: str
    user_key: str = "email"
    scope: str = "openid email profile"


@dataclass(frozen=True)
class Access:
    """One of `passwords`, `oidc` and `header` (a proxy's), or none: then everybody is who runs the app. Immutable per start.

    `proxies` are the addresses whose headers are believed, `url` is the address that browsers use ('' = this machine's), `origins` are
    other hosts (`host:port`) that pages may be asked by.
    """

    passwords: PasswordFile | None = None
    oidc: Oidc | None = None
    header: str = ""
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    url: str = ""
    origins: Sequence[str] = ()
    # Fresh where none is given: then a restart asks everybody to log in again (`kept_secret`).
    secret: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)

    @property
    def named(self) -> bool:
        """Whether people have names here."""
        return self.passwords is not None or self.oidc is not None or bool(self.header)

    @property
    def leave(self) -> str:
        """Where somebody logs out, relative to the app's page; '' where that is the proxy's to do, or nobody logs in."""
        return "logout" if self.passwords is not None or self.oidc is not None else ""

    @property
    def secure(self) -> bool:
        """Whether browsers come by TLS."""
        return self.url.startswith("https://")

    def hosts(self, port: int) -> list[str]:
        """The hosts by which pages may be asked for and websockets opened."""
        own = [f"localhost:{port}", f"127.0.0.1:{port}"]
        public = [urlsplit(self.url).netloc] if self.url else []
        return [host if ":" in host else f"{host}:80" for host in (*own, *public, *self.origins)]

    def trusts(self, peer: str) -> bool:
        """Whether headers from an address are believed."""
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None)
        return any((mapped or address) in network for network in self.proxies)

    def person(self, request: Any) -> str:
        """Who a session's request is of, '' where people have no names; never what a browser could have made up.

        `request` is the session's: its token is signed, so that headers and cookies are those of the page's own request, which was let in.
        """
        if self.header:
            return name_in(request.headers, self.header)
        if not self.named:
            return ""
        value = decode_signed_value(self.secret, COOKIE, request.cookies.get(COOKIE), max_age_days=COOKIE_DAYS)
        return "" if value is None else value.decode("utf-8", "replace")


def name_in(headers: Any, header: str) -> str:
    """The name that a header holds; '' where it is missing or stands twice."""
    found = [value for key, value in headers.items() if key.lower() == header.lower()]
    name = found[0].strip() if len(found) == 1 else ""
    # Two headers of one name arrive joined by a comma: one of them may be the browser's own.
    return name if name.isprintable() and "," not in name else ""
