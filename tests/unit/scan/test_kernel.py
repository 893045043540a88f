"""The kernel in Spark's workers, without Spark: rows of many batches in any order, measured in bounded pieces."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.scan import kernel
from avh_ui.scan.kernel import Kernel
from avh_ui.scan.kernel_column import KernelColumn
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
    pieces = [sum(table.nbytes for _, table in some) for some in made._chunks(made.pieces(mixed()), {})]
    assert len(pieces) > 3
    assert max(pieces) <= 9_000 + largest


def test_a_group_of_columns_keeps_its_place() -> None:
    assert sums(Kernel(COLUMNS, NAMES, first=7)) == EXPECTED


def test_markers_and_texts_may_be_dictionaries() -> None:
    """Of one file texts are a dictionary and of another not; the marker may be one, with values twice, and null."""
    plain = pa.RecordBatch.from_pydict({"x": [1, 2, 3], "s": ["1", "2", None], "batch": ["b0", "b1", "b0"]})
    markers = pa.DictionaryArray.from_arrays(pa.array([3, 0, 1, 2, None, 1], pa.uint8()), pa.array(["b1", "b0", "b1", None]))
    texts = pa.array(["7", "2", "1", None, "8", "1"]).dictionary_encode()
    coded = pa.RecordBatch.from_arrays([pa.array([9, 20, 10, 30, 9, 10]), texts, markers], ["x", "s", "batch"])
    splits, counts, _ = split_by_batch(Kernel(COLUMNS, NAMES)(iter([plain, coded])), ())
    wholes = {batch: split.parts[None] for batch, split in splits.items()}
    assert {b: (w.rows, counts[b].lines[""]) for b, w in wholes.items()} == {"b0": (4, 4), "b1": (3, 3)}
    sums = {b: [w.profiles[k].single_metrics()["sum"] for k in (0, 2)] for b, w in wholes.items()}
    assert sums == {"b0": [24.0, 3.0], "b1": [52.0, 4.0]}


@pytest.mark.parametrize("rows", [1, 7, 1_000])
def test_rows_of_a_marker_keep_their_order(rows: int) -> None:
    markers = [f"m{k * 7 % 5}" if k % 11 else None for k in range(rows)]
    found = dict(kernel.split_by_last(pa.RecordBatch.from_pydict({"x": range(rows), "batch": pa.array(markers, pa.string())})))
    expected = {m: [k for k in range(rows) if markers[k] == m] for m in set(markers) if m is not None}
    assert {marker: part.column(0).to_pylist() for marker, part in found.items()} == expected


def test_small_batches_of_many_markers_are_cut_together(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = list(Kernel(COLUMNS, NAMES).pieces(mixed()))
    assert [(piece.batch, piece.rows.num_rows) for piece in pieces] == [(f"b{k}", ROWS // 3) for k in range(3)]
    monkeypatch.setattr(kernel, "CHUNK_ROWS", 1_000)
    assert len(list(Kernel(COLUMNS, NAMES).pieces(mixed()))) == 9
    assert sums(Kernel(COLUMNS, NAMES)) == EXPECTED
