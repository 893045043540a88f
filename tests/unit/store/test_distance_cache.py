"""The cache of distances: what one process used or put is there for the next, and nothing that nobody asked for any more."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from avh_ui.store.folder import Folder
from avh_ui.store.history_format import _SCHEMA, METRIC_FIELDS, BatchHeader
from avh_ui.store.metrics_cache import DistanceCache

FILE = "measured.cache"


def header(batch: str) -> BatchHeader:
    return BatchHeader("p", batch, 1, digest=f"of {batch}")


def table(name: str) -> pa.Table:
    row = {"name": name, "kind": "numeric", "type": "double", "metrics": [("mean", 1.0)], "distances": [("ks_dist", 0.5)]}
    return pa.Table.from_pylist([row], pa.schema([_SCHEMA.field(f) for f in METRIC_FIELDS]))


def test_what_was_used_or_put_is_kept_and_the_rest_forgotten(tmp_path: Path) -> None:
    first = DistanceCache(Folder(str(tmp_path)), FILE)
    for batch in ("b1", "b2"):
        assert first.get(header(batch)) is None
        first.put(header(batch), table(batch))
    first.write()
    second = DistanceCache(Folder(str(tmp_path)), FILE)
    assert second.get(header("b1")) == table("b1")
    second.put(header("b3"), table("b3"))
    second.write()
    third = DistanceCache(Folder(str(tmp_path)), FILE)
    assert [third.get(header(b)) for b in ("b1", "b2", "b3")] == [table("b1"), None, table("b3")]
    # What was measured against another baseline is another's.
    assert third.get(BatchHeader("p", "b1", 1, digest="of b1", baseline="other")) is None


def test_nothing_new_is_nothing_written(tmp_path: Path) -> None:
    DistanceCache(Folder(str(tmp_path)), FILE).write()
    assert not (tmp_path / FILE).exists()
