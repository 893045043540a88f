"""Printing: JSON, tables, texts of data that a terminal can take, and the progress of a long job."""

from __future__ import annotations

import errno
import json
import math
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.commands_said import pasteable
from avh_ui.errors import DeliveryError

if TYPE_CHECKING:
    from avh_ui.metrics.profiler import Progress, Watch
    from avh_ui.workflows.misnamed import Misnamed

# Values of a column are never trusted: no control characters, no bidirectional overrides, no lone surrogates. Newlines are ours.
_UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# Why no file can be made beside one that is there, or renamed over it.
_NOT_BESIDE = frozenset({errno.EACCES, errno.EPERM, errno.EBUSY, errno.EROFS})
_BAR = 24


def safe(text: str) -> str:
    """The text with what a terminal would act on written as escapes."""
    return _UNSAFE.sub(lambda m: m[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)


def say(text: str = "", *, err: bool = False) -> None:
    """Print a line that may hold names or values of the data, and commands to go on with."""
    click.echo(safe(pasteable(text)), err=err)


def say_notes(notes: Iterable[str], *, err: bool = False) -> None:
    """Print sentences on what was not measured, each in a line that begins with "Note:"."""
    for note in notes:
        say(f"Note: {note}", err=err)


def say_misnamed(misnamed: Misnamed) -> bool:
    """Print what avh.yml names and the table has not, a line each; whether there is such."""
    for sentence in misnamed.said:
        say(f"Error: {sentence}", err=True)
    return bool(misnamed.said)


def print_json(data: Any) -> None:
    """Print data as indented ASCII JSON; numbers that are not finite become null."""
    click.echo(json.dumps(finite(data), indent=1, allow_nan=False, default=str))


def finite(data: Any) -> Any:
    """The same data with every number that JSON does not have as None."""
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        return {str(k): finite(v) for k, v in data.items()}
    if isinstance(data, list | tuple):
        return [finite(v) for v in data]
    return data


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns, numbers to the right."""
    cells = [[safe(c).replace("\n", "\\n") for c in row] for row in rows]
    widths = [max(len(h), *(len(row[i]) for row in cells)) if cells else len(h) for i, h in enumerate(headers)]
    numeric = [bool(cells) and all(_is_number(row[i]) for row in cells) for i in range(len(headers))]
    for row in [list(headers), *cells]:
        parts = [c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric, strict=True)]
        click.echo("  ".join(parts).rstrip())


def write_text(path: Path, text: str) -> None:
    """Write a document, with its folder; `DeliveryError` says why it could not be."""
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")  # a pipe or a terminal
        else:
            _write_whole(path.resolve(), text.encode("utf-8"))
    except OSError as error:
        raise DeliveryError(f"{path} could not be written: {error.strerror}.") from error


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole, with its folder; `DeliveryError` says why it could not be."""
    try:
        _write_whole(path.resolve(), content)
    except OSError as error:
        raise DeliveryError(f"{path} could not be written: {error.strerror}.") from error


def _write_whole(path: Path, content: bytes) -> None:
    from avh_ui import durable

    try:
        durable.replace(path, content)
    except OSError as error:
        # The file may be written and its folder not, or it is mounted by itself: then in place is all that is left.
        if error.errno not in _NOT_BESIDE or not path.exists():
            raise
        path.write_bytes(content)


def count(n: int, what: str) -> str:
    """`1 batch`, `1,200 batches`."""
    plural = what + ("es" if what.endswith(("ch", "s", "x")) else "s")
    return f"{n:,} {what if n == 1 else plural}"


def _is_number(text: str) -> bool:
    return not text or text == "-" or bool(re.fullmatch(r"[+-]?[\d,.]+([eE][+-]?\d+)?|undefined|-?infinity|open", text))


@contextmanager
def progress(title: str) -> Iterator[Watch]:
    """A watch to pass to a workflow. Cancelled when the block is left by Ctrl-C, so that worker threads stop."""
    from avh_ui.metrics.profiler import Watch

    shown = sys.stderr.isatty()
    watch = Watch((lambda p: _draw(title, p)) if shown else (lambda _: None))
    try:
        yield watch
    except KeyboardInterrupt:
        watch.cancelled.set()
        raise
    finally:
        if shown:
            # Erase the line, so that the result stands where the bar was.
            click.echo("\r\x1b[K", nl=False, err=True)


def _draw(title: str, progress: Progress) -> None:
    share = progress.done / progress.total if progress.total else 0.0
    filled = round(_BAR * min(max(share, 0.0), 1.0))
    bar = "#" * filled + "-" * (_BAR - filled)
    line = safe(f"{title} [{bar}] {progress.done}/{progress.total} {progress.note}").replace("\n", " ")
    width = shutil.get_terminal_size().columns - 1
    click.echo(f"\r\x1b[K{line[:width]}", nl=False, err=True)
