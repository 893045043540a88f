"""A batch that a task cannot read says why, and keeps to itself what is nobody's business."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from avh_ui.config import Source
from avh_ui.local.pool import at_once
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.profiler import FailedBatch
from avh_ui.scan import csv_reader, json_reader
from avh_ui.scan.kernel import Kernel
from avh_ui.scan.kernel_column import KernelColumn
from avh_ui.scan.partials import Declined, split_by_batch
from avh_ui.scan.shares import Opener, Share
from avh_ui.scan.task import Task, largest_first, portions, work
from avh_ui.scan.values import FieldPart, RowValues


@dataclass(frozen=True)
class Reader:
    """Gives five rows of every path but `bad`."""

    schema: pa.Schema
    flagged: bool = False

    def read(self, share: Share, open_file: Opener, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"x": range(5)})
        if share.path.endswith("bad"):
            raise OSError("it is damaged")
        if share.path.endswith("not"):
            raise PermissionError(13, "Failed to open local file")
        if share.path.endswith("nul"):
            raise DeclinedError("it has NUL bytes")
        if share.path.endswith("odd"):
            raise pa.ArrowNotImplementedError("Arrow lacks it")


def task_of(url: str, wanted: tuple[str, ...] = ()) -> Task:
    kernel = Kernel((KernelColumn("x", "bigint", values="x"),), ("x",))
    return Task(Reader(pa.schema([("x", pa.int64())])), Opener(url), RowValues((0,), ("x",), (FieldPart(0),)), kernel, wanted)


def run(url: str, *paths: str, wanted: tuple[str, ...] = ()) -> tuple[dict[str, int], dict[str, Any]]:
    task = task_of(url, wanted)
    splits, _, faults = split_by_batch(task(Share(path[-3:], path, 1) for path in paths), ())
    return {batch: split.parts[None].rows for batch, split in splits.items() if batch not in faults}, faults


def test_a_file_on_a_disk_fails_its_batch_by_its_name() -> None:
    assert run("/data", "/data/one", "/data/bad", "/data/two") == (
        {"one": 5, "two": 5},
        {"bad": FailedBatch("bad", "The file /data/bad cannot be read: OSError: it is damaged.")},
    )


def test_what_a_worker_may_not_read_and_what_it_declines_is_said_of_the_file() -> None:
    rows, faults = run("/data", "/data/not", "/data/nul", "/data/two")
    assert rows == {"two": 5}
    assert faults["not"].reason.startswith("/data/not may not be read: permission denied. Give the user that runs avh (on a cluster")
    assert (faults["nul"].why, faults["nul"].told) == ("it has NUL bytes", "it has NUL bytes (/data/nul)")


def test_what_arrow_alone_lacks_is_left_to_spark() -> None:
    rows, faults = run("/data", "/data/one", "/data/odd")
    assert rows == {"one": 5}
    assert isinstance(faults["odd"], Declined)
    assert "Arrow lacks it" in faults["odd"].why


def test_a_file_of_an_object_store_is_left_to_spark() -> None:
    rows, faults = run("memory://bucket", "/bucket/one", "/bucket/bad")
    assert rows == {"one": 5}
    assert isinstance(faults["bad"], Declined)
    assert "/bucket/bad cannot be read by Arrow" in faults["bad"].why


@pytest.mark.parametrize("reader", [csv_reader, json_reader])
def test_the_value_of_an_option_is_not_told(reader: Any) -> None:
    source = Source(format="csv", path="{batch}", options={"fs.s3a.secret.key": "hunter2"})
    with pytest.raises(DeclinedError) as declined:
        reader.plan(source, None, [])
    assert str(declined.value) == "its options name fs.s3a.secret.key"


def test_small_files_are_done_in_few_portions_and_large_ones_in_several() -> None:
    small, large = ([Share(str(k), str(k), size) for k in range(96)] for size in (15_000, 10**8))
    assert at_once(small, 2) == 2
    assert at_once(large, 2) == 8
    assert at_once(small[:1], 2) == 2


def test_what_batches_share_is_one_record_and_the_same_as_arrow_has_it() -> None:
    task = task_of("/data")
    shares = [Share(path[-3:], path, 1) for path in ("/data/one", "/data/two", "/data/not")]
    rows = list(task.rows(shares))
    one, two = (next(row[-1] for row in rows if row[0] == batch and row[2] == 0) for batch in ("one", "two"))
    assert one is two
    assert [tuple(row.values()) for part in task(shares) for row in part.to_pylist()] == rows
    (here, _, fault), (there, _, same) = split_by_batch([rows], ()), split_by_batch(task(shares), ())
    assert fault == same
    states = [{batch: split.parts[None].profiles[0].records for batch, split in found.items()} for found in (here, there)]
    assert states[0] == states[1]
    assert set(states[0]) == {"one", "two", "not"}


def test_portions_hold_every_share_once_in_their_order() -> None:
    shares = [Share("b", str(k), size) for k, size in enumerate([1, 10**9, 5, 5, 10**8, 0, 7])]
    for tasks in range(1, 10):
        found = portions(shares, tasks)
        assert len(found) <= tasks
        assert [share for portion in found for share in portion] == shares
    assert portions([], 3) == []


def test_the_largest_portion_begins_first() -> None:
    # Twenty of one size in twelve portions, handed in turn to whichever of four cores is free.
    shares = [Share("b", str(k), 10**9) for k in range(20)]

    def done(found: Sequence[Sequence[Share]]) -> int:
        cores = [0] * 4
        for portion in found:
            cores[cores.index(min(cores))] += work(portion)
        return max(cores)

    found = largest_first(shares, 12)
    assert set(found) == set(portions(shares, 12))
    assert done(found) == work(shares) // 4
    assert done(portions(shares, 12)) > done(found)
