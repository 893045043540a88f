"""Which columns of a frame are measured, and what of each is handed to the kernel.

`metrics.fields` says how columns are measured, Spark's expressions do it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from avh_ui.config import Pipeline
from avh_ui.metrics.asked import profiled_measures
from avh_ui.metrics.fields import Chosen, MeasuredField, choose
from avh_ui.metrics.profiler import UNKNOWN, KnownTypes
from avh_ui.metrics.rows import AsNumber, Name, RowTest
from avh_ui.metrics.type_names import Reading, TypeTree, arrow_tree, canonical, is_number
from avh_ui.scan.columns import TRUE, kernel_columns
from avh_ui.scan.kernel_column import KernelColumn
from avh_ui.spark.conditions import SparkConditions
from avh_ui.spark.reading import Frame
from avh_ui.spark.versions import number_or_null

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructField

# Whole doubles below this are written as whole numbers, which is how a file without types has them.
_WHOLE_BELOW = 1e15


def chosen(frame: Frame, pipeline: Pipeline, known: KnownTypes = UNKNOWN) -> Chosen:
    """What is measured of a frame's columns, and what the pipeline and its program ask for beside them."""
    if frame.planned is not None:
        trees = [(field.name, arrow_tree(field.type)) for field in frame.planned.reader.schema]
    else:
        trees = [(field.name, spark_tree(field.dataType)) for field in frame.data]
    return choose(trees, pipeline.columns.wants, profiled_measures(pipeline, known.measures), untyped=frame.untyped)


@dataclass(frozen=True)
class Measurable:
    """Rows for the kernel: what it measures, and the frame whose first columns are those of `names`, under names that need no quoting."""

    columns: tuple[KernelColumn, ...]
    names: tuple[Name, ...]
    rows: DataFrame


def to_measure(
    frame: Frame,
    pipeline: Pipeline,
    fields: tuple[MeasuredField, ...],
    segments: tuple[str, ...] = (),
    known: KnownTypes = UNKNOWN,
    conditions: SparkConditions | None = None,
) -> Measurable:
    """The columns of these fields for the kernel. `conditions` are those of the frame, where fields have any.

    Before the frame's last columns, its flag and the marker, are the segment columns as texts. Within the one scan Spark itself takes
    fields out of structs, counts elements, and says of what it cannot hand over whether it is null.
    """
    from pyspark.sql import functions as F

    tests = tuple(dict.fromkeys(test for field in fields for test in field.tests))
    # Names are free text: dots, quotes, equal but for case. By position there is nothing to quote.
    renamed = conditions.frame(tests) if conditions else frame.rows.toDF(*(f"c{i}" for i in range(len(frame.rows.columns))))
    data, plain = frame.data, {f.name: f for f in fields if f.asked is None}
    columns, ways = kernel_columns(fields, known, pipeline.source.format, untyped=frame.untyped)
    values: dict[Name, Column] = {}
    for name in dict.fromkeys(name for column in columns for name in column.names):
        if isinstance(name, RowTest):
            values[name] = F.lit(True) if name == TRUE else F.col(f"t{tests.index(name)}")
        elif isinstance(name, AsNumber):
            values[name] = number_or_null(expression(data, plain[name.column]))
        else:
            values[name] = expression(data, plain[name], ways[name])
    places = [field.name for field in data]
    texts = [F.col(f"c{places.index(name)}").cast("string").alias(f"s{k}") for k, name in enumerate(segments)]
    last = [F.col(f"c{i}").alias(f"l{i}") for i in range(len(places), len(frame.rows.columns))]
    chosen_values = [value.alias(f"m{k}") for k, value in enumerate(values.values())]
    return Measurable(columns, tuple(values), renamed.select(*chosen_values, *texts, *last))


def spark_tree(data_type: DataType) -> TypeTree:
    """The type of a Spark column. A type of somebody's own (UDT) has the name that it gives itself."""
    from pyspark.sql.types import ArrayType, MapType, StructType

    if isinstance(data_type, StructType):
        return TypeTree.struct(tuple((field.name, spark_tree(field.dataType)) for field in data_type.fields))
    if isinstance(data_type, ArrayType):
        return TypeTree(f"array<{spark_tree(data_type.elementType).name}>")
    if isinstance(data_type, MapType):
        return TypeTree(f"map<{spark_tree(data_type.keyType).name},{spark_tree(data_type.valueType).name}>")
    return TypeTree(canonical(data_type.simpleString()))


def expression(data: Sequence[StructField], field: MeasuredField, way: Reading = "as it is") -> Column:
    """What is measured of a field, of a frame whose columns are called c0, c1, ... by their places."""
    from pyspark.sql import functions as F

    place, *within = field.path
    column = _at(F.col(f"c{place}"), data[place].dataType, within)
    if field.how == "nulls":
        return F.when(column.isNotNull(), F.lit(True))
    if field.how == "size":
        # Settings of old let the size of null be -1.
        return F.when(column.isNotNull(), F.size(column))
    if field.how == "months":
        return F.extract(F.lit("YEAR"), column) * 12 + F.extract(F.lit("MONTH"), column)
    return _as_text(column, field.type) if way == "text" else column


def _at(column: Column, data_type: DataType, path: Sequence[int]) -> Column:
    """The field of a struct at the places of a path."""
    from pyspark.sql.types import StructField, StructType

    for place in path:
        assert isinstance(data_type, StructType)
        name, lower = data_type.fields[place].name, [f.name.lower() for f in data_type.fields]
        if lower.count(name.lower()) > 1:
            # Names that a session may take for one: the cast gives each field another, by its place.
            column = column.cast(StructType([StructField(f"f{i}", f.dataType) for i, f in enumerate(data_type.fields)]))
            name = f"f{place}"
        column, data_type = column.getField(name), data_type.fields[place].dataType
    return column


def _as_text(column: Column, type_name: str) -> Column:
    from pyspark.sql import functions as F

    text = column.cast("string")
    if not is_number(type_name):
        return text
    whole = (column == F.floor(column)) & (F.abs(column) < _WHOLE_BELOW)
    return F.when(whole, column.cast("bigint").cast("string")).otherwise(text)
