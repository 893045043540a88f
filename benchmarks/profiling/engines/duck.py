"""DuckDB as an engine of the benchmarks, single-process: one query for all aggregates and one grouping per string column.

Numeric columns: count, min, max, avg, sum, stddev_pop, approx_quantile(0.5), approx_count_distinct. String columns: count,
approx_count_distinct, min, max and average length in the same query; the 1,000 most frequent values by the grouping.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.profiling.engines.protocol import serve

# Of the exact set: a median and a count of distinct values that hold all values.
_EXACT = {"approx_quantile({c}, 0.5)": "median({c})", "approx_count_distinct({c})": "count(DISTINCT {c})"}
_NUMBER = ["count({c})", "min({c})", "max({c})", "avg({c})", "sum({c})", "stddev_pop({c})"]
_TEXT = ["count({c})", "min(length({c}))", "max(length({c}))", "avg(length({c}))"]


def start(batch_column: str) -> Mapping[str, Callable[..., dict[str, Any]]]:
    duckdb: Any = importlib.import_module("duckdb")

    def profile(path: str, threads: int, exact: bool) -> dict[str, Any]:
        with duckdb.connect() as connection:
            connection.execute(f"SET threads = {int(threads)}")
            connection.execute("SET TimeZone = 'UTC'")
            table = f"read_parquet('{path}')"
            described = connection.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()
            kinds = {name: kind for name, kind, *_ in described if name != batch_column}
            aggregates = ["count(*)"]
            for name, kind in kinds.items():
                column = f'epoch("{name}")' if kind.startswith("TIMESTAMP") else f'"{name}"'
                shared = [*_EXACT.values()] if exact else [*_EXACT]
                wanted = [*_TEXT, shared[1]] if kind == "VARCHAR" else [*_NUMBER, *shared]
                aggregates += [text.format(c=column) for text in wanted]
            values = connection.execute(f"SELECT {', '.join(aggregates)} FROM {table}").fetchone()
            tops = {}
            for name in (name for name, kind in kinds.items() if kind == "VARCHAR"):
                counted = f'SELECT "{name}", count(*) AS n FROM {table} GROUP BY ALL ORDER BY n DESC LIMIT 1000'
                tops[name] = connection.execute(counted).fetchmany(3)
        return {"metrics": dict(zip(aggregates, map(str, values or ()), strict=True)), "top": tops}

    return {"profile": profile}


if __name__ == "__main__":
    serve(lambda: start(*sys.argv[1:]))
