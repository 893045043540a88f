"""Rows that were delivered before come under another date: stale, where the table is never so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from avh_ui.constraints.program import SchemaConstraint
from avh_ui.history.standings import Standing
from avh_ui.metrics.profile import BatchProfile
from avh_ui.store.history_files import HistoryFiles
from avh_ui.validator.results import RuleResult
from avh_ui.validator.validate import validate
from tests.fakes.builders import profile
from tests.fakes.builders import program as made
from tests.fakes.history import FakeHistory

PROGRAM = made(constraints=(), schema=SchemaConstraint((), level="off"), version=1, sha256="a" * 64)
FIRST = date(2024, 1, 1)


def batch(day: int, rows_of: int, texts: bool = True, values: int = 20) -> BatchProfile:
    """A day's rows, of another day or of its own, with the day as texts or as a date, and its number."""
    at = FIRST + timedelta(day)
    x = np.random.default_rng(rows_of).uniform(0, 9, values).round(3).tolist() * (20 // values)
    when: list[Any] = [f"{at:%Y/%m/%d} 00:{k:02}:01.82" if texts else at for k in range(20)]
    return profile(f"{at}", t=when, day=[day] * 20, x=x)


def told(new: BatchProfile, history: FakeHistory | HistoryFiles, severity: Any = "error") -> RuleResult | None:
    return next((r for r in validate(PROGRAM, new, history, stale=severity).rules if r.rule == "stale"), None)


def kept(rows_of: Sequence[int], **how: Any) -> FakeHistory:
    history = FakeHistory()
    for day, rows in enumerate(rows_of):
        history.save(batch(day, rows, **how))
    return history


@pytest.mark.parametrize("texts", [True, False])
def test_the_rows_of_yesterday_under_the_date_of_today_fail_and_say_what_was_rewritten(texts: bool) -> None:
    found = told(batch(8, 7, texts), kept(range(8), texts=texts))
    assert found is not None
    assert (found.status, found.message) == (
        "fail",
        "The batch is stale: but for columns 't', 'day' it has the same content as 2024-01-08, the batch before; the same 20 rows were "
        "delivered again, and none of the last 8 deliveries did so.",
    )


def test_the_severity_is_that_of_the_table_and_rows_of_days_before_and_new_rows_say_nothing() -> None:
    history = kept(range(8))
    found = told(batch(8, 7), history, "warning")
    assert found is not None
    assert found.status == "warn"
    assert told(batch(8, 7), history, "off") is None
    assert told(batch(8, 5), history) is None  # who makes a day for a trial takes one of two weeks ago
    assert told(batch(8, 8), history) is None


def test_a_table_that_repeats_itself_a_young_one_and_one_of_few_values_say_nothing() -> None:
    assert told(batch(8, 7), kept([0, 1, 2, 3, 3, 5, 6, 7])) is None
    assert told(batch(6, 5), kept(range(6))) is None
    assert told(batch(8, 7, values=5), kept(range(8), values=5)) is None


def test_what_somebody_called_right_is_usual_from_then_on() -> None:
    history = kept([0, 1, 2, 3, 4, 5, 6, 7, 7])
    history.profiles["p"]["2024-01-09"] = batch(8, 7)
    history.tell("p", {"2024-01-09": "wrong"})
    assert told(batch(9, 7), history) is not None
    history.tell("p", {"2024-01-09": "right"})
    assert told(batch(9, 7), history) is None


def test_a_sum_that_is_another_one_is_another_content() -> None:
    """Of many values the sketch of distinct ones is kept, which does not know how often each came."""

    history = FakeHistory()
    for day in range(8):
        history.save(profile(f"{FIRST + timedelta(day)}", day=[day] * 3_001, x=[*(k + day / 9 for k in range(3_000)), 4 + day / 9]))
    again = [*(k + 7 / 9 for k in range(3_000)), 4 + 7 / 9]
    assert told(profile("2024-01-09", day=[8] * 3_001, x=again), history) is not None
    assert told(profile("2024-01-09", day=[8] * 3_001, x=[*again[:-1], 9 + 7 / 9]), history) is None


def test_files_keep_what_it_takes_and_of_an_older_release_the_newest_batch_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = HistoryFiles(str(tmp_path))
    for day in range(8):
        history.save(batch(day, day))
    found = told(batch(8, 7), HistoryFiles(str(tmp_path)))
    assert found is not None
    older = kept(range(8))
    monkeypatch.setattr(older, "standings", lambda pipeline, batches: [Standing(b) for b in batches])
    assert told(batch(8, 7), older) is not None
    assert told(batch(8, 8), older) is None
