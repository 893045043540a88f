"""Arrow's tables to Spark and back, which each version of Spark does in its own way."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from avh_ui.spark.versions import arrow_of, frame_of

MIDNIGHT = datetime(2024, 1, 1)  # noqa: DTZ001
TABLE = pa.table({
    "a`b": [1, 2],
    "at": pa.array([MIDNIGHT, None], pa.timestamp("us")),
    "zoned": pa.array([MIDNIGHT.replace(tzinfo=UTC), None], pa.timestamp("us", "UTC")),
    "of": [{"t": [MIDNIGHT]}, None],
    "m": pa.array([{"k": 1}, None], pa.map_(pa.string(), pa.int64())),
    "d": pa.array(["x", "y"]).dictionary_encode(),
})  # fmt: skip


def test_times_without_a_zone_are_those_of_the_session(spark: Any) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", "America/New_York")
    frame = frame_of(session, TABLE)
    assert frame.columns == TABLE.column_names
    back = arrow_of(frame)
    assert {str(back.schema.field(name).type) for name in ("at", "zoned")} == {"timestamp[us, tz=UTC]"}
    there, here = datetime(2024, 1, 1, 5, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)
    assert back.to_pylist() == [
        {"a`b": 1, "at": there, "zoned": here, "of": {"t": [there]}, "m": [("k", 1)], "d": "x"},
        {"a`b": 2, "at": None, "zoned": None, "of": None, "m": None, "d": "y"},
    ]
    nothing = arrow_of(frame_of(session, TABLE.slice(0, 0)))
    assert (nothing.num_rows, nothing.schema) == (0, back.schema)
