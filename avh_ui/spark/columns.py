"""Which columns of a frame are measured, what of each is handed to the kernel, and which type one of texts (CSV) is found to have.

`metrics.fields` says how columns are measured, Spark's expressions do it. A column of texts is one of numbers when every text is one,
unless earlier batches say that it holds text: it may hold nothing but numbers one day, and its type must not flip with it; one of numbers
may hold a broken text one day, and must not become text for good.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from avh_ui.config import Pipeline
from avh_ui.metrics.asked import pipeline_measures
from avh_ui.metrics.catalogue import named
from avh_ui.metrics.comoments import CoMomentsState
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.fields import Chosen, MeasuredField, choose
from avh_ui.metrics.groups import is_grouping
from avh_ui.metrics.metric import find
from avh_ui.metrics.moments import MAX, MomentsState
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import UNKNOWN, KnownTypes
from avh_ui.metrics.quantiles import QuantileState
from avh_ui.metrics.rows import AsNumber, Name, Need, RowTest
from avh_ui.metrics.type_names import NULL, NUMBER, SIZE, Reading, TypeTree, canonical, is_number, reading
from avh_ui.metrics.zeros import ZeroState
from avh_ui.spark.conditions import Conditions
from avh_ui.spark.kernel import KernelColumn
from avh_ui.spark.reading import Frame

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructField

# So many of the latest batches are looked at; text in so many of them makes a column text. A table with two broken batches a month
# keeps its numbers.
RECENT = 30
_TEXT_BATCHES = 3
# Whole doubles below this are written as whole numbers, which is how a file without types has them.
_WHOLE_BELOW = 1e15
# Of a condition's rows alone what is asked is true by itself.
TRUE = RowTest("true")


def chosen(frame: Frame, pipeline: Pipeline, known: KnownTypes = UNKNOWN) -> Chosen:
    """What is measured of a frame's columns, and what the pipeline and its program ask for beside them."""
    trees = [(field.name, spark_tree(field.dataType)) for field in frame.data]
    return choose(trees, pipeline.columns.wants, (*pipeline_measures(pipeline), *known.measures), untyped=frame.untyped)


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
    conditions: Conditions | None = None,
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
    ways = {f.name: reading(known.types.get(f.name, ""), f.type, known.source_format) for f in plain.values()}
    source = known.source_format or pipeline.source.format
    columns = tuple(_kernel_column(f, ways, frame, source, known) for f in fields)
    values: dict[Name, Column] = {}
    for name in dict.fromkeys(name for column in columns for name in column.names):
        if isinstance(name, RowTest):
            values[name] = F.lit(True) if name == TRUE else F.col(f"t{tests.index(name)}")
        elif isinstance(name, AsNumber):
            values[name] = expression(data, plain[name.column]).try_cast("double")
        else:
            values[name] = expression(data, plain[name], ways[name])
    places = [field.name for field in data]
    texts = [F.col(f"c{places.index(name)}").cast("string").alias(f"s{k}") for k, name in enumerate(segments)]
    last = [F.col(f"c{i}").alias(f"l{i}") for i in range(len(places), len(frame.rows.columns))]
    chosen_values = [value.alias(f"m{k}") for k, value in enumerate(values.values())]
    return Measurable(columns, tuple(values), renamed.select(*chosen_values, *texts, *last))


def _kernel_column(field: MeasuredField, ways: Mapping[str, Reading], frame: Frame, source: str, known: KnownTypes) -> KernelColumn:
    # Spark calls what has no value a text, and who reads a CSV file may call it anything.
    vague = known.source_format == "csv" or (source == "json" and field.type in ("string", "array<string>"))
    way = ways.get(field.name if field.asked is None or not field.asked.columns else field.asked.columns[0], "as it is")
    untyped = field.kind == "string" and (way == "number?" or (frame.untyped and field.type == "string"))
    type_name = NUMBER if way == "number" else "string" if way == "text" else field.type
    needs = tuple((key, _of_numbers(need, frame) if frame.untyped else need) for key, need in field.needs if not is_grouping(need))
    about = KernelColumn(
        field.name, type_name, untyped, known.regexes.get(field.name, ()), field.counted, vague, values=field.name, needs=needs,
        measures=field.measures,
    )  # fmt: skip
    if field.asked is None:
        return about
    where = None if field.asked.where is None else RowTest(field.asked.where)
    of: Name | None = field.asked.columns[0] if len(field.asked.columns) == 1 else None
    if field.how == "truth":
        about, of = replace(about, type=field.type, untyped=False), field.test or TRUE
    return replace(about, asked=True, values=of, where=where)


