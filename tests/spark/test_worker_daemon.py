"""The workers of a session on this machine are forked from a process that has loaded what they need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from avh_ui.spark.versions import arrow_of


def test_a_worker_finds_the_kernel_loaded(spark: Any) -> None:
    def loaded(rows: Iterator[Any]) -> Iterator[Any]:
        import sys

        import pyarrow as pa

        known = [name in sys.modules for name in ("avh_ui.scan.kernel", "avh_ui.scan.parquet_reader", "pandas")]
        yield from (pa.RecordBatch.from_pydict({"known": [known]}) for _ in rows)

    assert arrow_of(spark.range(0, 2, 1, 2).mapInArrow(loaded, "known array<boolean>")).to_pylist() == [{"known": [True] * 3}] * 2
