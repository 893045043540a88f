"""What is said of a source that holds no batch, and of batches without rows."""

from __future__ import annotations

import re
from pathlib import Path

from avh_ui import bounded_yaml
from avh_ui.config import CONFIG_NAME, Pipeline
from avh_ui.errors import BatchNotFoundError, NoFolderError, SourceError
from avh_ui.metrics.profiler import FailedBatch, Profiler

# What of a path stands for a batch or a part of its date: {batch}, {date}, {year}.
_PLACEHOLDER = re.compile(r"\{[a-z]+\}")
# A file's name says more than a template: what stands in its places for one day.
_ONE_DAY = {"batch": "2026-01-31", "date": "2026-01-31", "year": "2026", "yy": "26", "month": "01", "day": "31", "hour": "00"}
# So many batches without rows are named in a sentence.
_NAMED = 5


def nothing_there(pipeline: Pipeline, root: Path | None = None, missing: str = "") -> SourceError:
    """The error for a source without any batch, of which nothing was profiled before either; `missing` says that its folder is not there.
    `root` is where avh.yml is.
    """
    source = pipeline.source
    place = source.path or source.table or source.query or "its source"
    hint = _begin(pipeline, root) if source.path else "Name the batch, as in --batches ID."
    kind = NoFolderError if missing else BatchNotFoundError
    why = f": {missing[:1].lower()}{missing[1:]}" if missing else "."
    return kind(f"No batch of {pipeline.name!r} was found at {place}{why}", hint=hint)


def unstarted(pipeline: Pipeline, profiler: Profiler, root: Path | None = None) -> SourceError | None:
    """`nothing_there` where files are batches and none is there. Of other sources nobody is asked: it would take a query."""
    if not _PLACEHOLDER.search(pipeline.source.path):
        return None
    try:
        return None if profiler.batches(pipeline.name) else nothing_there(pipeline, root)
    except NoFolderError as error:
        return nothing_there(pipeline, root, error.message)
    except SourceError as error:
        return error


def _begin(pipeline: Pipeline, root: Path | None) -> str:
    """What to do where a pipeline has no data yet: put some there, say where they are, or look at those of the demo."""
    path = pipeline.source.path
    named = re.sub(_PLACEHOLDER, lambda place: _ONE_DAY.get(place[0][1:-1], place[0]), path)
    such = f", each named as its batch, such as {named}" if named != path and not set("*{") & set(named) else ""
    return (
        f"Put its files there{such}; or let `source:` of {pipeline.name}{_line(pipeline, root)} in {CONFIG_NAME} say where they are, for "
        "which `avh init FILES --print` prints what to write. To look around without data of your own, run `avh demo`."
    )


def _line(pipeline: Pipeline, root: Path | None) -> str:
    """Where avh.yml has the source of a pipeline, as ` (line 8)`; '' where that cannot be told."""
    try:
        text = (root / CONFIG_NAME).read_text(encoding="utf-8") if root else ""
        line = bounded_yaml.line_of(text, ("pipelines", pipeline.name, "source"))
    except (OSError, ValueError):
        return ""
    return f" (line {line})" if line else ""


def emptied(pipeline: Pipeline, profiler: Profiler) -> tuple[str, ...]:
    """That the place of files that are batches holds none, as a sentence. Of other sources nobody is asked: it would take a query."""
    path = pipeline.source.path
    if not _PLACEHOLDER.search(path) or profiler.batches(pipeline.name):
        return ()
    return (f"No batch of {pipeline.name!r} is at {path} now: what is profiled was there before. {_check(path)}",)


def _check(path: str) -> str:
    names = dict.fromkeys(_PLACEHOLDER.findall(path))
    return f"Check the path{''.join(f' and {name}' for name in names)} in avh.yml."


def but_empty(pipeline: Pipeline, failed: list[FailedBatch]) -> tuple[list[FailedBatch], tuple[str, ...]]:
    """What failed without the batches that have no rows, where they may be so, and which these are in a sentence."""
    if pipeline.severities.empty == "error":
        return failed, ()
    names = [one.batch for one in failed if one.fault == "empty"]
    which = f"{', '.join(names[:_NAMED])}{f' and {len(names) - _NAMED:,} more' if len(names) > _NAMED else ''}"
    said = f"Without rows, as `severities: empty` of avh.yml allows: {which}."
    return [one for one in failed if one.fault != "empty"], (said,) if names else ()
