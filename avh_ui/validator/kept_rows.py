"""Where rows are written to: whole or not at all, and nowhere twice."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from avh_ui.durable import TEMPORARY, make_folder, sync_folder
from avh_ui.errors import AvhError, DeliveryError, UsageError, sentence_of
from avh_ui.validator.row_table import DELTA, parquet_alone

# The folders of good and bad rows under one path, as Spark and Arrow read them again: `avh_rows=good`, `avh_rows=bad`.
PART, GOOD, BAD = "avh_rows", "good", "bad"


def on_a_disk(target: str) -> bool:
    """Whether a target is a path of this machine, also written as a URL."""
    return not target.startswith(DELTA) and ("://" not in target or target.startswith("file://"))


def usable_target(target: str, *, delta: bool = True) -> str:
    """The target; `UsageError` for one without a name, since what is below it would be below the root of the disk, and for one on this
    machine below which no folder can be made: it is told before any row is read. So is a `delta` table where Spark writes nothing.
    """
    if not target.strip():
        raise UsageError("The place for bad rows has no name.", hint="Give a folder, a URL or `delta:PATH`.")
    if not delta:
        parquet_alone(target)
    if on_a_disk(target):
        folder = folder_of(target)
        there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
        if not there.is_dir():
            raise UsageError(f"Bad rows cannot be kept in {folder}: {there} is a file.", hint="Name a folder; each run gets one in it.")
        if not os.access(there, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
            raise UsageError(
                f"Bad rows cannot be kept in {folder}: you may not write to {there}.", hint="Ask for the right, or name another."
            )
    return target


def folder_of(target: str) -> Path:
    """Where a target on this machine's disk is."""
    return Path(target.removeprefix("file://")).expanduser()


@contextmanager
def whole(target: str) -> Iterator[str]:
    """Where to write inside a `with` block what is to be in a target that must not be there yet; `DeliveryError`.

    On a disk that is a folder beside it, which gets the target's name once all is written and synced. A Delta table shows a commit when it
    is whole, an object store a file, and Spark's job its files when all are: these are written to as they are.
    """
    if not on_a_disk(target):
        with written_to(target):
            yield target
        return
    folder = folder_of(target)
    if folder.exists():
        hint = "Remove it, or name another place: what is kept is written once."
        raise DeliveryError(f"{folder} is there already, and nothing is written.", hint=hint)
    temporary = folder.parent / f".{uuid.uuid4().hex}{TEMPORARY}"
    made = [parent for parent in folder.parents if not parent.exists()]
    with written_to(target):
        try:
            make_folder(folder.parent)
            yield str(temporary)
            _sync(temporary)
            temporary.rename(folder)
            sync_folder(folder.parent)
        finally:
            # What a full disk cut short leaves no folders either: those that hold what is whole stay.
            with suppress(OSError):
                shutil.rmtree(temporary, ignore_errors=True)
                for parent in made:
                    parent.rmdir()


def _sync(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        else:
            sync_folder(path)
    sync_folder(folder)


@contextmanager
def written_to(target: str) -> Iterator[str]:
    """The target as it is; what fails inside a `with` block is a `DeliveryError` that names it."""
    try:
        yield target
    except DeliveryError:
        raise
    except Exception as error:
        # Spark, Arrow and file systems each have errors of their own: a full disk, no right to write, a type that Parquet has not.
        why, hint = (error.message, error.hint) if isinstance(error, AvhError) else (_said(error), "")
        said = f"{target} could not be written: {why.rstrip('.')}."
        raise DeliveryError(said, hint=hint or "Check space, permissions and the path.") from error


def _said(error: Exception) -> str:
    """Of the system's own errors their words alone, without a class and a number."""
    return error.strerror if isinstance(error, OSError) and error.strerror and not error.filename else sentence_of(error)