def _of_numbers(need: Need, frame: Frame) -> Need:
    """Of a source without types: the texts as numbers, null where they are none, where the state is of numbers alone."""
    if need.state not in (MomentsState, ZeroState, QuantileState, CoMomentsState):
        return need
    texts = {f.name for f in frame.data}
    return replace(need, columns=tuple(AsNumber(str(name)) if name in texts else name for name in need.columns))


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


Columns = dict[str, ColumnProfile]


class TypeMemory:
    """Settles the types of one run's batches, in their order."""

    def __init__(self, known: KnownTypes) -> None:
        self._texts = known.texts
        self.known = known
        self._recent = {name: deque(types, maxlen=RECENT) for name, types in known.recent.items()}

    def settle(self, columns: tuple[KernelColumn, ...], profiles: Mapping[int, ColumnProfile]) -> Columns:
        """One profile per column from the kernel's, which come by position: two of an untyped column, as texts and as numbers.

        A column without any value has type `null`: it agrees with whatever type the column has elsewhere. So has an array of JSON
        of which no value has elements.
        """
        settled: Columns = {}
        position = 0
        for place, column in enumerate(columns):
            profile = profiles[position]
            if column.untyped:
                profile = self._choose(column.name, profile, profiles[position + 1])
            # The sizes of an array come after it.
            elif column.vague and _empty(profiles[position + 1] if [c.type for c in columns[place + 1 : place + 2]] == [SIZE] else profile):
                profile = replace(profile, type=NULL)
            position += column.positions
            settled[column.name] = _with_measures(profile, column)
        return settled

    @staticmethod
    def alike(whole: Mapping[str, ColumnProfile], columns: tuple[KernelColumn, ...], profiles: Mapping[int, ColumnProfile]) -> Columns:
        """The profiles of a batch's segment, with the types that were settled for the whole batch, so that segments can be merged."""
        settled: Columns = {}
        position = 0
        for column in columns:
            chosen = whole[column.name].type
            at = position + (1 if column.untyped and chosen == "number" else 0)
            position += column.positions
            settled[column.name] = _with_measures(replace(profiles[at], type=chosen), column)
        return settled

    def _choose(self, name: str, texts: ColumnProfile, numbers: ColumnProfile) -> ColumnProfile:
        counted, every = _counts(numbers), _counts(texts)
        if counted.nulls == every.rows:
            return replace(texts, type=NULL)
        # Numbers of fewer rows: some text was none.
        chosen = (
            replace(numbers, type="number") if counted.rows == every.rows and not self._is_text(name) else replace(texts, type="string")
        )
        self._recent.setdefault(name, deque(maxlen=RECENT)).append(chosen.type)
        return chosen

    def _is_text(self, name: str) -> bool:
        return name in self._texts or sum(t == "string" for t in self._recent.get(name, ())) >= _TEXT_BATCHES


def _with_measures(profile: ColumnProfile, column: KernelColumn) -> ColumnProfile:
    """With the measures that were asked of it, but those of another kind than it was found to be."""
    measures = tuple(m for m in column.measures if any(profile.kind in metric.kinds for metric in named(m.name)))
    return replace(profile, measures=measures) if measures else profile


def _counts(profile: ColumnProfile) -> CountState:
    return find(profile.states, CountState) or CountState()


def _empty(profile: ColumnProfile) -> bool:
    """Whether a column has no value, or none but 0 (sizes)."""
    counted = _counts(profile)
    return counted.nulls == counted.rows or (profile.type == SIZE and MAX.value(profile.states) == 0)
