"""Analyzers on tables in memory, without Spark: Arrow tables and pandas frames (in pandas NaN counts as null, as it does there)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from avh_ui.metrics.analysis import Analysis, ColumnType, as_named, needs_of, problem
from avh_ui.metrics.analyzer import Analyzer, MetricResult, Need, failed
from avh_ui.metrics.bins import BinState
from avh_ui.metrics.column import Floats, kind_of
from avh_ui.metrics.measuring import Rows, RowTest, measure, tests_of
from avh_ui.metrics.type_names import arrow_tree, is_number

if TYPE_CHECKING:
    import pandas as pd


def analyze_table(table: pa.Table | pa.RecordBatch | pd.DataFrame, analyzers: Iterable[Analyzer]) -> Analysis:
    """Measure a table in memory; all states are kept. `where` and `compliance` are SQL and fail here: they need Spark."""
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    table = table if isinstance(table, pa.Table) else pa.Table.from_pandas(table, preserve_index=False)
    table = table.combine_chunks()
    columns = column_types(table.schema)
    asked = {a: as_named(a, columns) for a in analyzers}
    refused = {a: why for a in asked.values() if (why := problem(a, columns) or _without_sql(a))}
    arrays = {name: _whole(table.column(i)) for i, name in enumerate(table.column_names)}
    needs = list(dict.fromkeys(need for a in asked.values() if a not in refused for need in needs_of(a)))
    measured = _measured(needs, arrays, table.num_rows)
    return Analysis.of(asked, refused, measured)


def column_types(schema: pa.Schema) -> dict[str, ColumnType]:
    """What the columns of an Arrow schema can be asked for."""
    types: dict[str, ColumnType] = {}
    for field in schema:
        known: ColumnType = "string" if kind_of(field.type) == "string" else "other"
        if is_number(arrow_tree(field.type).name):
            known = "numeric"
        types[field.name] = "twice" if field.name in types else "nested" if pa.types.is_nested(field.type) else known
    return types


def _without_sql(analyzer: Analyzer) -> MetricResult | None:
    if analyzer.where is None and analyzer.name != "compliance":
        return None
    return failed(analyzer, "expression", f"{analyzer.name} with an SQL condition needs Spark: give `measure` a Spark DataFrame.")


def _whole(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    whole = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
    return whole.dictionary_decode() if pa.types.is_dictionary(whole.type) else whole


def _measured(needs: Iterable[Need], arrays: Mapping[str, pa.Array], count: int) -> dict[Need, Any]:
    measured: dict[Need, Any] = {}
    tests: dict[RowTest, pa.Array] = {}
    plain: list[Need] = []
    for need in needs:
        if need.state == "percentile":
            measured[need] = percentiles(Rows(count, arrays, {}).column(need.columns[0]).numbers, need.detail)
        elif need.state == "bins" and isinstance(need.detail, int):
            values = Rows(count, arrays, {}).column(need.columns[0]).numbers
            found = values[~np.isnan(values)]
            edges = equal_edges(float(found.min()), float(found.max()), need.detail) if len(found) else ()
            measured[need] = BinState.of(values, arrays[need.columns[0]].null_count, edges) if edges else BinState.identity()
        else:
            try:
                tests.update({test: _search(arrays[str(test.column)], test.text) for test in tests_of(need)})
                plain.append(need)
            except re.error as error:
                measured[need] = ValueError(f"The pattern {need.detail!r} cannot be read: {error}.")
    return {**measure(plain, Rows(count, arrays, tests)), **measured}


def _search(texts: pa.Array, pattern: str) -> pa.Array:
    """Whether the first match of the pattern is there and not empty."""
    search = re.compile(pattern, re.ASCII).search
    return pa.array([v is not None and (found := search(v)) is not None and found.group() != "" for v in texts.to_pylist()], pa.bool_())


def percentiles(values: Floats, quantiles: tuple[float, ...]) -> tuple[float, ...]:
    """Quantiles of values without nulls, interpolated between the two nearest; NaN sorts last. Empty without values."""
    if not len(values):
        return ()
    ordered = np.sort(values)
    found = []
    for q in quantiles:
        at = q * (len(ordered) - 1)
        low, high = ordered[int(np.floor(at))], ordered[int(np.ceil(at))]
        found.append(float(low if low == high else low + (high - low) * (at - np.floor(at))))
    return tuple(found)


def equal_edges(low: float, high: float, bins: int) -> tuple[float, ...]:
    """The edges of bins of equal width; one bin when there is no width, or no finite one."""
    if low == high or not np.isfinite(high - low):
        return (low, high)
    return tuple(np.linspace(low, high, bins + 1).tolist())
