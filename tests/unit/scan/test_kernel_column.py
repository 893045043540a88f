"""A column with the values of the batch before is not measured again, and nobody can tell."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.profile import ColumnProfile
from avh_ui.scan import kernel_column
from avh_ui.scan.counted import Counted
from avh_ui.scan.kernel import Kernel, RowPiece
from avh_ui.scan.kernel_column import KernelColumn, Measuring
from avh_ui.scan.partials import split_by_batch

TEXTS = KernelColumn("s", "string", untyped=True, values="s")
NUMBERS = KernelColumn("x", "double", values="x")
# Few, so that most batches are the one before; texts that are numbers, none, and no text.
TEXT_BATCHES = st.sampled_from([["1", "2"], ["1", "2", None], ["1", "a"], ["07", "\ufffd"], ["07", "\ufffd", "\x01"], [None], []])
NUMBER_BATCHES = st.sampled_from([[0.0, 1.0], [-0.0, 1.0], [0.0, None], [float("nan"), 1.0], [1.0, 0.0], []])


def said(profiles: Sequence[ColumnProfile]) -> list[object]:
    """All that profiles are."""
    return [(p.name, p.kind, p.type, {key: state.to_record() for key, state in p.states.items()}) for p in profiles]


@given(st.lists(st.tuples(TEXT_BATCHES, st.integers(0, 1)), max_size=6))
def test_texts_are_measured_as_if_each_batch_were_the_first(batches: list[tuple[list[str | None], int]]) -> None:
    measure = Measuring()
    for values, malformed in batches:
        arrays = {"s": pa.chunked_array([pa.array(values, pa.string())])}
        ours, alone = Counted(malformed=malformed), Counted(malformed=malformed)
        assert said(measure(TEXTS, arrays, ours)) == said(Measuring()(TEXTS, arrays, alone))
        assert ours == alone


@given(st.lists(NUMBER_BATCHES, max_size=6))
def test_numbers_are_measured_as_if_each_batch_were_the_first(batches: list[list[float | None]]) -> None:
    measure = Measuring()
    for values in batches:
        arrays = {"x": pa.chunked_array([pa.array(values, pa.float64())])}
        assert said(measure(NUMBERS, arrays, Counted())) == said(Measuring()(NUMBERS, arrays, Counted()))


def test_equal_columns_share_their_profile_up_to_the_driver() -> None:
    rows = {day: pa.RecordBatch.from_pydict({"s": ["a", "b"], "x": [float(day), 1.0]}) for day in range(3)}
    kernel = Kernel((TEXTS, NUMBERS), ("s", "x"))
    partials = kernel.partials(RowPiece(f"b{day}", "", found) for day, found in rows.items())
    found = [split.parts[None].profiles for split in split_by_batch(partials, ())[0].values()]
    assert len({id(profiles[0]) for profiles in found}) == 1
    assert len({id(profiles[2]) for profiles in found}) == 3
    assert [profiles[2].single_metrics()["sum"] for profiles in found] == [1.0, 2.0, 3.0]


def test_large_columns_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_column, "_SMALL_BYTES", 20)
    small, large = (pa.chunked_array([pa.array(values)]) for values in ([1.0, 2.0], [1.0, 2.0, 3.0]))
    measure = Measuring()
    for values, held in ((small, True), (large, False)):
        first, second = (measure(NUMBERS, {"x": values}, Counted())[0] for _ in range(2))
        assert (first is second) is held


def test_other_columns_of_equal_values_are_other_columns() -> None:
    measure, values = Measuring(), pa.chunked_array([pa.array(["1", "2"])])
    typed = KernelColumn("s", "string", values="s")
    kinds = [[p.kind for p in measure(column, {"s": values}, Counted())] for column in (TEXTS, typed, TEXTS)]
    assert kinds == [["string", "numeric"], ["string"], ["string", "numeric"]]
