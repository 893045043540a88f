"""Columns of numbers that are whole on some days: either type is one of theirs."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.constraints.schema import ColumnSchema, SchemaConstraint
from avh_ui.validator.schema_drift import schema_of
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
