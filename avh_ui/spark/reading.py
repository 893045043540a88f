"""Files as one Spark DataFrame, read so that nothing is left out without a word.

Lines that are no rows come through, flagged, to be counted in the same scan. Options that hide rows or files are not passed on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

from avh_ui.config import Pipeline, Source
from avh_ui.errors import SourceError
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.delivery import Delivery
from avh_ui.scan.commas import MINUS_BEHIND, Writing, writings
from avh_ui.scan.facts import FILE_FORMATS, LINES, FileFacts, drops, option
from avh_ui.scan.listing import FileListing, outside
from avh_ui.scan.partials import NOBODYS
from avh_ui.scan.planning import Planned, refused
from avh_ui.scan.schemas import FileSchema, Layout
from avh_ui.scan.xml_looking import refuse_cut
from avh_ui.spark.drivers import with_driver, with_secrets
from avh_ui.spark.jobs import reason

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameReader, SparkSession

# Spark leaves out files that it cannot read, or that vanish meanwhile, when one of these is true.
_IGNORING = ("ignoreCorruptFiles", "ignoreMissingFiles")
# Spark takes the texts of XML for numbers, and 01234 for 1234; of a file that is cut it gives the rows before, and a column for the rest.
_OF_XML = {"inferSchema": "false", "mode": "FAILFAST"}
# No column of a table is called so.
FLAG, FILE = "__avh_malformed", "__avh_file"


@dataclass(frozen=True, kw_only=True)
class Frame(FileFacts):
    """Rows of some batches, opened by Spark when they are asked for. The last column of `rows` says which batch a row is of: its id, or its
    file, to be looked up in `files`. With `flagged` the column before it says whether the line was malformed. Where `planned` is given
    Arrow reads the files in Spark's tasks, and `rows` are for what takes Spark; where it is not, `declined` says why, if Arrow might. With
    `others` there may be rows of no batch among them, marked as `NOBODYS`.
    """

    spark: SparkSession
    open: Callable[[], DataFrame]
    planned: Planned | None = None
    declined: str = ""
    others: bool = False

    @cached_property
    def rows(self) -> DataFrame:
        """The rows as Spark reads them."""
        return self.open()

    @property
    def data(self) -> list[Any]:
        """The fields of the columns that are the table's."""
        return list(self.rows.schema.fields[: -2 if self.flagged else -1])

    def kept(self) -> Frame:
        """The rows of the batches that the source's settings keep, without the flag."""
        from pyspark.sql import functions as F

        if not self.flagged:
            mine = self.rows.where(F.col(self.rows.columns[-1]) != F.lit(NOBODYS)) if self.others else self.rows
            return replace(self, open=lambda: mine, others=False)
        *data, flag, marker = (str(i) for i in range(len(self.rows.columns)))
        by_place = self.rows.toDF(*data, flag, marker)
        if self.others:
            by_place = by_place.where(F.col(marker) != NOBODYS)
        if self.drops and data:
            # Spark refuses a query that needs the flag alone, as a count would: this is true of every row, which Spark does not know.
            by_place = by_place.where(~F.col(flag) & (F.coalesce(F.col(f"`{data[0]}`").cast("string"), F.lit("")) >= ""))
        names = [*self.rows.columns[:-2], self.rows.columns[-1]]
        kept = by_place.drop(flag).toDF(*names)
        return replace(self, open=lambda: kept, flagged=False, others=False)


