"""Tables in memory, without Spark: what is measured of their columns as arrays, and measures of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from avh_ui.errors import AvhError, UsageError
from avh_ui.metrics.analysis import Analysis, AnalysisStates, Askable, AskedMeasures, misuse
from avh_ui.metrics.catalogue import named
from avh_ui.metrics.fields import MeasuredField, choose
from avh_ui.metrics.groups import GroupState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.pairs import SQL_TAKES_SPARK, beside
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.results import MetricResult, failed
from avh_ui.metrics.rows import Name, Need, Rows, RowTest
from avh_ui.metrics.together import BesideState, NumberState, is_beside
from avh_ui.metrics.truths import truths_of
from avh_ui.metrics.type_names import arrow_tree
from avh_ui.metrics.values import values_of

# Measures of a table that only Spark can tell; an `AvhError` says why there is none.
Elsewhere = Callable[[pa.Table, Sequence[Measure]], Analysis]


def analyze_table(
    table: pa.Table, measures: Iterable[Measure], elsewhere: Elsewhere | None = None, tables: Mapping[str, pa.Table] | None = None
) -> Analysis:
    """Measure a table in memory; all states are kept. What has a condition that takes Spark is measured `elsewhere`. `tables` are those by
    name that measures compare with.
    """
    measures = list(measures)
    table = _with_types(table, measures)
    fields = {f.name: f for f in choose([(f.name, arrow_tree(f.type)) for f in table.schema]).fields}
    kinds: dict[str, Askable] = {name: field.kind for name, field in fields.items()}
    kinds |= {name: "twice" for name in table.column_names if table.column_names.count(name) > 1}
    asked = AskedMeasures.of(measures, kinds, table.column_names, {name: field.type for name, field in fields.items()})
    truths = truths_of(table, [test for need in asked.needs for test in need.tests], fields.values())
    late = _untold(asked, truths.declined) | _queries(asked)
    asked = asked.without(_failed(_untold(asked, truths.untold)))
    columns: dict[Name, pa.Array] = {}
    plain = [need for need in asked.needs if not is_beside(need)]
    for need in plain:
        columns |= {n: _array(table, fields, truths.arrays, n) for n in (*need.columns, *need.tests) if n not in columns}
    compared = {need: _beside(need, table, truths.arrays, tables or {}) for need in asked.needs if is_beside(need)}
    found = asked.analysis({**Rows(table.num_rows, columns).measure(plain), **compared})
    return _completed(found, table, late, elsewhere) if late and elsewhere else found


def _beside(need: Need, table: pa.Table, truths: Mapping[RowTest, pa.Array], tables: Mapping[str, pa.Table]) -> BesideState | UsageError:
    some = table if need.where is None else table.filter(truths[RowTest(need.where)])
    try:
        return beside(need, some, tables, values_of)
    except UsageError as error:
        return error


def _untold(asked: AskedMeasures, tests: Mapping[RowTest, str]) -> dict[Measure, str]:
    """The measures that need tests that cannot be told, each with the reason."""
    told = {measure: [tests[test] for need in needs for test in need.tests if test in tests] for measure, needs in asked.needs_of.items()}
    return {measure: why[0] for measure, why in told.items() if why}


def _queries(asked: AskedMeasures) -> dict[Measure, str]:
    """The measures that are the number of a query, each with the reason why it is not told here."""
    return {measure: SQL_TAKES_SPARK for measure, needs in asked.needs_of.items() if any(need.state is NumberState for need in needs)}


def _completed(found: Analysis, table: pa.Table, measures: Mapping[Measure, str], elsewhere: Elsewhere) -> Analysis:
    """With what is measured elsewhere; failed results where it cannot be."""
    try:
        more = elsewhere(table, list(measures))
    except AvhError as error:
        told = {m: replace(r, failure=f"{r.failure} {error}") for m, r in found.results.items() if m in measures}
        return replace(found, results={**found.results, **told})
    return Analysis({**found.results, **more.results}, AnalysisStates({**found.states.states, **more.states.states}))


def with_asked(
    columns: Mapping[str, ColumnProfile],
    table: pa.Table,
    fields: Sequence[MeasuredField],
    truths: Mapping[RowTest, pa.Array],
    profiled: Callable[[MeasuredField, pa.Array], ColumnProfile],
) -> dict[str, ColumnProfile]:
    """The profiles of a table's columns with the states of measures that were asked for, and what those are of that is no column.

    `profiled` gives the profile of some values of a column.
    """
    by_name = {field.name: field for field in fields if field.asked is None}
    found = dict(columns)
    for field in fields:
        if (field.asked is None and not field.measures) or any(is_beside(need) for _, need in field.needs):
            continue
        names: set[Name] = {name for _, need in field.needs for name in (*need.columns, *need.tests)} | set(field.tests)
        if field.asked is not None and len(field.asked.columns) == 1:
            names.add(field.asked.columns[0])
        every = Rows(table.num_rows, {name: _array(table, by_name, truths, name) for name in names})
        states = every.measure(need for _, need in field.needs)
        kept = {key: replace(s.summary(), top=()) if isinstance(s := states[need], GroupState) else s for key, need in field.needs}
        rows = every.where(None if field.asked is None else field.asked.where)
        if field.how == "truth":
            truth = rows.columns[field.test] if field.test is not None else pa.repeat(True, rows.count)
            found[field.name] = ColumnProfile.from_arrow(field.name, truth, field.type)
        elif field.asked is not None and len(field.asked.columns) == 1:
            (name,) = field.asked.columns
            some = columns[name] if field.asked.where is None else profiled(by_name[name], rows.columns[name])
            found[field.name] = replace(some, name=field.name)
        profile = found.get(field.name, ColumnProfile(field.name, field.kind, field.type, {}))
        found[field.name] = replace(profile, states={**profile.states, **kept}, measures=field.measures)
    return found


def _failed(measures: Mapping[Measure, str]) -> dict[Measure, MetricResult]:
    return {
        measure: failed(measure, "expression", f"{why[:1].upper()}{why[1:]}{'' if why.endswith('?') else '.'}")
        for measure, why in measures.items()
    }


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


def _array(table: pa.Table, fields: Mapping[str, MeasuredField], truths: Mapping[RowTest, pa.Array], name: Name) -> pa.Array:
    return truths[name] if isinstance(name, RowTest) else values_of(table, fields[str(name)])
