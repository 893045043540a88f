"""The commands that sentences name, as a person can paste them: with the workspace that the command itself was given."""

from __future__ import annotations

import re
import shlex
from contextvars import ContextVar
from pathlib import Path

import click
from click.core import ParameterSource

_NAMED = re.compile(r"`avh (?P<command>[a-z]+)(?P<rest>[^`]*)`")
# These are of no workspace.
_OF_NONE = frozenset({"explain", "people", "patterns"})
_given: ContextVar[str] = ContextVar("given", default="")


def remember(context: click.Context, parameter: click.Parameter, value: Path) -> Path:
    """The callback of `-w`: which workspace was typed, if any."""
    typed = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE and value != Path()
    _given.set(shlex.quote(str(value)) if typed else "")
    return value


def forget() -> None:
    """Before a command is read: several may run in one process."""
    _given.set("")


def pasteable(text: str) -> str:
    """The text with `-w DIR` in each command in backticks that lacks it, where the workspace was typed."""
    return _NAMED.sub(_with_workspace, text) if _given.get() else text


def _with_workspace(named: re.Match[str]) -> str:
    words = named["rest"].split()
    if named["command"] in _OF_NONE or {"-w", "--workspace", "-h", "--help"} & set(words):
        return named[0]
    return f"{named[0][:-1].rstrip()} -w {_given.get()}`"