def by_spark(start: Callable[[], SparkSession], pipeline: Pipeline, path: str) -> Frame:
    """The frame of a file or folder that Spark alone reads; `SourceError` where the source is none of files, or it cannot be read."""
    from pyspark.sql import functions as F

    source = pipeline.source
    if not source.path:
        named = "a query" if source.query else f"the table {source.table}"
        hint = "Name a batch of it by --batch alone, or give the file a pipeline of its own."
        raise SourceError(f"{path} cannot be read as the source of {pipeline.name!r} is, which is {named}.", hint=hint)
    listing, files = outside(path)
    if source.format == "xml":
        refuse_cut(listing, files, option(source, "rowTag"))
    spark, urls = start(), [listing.url_of(root) for root in files.roots]
    try:
        rows = reader(spark, source).load(urls if len(urls) > 1 else urls[0]).select("*", F.lit(files.batch).alias(FILE))
        rows.schema.fieldNames()  # Spark Connect looks at a query only now
    except Exception as error:
        raise SourceError(f"{path} cannot be read: {reason(error).rstrip('.')}.", hint="Check its format in avh.yml.") from error
    deliveries = {files.batch: Delivery(remarks=left_out(spark))}
    return Frame(spark=spark, open=lambda: rows, batches=(files.batch,), untyped=source.untyped, deliveries=deliveries)


def by_arrow(frame: Frame, source: Source, plan: Callable[[], Planned]) -> Frame:
    """The frame read by Arrow, where it may read these files; `SourceError` where it may not and `reader: arrow` asks for it."""
    try:
        return replace(frame, planned=plan())
    except DeclinedError as why:
        if source.reader == "arrow":
            raise refused(str(why)) from why
        return replace(frame, declined=str(why))


def reader(spark: SparkSession, source: Source) -> DataFrameReader:
    """Spark's reader for a source, without the options that leave out lines or files."""
    options = dict(source.options)
    if source.format in FILE_FORMATS:
        options = {k: v for k, v in options.items() if k.lower() not in {name.lower() for name in _IGNORING}}
        options |= dict.fromkeys(_IGNORING, "false")
    if source.format in LINES:
        options = {k: v for k, v in options.items() if k.lower() != "columnnameofcorruptrecord"}
        options["columnNameOfCorruptRecord"] = FLAG
        if drops(source):
            options = {**{k: v for k, v in options.items() if k.lower() != "mode"}, "mode": "PERMISSIVE"}
    if source.format == "xml":
        options = {**_OF_XML, **options} if source.untyped else {"mode": _OF_XML["mode"], **options}
    return spark.read.format(source.format).options(**(with_secrets(with_driver(options)) if source.format == "jdbc" else options))


def lenient(spark: SparkSession, source: Source) -> tuple[str, ...]:
    """Sentences on settings that let Spark leave out files: of the source's options, and of the session."""
    asked = [f"{name} of the source's options" for name in _IGNORING if option(source, name) == "true"]
    asked += [key for key in session_leniency(spark) if source.format in FILE_FORMATS]
    return tuple(f"{name} is true and was not used: a file that cannot be read fails its batch." for name in asked)


def session_leniency(spark: SparkSession) -> list[str]:
    """The settings of the session that let Spark leave out files."""
    keys = [f"spark.sql.files.{name}" for name in _IGNORING]
    return [key for key in keys if str(spark.conf.get(key, "false")).lower() == "true"]


def left_out(spark: SparkSession) -> tuple[str, ...]:
    """Sentences on what a table or a DataFrame may lack, since the session's settings hold for it."""
    return tuple(f"{key} is true: files that Spark cannot read are left out of the batch." for key in session_leniency(spark))


def file_rows(spark: SparkSession, source: Source, listing: FileListing, members: Sequence[Layout]) -> DataFrame:
    """The rows of batches with the same columns, or of one batch whose files differ."""
    schemas = members[0].schemas
    if len(schemas) == 1:
        return _rows(spark, source, schemas[0], [listing.url_of(root) for m in members for root in m.files.roots])
    return _by_name([_rows(spark, source, schema, [listing.url_of(p) for p in members[0].paths(schema)]) for schema in schemas])


def spark_names(spark: SparkSession, source: Source, url: str) -> list[str]:
    """The names that Spark finds in a CSV file."""
    return list(reader(spark, source).option("inferSchema", "false").load(url).columns)


