"""Which columns of a frame are measured, and what of each is handed to the kernel: `metrics.fields` says how, Spark's expressions do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from avh_ui.config import Pipeline
from avh_ui.metrics.asked import conditions_of, pipeline_measures
from avh_ui.metrics.fields import Chosen, MeasuredField, choose
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profiler import UNKNOWN, KnownTypes
from avh_ui.metrics.type_names import NUMBER, Reading, TypeTree, canonical, is_number, reading
from avh_ui.spark.jobs import reason
from avh_ui.spark.kernel import KernelColumn
from avh_ui.spark.reading import Frame

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructField

# Whole doubles below this are written as whole numbers, which is how a file without types has them.
_WHOLE_BELOW = 1e15


def chosen(frame: Frame, pipeline: Pipeline, known: KnownTypes = UNKNOWN) -> Chosen:
    """What is measured of a frame's columns, and what the pipeline and its program ask for beside them."""
    asked = (*pipeline_measures(pipeline), *known.measures)
    found = choose([(field.name, spark_tree(field.dataType)) for field in frame.data], pipeline.columns.wants, asked)
    return found.without({f.name: why for f in found.fields if f.asked is not None and (why := _misunderstood(frame, f.asked))})


def _misunderstood(frame: Frame, measure: Measure) -> str:
    """What Spark does not understand of a measure's condition and predicate, as the end of a sentence; '' where it does."""
    for text in conditions_of(measure):
        try:
            # Its schema is what makes Spark look at it.
            _with_conditions(frame, [text]).schema.fieldNames()
        except Exception as error:  # noqa: BLE001  Spark, Py4J and the text's encoding each have their own
            return f"Spark does not understand {text!r}: {reason(error).rstrip('.')}"
    return ""


def _with_conditions(frame: Frame, conditions: Sequence[str]) -> DataFrame:
    """The rows under names that need no quoting, with the outcomes of conditions as t0, t1, ... behind them."""
    from pyspark.sql import functions as F

    last = ("flag", "marker") if frame.flagged else ("marker",)
    # With `true` around it an expression must be a condition, and cannot be one that makes several rows of one.
    outcomes = [F.expr(text) & F.lit(True) for text in conditions]
    names = [*(f"c{i}" for i in range(len(frame.data))), *last, *(f"t{i}" for i in range(len(conditions)))]
    # Names are free text: dots, quotes, equal but for case. By position there is nothing to quote.
    return frame.rows.select("*", *outcomes).toDF(*names)


def to_measure(
    frame: Frame, pipeline: Pipeline, fields: tuple[MeasuredField, ...], segments: tuple[str, ...] = (), known: KnownTypes = UNKNOWN
) -> tuple[tuple[KernelColumn, ...], DataFrame]:
    """The columns of these fields for the kernel, and the frame with just them under names that need no quoting.

    Before the frame's last columns, its flag and the marker, are the segment columns as texts. Within the one scan Spark itself takes
    fields out of structs, counts elements, and says of what it cannot hand over whether it is null.
    """
    whole, last = frame.data, ("flag", "marker") if frame.flagged else ("marker",)
    conditions = list(dict.fromkeys(text for field in fields if field.asked is not None for text in conditions_of(field.asked)))
    renamed = _with_conditions(frame, conditions)
    columns, values = [], []
    source_format = known.source_format or pipeline.source.format
    for k, field in enumerate(fields):
        how = reading(known.types.get(field.name, ""), field.type, known.source_format)
        untyped = how == "number?" or (frame.untyped and field.type == "string")
        type_name = NUMBER if how == "number" else "string" if how == "text" else field.type
        # Spark calls what has no value a text, and who reads a CSV file may call it anything.
        vague = known.source_format == "csv" or (source_format == "json" and field.type in ("string", "array<string>"))
        about = KernelColumn(field.name, type_name, untyped, known.regexes.get(field.name, ()), field.counted, vague)
        columns.append(about if field.asked is None else replace(about, asked=True, filtered=field.asked.where is not None))
        plain = len(field.path) == 1 and field.how == "values" and how != "text"
        value = renamed[f"c{field.path[0]}"] if plain else _values(renamed, whole, field, how, conditions)
        values.append(_among(renamed, value, field, conditions).alias(f"m{k}"))
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


def _among(renamed: DataFrame, value: Column, field: MeasuredField, conditions: Sequence[str]) -> Column:
    """The value; of a measure with a condition, beside whether the row is among those it is of."""
    from pyspark.sql import functions as F

    if field.asked is None or field.asked.where is None:
        return value
    true = F.coalesce(renamed[f"t{conditions.index(field.asked.where)}"], F.lit(False))
    return F.struct(true.alias("among"), value.alias("value"))


def _values(renamed: DataFrame, whole: Sequence[StructField], field: MeasuredField, how: Reading, conditions: Sequence[str]) -> Column:
    """The expression of what is measured of a field."""
    from pyspark.sql import functions as F

    if field.asked is not None and field.how == "truth":
        # Of the rows of a condition alone it is true by itself.
        predicate = field.asked.parameter("predicate")
        return F.lit(True) if predicate is None else renamed[f"t{conditions.index(predicate)}"]
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
