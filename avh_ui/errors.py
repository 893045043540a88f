"""The error tree: what went wrong, with which value, and what to do about it.

Every error the product raises on purpose derives from `AvhError`. The message says what is wrong, `hint` says what to do,
`exit_code` is what the command line returns (see `avh validate --help`: 3 = could not evaluate, 4 = could not deliver).
"""

from __future__ import annotations

import difflib
import errno
import os
import re
from collections.abc import Iterable
from typing import Any

# avh_ui is on no package index: it is installed from its clone.
UPGRADE = "Upgrade avh_ui: `git pull` in its clone, then `pip install -c versions.txt .` there."


class AvhError(Exception):
    """Base of every expected error. `str(error)` is the message, followed by the hint when there is one."""

    exit_code = 3

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(AvhError):
    """The call itself is wrong: a value out of range, options that exclude each other."""

    exit_code = 2


class ConfigError(AvhError):
    """`avh.yml` is missing, unreadable or wrong."""


class NotFoundError(AvhError):
    """A name that does not exist; the hint offers the nearest ones that do."""

    def __init__(self, what: str, name: str, known: Iterable[str], *, hint: str = "") -> None:
        known = tuple(known)
        # "batch of 'orders'": the name stands before what it is of, and "run of 'orders' with id" says itself where.
        of = None if what.endswith(("with id", "for batch", "called", "of pipeline")) else re.search(r" (of|in|for|that) ", what)
        at = of.start() if of else len(what)
        super().__init__(f"There is no {what[:at]} {name!r}{what[at:]}.", hint=hint or nearest(name, known))
        self.args = (what, name, known)  # what unpickling calls the class with


class SourceError(AvhError):
    """The data of a batch cannot be read."""


class NoFolderError(SourceError):
    """The folder that the batches of a source should be in is not there."""


class BatchNotFoundError(SourceError):
    """A batch that was asked for is not at its source (never delivered, or vanished)."""


class EmptyBatchError(SourceError):
    """The batch is there and has no rows."""


class UnfinishedBatchError(SourceError):
    """The batch is still being written."""


class HistoryError(AvhError):
    """The stored history cannot be read or is not enough for what was asked."""


class NotEnoughHistoryError(HistoryError):
    """Fewer batches than the method needs."""


class NewerVersionError(AvhError):
    """A file or database was written by a newer avh_ui than this one."""


# What a single batch's file that cannot be used raises: it is passed over where others do as well, and told.
UNREADABLE_BATCH = (HistoryError, NewerVersionError)


class ConstraintError(AvhError):
    """A constraint or program that is malformed or cannot be evaluated as asked."""


class ProgramNotFoundError(AvhError):
    """No program (or no such version) is published for the pipeline."""


class TamperedProgramError(AvhError):
    """A program's content does not match its hash or signature."""


class ConflictError(AvhError):
    """Somebody else changed the same item first; nothing was overwritten."""


class NothingChangedError(UsageError):
    """A draft that enforces what the live `version` does, learned from the same batches, was to be published."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"Nothing changed: the draft enforces what the live version {version} does, so no version was made.",
            hint="With --again (again=True) the same is published once more.",
        )
        self.version = version
        self.args = (version,)  # what unpickling calls the class with


class NotPermittedError(AvhError):
    """The person's role does not allow the action."""


class MissingPackageError(AvhError):
    """What was asked for needs a package that is not installed; the hint names the extra of avh_ui that brings it."""


class JavaNotFoundError(AvhError):
    """Spark needs Java 17 or newer and none was found."""


class SparkError(AvhError):
    """Spark could not start or a job failed for a reason outside the data."""


class ServerGoneError(AvhError):
    """There is no server of Spark Connect any more: what is asked of it next waits once more, so that nothing is tried another way."""


class CancelledError(AvhError):
    """The user cancelled a running job; what was finished is kept."""

    exit_code = 130


class PortInUseError(AvhError):
    """The port the app should listen on is taken."""


class DeliveryError(AvhError):
    """Results were computed but could not be written where they were asked for.

    `run` is the validation's `validator.run.Run`, so that its verdict is not lost with what could not be written; None elsewhere.
    """

    exit_code = 4

    def __init__(self, message: str, *, hint: str = "", run: Any = None) -> None:
        super().__init__(message, hint=hint)
        self.run = run


def sentence_of(error: BaseException) -> str:
    """What any error says, in one line of at most 500 characters: an `AvhError` as it is, another with its kind."""
    text = str(error) if isinstance(error, AvhError) else f"{type(error).__name__}: {error}".removesuffix(": ")
    if isinstance(error, OSError) and error.strerror and error.filename:
        text = f"{error.filename}: {error.strerror}"
    return ended(" ".join(text.split())[:500])


def denied(name: object, error: BaseException) -> SourceError | None:
    """What is said of a file or folder that this user may not read; None for another error."""
    if getattr(error, "errno", None) not in (errno.EACCES, errno.EPERM):
        return None
    hint = (
        "Give the user that runs avh (on a cluster the one of Spark's workers, too) the right to read it and to enter the folders above "
        "(`ls -ld`), or run avh as one who may."
    )
    return SourceError(f"{name} may not be read: {os.strerror(errno.EACCES).lower()}.", hint=hint)


def ended(text: str) -> str:
    """A sentence with the sign at its end that it has, or a full stop."""
    return text if text.endswith("?") else f"{text.rstrip('.')}."


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint naming the closest known names: `Did you mean 'flights'?`, or the list when nothing is close."""
    names = sorted(set(known))
    if not names:
        return "None is defined yet."
    close = [n for n in names if n.casefold() == name.casefold()] or difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if close:
        return "Did you mean " + " or ".join(repr(c) for c in close) + "?"
    shown = ", ".join(repr(n) for n in names[:8])
    return f"There is {shown}{' and more' if len(names) > 8 else ''}."
