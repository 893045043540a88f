"""Letting in whom a provider of identities names: Panel's client of OAuth, with cookies as strict as ours."""

from __future__ import annotations

import logging
from typing import Any

from panel.auth import GenericLoginHandler, OAuthProvider
from tornado.web import HTTPError, RequestHandler

from avh_ui.ui.access.access import Access

_LOG = logging.getLogger(__name__)
# What a provider answers of a person; what else it answers is about the app (OpenID Connect Core, section 3.1.2.6; RFC 6749, 4.1.2.1).
_OF_PEOPLE = ("access_denied", "login_required", "consent_required", "interaction_required", "account_selection_required")
# So much of what a provider, or an address that somebody made up, says is shown.
_SHOWN = 200


class Provider(OAuthProvider):
    """The code flow, with a state that is compared; the name is one of the properties that the provider says of a person."""

    def __init__(self, access: Access) -> None:
        self.access = access
        super().__init__(login_endpoint="/login", logout_endpoint="/logout")

    @property
    def login_handler(self) -> type[RequestHandler]:
        """Panel's, whose cookies are for this app alone: `Lax`, since the browser comes back from the provider with them."""
        secure, user_key = self.access.secure, self.access.oidc.user_key if self.access.oidc else ""

        class Login(GenericLoginHandler):
            def set_cookie(self, name: str, value: str | bytes, *args: Any, **more: Any) -> None:
                super().set_cookie(name, value, *args, **{**more, "httponly": True, "samesite": "Lax", "secure": secure})

            def write_error(self, status_code: int, **kwargs: Any) -> None:  # noqa: ARG002 (Tornado's signature)
                error = kwargs["exc_info"][1]
                if not isinstance(error, HTTPError):
                    _LOG.error("the provider of identities could not be asked: %s", error)
                self.clear_all_cookies()
                self.set_header("Content-Type", "text/plain; charset=utf-8")
                self.finish(f"{why_not(error, user_key)} To try again, open the app's address.")

        return Login


def why_not(error: BaseException, user_key: str) -> str:
    """Why nobody is let in, and who can do what about it, in sentences for whoever stands before the door."""
    if not isinstance(error, HTTPError):
        return "The provider of identities could not be asked. The app's log says why: is token_url right, and reachable from the app?"
    reason = error.reason or ""
    said = "".join(c for c in f"{reason}: {error.log_message}" if c.isprintable())[:_SHOWN]
    if reason == "state mismatch":
        return "This login was begun in another browser, or too long ago."
    if not reason:
        remedy = "Whoever runs the app names another property as user_key, or asks for more by scope, in the file of --oidc."
        return f"The provider of identities does not say your {user_key!r}. {remedy}"
    if reason in _OF_PEOPLE:
        return f"The provider of identities did not let you in ({said})."
    remedy = (
        "Whoever runs the app sees to it that client_id, client_secret and the address to come back to (/login) are those registered there."
    )
    return f"The provider of identities did not accept the app ({said}). {remedy}"


def options(access: Access) -> dict[str, Any]:
    """What Panel has to know of the provider."""
    oidc = access.oidc
    assert oidc is not None
    urls = {"AUTHORIZE_URL": oidc.authorize_url, "TOKEN_URL": oidc.token_url, "USER_URL": oidc.user_url, "USER_KEY": oidc.user_key}
    redirect = {"oauth_redirect_uri": f"{access.url}/login"} if access.url else {}
    return {
        "auth_provider": Provider(access),
        "oauth_key": oidc.client_id,
        "oauth_secret": oidc.client_secret,
        "oauth_jwt_user": oidc.user_key,
        "oauth_extra_params": {**urls, "scope": oidc.scope.split()},
        **redirect,
    }
