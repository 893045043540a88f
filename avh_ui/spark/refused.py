"""Queries that Spark may refuse, which we tell in a sentence: PySpark 4 prints each with the stacks of Java and Python beside it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_HERE = threading.local()


def query_log() -> logging.Logger | None:
    """PySpark's log of refused queries, by its own class: a plain logger knows none of its keywords. None on Spark 3.5, which has none."""
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:
        return None
    return PySparkLogger.getLogger("SQLQueryContextLogger")


@contextmanager
def told_by_us() -> Iterator[None]:
    """Inside a `with` block PySpark logs no refused query of this thread, whoever made the session; those of others stay as they are."""
    if (log := query_log()) is not None:
        # One that is there already is not added again.
        log.addFilter(_not_ours)
    before = getattr(_HERE, "ours", False)
    _HERE.ours = True
    try:
        yield
    finally:
        _HERE.ours = before


def _not_ours(_: logging.LogRecord) -> bool:
    return not getattr(_HERE, "ours", False)
