"""Options that several commands share; and whether the port of one is free, asked before anything heavy starts."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from avh_ui.cli.commands_said import remember
from avh_ui.errors import AvhError, PortInUseError, UsageError

if TYPE_CHECKING:
    from avh_ui.constraints.check import Check
    from avh_ui.workflows.services import Services

F = TypeVar("F", bound=Callable[..., Any])
# Far enough to get past a few running apps.
_TRIES = 100


def workspace_option(default: str = ".") -> Callable[[F], F]:
    """`-w/--workspace DIR`, given to the command as `root`."""
    folder = click.Path(path_type=Path, file_okay=False, readable=False)
    text = "The workspace's folder."
    return click.option("-w", "--workspace", "root", type=folder, default=default, show_default=True, callback=remember, help=text)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
pipeline_argument = click.argument("pipeline")


def by_option(required: bool = False) -> Callable[[F], F]:
    """`--by NAME`: who acts."""
    text = "Who acts." if required else "Who acts; AVH_ACTOR or the login name by default."
    return click.option("--by", metavar="NAME", required=required, help=text)


def message_option(help_text: str, required: bool = False) -> Callable[[F], F]:
    """`-m/--message TEXT`."""
    if required:
        # To click an option with a default, even None, is never missing.
        return click.option("-m", "--message", required=True, metavar="TEXT", help=help_text)
    return click.option("-m", "--message", default="", metavar="TEXT", help=help_text)


def port_option() -> Callable[[F], F]:
    """`--port`, 5006 as Panel's own."""
    return click.option("--port", type=click.IntRange(1, 65535), default=5006, show_default=True, help="Where the app listens.")


def open_services(root: Path, **urls: str | None) -> Services:
    """The workspace; loaded here so that `--help` does not pay for it."""
    from avh_ui import bootstrap

    return bootstrap.open_services(root, **urls)


def is_free(port: int) -> bool:
    """Whether the app could listen on the port, on every interface."""
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
        # As servers do: a port whose last connection is still being wound up is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True


def require_free(port: int) -> None:
    """`PortInUseError` names a port that is free."""
    if is_free(port):
        return
    free = next((p for p in range(port + 1, min(port + _TRIES, 65536)) if is_free(p)), None)
    hint = f"Port {free} is free: use --port {free}." if free else "Choose another with --port."
    raise PortInUseError(f"Port {port} cannot be listened on: something else uses it.", hint=hint)


def stated_rules(rules: Iterable[str]) -> list[Check]:
    """The checks of texts as avh.yml has rules; `UsageError` names the text and what is wrong with it."""
    from avh_ui import bounded_yaml
    from avh_ui.constraints.check_records import check_of
    from avh_ui.errors import ConstraintError
    from avh_ui.metrics.analysis import misuse

    found = []
    for text in rules:
        try:
            check = check_of(bounded_yaml.load(text))
            if wrong := misuse(check.measure):
                raise ConstraintError(wrong)
            found.append(check)
        except AvhError as error:
            raise UsageError(f"{text!r}: {error.message}", hint=error.hint) from error
        except ValueError as error:
            form = "is_complete: {columns: carrier, where: \"origin = 'JFK'\"}" if " where" in text else "is_complete: carrier"
            raise UsageError(f"{text!r} is no rule: it is not valid YAML.", hint=f"Write it so: `{form}`.") from error
    return found
