"""Which columns of a frame are measured, and what of each is handed to the kernel: `metrics.fields` says how, Spark's expressions do it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from avh_ui.config import Pipeline
from avh_ui.metrics.fields import Chosen, MeasuredField, choose
from avh_ui.metrics.profiler import UNKNOWN, KnownTypes
from avh_ui.metrics.type_names import NUMBER, Reading, TypeTree, canonical, is_number, reading
from avh_ui.spark.kernel import KernelColumn
from avh_ui.spark.reading import Frame

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructField

# Whole doubles below this are written as whole numbers, which is how a file without types has them.
_WHOLE_BELOW = 1e15


def chosen(frame: Frame, pipeline: Pipeline) -> Chosen:
    """What is measured of a frame's columns."""
    return choose([(field.name, spark_tree(field.dataType)) for field in frame.data], pipeline.columns.wants)


def to_measure(
    frame: Frame, pipeline: Pipeline, fields: tuple[MeasuredField, ...], segments: tuple[str, ...] = (), known: KnownTypes = UNKNOWN
) -> tuple[tuple[KernelColumn, ...], DataFrame]:
    """The columns of these fields for the kernel, and the frame with just them under names that need no quoting.

    Before the frame's last columns, its flag and the marker, are the segment columns as texts. Within the one scan Spark itself takes
    fields out of structs, counts elements, and says of what it cannot hand over whether it is null.
    """
    whole, last = frame.data, ("flag", "marker") if frame.flagged else ("marker",)
    # Names are free text: dots, quotes, equal but for case. By position there is nothing to quote.
    renamed = frame.rows.toDF(*[f"c{i}" for i in range(len(whole))], *last)
    columns, values = [], []
    source_format = known.source_format or pipeline.source.format
    for k, field in enumerate(fields):
        how = reading(known.types.get(field.name, ""), field.type, known.source_format)
        untyped = how == "number?" or (frame.untyped and field.type == "string")
        type_name = NUMBER if how == "number" else "string" if how == "text" else field.type
        # Spark calls what has no value a text, and who reads a CSV file may call it anything.
        vague = known.source_format == "csv" or (source_format == "json" and field.type in ("string", "array<string>"))
        columns.append(KernelColumn(field.name, type_name, untyped, known.regexes.get(field.name, ()), field.counted, vague))
        plain = len(field.path) == 1 and field.how == "values" and how != "text"
        values.append(renamed[f"c{field.path[0]}"].alias(f"m{k}") if plain else _values(renamed, whole, field, how).alias(f"m{k}"))
    names = [field.name for field in whole]
    texts = [renamed[f"c{names.index(name)}"].cast("string").alias(f"s{k}") for k, name in enumerate(segments)]
    return tuple(columns), renamed.select(*values, *texts, *last)


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


def _values(renamed: DataFrame, whole: Sequence[StructField], field: MeasuredField, how: Reading) -> Column:
    """The expression of what is measured of a field."""
    from pyspark.sql import functions as F

    place, *within = field.path
    column = _at(renamed[f"c{place}"], whole[place].dataType, within)
    if field.how == "nulls":
        return F.when(column.isNotNull(), F.lit(True))
    if field.how == "size":
        # Settings of old let the size of null be -1.
        return F.when(column.isNotNull(), F.size(column))
    if field.how == "months":
        return F.extract(F.lit("YEAR"), column) * 12 + F.extract(F.lit("MONTH"), column)
    return _as_text(column, field.type) if how == "text" else column


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
