"""`avh people`: who may log in."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from avh_ui.cli.output import say
from avh_ui.errors import UsageError


@click.group("people")
def command() -> None:
    """Say who may log in to `avh review --auth`.

    What they may do there stands under `people:` in avh.yml.
    """


@command.command("password")
@click.argument("name")
@click.option("--file", "path", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The file for `avh review --auth`.")
@click.option("--stdin", is_flag=True, help="Read the password from standard input instead of asking for it.")
def set_password(name: str, path: Path, stdin: bool) -> None:
    """Give NAME a password.

    It is kept as a salted scrypt hash; the file is made when it is not there, readable by you alone.
    """
    from avh_ui.ui.access.password_file import PasswordFile

    given = sys.stdin.readline().rstrip("\n") if stdin else _asked(name, path)
    PasswordFile(path).put(name, given)
    say(f"{name} can log in with `avh review --auth {path}`.")


def _asked(name: str, path: Path) -> str:
    # Without a terminal it would be read with a warning, and its end be told as an interruption.
    if not sys.stdin.isatty():
        piped = f"avh people password {shlex.quote(name)} --file {shlex.quote(str(path))} --stdin < FILE"
        raise UsageError("There is no terminal to ask for a password.", hint=f"Pipe it: `{piped}`, or run this in a terminal.")
    return str(click.prompt("Password", hide_input=True, confirmation_prompt=True))
