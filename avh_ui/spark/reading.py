"""Files as one Spark DataFrame, read so that nothing is left out without a word.

Lines that are no rows come through, flagged, to be counted in the same scan. Options that hide rows or files are not passed on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from avh_ui.config import Pipeline
from avh_ui.config import Source as SourceSettings
from avh_ui.errors import SourceError
from avh_ui.metrics.delivery import Delivery
from avh_ui.scan.kernel import strip_scheme
from avh_ui.scan.listing import FileListing
from avh_ui.scan.schemas import FileKeys, FileSchema, Layout

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameReader, SparkSession

FILE_FORMATS = frozenset({"parquet", "csv", "json", "orc"})
# Some columns of these are read without reading the others.
COLUMNAR = frozenset({"parquet", "orc", "delta", "iceberg"})
# Formats of lines, of which some may be no rows.
_LINES = frozenset({"csv", "json"})
# Spark leaves out files that it cannot read, or that vanish meanwhile, when one of these is true.
_IGNORING = ("ignoreCorruptFiles", "ignoreMissingFiles")
# Spark reads only some of the files, on the user's word.
_CHOOSING = frozenset({"pathglobfilter", "modifiedbefore", "modifiedafter"})
# No column of a table is called so.
FLAG, _FILE = "__avh_malformed", "__avh_file"
# The batch of malformed lines that have lost theirs.
NOBODYS = "\x00"


@dataclass(frozen=True)
class Frame:
    """Rows of some batches. The last column of `rows` says which batch a row is of: its id, or its file, to be looked up in
    `files`. With `flagged` the column before it says whether the line was malformed; with `drops` such rows are none. `untyped` when the
    columns' types must be found from their texts; `columnar` when some columns can be read without the others; `size` in bytes, None
    when unknown. `deliveries` has what is known of each batch before its rows are read, `expected` the files that have rows: name by path;
    `keys` by path those of the first rows of JSON files that may differ in them.
    """

    rows: DataFrame
    batches: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    untyped: bool
    size: int | None
    columnar: bool = False
    flagged: bool = False
    drops: bool = False
    deliveries: Mapping[str, Delivery] = field(default_factory=dict)
    expected: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    keys: Mapping[str, Mapping[str, FileKeys]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def data(self) -> list[Any]:
        """The fields of the columns that are the table's."""
        return list(self.rows.schema.fields[: -2 if self.flagged else -1])

    def kept(self) -> Frame:
        """The rows that the source's settings keep, without the flag."""
        if not self.flagged:
            return self
        from pyspark.sql import functions as F

        *data, flag, marker = (str(i) for i in range(len(self.rows.columns)))
        by_place = self.rows.toDF(*data, flag, marker)
        if self.drops and data:
            # Spark refuses a query that needs the flag alone, as a count would: this is true of every row, which Spark does not know.
            by_place = by_place.where(~F.col(flag) & (F.coalesce(F.col(f"`{data[0]}`").cast("string"), F.lit("")) >= ""))
        names = [*self.rows.columns[:-2], self.rows.columns[-1]]
        return replace(self, rows=by_place.drop(flag).toDF(*names), flagged=False)


def reader(spark: SparkSession, source: SourceSettings) -> DataFrameReader:
    """Spark's reader for a source, without the options that leave out lines or files."""
    options = dict(source.options)
    if source.format in FILE_FORMATS:
        options = {k: v for k, v in options.items() if k.lower() not in {name.lower() for name in _IGNORING}}
        options |= dict.fromkeys(_IGNORING, "false")
    if source.format in _LINES:
        options = {k: v for k, v in options.items() if k.lower() != "columnnameofcorruptrecord"}
        options["columnNameOfCorruptRecord"] = FLAG
        if drops(source):
            options = {**{k: v for k, v in options.items() if k.lower() != "mode"}, "mode": "PERMISSIVE"}
    return spark.read.format(source.format).options(**options)


def drops(source: SourceSettings) -> bool:
    """Whether malformed lines are to be no rows."""
    return source.format in _LINES and _option(source, "mode").upper() == "DROPMALFORMED"


def lenient(spark: SparkSession, source: SourceSettings) -> tuple[str, ...]:
    """Sentences on settings that let Spark leave out files: of the source's options, and of the session."""
    asked = [f"{name} of the source's options" for name in _IGNORING if _option(source, name) == "true"]
    asked += [key for key in session_leniency(spark) if source.format in FILE_FORMATS]
    return tuple(f"{name} is true and was not used: a file that cannot be read fails its batch." for name in asked)


def session_leniency(spark: SparkSession) -> list[str]:
    """The settings of the session that let Spark leave out files."""
    keys = [f"spark.sql.files.{name}" for name in _IGNORING]
    return [key for key in keys if str(spark.conf.get(key, "false")).lower() == "true"]


def nobodys(marker: Column, rows: DataFrame) -> Column:
    """The batch of a row, where a malformed line without one is `NOBODYS`."""
    from pyspark.sql import functions as F

    return F.when(marker.isNull() & rows[FLAG], NOBODYS).otherwise(marker)


