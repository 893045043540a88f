"""What is said of a source that holds no batch."""

from __future__ import annotations

import re

from avh_ui.config import Pipeline
from avh_ui.errors import BatchNotFoundError
from avh_ui.metrics.profiler import Profiler

# What of a path stands for a batch or a part of its date: {batch}, {date}, {year}.
_PLACEHOLDER = re.compile(r"\{[a-z]+\}")


def nothing_there(pipeline: Pipeline) -> BatchNotFoundError:
    """The error for a source without any batch, of which nothing was profiled before either."""
    source = pipeline.source
    place = source.path or source.table or source.query or "its source"
    hint = _check(source.path) if source.path else "Name the batch, as in --batches ID."
    return BatchNotFoundError(f"No batch of {pipeline.name!r} was found at {place}.", hint=hint)


def emptied(pipeline: Pipeline, profiler: Profiler) -> tuple[str, ...]:
    """That the place of files that are batches holds none, as a sentence. Of other sources nobody is asked: it would take a query."""
    path = pipeline.source.path
    if not _PLACEHOLDER.search(path) or profiler.batches(pipeline.name):
        return ()
    return (f"No batch of {pipeline.name!r} is at {path} now: what is profiled was there before. {_check(path)}",)


def _check(path: str) -> str:
    names = dict.fromkeys(_PLACEHOLDER.findall(path))
    return f"Check the path{''.join(f' and {name}' for name in names)} in avh.yml."
