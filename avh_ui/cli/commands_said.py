"""The commands that sentences name, as a person can paste them: with the workspace that was typed, and what they ask of a person."""

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
# What these refuse to run without, which only a person knows: who they are, and why. A test holds it against the commands' options.
ASKED = {"publish": ("--by NAME", "-m TEXT"), "decide": ("--by NAME",)}
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
    """The text with what its commands in backticks lack: `-w DIR` where the workspace was typed, and `--by NAME` where it is asked for."""
    return _NAMED.sub(_whole, text)


def _whole(named: re.Match[str]) -> str:
    command, words = named["command"], named["rest"].split()
    if command in _OF_NONE or {"-h", "--help"} & set(words):
        return named[0]
    # `avh publish` alone is the name of a command; with a pipeline it is a call.
    lacks = [option for option in ASKED.get(command, ()) if words and option.split()[0] not in words]
    if _given.get() and not {"-w", "--workspace"} & set(words):
        lacks.append(f"-w {_given.get()}")
    return " ".join([named[0][:-1].rstrip(), *lacks]) + "`"
