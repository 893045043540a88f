"""`avh review`: the app."""

from __future__ import annotations

import re
import sys
import webbrowser
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import open_services, port_option, require_free, workspace_option
from avh_ui.cli.output import say
from avh_ui.extras import require

if TYPE_CHECKING:
    from avh_ui.ui.access.access import Access
    from avh_ui.workflows.services import Services

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

# As Bokeh takes a host, which knows no address of version 6; it may be `*`.
_HOST_AND_PORT = re.compile(r"[\w.*-]+(?::(\d{1,5}))?")
_LAST_PORT = 65_535

browser_option = click.option(
    "--browser/--no-browser", default=None, help="Open a browser; by default where there is a terminal and a desktop."
)


@click.command("review")
@workspace_option()
@port_option()
@click.option("--address", default="localhost", show_default=True, help="Where it listens; 0.0.0.0 lets other machines reach it.")
@click.option("--origin", "origins", multiple=True, metavar="HOST:PORT", help="A host that browsers use to reach it; may be repeated.")
@click.option("--url", default="", metavar="URL", help="The address that browsers use, behind a proxy: https://quality.example.org")
@click.option("--auth", metavar="FILE", type=_FILE, help="Ask for a login: a file of names and hashed passwords (`avh people password`).")
@click.option(
    "--oidc", metavar="FILE", type=_FILE, help="Let a provider of identities (OpenID Connect) ask: a JSON file, see docs/operating.md."
)
@click.option("--proxy-header", default="", metavar="NAME", help="The header in which a proxy names who is logged in: X-Forwarded-User.")
@click.option("--trusted-proxy", "proxies", multiple=True, metavar="ADDRESS", help="The proxy's address or network; may be repeated.")
@click.option("--no-auth-i-know", is_flag=True, help="Let anybody in who reaches the port, though other machines can.")
@browser_option
def command(root: Path, port: int, address: str, browser: bool | None, no_auth_i_know: bool, **who: Any) -> None:
    """Open the app to review and publish.

    Ctrl-C stops it. Where people log in, what they do is recorded under their names, and `people:` of avh.yml says what they may.
    """
    require("app", "`avh review`")
    access = remembering(access_of(address=address, open_to_all=no_auth_i_know, **who), root, who["auth"] or who["oidc"])
    require_free(port)
    serve(open_services(root), port, browser, address=address, access=access)


def access_of(
    *,
    address: str = "localhost",
    open_to_all: bool = False,
    auth: Path | None = None,
    oidc: Path | None = None,
    proxy_header: str = "",
    proxies: tuple[str, ...] = (),
    url: str = "",
    origins: tuple[str, ...] = (),
) -> Access:
    """How people are known, by the options; `UsageError` for what does not fit together or would let anybody in."""
    from avh_ui.errors import UsageError
    from avh_ui.ui.access.access import Access
    from avh_ui.ui.access.password_file import PasswordFile
    from avh_ui.ui.access.settings_files import networks, read_oidc

    if sum(map(bool, (auth, oidc, proxy_header))) > 1:
        raise UsageError("People are known in one way.", hint="Give one of --auth, --oidc and --proxy-header.")
    if bool(proxy_header) and not proxies:
        raise UsageError("Anybody can send a header.", hint="Say with --trusted-proxy from which address it is believed.")
    if not (auth or oidc or proxy_header or open_to_all or is_loopback(address)):
        raise UsageError(
            f"At {address} other machines reach the app, and anybody there could publish.",
            hint="Give --auth FILE, --oidc FILE or --proxy-header NAME (or --no-auth-i-know).",
        )
    if url and not url.startswith(("https://", "http://")):
        raise UsageError(f"{url!r} is no address of a browser.", hint="Write it with https:// or http://.")
    for origin in origins:
        _require_host(origin)
    passwords = PasswordFile(auth) if auth else None
    if passwords is not None:
        passwords.entries()  # what is wrong with the file is told now
    return Access(passwords, read_oidc(oidc) if oidc else None, proxy_header, networks(proxies), url.rstrip("/"), origins)


def _require_host(origin: str) -> None:
    """`UsageError` for what is no host with its port (without one it is port 80)."""
    from avh_ui.errors import UsageError

    found = _HOST_AND_PORT.fullmatch(origin)
    if found is None or int(found[1] or 0) > _LAST_PORT:
        hint = "Write it as HOST:PORT, such as quality.example.org:443, without https:// and a path."
        raise UsageError(f"--origin: {origin!r} is no host with a port.", hint=hint)


def remembering(access: Access, root: Path, known_by: Path | None) -> Access:
    """The access with a secret that outlives a restart, where people log in by a file; where it cannot be kept that is said."""
    from avh_ui.errors import AvhError
    from avh_ui.settings import load_settings
    from avh_ui.ui.access.kept_secret import secret_for

    if known_by is None:
        return access
    try:
        return replace(access, secret=secret_for(load_settings().state_folder, root, known_by))
    except AvhError as error:
        say(f"{error} Until then everybody logs in again after a restart.", err=True)
        return access


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return address == "localhost"


def serve(services: Services, port: int, browser: bool | None, *, address: str = "localhost", access: Access | None = None) -> None:
    """Serve the app until it is stopped."""
    from avh_ui.ui.app import serve as serve_app

    show = _has_desktop() if browser is None else browser
    at = (access.url if access is not None else "") or f"http://localhost:{port}"
    say("The app starts …")

    def tell() -> None:
        say(f"The app is at {at} (Ctrl-C stops it).")

    serve_app(services, port=port, show=show, address=address, access=access, listening=tell)


def _has_desktop() -> bool:
    """Whether a browser window can be opened; a text browser would take over the terminal."""
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return False
    return sys.stdout.isatty() and type(found) is not webbrowser.GenericBrowser
