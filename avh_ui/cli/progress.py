"""Progress of a long job on stderr, on a terminal only; Ctrl-C cancels the job on the cluster too."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from avh_ui.cli.output import safe

if TYPE_CHECKING:
    from avh_ui.metrics.profiler import Progress, Watch

_BAR = 24


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
