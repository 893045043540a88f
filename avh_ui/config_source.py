"""`source:` of a pipeline in avh.yml: its format, its address, and which batch is which."""

from __future__ import annotations

from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from avh_ui.config_options import check_commas, check_reader_options, no_zone
from avh_ui.config_places import SNAPSHOTS, BatchKey, KeyPart, check_key, check_named, check_places
from avh_ui.config_references import text_options

# Titles and notes take a few lines; what a reader cuts a large file into (32 MB) is longer than so many.
MOST_SKIPPED = 100
Reader = Literal["auto", "spark", "arrow"]
# What people write beside `format`; all of it is Spark's and stands under `options`.
_READER_OPTIONS = frozenset(
    {
        "header", "sep", "delimiter", "quote", "escape", "encoding", "charset", "inferschema", "multiline", "mode", "nullvalue",
        "dateformat", "timestampformat", "comment", "mergeschema", "recursivefilelookup", "locale",
    }
)  # fmt: skip
_EXCEL = "write `format: excel`, with a reader of it under `spark: {packages: [...]}`, or save each delivery as CSV or Parquet"
# What people write for a format.
OTHER_FORMATS = {
    "tsv": 'write `format: csv` and `options: {sep: "\\t"}`', "txt": "write `format: csv` with its `options: {sep: ...}`",
    "jsonl": "write `format: json`", "ndjson": "write `format: json`", "xlsx": _EXCEL, "xls": _EXCEL,
    "hudi": "write `format: table`, with the package under `spark:`", "hive": "write `format: table`",
    **dict.fromkeys(("postgres", "postgresql", "mysql", "sqlite", "oracle", "sqlserver"), "write `format: jdbc` and `options: {url: ...}`"),
}  # fmt: skip
# The addresses that each format accepts; batches of a table format may also lie under a path.
ADDRESSES = {
    "parquet": ("path",), "csv": ("path",), "json": ("path",), "orc": ("path",), "table": ("table",), "query": ("query",),
    "jdbc": ("table", "query", "options"), "delta": ("path", "table"), "iceberg": ("path", "table"), "avro": ("path",), "xml": ("path",),
    "excel": ("path",),
}  # fmt: skip


class Source(BaseModel):
    """Where its batches are: `path` holds `{batch}`, `{date}`, `{epoch}`, or `{year}`, `{month}`, `{day}`, `{hour}` as far as it goes.

    Else `batch` names the columns that make the id (`day`, `date(ts)`, `[year, month, day]`; `batch_column`: one as it stands), or with
    `batch: now` (`this hour`) what is there is the batch of the day (hour). Days end by the clock of `timezone`. `batches` is SQL that
    lists the ids of a query with `{batch}`. In the CSV columns of `decimal_comma` the text `1.234,5` is the number 1234.5, in those of
    `thousands_comma` `1,234.5` is; the first `skip_lines` lines of each CSV file, such as a title above the names of the columns, are not
    read.

    `reader` says who reads files on Spark: Arrow in Spark's tasks, Spark's own reader, or (`auto`) Arrow where it reads as Spark does.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    format: Literal["parquet", "csv", "json", "orc", "table", "query", "jdbc", "delta", "iceberg", "avro", "xml", "excel"] = "parquet"
    path: str = ""
    table: str = ""
    query: str = ""
    batch_column: str = ""
    batch: tuple[str, ...] = ()
    batches: str = ""
    reader: Reader = "auto"
    options: dict[str, str] = Field(default_factory=dict)
    decimal_comma: tuple[str, ...] = ()
    thousands_comma: tuple[str, ...] = ()
    skip_lines: int = Field(0, ge=0, le=MOST_SKIPPED, strict=True)
    timezone: str = "UTC"

    _text_options = field_validator("options", mode="before")(text_options)

    @field_validator("batch", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return ((value,) if value else ()) if isinstance(value, str) else value

    @field_validator("format", mode="before")
    @classmethod
    def _known_format(cls, value: Any) -> Any:
        if isinstance(value, str) and (written := OTHER_FORMATS.get(value.lower())):
            raise ValueError(f"{value!r} is none: {written}")
        return value

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        if wrong := no_zone(value):
            raise ValueError(wrong)
        return value

    @model_validator(mode="before")
    @classmethod
    def _of_the_reader(cls, data: Any) -> Any:
        for name in data if isinstance(data, dict) else ():
            if str(name).lower() in _READER_OPTIONS:
                raise ValueError(f"{name!r} is an option of the reader: write it as options: {{{name}: ...}}")
        return data

    @model_validator(mode="after")
    def _addressed(self) -> Source:
        check_places(self.path, self.query)
        addresses = ADDRESSES[self.format]
        if not any(getattr(self, address) for address in addresses):
            raise ValueError(f"format {self.format} needs {' or '.join(addresses)}")
        if idle := [name for name in ("path", "table", "query") if getattr(self, name) and name not in addresses]:
            raise ValueError(f"format {self.format} takes no {' and no '.join(idle)}, but {' or '.join(addresses)}")
        check_reader_options(self.format, self.options)
        check_key(self.batch)
        check_named(self.path, self.query, self.batch_column, self.batch)
        check_commas(self.format, self.decimal_comma, self.thousands_comma)
        if self.skip_lines and self.format != "csv":
            raise ValueError(f"skip_lines: is of files of csv, and the format is {self.format}")
        if self.skip_lines and (spark := self._of_spark()):
            raise ValueError(f"skip_lines: is Arrow's, since Spark's reader passes over no line: leave out `{spark}`")
        if self.batches and "{batch}" not in self.query:
            raise ValueError("batches: lists the ids for a query with {batch}, and there is none")
        return self

    def _of_spark(self) -> str:
        """What says that Spark's own reader reads the files; '' where nothing does that is seen here."""
        if self.reader == "spark":
            return "reader: spark"
        lines = (f"{name}: {value}" for name, value in self.options.items() if name.lower() == "linesep" and value != "\n")
        return next(lines, "")

    @property
    def untyped(self) -> bool:
        """Whether its values are read as texts, of which numbers are found: of CSV, and of XML but with `inferSchema: true`, which takes
        `01234` for 1234.
        """
        infers = any(name.lower() == "inferschema" and value.lower() == "true" for name, value in self.options.items())
        return self.format == "csv" or (self.format == "xml" and not infers)

    @property
    def clock(self) -> ZoneInfo:
        """The clock by which its batches are named."""
        return ZoneInfo(self.timezone)

    @property
    def snapshot(self) -> str:
        """`now` or `this hour` of a source that is overwritten; '' for others."""
        return self.batch[0] if self.batch and self.batch[0] in SNAPSHOTS else ""

    @property
    def key(self) -> BatchKey | None:
        """The columns that say of which batch a row is; None where each batch lies in a place of its own."""
        named = (self.batch_column,) if self.batch_column else () if self.snapshot else self.batch
        return BatchKey((KeyPart(named[0]),) if self.batch_column else tuple(map(KeyPart.of, named))) if named else None
