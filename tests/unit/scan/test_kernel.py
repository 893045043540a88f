"""The kernel in Spark's workers, without Spark: rows of many batches in any order, measured in bounded pieces."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.scan import kernel
from avh_ui.scan.kernel import Kernel, KernelColumn
from avh_ui.scan.partials import split_by_batch

COLUMNS = (KernelColumn("x", "bigint", values="x"), KernelColumn("s", "string", untyped=True, values="s"))
NAMES = ("x", "s")
ROWS = 3_000


def mixed() -> list[pa.RecordBatch]:
    """Rows of three batches in turn: numbers from 0 on, and the same as texts."""
    table = pa.table({"x": range(ROWS), "s": [str(k) for k in range(ROWS)], "batch": [f"b{k % 3}" for k in range(ROWS)]})
    return table.to_batches(max_chunksize=500)


def sums(measure: Kernel) -> dict[str, tuple[int, list[float]]]:
    """Per batch its rows, and the sums of the columns as numbers."""
    splits, _, _ = split_by_batch(measure(iter(mixed())), ())
    wholes = {batch: split.parts[None] for batch, split in splits.items()}
    at = [measure.first + k for k in (0, 2)]
    return {b: (whole.rows, [whole.profiles[k].single_metrics()["sum"] for k in at]) for b, whole in wholes.items()}


EXPECTED = {f"b{k}": (ROWS // 3, [float(sum(range(k, ROWS, 3)))] * 2) for k in range(3)}


@pytest.mark.parametrize(
    ("rows", "chunk", "held"), [(10**6, 10**9, 10**9), (50, 10**9, 10**9), (10**6, 2_000, 10**9), (10**6, 10**9, 9_000)]
)
def test_pieces_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch, rows: int, chunk: int, held: int) -> None:
    monkeypatch.setattr(kernel, "CHUNK_ROWS", rows)
    monkeypatch.setattr(kernel, "CHUNK_BYTES", chunk)
    monkeypatch.setattr(kernel, "HELD_BYTES", held)
    assert sums(Kernel(COLUMNS, NAMES)) == EXPECTED


def test_no_more_is_held_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "HELD_BYTES", 9_000)
    largest = max(batch.nbytes for batch in mixed())
    made = Kernel(COLUMNS, NAMES)
    pieces = [table.nbytes for _, table in made._chunks(made.pieces(mixed()), {})]
    assert len(pieces) > 3
    assert max(pieces) <= 9_000 + largest


def test_a_group_of_columns_keeps_its_place() -> None:
    assert sums(Kernel(COLUMNS, NAMES, first=7)) == EXPECTED
