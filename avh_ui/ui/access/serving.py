"""What of an access the server is started with: options of Panel's `serve`."""

from __future__ import annotations

from typing import Any

from avh_ui.ui.access import oidc
from avh_ui.ui.access.access import Access
from avh_ui.ui.access.guarding import guard
from avh_ui.ui.access.login import Passwords, Proxied

# How long a page may take to arrive before its session is forgotten. After Bokeh's 15 seconds a slow line got a new session for the page
# that it had, whose style sheets were those of a public address: blocked, and the page without any.
UNCONNECTED = 120_000


def options(access: Access, port: int) -> dict[str, Any]:
    """Hosts, headers, cookies, signed sessions and the way people are known.

    Sessions are signed in any case: a browser that makes up a session's token could else make up its headers and cookies.
    """
    hosts = access.hosts(port)
    made: dict[str, Any] = {
        "websocket_origin": hosts,
        "transforms": [guard(hosts)],
        "xsrf_cookie_kwargs": {"httponly": True, "samesite": "Lax", "secure": access.secure},
        "unused_session_lifetime_milliseconds": UNCONNECTED,
        "sign_sessions": True,
        "secret_key": access.secret.encode("ascii"),
        "cookie_secret": access.secret,
    }
    if access.passwords is not None:
        return made | {"auth_provider": Passwords(access, access.passwords)}
    if access.header:
        return made | {"auth_provider": Proxied(access)}
    return made | (oidc.options(access) if access.oidc is not None else {})
