"""Sketches of all rows, and what two batches of a larger table than a sample holds tell of each other, against tables that are whole."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.metrics.by_key import OF_KEYS, OF_VALUES
from avh_ui.metrics.joining import join
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.moved import moved, moved_values
from avh_ui.metrics.row_keys import mixed
from avh_ui.metrics.row_sample import SKETCHED_ROWS, Drawing, RowSample
from avh_ui.metrics.row_sketch import RowSketch
from avh_ui.metrics.row_words import values_of_words, words_of_values
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.sampled_values import Values
from avh_ui.metrics.values_of_rows import values_of

BY_NAME = {m.name: m for m in (*OF_KEYS, *OF_VALUES)}
# What follows from the rows that differ alone, and from how many there are.
EXACT = [name for name in BY_NAME if name not in ("keys_twice", "null_keys", "sum_fallen", "beyond", "rank_change")]
NO_NAMES = pa.nulls(0, pa.binary())


def sample(table: pa.Table, k: int = 4096, **how: Any) -> RowSample:
    arrays = {name: table.column(name).combine_chunks() for name in table.column_names}
    return RowSample.of_rows(Rows(table.num_rows, arrays), Need(RowSample, tuple(arrays), None, Drawing(1, k, **how)))


def measured(name: str, ours: RowSample, theirs: RowSample, column: str) -> tuple[float, float]:
    sides = [{"matched": Matched(s, column), "row_sample": s} for s in (ours, theirs)]
    value = BY_NAME[name].value(*sides)
    return value, BY_NAME[name].error_between(*sides, value)


def keyed(rows: dict[int, tuple[Any, Any]]) -> pa.Table:
    numbers, texts = ([value[i] for value in rows.values()] for i in range(2))
    return pa.table({"key": pa.array(rows, pa.int64()), "n": pa.array(numbers, pa.float64()), "t": pa.array(texts, pa.string())})


number = st.none() | st.integers(-3, 3).map(float) | st.sampled_from([1000.0, 0.25, 12.3456, math.pi, 1e300, math.inf])
text = st.none() | st.sampled_from(["", "a", "a b", "a text that is longer than one word"]) | st.text(max_size=9)
tables = st.dictionaries(st.integers(0, 60), st.tuples(number, text), min_size=20, max_size=50)
edits = st.dictionaries(st.integers(0, 60), st.none() | st.tuples(number, text), max_size=20)


@settings(max_examples=30)
@given(before=tables, edits=edits)
def test_what_differs_is_told_exactly_however_few_rows_are_drawn(before: dict[int, Any], edits: dict[int, Any]) -> None:
    after = {key: row for key, row in {**before, **edits}.items() if row is not None}
    tables = [keyed(rows) for rows in (after, before)]
    drawn, whole = ([sample(table, k) for table in tables] for k in (8, 4096))
    for column in ("n", "t"):
        for name in EXACT:
            (value, error), (expected, _) = (measured(name, *sides, column) for sides in (drawn, whole))
            # Where the few that are drawn have no numbers, the column's are not known.
            if not math.isnan(value) or name.startswith("keys"):
                assert value == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True), (name, column)
                assert error == 0.0


def big(rng: np.random.Generator, rows: int = 12_000) -> dict[str, Any]:
    columns: dict[str, Any] = {"key": np.array([f"row number {i}" for i in range(rows)], dtype=object)}
    columns |= {"n": rng.integers(1, 1_000, rows).astype(float), "x": rng.normal(size=rows)}
    return columns | {"t": np.array([f"group {i % 7}" for i in range(rows)], dtype=object)}


def test_rows_of_a_larger_table_are_named_with_both_values() -> None:
    before = big(np.random.default_rng(1))
    after = {name: values.copy() for name, values in before.items()}
    after["n"][[11, 4_000]] = 5.0, 900.0
    before["n"][[11, 4_000]] = 900.0, 5.0
    after["t"][77], after["x"][8_000] = "a text that nobody has seen", np.nan
    kept = np.delete(np.arange(12_000), 123)
    ours, theirs = sample(pa.table({n: pa.array(v[kept]) for n, v in after.items()})), sample(pa.table(before))
    assert (ours.more, ours.keys) == (True, 2_731)
    assert {name: measured(name, ours, theirs, "n") for name in ("exchanged_share", "fallen_share", "keys_gone", "keys_new")} == {
        "exchanged_share": (2 / 11_999, 0.0), "fallen_share": (1 / 11_999, 0.0), "keys_gone": (1 / 12_000, 0.0), "keys_new": (0.0, 0.0),
    }  # fmt: skip
    assert measured("largest_fall", ours, theirs, "n")[0] == pytest.approx(math.log1p(900) - math.log1p(5))
    shown = {str(row) for row in moved(BY_NAME["exchanged_share"], Matched(ours, "n"), Matched(theirs, "n")).rows}
    assert shown == {"row number 11: 900 → 5", "row number 4000: 5 → 900"}
    assert [row.key for row in moved(BY_NAME["keys_gone"], ours, theirs).rows] == ["row number 123"]
    (row,) = moved_values(ours, theirs, "x").rows
    assert (row.key, row.after) == ("row number 8000", "NaN")
    # Of a text that is in neither sample its hash stands for it.
    (row,) = moved_values(ours, theirs, "t").rows
    assert (row.key, row.before, row.after[0]) == ("row number 77", "group 0", "#")


def test_what_the_rows_that_differ_have_in_common_is_told_with_about_how_many_others_have_it() -> None:
    before = big(np.random.default_rng(2))
    before["t"] = np.array([f"group {i % 60}" for i in range(12_000)], dtype=object)
    after = {**before, "n": np.where(before["t"] == "group 3", 0.0, before["n"])}
    ours, theirs = sample(pa.table(after)), sample(pa.table(before))
    found = moved(BY_NAME["fallen_share"], Matched(ours, "n"), Matched(theirs, "n"))
    assert (found.count, found.among, found.sampled) == (200, 12_000, False)
    assert found.group is not None
    assert (found.group.column, found.group.value, found.group.changed) == ("t", "group 3", 200)
    assert found.said.startswith("200 of about 2")


def test_too_many_rows_that_differ_are_told_by_the_samples_with_their_error() -> None:
    rng = np.random.default_rng(3)
    before = big(rng)
    after = {**before, "n": np.where(rng.random(12_000) < 0.2, -1.0, before["n"])}
    ours, theirs = sample(pa.table(after)), sample(pa.table(before))
    value, error = measured("fallen_share", ours, theirs, "n")
    assert 0 < error < 0.01
    assert value == pytest.approx(0.2, abs=4 * error)
    assert not join(ours, theirs).exact
    # Without its sketch, as an older release kept it, a sample tells of its own rows.
    value, error = measured("changed_share", replace(ours, sketch=None), theirs, "x")
    assert (value, error > 0) == (0.0, True)


def test_sketches_of_so_many_rows_are_read() -> None:
    rng = np.random.default_rng(4)
    for count in range(0, 521, 40):
        keys = mixed(rng.integers(0, 2**63, count).astype(np.uint64))
        words = {"n": keys >> np.uint64(40), "t": mixed(keys)}
        told = (RowSketch.of(keys, words) - RowSketch()).read()
        assert told is not None
        order, expected = np.argsort(told.keys), np.argsort(keys)
        assert told.keys[order].tolist() == keys[expected].tolist()
        assert {n: w[order].tolist() for n, w in told.planes.items() if count} == {
            n: w[expected].tolist() for n, w in words.items() if count
        }
    keys = mixed(np.arange(2_000, dtype=np.uint64))
    assert RowSketch.of(keys, {"n": keys}).read() is None


def test_a_row_that_came_twice_is_no_pair_of_rows() -> None:
    rows = {name: np.append(values, values[5:6]) for name, values in big(np.random.default_rng(5)).items()}
    ours, theirs = sample(pa.table(rows)), sample(pa.table({n: v[:-1] for n, v in rows.items()}))
    assert measured("changed_share", ours, theirs, "n")[0] == 0.0


@settings(max_examples=40)
@given(values=st.lists(number | text | st.binary(max_size=40), min_size=1))
def test_words_give_values_back(values: list[Any]) -> None:
    kinds = {"n": (pa.float64(), (int, float)), "t": (pa.string(), str), "b": (pa.binary(), bytes)}
    columns = {name: pa.array([v if isinstance(v, of) else None for v in values], kind) for name, (kind, of) in kinds.items()}
    own = values_of(columns)
    names = pa.concat_arrays([v.names for v in own.values()])
    found = values_of_words({**{name: np.zeros(len(values), np.uint64) for name in own}, **words_of_values(own, ["t"])}, list(own), names)
    for name in own:
        assert [shown(found[name], at) for at in range(len(values))] == [shown(own[name], at) for at in range(len(values))]
    # A key's text of up to 28 bytes needs no names.
    kept = values_of_words(words_of_values({"t": own["t"]}, ["t"]), ["t"], NO_NAMES)["t"]
    short = [at for at, v in enumerate(values) if isinstance(v, str) and len(v.encode()) <= 28 and "\0" not in v]
    assert [kept.text(at) for at in short] == [own["t"].text(at) for at in short]


def shown(values: Values, place: int) -> Any:
    text = values.text(place)
    # The last of 52 bits are lost.
    return text if text is not None else f"{values.numbers[place]:.14g}"


def test_very_large_batches_are_only_drawn_from() -> None:
    table = pa.table({"key": np.arange(SKETCHED_ROWS + 1), "n": np.zeros(SKETCHED_ROWS + 1)})
    parts = [sample(table.slice(at, 40_000)) for at in range(0, table.num_rows, 40_000)]
    assert all(part.sketch is not None for part in parts)
    assert sample(table).sketch is None
    assert RowSample.merge_many(parts).sketch is None


def test_texts_that_are_withheld_are_in_no_sketch() -> None:
    table = pa.table({"key": np.arange(5_000), "t": ["secret"] * 5_000})
    assert sample(table).without_texts().sketch is None
    hashed = sample(table, hashed=True)
    assert hashed.without_texts().sketch is hashed.sketch
    assert hashed.every_row is not None
