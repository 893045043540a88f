"""Rows that are equal to another one: counted in all rows of small batches, and in the same different rows of every part of large ones."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import avh_ui as avh
from avh_ui.metrics.copied_rows import COPIED_ROWS, CopyState, K
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.rows import Need, Rows

Row = tuple[int | None, float | None, str | None]
TYPES = {"a": pa.int64(), "b": pa.float64(), "c": pa.string()}
rows_of_few_values = st.lists(
    st.tuples(st.none() | st.integers(0, 2), st.none() | st.sampled_from([0.0, -0.0, 1.5]), st.none() | st.sampled_from(["", "x"])),
    max_size=40,
)


def state(columns: dict[str, Any], k: int | None = None) -> CopyState:
    arrays = {name: values if isinstance(values, pa.Array) else pa.array(values) for name, values in columns.items()}
    return CopyState.of_rows(Rows(len(next(iter(arrays.values()))), arrays), Need(CopyState, tuple(arrays), None, k))


@given(rows_of_few_values)
def test_each_row_that_has_a_twin_counts(rows: list[Row]) -> None:
    times = Counter(row for row in rows if row != (None, None, None))
    naive = sum(count for count in times.values() if count > 1) / times.total() if times else None
    table = pa.table({name: pa.array([row[at] for row in rows], of) for at, (name, of) in enumerate(TYPES.items())})
    found = avh.measure(table, [measure := Measure("copied_rows", ("b", "a", "c"))]).results[measure]
    assert found.value == (naive if naive is None else pytest.approx(naive))
    assert found.error is None


def large(copied: float, rows: int = 60_000) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    made = {"day": rng.integers(0, 30, rows), "name": np.char.add("n", rng.integers(0, 900, rows).astype(str)), "x": rng.gamma(2, 50, rows)}
    again = rng.permutation(rows)[: int(copied * rows)]
    return {name: np.append(values, values[again]) for name, values in made.items()}


@pytest.mark.parametrize("first", ["x", "name", "day"])
@pytest.mark.parametrize("copied", [0.0, 0.01, 0.5])
def test_of_many_different_rows_a_sample_tells(first: str, copied: float) -> None:
    made = large(copied)
    found = state({name: made[name] for name in (first, *(made.keys() - {first}))})
    share = found.copied
    assert share is not None
    assert (len(found.hashes), found.more) == (K, True)
    assert abs(share - 2 * copied / (1 + copied)) <= 4 * found.error(2 * copied / (1 + copied))


def test_parts_give_what_the_whole_gives() -> None:
    made = large(0.1)
    places = np.random.default_rng(1).permutation(len(made["x"]))
    parts = [state({name: values[some] for name, values in made.items()}) for some in np.array_split(places, 7)]
    merged = parts[0]
    for part in parts[1:]:
        merged = part.merge(merged)
    whole = state(made)
    assert merged.hashes.tolist() == whole.hashes.tolist()
    assert merged.counts.tolist() == whole.counts.tolist()
    assert len(whole.to_record()) < 30_000
    assert CopyState.from_record(whole.to_record()).to_record() == whole.to_record()


def test_texts_in_a_dictionary_are_the_same_texts() -> None:
    texts = pa.array(["a", "b", None, "a"])
    found = [
        state({"t": one, "n": [1, 2, 3, 1]}).hashes.tolist() for one in (texts, texts.dictionary_encode(), texts.cast(pa.large_string()))
    ]
    assert found[0] == found[1] == found[2]


def test_it_is_of_any_number_of_columns() -> None:
    assert COPIED_ROWS.misuse(Measure("copied_rows", tuple("abcdefgh"))) is None
    assert COPIED_ROWS.misuse(Measure("copied_rows")) == "copied_rows needs at least 1 column."
