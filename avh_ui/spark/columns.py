"""Which columns of a frame are measured, and what of each is handed to the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from avh_ui.config import Pipeline
from avh_ui.spark.kernel import KernelColumn
from avh_ui.spark.reading import Frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Types that Spark cannot hand over as Arrow, or that no metric measures.
_UNMEASURED = ("array", "map", "struct", "variant", "interval", "void_nested", "geometry", "geography")


def to_measure(
    frame: Frame, pipeline: Pipeline, segments: tuple[str, ...] = (), regexes: Mapping[str, tuple[str, ...]] = MappingProxyType({})
) -> tuple[tuple[KernelColumn, ...], DataFrame, tuple[str, ...]]:
    """The columns to measure, the frame with just them under names that need no quoting, and notes on what is left out.

    Before the frame's last columns, its flag and the marker, are the segment columns as texts.
    """
    fields, last = frame.data, ("flag", "marker") if frame.flagged else ("marker",)
    # Names are free text: dots, quotes, equal but for case. By position there is nothing to quote.
    renamed = frame.rows.toDF(*[f"c{i}" for i in range(len(fields))], *last)
    kept, columns, notes = [], [], []
    for i, field in enumerate(fields):
        type_name = field.dataType.simpleString()
        if not pipeline.columns.wants(field.name):
            continue
        if type_name.startswith(_UNMEASURED):
            notes.append(f"Column {field.name!r} is not measured: its type is {type_name[:60]}.")
            continue
        kept.append(f"c{i}")
        # Folders name the values of partition columns, which Spark gives types.
        untyped = frame.untyped and type_name == "string"
        columns.append(KernelColumn(field.name, type_name, untyped, regexes.get(field.name, ())))
    names = [field.name for field in fields]
    texts = [renamed[f"c{names.index(name)}"].cast("string").alias(f"s{k}") for k, name in enumerate(segments)]
    return tuple(columns), renamed.select(*kept, *texts, *last), tuple(notes)
