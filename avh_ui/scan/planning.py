"""Who reads the rows of a source, and why: Arrow in the tasks, or Spark's own reader.

The rule. Arrow reads Parquet, ORC, CSV and JSON lines by path, when it reads them exactly as Spark does: the readers of the formats say
what they decline, before or while they read. Tables, queries, databases and other formats are Spark's. So are SQL conditions that
`metrics.sql` declines. `reader: spark` and `reader: arrow` of a source force one; then what Arrow declines fails its batch, but for a
condition, which is left out alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from avh_ui.config import Pipeline, Source
from avh_ui.config_places import BatchKey
from avh_ui.errors import SourceError
from avh_ui.metrics.asked import profiled_measures
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.fields import Chosen, choose
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.sql.conditions import Read, read
from avh_ui.metrics.together import takes_pass
from avh_ui.metrics.type_names import arrow_tree
from avh_ui.scan import csv_reader, json_reader, orc_reader, parquet_reader
from avh_ui.scan.columnar import check_options
from avh_ui.scan.columns import kernel_columns
from avh_ui.scan.csv_options import CsvOptions
from avh_ui.scan.facts import FileFacts
from avh_ui.scan.kernel import Kernel
from avh_ui.scan.kernel_column import KernelColumn
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.markers import marker_of
from avh_ui.scan.profiles import Scan, segments_of
from avh_ui.scan.schemas import Layout
from avh_ui.scan.shares import Opener, RowReader, Share
from avh_ui.scan.task import Task
from avh_ui.scan.values import declined, row_values

# The value of a setting of Spark; None where nobody has set it.
Setting = Callable[[str], str | None]
TablePlan = Callable[[Source, FileListing, Files, Sequence[str] | None], tuple[RowReader, tuple[Share, ...]]]
Plan = Callable[[Source, FileListing, Sequence[Layout]], tuple[RowReader, tuple[Share, ...]]]
_PLANS: Mapping[str, Plan] = {"parquet": parquet_reader.plan, "csv": csv_reader.plan, "json": json_reader.plan, "orc": orc_reader.plan}
_TABLE_PLANS: Mapping[str, TablePlan] = {"parquet": parquet_reader.plan_table, "orc": orc_reader.plan_table}
# What the options of a source must not say for Arrow to read it.
_OPTIONS: Mapping[str, Callable[[Source], object]] = {
    "parquet": check_options, "csv": CsvOptions.of, "json": json_reader.check_options, "orc": check_options,
}  # fmt: skip
# Settings of Spark that change how it reads files of a format: at other values than these Spark reads them.
_SETTINGS: Mapping[str, Mapping[str, str]] = {"parquet": parquet_reader.SETTINGS, "orc": orc_reader.SETTINGS}


@dataclass(frozen=True)
class Planned:
    """Files that Arrow reads: by which reader, in which shares. `setting` gives what is set of Spark. `key` are the columns that name
    the batches, where files do not.
    """

    reader: RowReader
    shares: tuple[Share, ...]
    opener: Opener
    setting: Setting
    key: BatchKey | None = None

    def scan(
        self, pipeline: Pipeline, facts: FileFacts, known: KnownTypes, left_out: Mapping[RowTest, str] | None = None
    ) -> tuple[Scan, Task]:
        """What is measured, and the task that measures it; `DeclinedError` for what takes Spark. Where `left_out` is given, what needs
        these conditions, each with the reason, or others that take Spark, is not measured, and a note says so.
        """
        schema = self.reader.schema
        trees = [(field.name, arrow_tree(field.type)) for field in schema]
        fields = choose(trees, pipeline.columns.wants, profiled_measures(pipeline, known.measures), untyped=facts.untyped)
        if left_out:
            fields = fields.without(left_out)
        segments, more = segments_of(pipeline, schema.names)
        columns, ways = kernel_columns(fields.fields, known, pipeline.source.format, untyped=facts.untyped)
        made = self._read(columns, fields, alone=left_out is not None)
        if made.wrong:
            # Whoever evaluates them: what needs them is not measured, and all else is.
            fields = fields.without({name: why for name, why in made.wrong.items() if isinstance(name, RowTest)})
            columns, ways = kernel_columns(fields.fields, known, pipeline.source.format, untyped=facts.untyped)
            made = self._read(columns, fields)
        marker = marker_of(self.key, schema, self.setting) if self.key else None
        conditions = made.conditions
        values = row_values(schema, columns, fields.fields, ways, segments, conditions=conditions, flagged=facts.flagged, marker=marker)
        kernel = Kernel(columns, values.names, (), segments, flagged=facts.flagged, drops=facts.drops, compares=bool(facts.keys))
        task = Task(self.reader, self.opener, values, kernel, facts.batches if self.key else ())
        return Scan(pipeline, facts, fields, columns, segments, more), task

    def _read(self, columns: Sequence[KernelColumn], fields: Chosen, *, alone: bool = False) -> Read:
        """The conditions that the columns need, as Spark's session would read them; `DeclinedError` for what takes Spark: with `alone` such
        a condition is wrong.
        """
        names = [name for column in columns for name in column.names if not isinstance(name, str)]
        if names and (self.setting("spark.sql.parser.escapedStringLiterals") or "false") == "true":
            raise DeclinedError("spark.sql.parser.escapedStringLiterals is true")
        exact = (self.setting("spark.sql.caseSensitive") or "true") == "true"
        zone = self.setting("spark.sql.session.timeZone") or "UTC"
        paths = {field.name: field.path for field in fields.fields if field.asked is None}
        found = read(names, [(f.name, f.type) for f in self.reader.schema], paths, exact=exact, zone=zone)
        refused = {name: declined(name, why) for name, why in found.declined.items()}
        for error in refused.values():
            if not alone or error.test is None:
                raise error
        return replace(found, wrong={**found.wrong, **{name: told_alone(error) for name, error in refused.items()}})


def planned(source: Source, listing: FileListing, members: Sequence[Layout], setting: Setting) -> Planned:
    """Who reads these batches' files by Arrow, and how; `DeclinedError` when Spark is to. `setting` gives what is set of Spark."""
    _may(source, setting)
    reader, shares = _PLANS[source.format](source, listing, members)
    return Planned(reader, shares, Opener(listing.template), setting)


