"""Letting in whom a provider of identities names: Panel's client of OAuth, with cookies as strict as ours."""

from __future__ import annotations

from typing import Any

from panel.auth import GenericLoginHandler, OAuthProvider
from tornado.web import RequestHandler

from avh_ui.ui.access.access import Access


class Provider(OAuthProvider):
    """The code flow, with a state that is compared; the name is one of the properties that the provider says of a person."""

    def __init__(self, access: Access) -> None:
        self.access = access
        super().__init__(login_endpoint="/login", logout_endpoint="/logout")

    @property
    def login_handler(self) -> type[RequestHandler]:
        """Panel's, whose cookies are for this app alone: `Lax`, since the browser comes back from the provider with them."""
        secure = self.access.secure

        class Login(GenericLoginHandler):
            def set_cookie(self, name: str, value: str | bytes, *args: Any, **more: Any) -> None:
                super().set_cookie(name, value, *args, **{**more, "httponly": True, "samesite": "Lax", "secure": secure})

        return Login


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
