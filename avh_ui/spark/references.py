"""What a batch's measures take of other tables and of queries: the tables that avh.yml names, and one pass for each measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from avh_ui.config import Pipeline
from avh_ui.config_references import Reference
from avh_ui.errors import SparkError, UsageError
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.together import is_beside
from avh_ui.scan.profiles import Result
from avh_ui.scan.references import SEE, with_states
from avh_ui.scan.settling import TypeMemory
from avh_ui.spark.columns import chosen, expression
from avh_ui.spark.conditions import SparkConditions
from avh_ui.spark.jobs import reason
from avh_ui.spark.pairs import Pairs
from avh_ui.spark.reading import Frame
from avh_ui.spark.refused import told_by_us
from avh_ui.spark.session import apart

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class References(Mapping[str, "DataFrame"]):
    """The tables of avh.yml by name, read when they are asked for; `UsageError` for one that cannot be read."""

    def __init__(self, references: Mapping[str, Reference], spark: SparkSession) -> None:
        self._references, self._spark = references, spark

    def __getitem__(self, name: str) -> DataFrame:
        reference = self._references[name]
        reader = self._spark.read.format("delta" if reference.format == "table" else reference.format).options(**reference.options)
        try:
            with told_by_us():
                found = self._spark.table(reference.table) if reference.table else reader.load(reference.path)
                found.schema.fieldNames()  # Spark Connect looks at a table only now
        except Exception as error:
            raise UsageError(f"The table {name!r} cannot be read: {reason(error)}", hint=SEE) from error
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._references)

    def __len__(self) -> int:
        return len(self._references)


def beside_alone(frame: Frame, pipeline: Pipeline, types: TypeMemory) -> bool:
    """Whether each of the frame's batches must be looked at alone, since a measure takes another table or a query."""
    fields = chosen(frame, pipeline, types.known).fields
    return len(frame.batches) > 1 and any(is_beside(need) for field in fields for _, need in field.needs)


def with_beside(frame: Frame, pipeline: Pipeline, profile: Result, types: TypeMemory, watch: Watch) -> Result:
    """The profile of a frame's one batch with what its measures take of other tables and of queries: one job each."""
    if not isinstance(profile, BatchProfile):
        return profile
    fields = chosen(frame, pipeline, types.known).fields
    needs = {need for field in fields for _, need in field.needs if is_beside(need)}
    if not needs:
        return profile
    plain = {field.name: field for field in fields if field.asked is None}
    found: dict[object, object] = {}
    with apart(frame.kept().rows) as marked:
        rows = marked.drop(marked.columns[-1])
        conditions = SparkConditions(rows, lambda name: expression(frame.data, plain[name]), watch)
        tables = References(pipeline.references, rows.sparkSession)
        pairs = Pairs(rows, tables, conditions, watch, untyped=pipeline.source.untyped)
        for need in needs:
            try:
                found[need] = pairs.state(need)
            except (UsageError, SparkError) as error:
                found[need] = error
    return with_states(profile, fields, found)
