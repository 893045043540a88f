"""A line that lost a field moves the values after it one column to the left: each column is told whose values it has."""

from __future__ import annotations

import pyarrow as pa

from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.strayed_values import Strayed, strayed_values

STATUS, PAY = ["paid", "shipped"] * 30, ["card", "paypal", "card"] * 20


def profiles(**columns: list[str | None]) -> dict[str, ColumnProfile]:
    return {name: ColumnProfile.from_arrow(name, pa.array(values, pa.string())) for name, values in columns.items()}


BEFORE = profiles(status=STATUS, pay=PAY, id=[f"o{k}" for k in range(60)])


def test_values_of_the_next_column_are_told_as_that_columns() -> None:
    now = profiles(status=[*STATUS[:50], *PAY[:10]], pay=[*PAY[:50], *[None] * 10], id=[f"p{k}" for k in range(60)])
    assert strayed_values(["status", "pay", "id", "gone"], now, BEFORE) == (Strayed("status", "pay", ("card", "paypal"), 10),)


def test_new_values_of_no_other_column_and_slips_of_a_row_or_two_are_not() -> None:
    assert strayed_values(["status"], profiles(status=[*STATUS[:50], *["lost"] * 10]), BEFORE) == ()
    assert strayed_values(["status"], profiles(status=[*STATUS[:58], "card", "card"]), BEFORE) == ()
    half = profiles(status=[*STATUS[:48], *["card"] * 6, *["lost"] * 6])
    assert strayed_values(["status"], half, BEFORE) == ()


def test_columns_of_too_many_values_are_left_out() -> None:
    many = profiles(status=[f"v{k}" for k in range(20_000)], pay=PAY)
    assert strayed_values(["status", "pay"], profiles(status=PAY, pay=[*PAY[:50], *["v1"] * 10]), many) == ()
