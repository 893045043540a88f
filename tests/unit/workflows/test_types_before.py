"""Columns of numbers that are whole on some days: either type is one of theirs."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from avh_ui.constraints.schema import ColumnSchema, SchemaConstraint
from avh_ui.constraints.writing import Writing
from avh_ui.metrics.column import Column
from avh_ui.metrics.decimal_points import PointState
from avh_ui.metrics.profile import BatchProfile
from avh_ui.validator.schema_drift import drift_results, schema_of
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.types_before import with_types_before
from tests.fakes.history import FakeHistory

TYPES = {"d": pa.float64(), "i": pa.int64(), "t": pa.string()}
DRIFT = "Column 'n' changed type from bigint to double (a wider type: the old values still fit)."


def history_of(types: str, failed: str = "") -> tuple[FakeHistory, list[str]]:
    """Batches of these types, one a letter, of which some failed, by the day of the month."""
    history, batches = FakeHistory(), [f"2026-03-{k + 1:02}" for k in range(len(types))]
    for k, (batch, letter) in enumerate(zip(batches, types, strict=True)):
        table = pa.table({"n": pa.array([1, 2], TYPES["i"]).cast(TYPES[letter]), "name": ["a", "b"]})
        profile = profile_table(table, "p", batch)
        if str(k + 1) in failed.split():
            profile.extra["validation"] = "fail"
        history.save(profile)
    return history, batches


@pytest.mark.parametrize(
    ("types", "failed", "also"),
    [
        ("didiiddi", "", ("double",)),
        ("iiiiiiii", "", ()),
        # Once may have been a fault, and so may what failed.
        ("iiidiiii", "", ()),
        ("iddiiiii", "2 3", ()),
        # A text is no number of another type.
        ("ttiiiiii", "", ()),
        # Longer ago than any batch is compared with.
        ("dd" + 30 * "i", "", ()),
    ],
    ids=["both", "one", "once", "failed", "text", "long ago"],
)
def test_a_column_may_have_the_types_that_sound_batches_had(types: str, failed: str, also: tuple[str, ...]) -> None:
    history, batches = history_of(types, failed)
    newest = schema_of(history.load("p", batches[-1]))
    columns = with_types_before(history, "p", batches[-1], newest)
    assert columns == (ColumnSchema("n", "bigint", "numeric", also), ColumnSchema("name", "string", "string"))
    seen = (ColumnSchema("n", "double", "numeric"), newest[1])
    assert SchemaConstraint(columns).drift(seen) == ([] if also else [DRIFT])


def test_a_narrower_type_than_the_newest_is_one_too() -> None:
    history, batches = history_of("diidd")
    columns = with_types_before(history, "p", batches[-1], schema_of(history.load("p", batches[-1])))
    assert columns[0].also == ("bigint",)


def written(n: list[str]) -> BatchProfile:
    """A batch of a CSV file with these numbers."""
    profile = profile_table(pa.table({"n": pa.array(n).cast(pa.float64())}), "p", "b")
    column = replace(profile.columns["n"], type="number")
    points = {PointState.key: PointState.of(Column.from_arrow("n", pa.array(n)))}
    return replace(profile, columns={"n": replace(column, states={**column.states, **points})})


@pytest.mark.parametrize(
    ("before", "plain"),
    [(7 * ["5"], True), (6 * ["5"], False), ([*(20 * ["5"]), "5.0"], False), ([*(20 * ["5"]), "5.5", "5"], False), (40 * ["5"], True)],
    ids=["a week", "fewer", "zeros", "a fraction", "many"],
)
def test_whole_numbers_of_a_csv_file_stay_without_a_decimal_point(before: list[str], plain: bool) -> None:
    history, batches = FakeHistory(), [f"{k:03}" for k in range(len(before))]
    for batch, number in zip(batches, before, strict=True):
        history.save(replace(written([number, "12"]), batch=batch))
    columns = with_types_before(history, "p", batches[-1], schema_of(history.load("p", batches[-1])))
    schema = SchemaConstraint(columns, source_format="csv")
    assert [column.plain for column in columns] == [plain]
    said = "Column 'n' changed how its numbers are written: 2 of 3 are whole with a decimal point (5.0 for 5), and none was."
    found = drift_results(schema, written(["5.0", "7", "12.00"]))
    assert [(one.rule, one.message) for one in found] == ([("type_changed", said)] if plain else [])
    # A fraction is a number of another kind, and no other way to write a whole one.
    assert not drift_results(schema, written(["5", "7", "12.5"]))
    assert not drift_results(replace(schema, level="off"), written(["5.0"]))


def test_what_is_lost_without_a_word_is_learned_of_numbers_and_of_texts() -> None:
    history = FakeHistory()
    prices, codes = [k + 0.25 for k in range(40)], [f"{k:05d}" for k in range(40)]
    for k in range(8):
        history.save(profile_table(pa.table({"price": pa.array(prices), "zip": pa.array(codes)}), "p", str(k)))
    columns = with_types_before(history, "p", "7", schema_of(history.load("p", "7")))
    assert [column.written for column in columns] == [Writing(digits=(1.0, 1.0)), Writing(padded=1.0, length=5)]
    now = profile_table(pa.table({"price": pa.array([float(int(v)) for v in prices]), "zip": [str(int(c)) for c in codes]}), "p", "8")
    assert [one.message for one in drift_results(SchemaConstraint(columns), now)] == [
        "Column 'price' changed how its numbers are written: none of 40 has a fraction, and all had.",
        "Column 'zip' lost leading zeros: none of 40 values begins with 0, and all did.",
    ]
    assert drift_results(SchemaConstraint(columns), history.load("p", "7")) == ()


def test_a_batch_of_an_older_release_says_nothing_of_how_it_was_written() -> None:
    history = FakeHistory()
    for k in range(9):
        profile = replace(written(["5", "12"]), batch=str(k))
        if k == 3:
            column = profile.columns["n"]
            states = {key: state for key, state in column.states.items() if key != PointState.key}
            profile = replace(profile, columns={"n": replace(column, states=states)})
        history.save(profile)
    columns = with_types_before(history, "p", "8", schema_of(history.load("p", "8")))
    assert not columns[0].plain
