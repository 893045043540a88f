"""How many batches one job measures."""

from __future__ import annotations

import pytest

from avh_ui.spark import chunks as module
from avh_ui.spark.chunks import chunks

BATCHES = [str(k) for k in range(100)]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the clock shows, to be changed."""
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize(
    ("seconds", "grows", "sizes"),
    [
        (1.0, True, [2, 4, 8, 16, 16, 16, 16, 16, 6]),
        (1.0, False, [2] * 50),
        (5.0, True, [2] * 50),
    ],
)
def test_chunks_that_take_a_short_time_grow(clock: list[float], seconds: float, grows: bool, sizes: list[int]) -> None:
    found = []
    for chunk in chunks(BATCHES, 2, grows=grows):
        found.append(chunk)
        clock[0] += seconds
    assert [len(chunk) for chunk in found] == sizes
    assert [batch for chunk in found for batch in chunk] == BATCHES


def test_of_nothing_there_is_none() -> None:
    assert list(chunks([], 1, grows=True)) == []