def left_out(spark: SparkSession) -> tuple[str, ...]:
    """Sentences on what a table or a DataFrame may lack, since the session's settings hold for it."""
    return tuple(f"{key} is true: files that Spark cannot read are left out of the batch." for key in session_leniency(spark))


def file_frame(spark: SparkSession, pipeline: Pipeline, listing: FileListing, members: Sequence[Layout]) -> Frame:
    """One frame over the files of batches with the same columns, or of one batch whose files differ."""
    source, schemas = pipeline.source, members[0].schemas
    if len(schemas) == 1:
        rows = _rows(spark, source, schemas[0], [listing.url_of(root) for m in members for root in m.files.roots])
    else:
        rows = _by_name([_rows(spark, source, schema, [listing.url_of(p) for p in members[0].paths(schema)]) for schema in schemas])
    chosen = any(k.lower() in _CHOOSING for k in source.options)
    return Frame(
        rows,
        tuple(m.files.batch for m in members),
        tuple((strip_scheme(root), m.files.batch) for m in members for root in m.files.roots),
        untyped=source.format == "csv",
        size=sum(m.files.size for m in members),
        columnar=source.format in COLUMNAR,
        flagged=source.format in _LINES,
        drops=drops(source),
        deliveries={m.files.batch: m.delivery() for m in members},
        expected={} if chosen else {m.files.batch: {strip_scheme(path): name for path, name in m.expected().items()} for m in members},
        keys={m.files.batch: {strip_scheme(path): keys for path, keys in found.items()} for m in members if (found := m.keys())},
        notes=lenient(spark, source),
    )


def spark_names(spark: SparkSession, source: SourceSettings, url: str) -> list[str]:
    """The names that Spark finds in a CSV file."""
    return list(reader(spark, source).option("inferSchema", "false").load(url).columns)


def flagged(spark: SparkSession, source: SourceSettings, urls: str | list[str]) -> DataFrame:
    """Lines with the columns that Spark finds; last whether each was malformed."""
    from pyspark.sql.types import StringType, StructField, StructType

    read = reader(spark, source)
    fields = [f for f in read.load(urls).schema.fields if f.name != FLAG]
    if source.format == "csv" and not _option(source, "enforceSchema") and not renamed([f.name for f in fields]):
        # The files are not looked at one by one here: Spark holds the first line of each against the columns.
        read = read.option("enforceSchema", "false")
    if not fields:
        raise SourceError(f"The source has no line that is {source.format.upper()}.", hint="Check its format and options in avh.yml.")
    return _with_flag(read.schema(StructType([*fields, StructField(FLAG, StringType())])).load(urls))


def renamed(names: Sequence[str]) -> bool:
    """Whether Spark has given some of a CSV's columns names that are not in its first line: it had none, or one twice."""
    bases = [name.removesuffix(str(i)) for i, name in enumerate(names) if name.endswith(str(i))]
    return len(set(bases)) < len(bases) or any(name == f"_c{i}" for i, name in enumerate(names))


def _rows(spark: SparkSession, source: SourceSettings, schema: FileSchema | None, urls: list[str]) -> DataFrame:
    from pyspark.sql import functions as F
    from pyspark.sql.types import StringType, StructField, StructType

    if source.format == "csv" and schema is not None:
        fields = [StructField(name, StringType()) for name in (*schema.names, FLAG)]
        rows = _with_flag(reader(spark, source).schema(StructType(fields)).load(urls))
    elif source.format in _LINES:
        rows = flagged(spark, source, urls)
    else:
        rows = reader(spark, source).load(urls)
    return rows.select("*", F.input_file_name().alias(_FILE))


def _with_flag(rows: DataFrame) -> DataFrame:
    """The flag as the last column: whether Spark kept the line because it could not parse it."""
    from pyspark.sql import functions as F

    data = [_column(name) for name in rows.columns if name != FLAG]
    return rows.select(*data, F.col(FLAG).isNotNull().alias(FLAG))


def _by_name(frames: list[DataFrame]) -> DataFrame:
    """The rows of all frames, each column under its name; one that has types with no number in common is text."""
    from pyspark.sql.types import NumericType

    types: dict[str, set[Any]] = {}
    for frame in frames:
        for one in frame.schema.fields:
            types.setdefault(one.name, set()).add(one.dataType)
    mixed = [name for name, found in types.items() if len(found) > 1 and not all(isinstance(t, NumericType) for t in found)]
    last = [name for name in (FLAG, _FILE) if name in types]
    order = [*(name for name in types if name not in last), *last]
    texts = [f.select(*(_column(n).cast("string").alias(n) if n in mixed else _column(n) for n in f.columns)) for f in frames]
    union = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), texts)
    return union.select(*map(_column, order))


def _column(name: str) -> Column:
    from pyspark.sql import functions as F

    return F.col("`" + name.replace("`", "``") + "`")


def _option(source: SourceSettings, name: str) -> str:
    return {k.lower(): v for k, v in source.options.items()}.get(name.lower(), "")
