"""Columns of texts that are all numbers are measured as texts only as far as the rest follows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import reduce

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.column import EXACT
from avh_ui.metrics.conformance import ConformanceState
from avh_ui.metrics.decimal_points import PointState
from avh_ui.metrics.held_types import held_type
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.scan.counted import Counted
from avh_ui.scan.kernel import Kernel
from avh_ui.scan.kernel_column import KernelColumn, Measuring
from avh_ui.scan.partials import split_by_batch
from avh_ui.scan.settling import TypeMemory
from avh_ui.scan.texts_of_numbers import BriefTexts, complete, is_brief
from tests.laws.test_states import same

COLUMN = KernelColumn("s", "string", untyped=True, values="s")
written = st.lists(
    st.none() | st.sampled_from(["0", "-1.50", "1e5", "9" * 201, "1" + "0" * 199 + "2"]) | st.integers().map(str), max_size=40
)


def measured(values: list[str | None], column: KernelColumn = COLUMN, malformed: int = 0) -> list[ColumnProfile]:
    return Measuring()(column, {"s": pa.chunked_array([pa.array(values, pa.string())])}, Counted(malformed=malformed))


def agree(found: ColumnProfile, values: list[str | None]) -> None:
    expected = ColumnProfile.from_arrow("s", pa.array(values, pa.string()), "string")
    assert (found.kind, found.type, list(found.states)) == (expected.kind, expected.type, list(expected.states))
    for key, state in expected.states.items():
        same(found.states[key], state)


@given(written)
def test_the_rest_follows(values: list[str | None]) -> None:
    texts, numbers = measured(values)
    agree(complete(texts), values)
    assert numbers.type == "number"


@given(st.lists(written, min_size=1, max_size=3))
def test_what_is_brief_travels_and_merges(parts: list[list[str | None]]) -> None:
    values = [values for values in parts if is_brief(measured(values)[0])]
    states = [state for one in values if (state := find(measured(one)[0].states, BriefTexts)) is not None]
    assert len(states) == len(values)
    merged = reduce(BriefTexts.merge, (BriefTexts.from_record(state.to_record()) for state in states), BriefTexts.identity()).texts
    merged.values.validate(full=True)
    expected = Counter(text for one in values for text in one if text is not None)
    assert dict(zip(merged.values.to_pylist(), merged.counts.tolist(), strict=True)) == expected


def test_little_is_measured_twice() -> None:
    assert set(measured(["1", "2", None])[0].states) == {"counts", "brief_texts"}
    regex = r"^(?:[0-9]+)(?![\s\S])"
    texts, _ = measured(["1", "2", None], replace(COLUMN, regexes=(regex,)))
    assert texts.states[ConformanceState.key].by_regex[regex].values == 2  # type: ignore[attr-defined]
    texts, numbers = measured(["1", "x"])
    assert (len(texts.states), numbers.states) == (4, {})


@pytest.mark.parametrize(
    ("parts", "known", "expected"),
    [
        ([["1", "2"], ["3", None]], (), "number"),
        ([["1", "2"], ["3", None]], ("s",), "string"),
        ([["1", "2"], ["3", "x"]], (), "string"),
        ([["x", "2"], ["3", "4"], ["5"]], (), "string"),
        ([[None, None], ["3", "4"]], ("s",), "string"),
        ([[None], [None]], (), "null"),
        ([[str(k) for k in range(EXACT)], [str(-k) for k in range(1, EXACT)]], ("s",), "string"),
        ([[str(k) for k in range(EXACT)], [f"n{k}" for k in range(EXACT)]], (), "string"),
    ],
)
def test_parts_of_a_batch_have_the_states_of_the_whole(parts: list[list[str | None]], known: tuple[str, ...], expected: str) -> None:
    batches = [pa.RecordBatch.from_arrays([pa.array(values, pa.string()), pa.array(["b"] * len(values))], ["s", "m"]) for values in parts]
    kernel = Kernel((COLUMN,), ("s",))
    splits, _, _ = split_by_batch([partial for batch in batches for partial in kernel([batch])], ())
    memory = TypeMemory(replace(KnownTypes(), texts=frozenset(known)))
    settled = memory.settle((COLUMN,), splits["b"].parts[None].profiles)["s"]
    assert settled.type == expected
    if expected == "string":
        agree(settled, [value for values in parts for value in values])


def test_what_malformed_lines_spill_into_numbers_does_not_make_them_texts() -> None:
    memory = TypeMemory(KnownTypes())
    spilt, sound = (dict(enumerate(measured(values))) for values in (["1", "in addition"], ["1", "2"]))
    for _ in range(5):
        assert memory.settle((COLUMN,), spilt, broken=1)["s"].type == "string"
    assert memory.settle((COLUMN,), sound)["s"].type == "number"
    # Texts in lines that are well formed are texts, of which one may be a number one day.
    for _ in range(5):
        memory.settle((COLUMN,), spilt)
    assert memory.settle((COLUMN,), sound)["s"].type == "string"


def test_what_earlier_batches_hold_makes_texts_and_not_what_they_were_taken_for() -> None:
    memory = TypeMemory(KnownTypes())
    texts, numbers = (dict(enumerate(measured(values))) for values in (["1", "nil"], ["1", "2"]))
    others = dict(enumerate(measured(["1", "3"])))
    assert [memory.settle((COLUMN,), texts)["s"].type for _ in range(3)] == ["string"] * 3
    # Three of 30 batches hold text, and when 28 more have come, two; the same states again or others.
    found = [memory.settle((COLUMN,), others if k % 5 == 0 else numbers)["s"].type for k in range(40)]
    assert found == ["string"] * 28 + ["number"] * 12


@given(st.lists(st.sampled_from([("1", "nil"), ("1", "2"), ("7",), ("x",), (None,)]), min_size=1, max_size=60), st.data())
def test_batches_have_the_types_of_one_run_in_however_many(batches: list[tuple[str | None, ...]], data: st.DataObject) -> None:
    together = TypeMemory(KnownTypes())
    one_run = [together.settle((COLUMN,), dict(enumerate(measured(list(values)))))["s"] for values in batches]
    kept: list[str] = []
    memory = TypeMemory(KnownTypes())
    for values, expected in zip(batches, one_run, strict=True):
        if data.draw(st.booleans()):
            # What is kept of a null column says nothing.
            memory = TypeMemory(KnownTypes(recent={"s": kept[-30:]}))
        found = memory.settle((COLUMN,), dict(enumerate(measured(list(values)))))["s"]
        assert found.type == expected.type
        kept += [held_type(found)] if found.type != "null" else []


@pytest.mark.parametrize(
    ("values", "malformed", "recent", "expected"),
    [
        (["1", "in addition", "3"], 1, ["number"], "number"),
        (["1", "in addition", None], 1, ["number"], "number"),
        # Nothing says that it was one of numbers.
        (["1", "in addition", "3"], 1, [], "string"),
        (["1", "in addition", "3"], 1, ["string"] * 3, "string"),
        (["1", "in addition", "3"], 0, ["number"], "string"),
        # More texts than lines are broken.
        (["1", "in addition", "x"], 1, ["number"], "string"),
        (["in addition", None], 1, ["number"], "string"),
    ],
)
def test_a_text_of_a_malformed_line_is_no_value_of_a_column_of_numbers(
    values: list[str | None], malformed: int, recent: list[str], expected: str
) -> None:
    memory = TypeMemory(KnownTypes(recent={"s": recent}))
    settled = memory.settle((COLUMN,), dict(enumerate(measured(values, malformed=malformed))), broken=malformed)["s"]
    assert settled.type == expected
    if expected == "number":
        kept = [None if value is None or not value.isdigit() else float(value) for value in values]
        same_states = ColumnProfile.from_arrow("s", pa.array(kept, pa.float64()), "number")
        assert list(settled.states) == [*same_states.states, PointState.key]
        for key, state in same_states.states.items():
            same(settled.states[key], state)


def test_a_segment_of_numbers_in_a_batch_of_texts_is_one_of_texts() -> None:
    values, segments = ["1", "2", "x", "y"], ["n", "n", "t", "t"]
    batch = pa.RecordBatch.from_arrays([pa.array(values), pa.array(segments), pa.array(["b"] * 4)], ["s", "g", "m"])
    splits, _, _ = split_by_batch(Kernel((COLUMN,), ("s",), segments=("g",))([batch]), ("g",))
    parts = splits["b"].parts
    memory = TypeMemory(KnownTypes())
    whole = {"s": ColumnProfile.from_arrow("s", pa.array(values), "string")}
    for segment, part in parts.items():
        assert segment is not None
        (value,) = dict(segment.values).values()
        agree(memory.alike(whole, (COLUMN,), part.profiles)["s"], [v for v, s in zip(values, segments, strict=True) if s == value])
