"""What the name of a file nobody described says: its format, or what to do with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from avh_ui.errors import SourceError
from avh_ui.scan.database_looking import DATABASE, tables_said
from avh_ui.scan.packed import packed_as

FORMATS = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".dat": "csv", ".psv": "csv", ".tab": "csv", ".json": "json", ".jsonl": "json",
    ".ndjson": "json", ".parquet": "parquet", ".pq": "parquet", ".orc": "orc", ".xml": "xml", ".avro": "avro",
}  # fmt: skip
_BY_PANDAS = "Write each delivery as Parquet, which pandas does, under a name with its date."
_EXCEL = (
    "Save each delivery as CSV or Parquet, under a name with its date; or describe it as `format: excel` with `options: {header: true, "
    "inferSchema: true}` and name a reader of it for Spark, such as com.crealytics:spark-excel, under `spark: {packages: [...]}`."
)
# What is no table of files for us, and what to do with it.
_OTHERS = {
    ".xlsx": _EXCEL, ".xls": _EXCEL, ".ods": _EXCEL, ".db": DATABASE, ".sqlite": DATABASE, ".sqlite3": DATABASE,
    ".sql": "Load it into a database, and export its tables as CSV.", ".feather": _BY_PANDAS, ".arrow": _BY_PANDAS, ".dta": _BY_PANDAS,
    ".sas7bdat": _BY_PANDAS, ".sav": _BY_PANDAS, ".pkl": _BY_PANDAS, ".h5": _BY_PANDAS,
    ".zip": "Unpack it, or pack each file by itself as .gz.",
}  # fmt: skip
# Names of archives of several files: `a.tar`, `a.tar.gz`, `a.tgz`, `a.7z`.
_ARCHIVE = re.compile(r"\.(tar(\.\w+)?|tgz|tbz2?|txz|tzst|7z|rar)$", re.IGNORECASE)


@dataclass(frozen=True)
class OneFile:
    """A file's place: its folder, and its name without the endings that say its format."""

    folder: Path
    stem: str
    endings: str
    format: str

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.folder / (self.stem + self.endings)


def format_of(name: str) -> str:
    """The format that a file's name says, packed or not; '' for none that is known."""
    return FORMATS.get(Path(name.removesuffix(packed_as(name))).suffix.lower(), "")


def file_of(path: Path) -> OneFile:
    """A file by its name; `SourceError` for one of no known format."""
    if not (kind := format_of(path.name)):
        hint = _OTHERS.get(path.suffix.lower(), "") or _unknown(path)
        tables = tables_said(path) if hint is DATABASE else ""
        raise SourceError(f"{path} is of no known format. {tables}".strip(), hint=hint)
    packed = packed_as(path.name)
    endings = Path(path.name.removesuffix(packed)).suffix + packed
    return OneFile(path.parent, path.name.removesuffix(endings), endings, kind)


def without_endings(pattern: str) -> str:
    """A file's name, or a pattern of names (`orders-*.csv*`), without what says the format and how it is packed."""
    plain = pattern.rstrip("*").removesuffix(packed_as(pattern.rstrip("*")))
    return plain.removesuffix(Path(plain).suffix) if format_of(plain) else plain


def _unknown(path: Path) -> str:
    """What to do with a file of an ending that is not known."""
    known = f"Known are {', '.join(FORMATS)}, packed ones too."
    plain = path.name.removesuffix(packed_as(path.name))
    if _ARCHIVE.search(path.name):
        return "It is an archive: unpack it, and give its files or their folder."
    if Path(plain).suffix:
        return known
    return f"Its name needs an ending that says its format, such as {plain}.csv{path.name[len(plain) :]}. {known}"
