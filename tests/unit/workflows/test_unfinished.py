"""Of a table that grows only what is over is new."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import pytest
from pydantic import ValidationError

from avh_ui.config import Source
from avh_ui.workflows.calendar import is_late
from avh_ui.workflows.unfinished import finished
from avh_ui.workspace import open_workspace

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("batch", "there", "over"),
    [
        ("date(ts)", ["2026-01-30", "2026-01-31", "2026-02-01"], 1),
        ("hour(ts)", ["2026-01-31T11", "2026-01-31T12"], 1),
        ("week(ts)", ["2026-01-19", "2026-01-26"], 1),
        ("month(ts)", ["2025-12", "2026-01"], 1),
        ("year(ts)", ["2025", "2026"], 1),
        (["date(ts)", "region"], ["2026-01-30,EU", "2026-01-31,EU"], 1),
        (["region", "date(ts)"], ["E%2CU,2026-01-30", "E%2CU,2026-01-31"], 1),
        ("day", ["2026-01-30", "2026-01-31"], 2),
        (["year", "month", "day"], ["2026-01-30", "2026-01-31"], 2),
        ("date(ts)", ["no time"], 1),
    ],
)
def test_what_is_not_over_is_left_for_later(batch: Any, there: list[str], over: int) -> None:
    source = Source.model_validate({"path": "t", "batch": batch})
    assert finished(source, there, NOW) == there[:over]
    assert finished(Source(path="t/{date}.csv", format="csv"), there, NOW) == there


def test_a_day_is_over_by_the_clock_of_the_source() -> None:
    there, now = ["2026-01-30", "2026-01-31"], datetime(2026, 1, 31, 3, tzinfo=UTC)
    over = {"America/New_York": 0, "UTC": 1, "Asia/Tokyo": 1}
    for zone, count in over.items():
        assert finished(Source(path="t", batch="date(ts)", timezone=zone), there, now) == there[:count]  # type: ignore[arg-type]
        assert is_late("2026-01-30", now, ZoneInfo(zone)) == bool(count)
    assert finished(Source(path="t", batch="date(ts)", timezone="Asia/Tokyo"), there, datetime(2026, 1, 31, 15, tzinfo=UTC)) == there  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match=r"'Berlin' is no time zone.*Europe/Berlin"):
        Source(path="t", batch="date(ts)", timezone="Berlin")  # type: ignore[arg-type]


def test_a_day_to_come_is_profiled_only_by_its_name(tmp_path: Path) -> None:
    days = pd.Timestamp.now("UTC").tz_localize(None).normalize() + pd.to_timedelta([-3, -2, 2], unit="D")
    pd.DataFrame({"ts": days.astype("datetime64[us]"), "v": [1, 2, 3]}).to_parquet(tmp_path / "t.parquet", index=False)
    (tmp_path / "avh.yml").write_text("version: 1\nengine: local\npipelines: {t: {source: {path: t.parquet, batch: date(ts)}}}\n")
    opened = open_workspace(tmp_path)
    past, latest, to_come = days.strftime("%Y-%m-%d")
    assert opened.waiting("t") == [past, latest]
    assert opened.profile("t").profiled == (past, latest)
    assert opened.profile("t", batches=to_come).profiled == (to_come,)
