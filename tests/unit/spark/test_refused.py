"""What PySpark's own log says of refused queries: nothing of ours, all of others."""

from __future__ import annotations

import contextlib
import logging
import threading

import pytest

from avh_ui.spark.refused import query_log, told_by_us

pytest.importorskip("pyspark.logger")


class Kept(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


def test_our_refused_queries_are_not_logged_and_others_are() -> None:
    log, kept = query_log(), Kept()
    assert log is not None
    before = log.level
    log.setLevel(logging.WARNING)
    log.addHandler(kept)

    def say(text: str) -> None:
        log.error(text, errorClass="UNRESOLVED_COLUMN")  # type: ignore[call-arg]

    try:
        with contextlib.suppress(ValueError), told_by_us(), told_by_us():
            say("ours")
            other = threading.Thread(target=say, args=("another thread's",))
            other.start()
            other.join()
            raise ValueError("refused")
        say("theirs")
    finally:
        log.removeHandler(kept)
        log.setLevel(before)
    assert kept.said == ["another thread's", "theirs"]
