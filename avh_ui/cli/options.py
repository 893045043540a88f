"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from avh_ui.workflows.services import Services

F = TypeVar("F", bound=Callable[..., Any])


def workspace_option(default: str = ".") -> Callable[[F], F]:
    """`-w/--workspace DIR`, given to the command as `root`."""
    folder = click.Path(path_type=Path, file_okay=False)
    return click.option("-w", "--workspace", "root", type=folder, default=default, show_default=True, help="The workspace's folder.")


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
pipeline_argument = click.argument("pipeline")


def by_option(required: bool = False) -> Callable[[F], F]:
    """`--by NAME`: who acts."""
    text = "Who acts." if required else "Who acts; AVH_ACTOR or the login name by default."
    return click.option("--by", metavar="NAME", required=required, help=text)


def message_option(help_text: str, required: bool = False) -> Callable[[F], F]:
    """`-m/--message TEXT`."""
    return click.option("-m", "--message", default=None if required else "", required=required, metavar="TEXT", help=help_text)


def port_option() -> Callable[[F], F]:
    """`--port`, 5006 as Panel's own."""
    return click.option("--port", type=click.IntRange(1, 65535), default=5006, show_default=True, help="Where the app listens.")


def open_services(root: Path, **urls: str | None) -> Services:
    """The workspace; loaded here so that `--help` does not pay for it."""
    from avh_ui import bootstrap

    return bootstrap.open_services(root, **urls)
