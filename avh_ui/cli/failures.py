"""How a command ends that could not do its work: one sentence on stderr, an exit code, and a log file where nobody foresaw it."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import tempfile
import traceback
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from avh_ui.cli.commands_said import pasteable
from avh_ui.errors import AvhError, DeliveryError, denied, sentence_of
from avh_ui.extras import explained
from avh_ui.settings import load_settings
from avh_ui.version import __version__

# Said of writing alone: the disk is full, a quota is used up, it is read-only, the file is too large, the reader has gone.
_WRITING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EPIPE})
# A job that fails every hour must not fill a disk with what it says of it.
_LOGS_KEPT = 100


@dataclass(frozen=True)
class Failure:
    """What an error means to who called: the exit code, what is wrong, what to do, and the log file with the stack, if any."""

    code: int
    kind: str
    message: str
    hint: str = ""
    log: str | None = None

    @property
    def sentence(self) -> str:
        """Message and hint, and where the log is."""
        return " ".join(part for part in (self.message, self.hint, f"The log is {self.log}." if self.log else "") if part)


def failure_of(error: BaseException) -> Failure:
    """Any error as a failure. What is no `AvhError` was not foreseen: its stack goes to a log file."""
    if isinstance(error, ImportError):
        error = explained(error) or error
    kind = type(error).__name__
    if isinstance(error, AvhError):
        # What kept a verdict from being delivered is a group: the database may have said no, or a fault of ours.
        parts = error.__cause__.exceptions if isinstance(error.__cause__, BaseExceptionGroup) else ()
        log = None if all(isinstance(part, AvhError | OSError) for part in parts) else write_log(error)
        return Failure(error.exit_code, kind, error.message, error.hint, log)
    if isinstance(error, OSError) and error.errno in _WRITING:
        name = f"{error.filename} " if error.filename else "The output "
        return Failure(DeliveryError.exit_code, kind, f"{name}could not be written: {error.strerror}.")
    if isinstance(error, OSError) and error.filename and (refused := denied(error.filename, error)):
        return Failure(refused.exit_code, kind, refused.message, refused.hint)
    if isinstance(error, MemoryError):
        hint = "Give it more memory, or split the batch."
        return Failure(AvhError.exit_code, kind, "The memory of this process is not enough.", hint, write_log(error))
    message = f"Something went wrong that avh did not foresee: {sentence_of(error)}"
    return Failure(AvhError.exit_code, kind, message, "", write_log(error))


def tell(error: BaseException) -> Failure:
    """Print an error as one sentence, with its stack when AVH_LOG_LEVEL is DEBUG; what it means."""
    from avh_ui.cli.output import safe

    found = failure_of(error)
    # Who cannot even write to stderr still gets the exit code.
    with contextlib.suppress(OSError):
        if load_settings().log_level == "DEBUG":
            click.echo("".join(traceback.format_exception(error)), err=True)
        click.echo(f"Error: {safe(pasteable(found.sentence))}", err=True)
    return found


def write_log(error: BaseException) -> str | None:
    """Write the stack of an error to a file that nobody else can read, and return its path; None where no file can be written.

    Of the data it holds what the sentence does and no more: the messages of the errors in one short line each, no local variables.
    """
    now = datetime.now(UTC)
    lines = [f"avh_ui {__version__}, Python {sys.version.split()[0]}, {now.isoformat(timespec='seconds')}"]
    for one in _within(error):
        lines += ["", f"{type(one).__module__}.{sentence_of(one)}"]
        lines += [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in traceback.extract_tb(one.__traceback__)]
    name = f"avh-{now:%Y%m%dT%H%M%S}-{os.getpid()}.log"
    for folder in (load_settings().log_folder, Path(tempfile.gettempdir())):
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path = folder / name
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf-8", errors="replace") as file:
                file.write("\n".join(lines) + "\n")
            _forget(folder)
            return str(path)
    return None


def _forget(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for path in sorted(folder.glob("avh-*T*-*.log"))[:-_LOGS_KEPT]:
            path.unlink(missing_ok=True)


def _within(error: BaseException) -> list[BaseException]:
    """The error and what caused it, outermost first; the members of a group each."""
    found: list[BaseException] = []
    todo: list[BaseException | None] = [error]
    while todo:
        one = todo.pop(0)
        if one is None or one in found:
            continue
        found.append(one)
        todo += one.exceptions if isinstance(one, BaseExceptionGroup) else ()
        todo.append(one.__cause__ or (None if one.__suppress_context__ else one.__context__))
    return found
