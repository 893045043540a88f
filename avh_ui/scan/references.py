"""Tables that avh.yml names beside a source: read without Spark, and what measures take of them, into a profile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from avh_ui.config_references import Reference
from avh_ui.errors import UsageError, sentence_of
from avh_ui.metrics.fields import MeasuredField
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.together import is_beside

_COLUMNAR = ("parquet", "orc")
# What to do about a table that cannot be read.
SEE = "See the pipeline's `references:` in avh.yml."
# Of Spark's options for CSV, those that Arrow reads the same way.
_CSV = ("header", "sep", "delimiter")


class ReferenceFiles(Mapping[str, pa.Table]):
    """The tables by name, read whole when they are asked for: Parquet, ORC and CSV of this machine. `UsageError` for others, and for what
    cannot be read. Columns of CSV are texts, as Spark has them.
    """

    def __init__(self, references: Mapping[str, Reference]) -> None:
        self._references = references

    def __getitem__(self, name: str) -> pa.Table:
        reference = self._references[name]
        strange = [option for option in reference.options if reference.format != "csv" or option not in _CSV]
        if reference.format not in (*_COLUMNAR, "csv") or "://" in reference.path or strange:
            what = f"its option {strange[0]}" if strange else f"its format {reference.format}"
            raise UsageError(f"The table {name!r} takes Spark to read, for {what}.", hint="Set `engine: spark` in avh.yml.")
        try:
            return _csv(reference) if reference.format == "csv" else _dataset(reference).to_table()
        except (OSError, pa.ArrowException) as error:
            raise UsageError(f"The table {name!r} cannot be read: {sentence_of(error)}", hint=SEE) from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._references)

    def __len__(self) -> int:
        return len(self._references)


def columns_of(reference: Reference) -> tuple[str, ...] | None:
    """The columns of a table, of which no row is read; None where this machine cannot tell them without Spark, or at all."""
    if reference.format not in (*_COLUMNAR, "csv") or "://" in reference.path or not Path(reference.path).exists():
        return None
    try:
        if reference.format != "csv":
            return tuple(_dataset(reference).schema.names)
        headed = reference.options.get("header", "false") == "true" and all(option in _CSV for option in reference.options)
        files = _files(reference) if headed else []
        return tuple(_opened(files[0], reference)) if files else None
    except (OSError, pa.ArrowException):
        return None


def _dataset(reference: Reference) -> Any:
    # Few pipelines name a table, and loading it takes every validation 4 ms.
    from pyarrow import dataset

    return dataset.dataset(reference.path, format=reference.format)


def _files(reference: Reference) -> list[Path]:
    path = Path(reference.path)
    return sorted(file for file in path.rglob("*") if file.is_file() and file.name[0] not in "._") if path.is_dir() else [path]


def _opened(file: Path, reference: Reference) -> list[str]:
    """The names in a file of CSV, those that Arrow makes where it has none."""
    with pyarrow.csv.open_csv(file, *_manner(reference)) as opened:
        return list(opened.schema.names)


def _manner(reference: Reference) -> tuple[pyarrow.csv.ReadOptions, pyarrow.csv.ParseOptions]:
    options = reference.options
    headed = options.get("header", "false") == "true"
    parse = pyarrow.csv.ParseOptions(delimiter=options.get("sep", options.get("delimiter", ",")))
    return pyarrow.csv.ReadOptions(autogenerate_column_names=not headed), parse


def _csv(reference: Reference) -> pa.Table:
    """All files of a path, their columns as texts; an empty field is null, as Spark has it."""
    read, parse = _manner(reference)
    headed, tables = not read.autogenerate_column_names, []
    for file in _files(reference):
        names = _opened(file, reference)
        texts = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), null_values=[""], strings_can_be_null=True)
        found = pyarrow.csv.read_csv(file, read, parse, texts)
        tables.append(found if headed else found.rename_columns([f"_c{place}" for place in range(len(names))]))
    return pa.concat_tables(tables) if tables else pa.table({})


def with_states(profile: BatchProfile, fields: Iterable[MeasuredField], found: Mapping[object, object]) -> BatchProfile:
    """The profile with the states that were found by need; what an error stands for is not measured, which a note says."""
    columns, notes, gone = dict(profile.columns), list(profile.notes), set[str]()
    for field in fields:
        pairs = [(key, found[need]) for key, need in field.needs if is_beside(need) and need in found]
        if not pairs or field.name not in columns:
            continue
        if wrong := [state for _, state in pairs if isinstance(state, Exception)]:
            said = str(wrong[0])
            notes.append(f"{field.name} is not measured: {said}{'' if said.endswith(('.', '?')) else '.'}")
            gone.add(field.name)
            del columns[field.name]
        else:
            columns[field.name] = replace(columns[field.name], states={**columns[field.name].states, **dict(pairs)})  # type: ignore[arg-type]
    asked = tuple(name for name in profile.asked if name not in gone)
    return replace(profile, columns=columns, notes=tuple(notes), asked=asked)
