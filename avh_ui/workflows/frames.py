"""Tables that are in memory already (pandas, Arrow) as profiles, with the types that Spark would give their columns.

An Arrow table has types of its own, which are taken at their word. pandas has fewer: whole numbers with gaps are doubles, decimals
and dates are objects. So a pandas column has the type that a program expects where every value fits it exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.config import ColumnsSetting
from avh_ui.errors import AvhError, UsageError
from avh_ui.metrics.characters import no_text
from avh_ui.metrics.column import NUMBER_KINDS, Column, kind_of
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.fields import MeasuredField, choose
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.numerals import distinct_values
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.profiler import UNKNOWN, KnownTypes
from avh_ui.metrics.tables import with_asked
from avh_ui.metrics.truths import truths_of
from avh_ui.metrics.type_names import NULL, NUMBER, UNTYPED, arrow_tree, is_number, reading
from avh_ui.metrics.values import values_of, whole
from avh_ui.metrics.written_numbers import as_numbers

if TYPE_CHECKING:
    import pandas as pd

# Measures of a table that only Spark can tell, as columns of a profile; an `AvhError` says why there is none.
Elsewhere = Callable[[pa.Table, Sequence[Measure]], Mapping[str, ColumnProfile]]
_TYPES = {
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "date": pa.date32(),
}
# Formats of which a column without a value has no type.
_VAGUE = (*UNTYPED, "json")
# Whole doubles below this are written as whole numbers, which is how a file without types has them.
_WHOLE_BELOW = 1e15


def table_of(data: Any) -> pa.Table:
    """A pandas DataFrame (without its index) or an Arrow table or record batch as an Arrow table; NaN of pandas is null.

    Objects of pandas that Arrow has no type for, or several, are texts; `UsageError` for two columns of one name.
    """
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if not data.columns.is_unique:
        twice = data.columns[data.columns.duplicated()][0]
        raise UsageError(f"The DataFrame has two columns named {str(twice)!r}.", hint="Rename one of them: a batch has each name once.")
    arrays = [_array(data.iloc[:, i]) for i in range(data.shape[1])]
    return pa.table(arrays, names=[str(name) for name in data.columns]) if arrays else pa.table({})


def profile_table(
    table: pa.Table,
    pipeline: str,
    batch: str,
    known: KnownTypes = UNKNOWN,
    columns: ColumnsSetting | None = None,
    *,
    loose: bool = False,
    elsewhere: Elsewhere | None = None,
) -> BatchProfile:
    """The profile of (these columns of) a table. With `loose` types, as of pandas, a column has the expected one where all values fit.

    What has a condition that takes Spark is measured `elsewhere`, and where that is not possible not at all, as a note says.
    """
    trees = [(field.name, arrow_tree(field.type)) for field in table.schema]
    asked = choose(trees, (columns or ColumnsSetting()).wants, known.measures)
    truths = truths_of(table, asked.tests, asked.fields)
    chosen = asked.without(truths.untold)
    plain = [field for field in chosen.fields if field.asked is None]
    measured = (_exactly(_measure(field, values_of(table, field), known, loose), table, field, known) for field in plain)
    profiles = {profile.name: profile for profile in measured}
    found = with_asked(profiles, table, chosen.fields, truths.arrays, lambda field, values: _measure(field, values, known, loose))
    late = [field.asked for field in asked.fields if field.asked is not None and not truths.declined.keys().isdisjoint(field.tests)]
    more, why = _by_others(table, late, elsewhere)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return BatchProfile(
        pipeline,
        batch,
        table.num_rows,
        {**found, **more},
        (*replace(chosen, refused={name: why for name, why in chosen.refused.items() if name not in more}).notes(), *why),
        now,
        covers_all=True,
        left_out=chosen.left_out,
        asked=(*chosen.asked, *more),
        delivery=_delivery(table, plain),
    )


def _by_others(
    table: pa.Table, measures: list[Measure], elsewhere: Elsewhere | None
) -> tuple[Mapping[str, ColumnProfile], tuple[str, ...]]:
    """What is measured elsewhere, by name, and why it is not."""
    if not measures or elsewhere is None:
        return {}, ()
    try:
        return elsewhere(table, measures), ()
    except AvhError as error:
        return {}, (f"What takes Spark is not measured: {error}",)


def _exactly(profile: ColumnProfile, table: pa.Table, field: MeasuredField, known: KnownTypes) -> ColumnProfile:
    """With all distinct values counted where a program calls the column unique and they were estimated."""
    if field.name not in known.unique or not profile.sketched:
        return profile
    values = values_of(table, field)
    written = profile.kind in NUMBER_KINDS and kind_of(values.type) == "string"
    return profile.grouped(distinct_values(values, written=written))


def _delivery(table: pa.Table, fields: Sequence[MeasuredField]) -> Delivery:
    """The values that hold what is no text, as every other route counts them; a table in memory has no files and no lines."""
    found: dict[str, dict[str, int]] = {}
    for field in fields:
        values = values_of(table, field)
        if kind_of(values.type) == "string":
            for name, there in no_text(values.drop_null().cast(pa.large_string())).items():
                found.setdefault(name, {})[field.name] = int(there.sum())
    return Delivery(replaced=found.get("replaced", {}), boms=found.get("boms", {}), controls=found.get("controls", {}))


def _measure(field: MeasuredField, values: pa.Array, known: KnownTypes, loose: bool) -> ColumnProfile:
    name, expected, nothing = field.name, known.types.get(field.name, ""), values.null_count == len(values)
    if field.counted:
        return ColumnProfile.counted(name, len(values), values.null_count, field.type)
    if field.how != "values":
        return ColumnProfile.from_arrow(name, values, field.type)
    if loose:
        values = _fitted(values, expected)
    type_name = arrow_tree(values.type).name
    how = reading(expected, type_name, known.source_format)
    if type_name == NULL or (nothing and (known.source_format in _VAGUE or how == "number?")):
        # As of Spark: nothing is a text.
        return ColumnProfile.from_arrow(name, values.cast(pa.string()), NULL)
    if type_name == "timestamp_ntz" and expected == "timestamp":
        # As this tool's sessions read it: Spark's own files may leave the zone out (ORC), and so does pandas of Spark.
        type_name = expected
    if how == "number?":
        numbers = as_numbers(Column.from_arrow(name, values))
        if numbers.rows == len(values):
            return ColumnProfile.of(numbers, NUMBER)
    if how == "text":
        values, type_name = _as_text(values), "string"
    return ColumnProfile.from_arrow(name, values, NUMBER if how == "number" else type_name, known.regexes.get(name, ()))


def _array(series: pd.Series[Any]) -> pa.Array:
    """A column of pandas; of type null where it has no value and a type that pandas gives whatever has none."""
    try:
        found = pa.Array.from_pandas(series)
    except (pa.ArrowException, TypeError, ValueError):
        found = pa.array([None if missing else _text(value) for value, missing in zip(series, series.isna(), strict=True)], pa.string())
    if isinstance(found, pa.ChunkedArray):
        found = whole(found)
    untold = series.dtype == object or (series.dtype == np.float64 and len(found))
    return pa.nulls(len(found)) if untold and found.null_count == len(found) else found


def _text(value: object) -> str:
    return str(value).encode("utf-8", "replace").decode("utf-8")


def _fitted(values: pa.Array, expected: str) -> pa.Array:
    """The values in the expected type where all of them fit it exactly; as they are where one does not: the type has changed."""
    name, wanted, decimal = arrow_tree(values.type).name, _TYPES.get(expected), pa.types.is_decimal(values.type)
    if decimal and expected.startswith("decimal("):
        precision, scale = map(int, expected[len("decimal(") : -1].split(","))
        wanted = pa.decimal128(precision, scale)
    elif expected == "boolean" and pa.types.is_floating(values.type):
        wanted = pa.bool_()
    elif decimal or (expected == "date" and not pa.types.is_timestamp(values.type)) or (expected != "date" and not is_number(name)):
        return values
    if wanted is None or values.type == wanted:
        return values
    try:
        fitted = values.cast(wanted)
    except pa.ArrowInvalid:
        return values
    # A time of day, or a number other than 0 and 1, would be lost without an error.
    lost = expected in ("date", "boolean") and not fitted.cast(values.type).equals(values)
    return values if lost else fitted


def _as_text(values: pa.Array) -> pa.Array:
    """As a file without types has them: whole numbers without a point, times without zeros at their end."""
    if pa.types.is_timestamp(values.type):
        plain = values.cast(pa.timestamp("us", values.type.tz), safe=False).cast(pa.timestamp("us"))
        # Who looks for times in texts makes midnights of dates.
        only_days = plain.cast(pa.date32()).cast(plain.type).equals(plain)
        return pc.replace_substring_regex(plain.cast(pa.string()), r" 00:00:00\.0*$" if only_days else r"\.?0*$", "")
    if pa.types.is_floating(values.type) or pa.types.is_decimal(values.type):
        return pa.array([None if v is None else _number(v) for v in values.to_pylist()], pa.string())
    return values.cast(pa.string())


def _number(value: float | Decimal) -> str:
    return str(int(value)) if math.isfinite(value) and value == int(value) and abs(int(value)) < _WHOLE_BELOW else str(value)
