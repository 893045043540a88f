"""`avh review`: the app."""

from __future__ import annotations

import secrets
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avh_ui.cli.options import open_workspace, port_option, workspace_option
from avh_ui.cli.output import say
from avh_ui.cli.ports import require_free

if TYPE_CHECKING:
    from avh_ui.workflows.workspace import Workspace

browser_option = click.option(
    "--browser/--no-browser", default=None, help="Open a browser; by default where there is a terminal and a desktop."
)


@click.command("review")
@workspace_option()
@port_option()
@click.option("--address", default="localhost", show_default=True, help="Where it listens; 0.0.0.0 lets other machines reach it.")
@click.option("--origin", "origins", multiple=True, metavar="HOST:PORT", help="A host that browsers use to reach it; may be repeated.")
@click.option(
    "--auth", metavar="FILE", type=click.Path(exists=True, dir_okay=False), help="Ask for a login: a JSON file of names and passwords."
)
@browser_option
def command(root: Path, port: int, address: str, origins: tuple[str, ...], auth: str | None, browser: bool | None) -> None:
    """Open the app to review and publish.

    Ctrl-C stops it. With --auth decisions are recorded under the name of who logged in.
    """
    require_free(port)
    serve(open_workspace(root), port, browser, address=address, origins=origins, auth=auth)


def serve(
    workspace: Workspace,
    port: int,
    browser: bool | None,
    *,
    address: str = "localhost",
    origins: tuple[str, ...] = (),
    auth: str | None = None,
) -> None:
    """Serve the app until it is stopped."""
    from avh_ui.ui.app import serve as serve_app

    show = _has_desktop() if browser is None else browser
    say(f"The app is at http://localhost:{port} (Ctrl-C stops it).")
    # A fresh secret per start: a restart asks everybody to log in again.
    secret = secrets.token_hex(32) if auth else None
    serve_app(workspace, port=port, show=show, address=address, origins=origins, auth=auth, cookie_secret=secret)


def _has_desktop() -> bool:
    """Whether a browser window can be opened; a text browser would take over the terminal."""
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return False
    return sys.stdout.isatty() and type(found) is not webbrowser.GenericBrowser
