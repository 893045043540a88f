"""Tables in memory, without Spark: what is measured of their columns as arrays, and measures of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.analysis import Analysis, Askable, Asked, misuse
from avh_ui.metrics.catalogue import named
from avh_ui.metrics.column import decoded
from avh_ui.metrics.fields import MeasuredField, choose
from avh_ui.metrics.groups import GroupState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.results import MetricResult, failed
from avh_ui.metrics.rows import Name, Need, Rows, RowTest
from avh_ui.metrics.type_names import arrow_tree


def analyze_table(table: pa.Table, measures: Iterable[Measure]) -> Analysis:
    """Measure a table in memory; all states are kept. `where` and `compliance` are SQL and fail here: they need Spark."""
    measures = list(measures)
    table = _with_types(table, measures)
    fields = {f.name: f for f in choose([(f.name, arrow_tree(f.type)) for f in table.schema]).fields}
    kinds: dict[str, Askable] = {name: field.kind for name, field in fields.items()}
    kinds |= {name: "twice" for name in table.column_names if table.column_names.count(name) > 1}
    asked = Asked.of(measures, kinds, table.column_names)
    asked = asked.without({m: why for m, (_, found) in asked.measures.items() if isinstance(found, Metric) and (why := _without_sql(m))})
    columns: dict[Name, pa.Array] = {}
    measured: dict[Need, object] = {}
    for need in asked.needs:
        try:
            columns |= {name: _array(table, fields, name) for name in need.columns if name not in columns}
        except re.error as error:
            measured[need] = ValueError(f"The pattern {', '.join(test.text for test in need.tests)!r} cannot be read: {error}.")
    rows = Rows(table.num_rows, columns)
    return asked.analysis({**rows.measure(need for need in asked.needs if need not in measured), **measured})


def with_asked(columns: Mapping[str, ColumnProfile], table: pa.Table, fields: Sequence[MeasuredField]) -> dict[str, ColumnProfile]:
    """The profiles of a table's columns with the states of measures that were asked for, and what those are of that is no column.

    Patterns that cannot be read are passed over, as on Spark.
    """
    by_name = {field.name: field for field in fields if field.asked is None}
    found = dict(columns)
    for field in fields:
        if field.asked is None and not field.measures:
            continue
        try:
            names = {name for _, need in field.needs for name in need.columns} | ({field.test} if field.test else set())
            rows = Rows(table.num_rows, {name: _array(table, by_name, name) for name in names})
        except re.error:
            continue
        states = rows.measure(need for _, need in field.needs)
        kept = {key: replace(s.summary(), top=()) if isinstance(s := states[need], GroupState) else s for key, need in field.needs}
        if field.test is not None:
            found[field.name] = ColumnProfile.from_arrow(field.name, rows.columns[field.test], field.type)
        elif field.asked is not None and len(field.asked.columns) == 1:
            found[field.name] = replace(columns[field.asked.columns[0]], name=field.name)
        profile = found.get(field.name, ColumnProfile(field.name, field.kind, field.type, {}))
        found[field.name] = replace(profile, states={**profile.states, **kept}, measures=field.measures)
    return found


def values_of(table: pa.Table, field: MeasuredField) -> pa.Array:
    """What is measured of a field: its values, or the number of its elements."""
    place, *within = field.path
    column = table.column(place)
    values = decoded(whole(column) if column.num_chunks else pa.array([], column.type))
    for inner in within:
        # Null where the struct is, whatever lies below.
        values = decoded(pc.struct_field(values, [inner]))
    return sizes(values) if field.how == "size" else values


def sizes(values: pa.Array) -> pa.Array:
    """How many elements each array or map has."""
    if not pa.types.is_map(values.type):
        return pc.list_value_length(values)
    return pa.array(np.diff(values.offsets.to_numpy(zero_copy_only=False)), mask=values.is_null().to_numpy(zero_copy_only=False))


def whole(values: pa.ChunkedArray) -> pa.Array:
    """The values in one array."""
    combined = values.combine_chunks()
    return pa.concat_arrays(combined.chunks) if isinstance(combined, pa.ChunkedArray) else combined


def _with_types(table: pa.Table, measures: Iterable[object]) -> pa.Table:
    """The table where a column without any value, which has no type either, has one that what is asked of it is for."""
    for place, column in enumerate(table.schema):
        if pa.types.is_null(column.type):
            known = [m for m in measures if isinstance(m, Measure) and column.name in m.columns]
            kinds = [v.kinds_of(m.columns.index(column.name)) for m in known for v in _variants(m)]
            if kinds and not any("string" in some for some in kinds):
                found = pa.float64() if any("numeric" in some for some in kinds) else pa.timestamp("us")
                table = table.set_column(place, column.name, pa.nulls(len(table), found))
    return table


def _variants(measure: Measure) -> Sequence[Metric]:
    return () if misuse(measure) else named(measure.name)


def _without_sql(measure: Measure) -> MetricResult | None:
    if measure.where is None and measure.parameter("predicate") is None:
        return None
    return failed(measure, "expression", f"{measure.name} with an SQL condition needs Spark: give `measure` a Spark DataFrame.")


def _array(table: pa.Table, fields: Mapping[str, MeasuredField], name: Name) -> pa.Array:
    if not isinstance(name, RowTest):
        return values_of(table, fields[str(name)])
    search = re.compile(name.text, re.ASCII).search
    texts = values_of(table, fields[str(name.column)]).to_pylist()
    # The first match counts; an empty one is none.
    return pa.array([v is not None and (found := search(v)) is not None and found.group() != "" for v in texts], pa.bool_())