def planned_table(source: Source, listing: FileListing, files: Files, batches: Sequence[str] | None, setting: Setting) -> Planned:
    """The same for batches (None = all) that columns of a table of files say."""
    _may(source, setting)
    if source.format not in _TABLE_PLANS:
        raise DeclinedError(f"it is a table of {source.format} files with a batch column")
    reader, shares = _TABLE_PLANS[source.format](source, listing, files, batches)
    return Planned(reader, shares, Opener(listing.template), setting, source.key)


def planned_lines(source: Source, listing: FileListing, layout: Layout, setting: Setting) -> Planned:
    """The same for a table of lines, whose files were looked at as those of one batch."""
    _may(source, setting)
    if len(layout.schemas) > 1:
        raise DeclinedError("the files of the table have different columns")
    reader, shares = _PLANS[source.format](source, listing, [layout])
    return Planned(reader, tuple(replace(share, batch="") for share in shares), Opener(listing.template), setting, source.key)


def _may(source: Source, setting: Setting) -> None:
    if why := spark_only(source):
        raise DeclinedError(why)
    for name, usual in _SETTINGS.get(source.format, {}).items():
        if (value := setting(name)) is not None and value.lower() != usual.lower():
            raise DeclinedError(f"{name} is {value}")


def spark_only(source: Source) -> str:
    """Why a source is Spark's to read whatever its files hold, as a clause; '' when Arrow may."""
    if source.reader == "spark":
        return "its source says `reader: spark`"
    if source.format not in _PLANS:
        return f"its format is {source.format}"
    return "" if source.path else "it has no path"


def by_options(source: Source) -> str:
    """Why the options of a source leave its files to Spark, as a clause; '' where they do not."""
    try:
        _OPTIONS[source.format](source)
    except DeclinedError as error:
        return str(error)
    return ""


def refused(why: str) -> SourceError:
    """The error where Arrow is asked for by `reader: arrow` and declines."""
    return SourceError(f"Arrow does not read it: {why}.", hint="Set `reader: auto` in its source, which lets Spark read it.")


def without_lines(plan: Callable[[], Planned]) -> Planned:
    """What `plan` gives for files whose first lines are skipped; `SourceError` where Arrow declines them."""
    try:
        return plan()
    except DeclinedError as why:
        raise unskipped(why) from why


def who_reads(source: Source, engine: str, condition: str) -> str:
    """Who measures batches of a source under an engine of avh.yml, as a sentence; `condition` is why a rule takes Spark, or ''.
    `SourceError` where nobody does.
    """
    alone = source.reader == "arrow"
    declined = spark_only(source) or by_options(source)
    if declined and (source.skip_lines or (alone and source.path)):
        raise unskipped(declined) if source.skip_lines else refused(declined)
    if why := declined or ("" if alone or engine == "local" else condition):
        return f"Spark measures it by its own reader: {why}{', so `engine: local` refuses it' if engine == 'local' else ''}."
    left_out = f", and leaves out what needs Spark: {condition}" if condition else ""
    far = "://" in source.path and not source.path.startswith("file:")
    if engine == "spark" or not source.path or (engine == "auto" and (far or left_out)):
        here = " Under `engine: local` this machine reads them by Arrow." if far else ""
        return f"Spark measures it; Arrow reads its files in the tasks{left_out if alone else ', where it reads as Spark does'}.{here}"
    also = left_out if engine == "local" else ", where it reads as Spark does and the files are not too large"
    return f"Arrow reads it on this machine, without Spark{also}."


def unskipped(why: object) -> SourceError:
    """The error where first lines are to be skipped of files that Arrow declines."""
    hint = "Take away what stands above the names of its columns, and `skip_lines` with it."
    return SourceError(f"Arrow does not read it: {why}; and Spark's reader passes over no lines.", hint=hint)


def told_alone(why: object) -> str:
    """Why a condition that takes Spark is left out where it is not asked, as a sentence without a full stop."""
    return f"{why}; `engine: auto` and `reader: auto` in avh.yml leave it to Spark"


def has_groups(scan: Scan) -> bool:
    """Whether groups of rows are asked for, which take passes of their own."""
    return any(takes_pass(need) for field in scan.fields.fields for _, need in field.needs)
