"""The recipe of docs/streaming.md, as it stands there, on a stream of files: states of micro-batches merge by window."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.conventions.blocks import blocks
from tests.conventions.sources import ROOT


def test_windows_are_judged_from_states_of_micro_batches(spark: Any, tmp_path: Path) -> None:
    (recipe,) = [block.text for block in blocks(ROOT, ROOT / "docs" / "streaming.md") if block.language == "python"]
    folder = tmp_path / "in"
    folder.mkdir()
    # Two hours, mixed over three files; in the second hour an id is missing.
    sent = [
        [(1, "10:05", 5.0), (2, "10:50", 7.0)],
        [(3, "10:59", 9.0), (4, "11:01", 1.0)],
        [(None, "11:30", 2.0), (6, "11:40", 3.0), (7, "12:20", 1.0)],
    ]
    for number, rows in enumerate(sent):
        lines = [json.dumps({"id": key, "at": f"2026-01-31T{time}:00Z", "amount": amount}) for key, time, amount in rows]
        (folder / f"{number}.json").write_text("\n".join(lines))
        os.utime(folder / f"{number}.json", (1_000_000_000 + number,) * 2)  # Spark takes the oldest first
    events = spark.readStream.schema("id long, at timestamp, amount double").option("maxFilesPerTrigger", 1).json(str(folder))
    names: dict[str, Any] = {"events": events, "checkpoint": str(tmp_path / "checkpoint")}
    exec(recipe, names)
    assert len({number for _, number in names["parts"]}) == 3
    ten, eleven = (next(hour for hour, _ in names["parts"] if hour.hour == wanted) for wanted in (10, 11))
    first, second = names["judge"](ten), names["judge"](eleven)
    assert (first.status, first.verdicts[0].observed, first.verdicts[2].observed) == ("pass", 3.0, 7.0)
    assert second.status == "fail"
    assert [verdict.status for verdict in second.verdicts] == ["pass", "fail", "pass"]
    # The last batch of rows says what was known before it; Spark may add one without rows, which knows all.
    marks = [datetime.fromisoformat(p["eventTime"]["watermark"]) for p in names["query"].recentProgress if "watermark" in p["eventTime"]]
    assert max(marks).strftime("%H:%M") in {"10:51", "12:10"}
