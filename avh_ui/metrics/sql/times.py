"""Functions of days and times, in UTC."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.casts import cast
from avh_ui.metrics.sql.nodes import Datum, Node, call, constant

# The units of intervals that are so many microseconds; months are not.
_DAY = 86_400_000_000
UNITS: Mapping[str, int] = {"WEEK": 7 * _DAY, "DAY": _DAY, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}
# Parts of a day, and of a time of day, as Spark counts them.
PARTS_OF_DAYS: Mapping[str, Callable[..., Datum]] = {
    "year": pc.year, "quarter": pc.quarter, "month": pc.month, "day": pc.day, "dayofmonth": pc.day, "dayofyear": pc.day_of_year,
    "weekofyear": pc.iso_week, "dayofweek": partial(pc.day_of_week, count_from_zero=False, week_start=7), "weekday": pc.day_of_week,
}  # fmt: skip
PARTS_OF_TIMES: Mapping[str, Callable[..., Datum]] = {"hour": pc.hour, "minute": pc.minute, "second": pc.second}


def day(node: Node) -> Node:
    """The values as days: a text is read as one, a time loses its time of day."""
    if node.type not in (t.NULL, t.STRING, t.DATE, *t.TIMES):
        raise DeclinedError(f"a day of {t.name_of(node.type)}")
    return cast(node, t.DATE)


def time(node: Node) -> Node:
    """The values as points in time: a text is read as one, a day is its midnight."""
    if node.type not in (t.NULL, t.STRING, t.DATE, *t.TIMES):
        raise DeclinedError(f"a time of {t.name_of(node.type)}")
    return node if node.type in t.TIMES else cast(node, t.TIMESTAMP)


def part_of(name: str, node: Node) -> Node:
    """`year(node)`, `hour(node)` and the like."""
    if name in PARTS_OF_DAYS:
        return call(t.INT, partial(_part, run=PARTS_OF_DAYS[name]), day(node))
    return call(t.INT, partial(_part_of_time, run=PARTS_OF_TIMES[name]), time(node))


def seconds(node: Node) -> Node:
    """`unix_timestamp(node)`: the whole seconds since 1970; those before it are cut towards it. Of a text Spark reads one format alone."""
    if node.type not in (t.NULL, t.DATE, *t.TIMES):
        raise DeclinedError(f"a time of {t.name_of(node.type)}")
    return call(t.BIGINT, _seconds, time(node))


def days_between(later: Node, earlier: Node) -> Node:
    """`datediff(later, earlier)`."""
    return call(t.INT, _days_between, day(later), day(earlier))


def days_added(node: Node, days: Node, sign: int) -> Node:
    """`date_add` or `date_sub`."""
    if days.type not in (t.NULL, *t.INTEGRAL[:3]):
        raise DeclinedError(f"days of {t.name_of(days.type)}")
    return call(t.DATE, partial(_days_added, sign=sign), day(node), cast(days, t.INT))


def shifted(node: Node, micros: int) -> Node:
    """A day or a time and an interval of so many microseconds: a day stays one where the interval is of days."""
    if node.type == t.DATE and micros % _DAY == 0:
        return days_added(node, constant(t.INT, micros // _DAY), 1)
    if node.type not in (t.DATE, *t.TIMES):
        raise DeclinedError(f"an interval beside {t.name_of(node.type)}")
    node = time(node)
    return call(node.type, partial(_shifted, micros=micros), node)


def _part(days: Datum, run: Callable[..., Datum]) -> Datum:
    return pc.cast(run(days), t.INT)


def _part_of_time(times: Datum, run: Callable[..., Datum]) -> Datum:
    return pc.cast(run(pc.cast(times, t.TIMESTAMP_NTZ)), t.INT)


def _seconds(times: Datum) -> Datum:
    return pc.divide(pc.cast(times, t.BIGINT), pa.scalar(UNITS["SECOND"], t.BIGINT))


def _days_between(later: Datum, earlier: Datum) -> Datum:
    return _checked(pc.subtract_checked, pc.cast(later, t.INT), pc.cast(earlier, t.INT))


def _days_added(days: Datum, count: Datum, sign: int) -> Datum:
    return pc.cast(_checked(pc.add_checked if sign > 0 else pc.subtract_checked, pc.cast(days, t.INT), count), t.DATE)


def _shifted(times: Datum, micros: int) -> Datum:
    return pc.cast(_checked(pc.add_checked, pc.cast(times, t.BIGINT), pa.scalar(micros, t.BIGINT)), times.type)


def _checked(run: Callable[..., Datum], one: Datum, other: Datum) -> Datum:
    try:
        return run(one, other)
    except pa.ArrowInvalid as error:
        raise DeclinedError("a day overflows") from error
