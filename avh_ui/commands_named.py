"""The commands that sentences name, in backticks, as a person can paste them: with their workspace, and what they ask of a person."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

_NAMED = re.compile(r"`avh (?P<command>[a-z]+)(?P<rest>[^`]*)`")
# These are of no workspace.
_OF_NONE = frozenset({"explain", "people", "patterns"})
# What these refuse to run without, which only a person knows: who they are, and why. A test holds it against the commands' options.
ASKED = {"publish": ("--by NAME", "-m TEXT"), "decide": ("--by NAME",)}


def place_of(root: Path) -> str:
    """`-w DIR` of a workspace; '' for the folder in which this process runs: commands find that themselves."""
    return "" if root.resolve() == Path.cwd() else f"-w {shlex.quote(str(root))}"


def pasteable(text: str, place: str = "") -> str:
    """The text with what its commands in backticks lack: `place` (`-w DIR`, or ''), and `--by NAME` where it is asked for."""
    return _NAMED.sub(lambda named: _whole(named, place), text)


def _whole(named: re.Match[str], place: str) -> str:
    command, words = named["command"], named["rest"].split()
    if command in _OF_NONE or {"-h", "--help"} & set(words):
        return named[0]
    # `avh publish` alone is the name of a command; with a pipeline it is a call.
    lacks = [option for option in ASKED.get(command, ()) if words and option.split()[0] not in words]
    if place and not {"-w", "--workspace"} & set(words):
        lacks.append(place)
    return " ".join([named[0][:-1].rstrip(), *lacks]) + "`"
