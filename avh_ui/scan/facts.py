"""What is known of batches that are read together before their rows are: their files, and how those are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from avh_ui.config import Pipeline, Source
from avh_ui.metrics.delivery import Delivery
from avh_ui.scan.kernel import strip_scheme
from avh_ui.scan.schemas import FileKeys, Layout

FILE_FORMATS = frozenset({"parquet", "csv", "json", "orc"})
# Some columns of these are read without reading the others.
COLUMNAR = frozenset({"parquet", "orc", "delta", "iceberg"})
# Formats of lines, of which some may be no rows.
LINES = frozenset({"csv", "json"})
# Spark reads only some of the files, on the user's word.
_CHOOSING = frozenset({"pathglobfilter", "modifiedbefore", "modifiedafter"})


@dataclass(frozen=True, kw_only=True)
class FileFacts:
    """Of some batches: `files` has the batch of each file or folder. With `flagged` malformed lines come through, marked; with `drops`
    such rows are none. `untyped` when the columns' types must be found from their texts; `columnar` when some columns can be read without
    the others; `size` in bytes, None when unknown. `deliveries` has what is known of each batch before its rows are read, `expected` the
    files that have rows: name by path; `keys` by path those of the first rows of JSON files that may differ in them.
    """

    batches: tuple[str, ...]
    files: tuple[tuple[str, str], ...] = ()
    untyped: bool = False
    size: int | None = None
    columnar: bool = False
    flagged: bool = False
    drops: bool = False
    deliveries: Mapping[str, Delivery] = field(default_factory=dict)
    expected: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    keys: Mapping[str, Mapping[str, FileKeys]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def file_facts(pipeline: Pipeline, members: Sequence[Layout]) -> FileFacts:
    """The facts of batches that are files."""
    source = pipeline.source
    chosen = any(k.lower() in _CHOOSING for k in source.options)
    return FileFacts(
        batches=tuple(m.files.batch for m in members),
        files=tuple((strip_scheme(root), m.files.batch) for m in members for root in m.files.roots),
        untyped=source.format == "csv",
        size=sum(m.files.size for m in members),
        columnar=source.format in COLUMNAR,
        flagged=source.format in LINES,
        drops=drops(source),
        deliveries={m.files.batch: m.delivery() for m in members},
        expected={} if chosen else {m.files.batch: {strip_scheme(path): name for path, name in m.expected().items()} for m in members},
        keys={m.files.batch: {strip_scheme(path): keys for path, keys in found.items()} for m in members if (found := m.keys())},
    )


def drops(source: Source) -> bool:
    """Whether malformed lines are to be no rows."""
    return source.format in LINES and option(source, "mode").upper() == "DROPMALFORMED"


def option(source: Source, name: str) -> str:
    """An option of a source, whose names are in any case; '' where it is not given."""
    return {k.lower(): v for k, v in source.options.items()}.get(name.lower(), "")
