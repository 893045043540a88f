"""The workspace that was typed, for the commands that sentences name."""

from __future__ import annotations

import shlex
from contextvars import ContextVar
from pathlib import Path

import click
from click.core import ParameterSource

from avh_ui import commands_named

_given: ContextVar[str] = ContextVar("given", default="")


def remember(context: click.Context, parameter: click.Parameter, value: Path) -> Path:
    """The callback of `-w`: which workspace was typed, if any."""
    typed = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE and value != Path()
    _given.set(f"-w {shlex.quote(str(value))}" if typed else "")
    return value


def forget() -> None:
    """Before a command is read: several may run in one process."""
    _given.set("")


def pasteable(text: str) -> str:
    """`commands_named.pasteable`, with the workspace that was typed."""
    return commands_named.pasteable(text, _given.get())