def flagged(spark: SparkSession, source: Source, urls: str | list[str]) -> DataFrame:
    """Lines with the columns that Spark finds; last whether each was malformed."""
    from pyspark.sql.types import StringType, StructField, StructType

    read = reader(spark, source)
    fields = [f for f in read.load(urls).schema.fields if f.name != FLAG]
    if source.format == "csv" and not option(source, "enforceSchema") and not renamed([f.name for f in fields]):
        # The files are not looked at one by one here: Spark holds the first line of each against the columns.
        read = read.option("enforceSchema", "false")
    if not fields:
        where = "The source" if isinstance(urls, list) and len(urls) > 1 else urls if isinstance(urls, str) else urls[0]
        if source.format == "json" and option(source, "multiLine").lower() == "true":
            raise SourceError(f"{where} is no JSON to its end: it was cut off, is still written, or never was.", hint="Deliver it again.")
        raise SourceError(f"{where} has no line that is {source.format.upper()}.", hint="Check its format and options in avh.yml.")
    return _with_flag(read.schema(StructType([*fields, StructField(FLAG, StringType())])).load(urls), source)


def renamed(names: Sequence[str]) -> bool:
    """Whether Spark has given some of a CSV's columns names that are not in its first line: it had none, or one twice."""
    bases = [name.removesuffix(str(i)) for i, name in enumerate(names) if name.endswith(str(i))]
    return len(set(bases)) < len(bases) or any(name == f"_c{i}" for i, name in enumerate(names))


def _rows(spark: SparkSession, source: Source, schema: FileSchema | None, urls: list[str]) -> DataFrame:
    from pyspark.sql import functions as F
    from pyspark.sql.types import StringType, StructField, StructType

    if source.format == "csv" and schema is not None:
        fields = [StructField(name, StringType()) for name in (*schema.names, FLAG)]
        rows = _with_flag(reader(spark, source).schema(StructType(fields)).load(urls), source)
    elif source.format in LINES:
        rows = flagged(spark, source, urls)
    else:
        rows = reader(spark, source).load(urls)
    return rows.select("*", F.input_file_name().alias(FILE))


def _with_flag(rows: DataFrame, source: Source) -> DataFrame:
    """The flag as the last column: whether Spark kept the line because it could not parse it."""
    from pyspark.sql import functions as F

    written = writings(source)
    data = [
        _plain(_column(name).cast("string"), written[name]).alias(name) if name in written else _column(name)
        for name in rows.columns
        if name != FLAG
    ]
    return rows.select(*data, F.col(FLAG).isNotNull().alias(FLAG))


def _plain(texts: Column, writing: Writing) -> Column:
    """`scan.commas.plain` of a column."""
    from pyspark.sql import functions as F

    written = F.translate(F.regexp_replace(texts, writing.between, ""), writing.point, ".")
    written = F.regexp_replace(written, MINUS_BEHIND, "-$1")
    return F.when(texts.rlike(writing.number), written).otherwise(texts)


def _by_name(frames: list[DataFrame]) -> DataFrame:
    """The rows of all frames, each column under its name; one that has types with no number in common is text."""
    from pyspark.sql.types import NumericType

    types: dict[str, set[Any]] = {}
    for frame in frames:
        for one in frame.schema.fields:
            types.setdefault(one.name, set()).add(one.dataType)
    mixed = [name for name, found in types.items() if len(found) > 1 and not all(isinstance(t, NumericType) for t in found)]
    last = [name for name in (FLAG, FILE) if name in types]
    order = [*(name for name in types if name not in last), *last]
    texts = [f.select(*(_column(n).cast("string").alias(n) if n in mixed else _column(n) for n in f.columns)) for f in frames]
    union = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), texts)
    return union.select(*map(_column, order))


def _column(name: str) -> Column:
    from pyspark.sql import functions as F

    return F.col("`" + name.replace("`", "``") + "`")
