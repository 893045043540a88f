"""What Spark, pandas and Arrow each take where a caller hands a table over, by the package of its class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from avh_ui.config import ColumnsSetting
from avh_ui.constraints.row_rules import RowRule
from avh_ui.errors import UsageError
from avh_ui.metrics.analysis import Analysis
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.validator.kept_rows import usable_target
from avh_ui.validator.row_table import DELTA, RowTable

if TYPE_CHECKING:
    import pyarrow as pa

# The packages whose tables are measured without Spark.
IN_MEMORY = ("pandas", "pyarrow")


def home_of(data: Any) -> str:
    """The package of a table's class: importing it to ask would load Spark for who has none."""
    return str(type(data).__module__).split(".")[0]


def not_a_table(data: Any, verb: str) -> UsageError:
    """The error for what is no table that is known."""
    kind = f"{type(data).__module__}.{type(data).__qualname__}"
    return UsageError(f"A {kind} cannot be {verb}.", hint="Give a Spark or pandas DataFrame or a pyarrow Table.")


def rows_of(data: Any) -> RowTable:
    """The rows of a Spark or pandas DataFrame or a pyarrow Table; `UsageError` for anything else."""
    home = home_of(data)
    if home == "pyspark":
        from avh_ui.spark.failing_rows import SparkRows

        return SparkRows(data)
    if home not in IN_MEMORY:
        raise not_a_table(data, "judged")
    from avh_ui.validator.arrow_rows import ArrowRows
    from avh_ui.workflows.frames import table_of
    from avh_ui.workflows.pandas_rows import PandasRows

    return PandasRows(data, broken_by_spark) if home == "pandas" else ArrowRows(table_of(data), broken_by_spark)


def profile_in_hand(
    data: Any, pipeline: str, batch: str, known: KnownTypes, columns: ColumnsSetting, verb: str = "ingested"
) -> BatchProfile:
    """The profile of (these columns of) a Spark or pandas DataFrame or a pyarrow Table; `UsageError` for anything else, by the `verb`."""
    home = home_of(data)
    if home == "pyspark":
        from avh_ui.spark.profiler import profile_frame

        return profile_frame(data, pipeline, batch, known, columns)
    if home not in IN_MEMORY:
        raise not_a_table(data, verb)
    from avh_ui.workflows.frames import profile_table, table_of

    return profile_table(table_of(data), pipeline, batch, known, columns, loose=home == "pandas", elsewhere=profiled_by_spark)


def can_keep(data: Any, target: str) -> None:
    """`UsageError` where the bad rows of a table cannot be kept in a target of this form."""
    if usable_target(target, delta=home_of(data) == "pyspark").startswith(DELTA):
        from avh_ui.spark.delta import require_delta

        require_delta(data.sparkSession)


def broken_by_spark(table: pa.Table, rules: Sequence[RowRule]) -> Sequence[pa.Array]:
    """Of rules whose conditions take Spark whether each row of a table in memory breaks them, as `measured_by_spark`."""
    from avh_ui.spark.in_memory import broken_in_memory

    return broken_in_memory(table, rules)


def measured_by_spark(table: pa.Table, measures: Sequence[Measure], watch: Watch | None = None, tables: Any = None) -> Analysis:
    """Measures of a table in memory, beside `tables` by name, by Spark: of the process' session, or of a new one on this machine.

    Conditions mean what they mean without Spark: names in any case, times in UTC. `JavaNotFoundError` or `SparkError` where there is none.
    """
    from avh_ui.spark.in_memory import analyze_in_memory

    return analyze_in_memory(table, measures, watch, tables)


def profiled_by_spark(table: pa.Table, measures: Sequence[Measure]) -> Mapping[str, ColumnProfile]:
    """What measures of a table in memory are of, as columns of a profile, likewise."""
    from avh_ui.spark.in_memory import profile_in_memory

    return profile_in_memory(table, measures)
