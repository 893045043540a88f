"""The fenced blocks of README.md and docs/, and what is looked up of their commands."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import click

from avh_ui.cli.main import cli

# `<!-- not run: why -->` stands above a block that the suite cannot run; a reader does not see it.
_BLOCK = re.compile(r"(?:^<!-- not run: (?P<why>[^\n]+) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(avh [a-z][^`]*)`")
RUN = ("python", "sh")


@dataclass(frozen=True)
class Block:
    """A block of a page; `why` it is not run, or ''."""

    page: str
    line: int
    language: str
    text: str
    why: str

    @property
    def commands(self) -> list[list[str]]:
        """The words of each command line of a shell block, without comments."""
        joined = self.text.replace("\\\n", " ")
        return [words for line in joined.splitlines() if (words := shlex.split(line, comments=True))]


def pages(root: Path) -> list[Path]:
    """The pages whose blocks people copy."""
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]


def blocks(root: Path, page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(str(page.relative_to(root)), text.count("\n", 0, m.start()) + 1, m["language"], m["text"], m["why"] or "")
        for m in _BLOCK.finditer(text)
    ]


def inline(page: Path) -> list[str]:
    """The commands that stand in a sentence or table, such as `avh publish PIPELINE`."""
    return _INLINE.findall(re.sub(_BLOCK, "", page.read_text(encoding="utf-8")))


def unknown(words: list[str]) -> list[str]:
    """Commands and options of an `avh` line that there are not."""
    command, context = cli, click.Context(cli)
    rest = words[1:]
    while rest and isinstance(command, click.Group) and not rest[0].startswith("-"):
        found = command.get_command(context, rest[0])
        if found is None:
            return [] if rest[0].isupper() else [rest[0]]
        command, rest = found, rest[1:]
    there = {name for p in command.params for name in (*p.opts, *p.secondary_opts)} | {"--help", "-h"}
    return [word for word in rest if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in there]


def wrong_words(root: Path, words: list[str]) -> list[str]:
    """What a command line names that is not there: options of avh, targets of make, files."""
    if words[0] == "avh":
        return unknown(words)
    if words[0] == "make":
        targets = set(re.findall(r"^([\w.-]+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
        return [word for word in words[1:] if "=" not in word and word not in targets]
    if words[0] in ("pip", "conda"):
        return [word for word in words if re.search(r"\.(txt|yml)$", word) and not (root / word).exists()]
    return []
