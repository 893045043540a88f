"""A first avh.yml for tables that were looked at: their cadence, their key, and the text of the file, with what was seen as comments."""

from __future__ import annotations

import json
import os
from calendar import day_name
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pyarrow as pa

from avh_ui.config import Config, Pipeline, Source, SparkSettings
from avh_ui.config_places import SNAPSHOTS
from avh_ui.errors import AvhError
from avh_ui.history.batch_dates import BatchDate
from avh_ui.inference.by_key.finding import FEW_ALIKE, LEAST_ROWS, FoundKey, find_key, key_of_few, percent_below
from avh_ui.metrics.profiler import Profiler
from avh_ui.scan.looking_files import SeenTable
from avh_ui.workflows.calendar import days_off, next_batch, pace_of, with_missing
from avh_ui.workflows.earlier_rows import earlier_rows

# By these steps tables come, the longest first: a daily table that pauses at weekends is still daily.
_CADENCES = (
    "P1Y", "P6M", "P3M", "monthly", "weekly", "daily", "PT12H", "PT8H", "PT6H", "PT4H", "PT3H", "PT2H", "hourly", "PT30M", "PT15M", "PT5M",
)  # fmt: skip
# A cadence is one when so many of the steps from batch to batch are its: gaps and late days are the rest.
_KEEPS = 0.5
# A key is looked for in the two newest batches where they have fewer rows. Of 20,000 drawn from each of two batches of 46,000 rows 43 %
# are in both, and nobody knows yet how many rows there are.
_ROWS = 100_000
# What all of a table's batches have, such as a parser that takes Spark, the newest of them tell.
_COMPARED, _TRIED = 2, 4


@dataclass(frozen=True)
class Started:
    """A table as it was looked at: the `cadence` of its batches ('' when their ids say none), its `key`, what was `seen`, as sentences."""

    table: SeenTable
    cadence: str
    key: tuple[str, ...]
    seen: tuple[str, ...]


def pipeline_of(table: SeenTable, root: Path) -> Pipeline:
    """The pipeline of a table; its path relative to the workspace where it lies in it."""
    address = {"table": table.path} if table.format == "table" else {"path": _relative(table.path, root)}
    source = Source.model_validate({"format": table.format, **address, "batch": table.batch, "options": table.options, **table.fields})
    return Pipeline(name=table.name, source=source)


def config_of(tables: Sequence[SeenTable], root: Path, spark: SparkSettings | None = None) -> Config:
    """What is read of the tables: files without Spark, others by that of the settings."""
    engine = "spark" if any(table.format == "table" for table in tables) else "local"
    return Config(engine=engine, spark=spark or SparkSettings(), pipelines={table.name: pipeline_of(table, root) for table in tables})


def start(table: SeenTable, profiler: Profiler) -> Started:
    """Find a table's cadence and key; its two newest batches are read, as far as this can be done without Spark."""
    table = _whole(table, profiler)
    cadence, said = _cadence(table.batches)
    key, unread = _key(table, profiler)
    ends = table.batches[0] if len(table.batches) == 1 else f"{table.batches[0]} to {table.batches[-1]}"
    batches = f"{len(table.batches):,} batch{'es' * (len(table.batches) != 1)}, {ends}"
    said = (*_lengths_said(table.batches), *said)
    return Started(table, cadence, key.columns if key else (), (f"{batches}.", *said, *_key_said(key), *unread, *table.remarks))


def _whole(table: SeenTable, profiler: Profiler) -> SeenTable:
    """With all batches of a text file that is cut by a column: looking took those of its first rows."""
    if table.format != "csv" or not table.batch:
        return table
    try:
        return replace(table, batches=tuple(profiler.batches(table.name)))
    except AvhError:
        return replace(table, remarks=(*table.remarks, "The batches are those of its first rows: Spark reads the others."))


def _cadence(batches: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    dates = [date for batch in batches if (date := BatchDate.of(batch)) is not None]
    if len(dates) < len(batches):
        return "", ("The batches are in the order of their names, which are no dates: the cadence is a guess.",)
    if len({(date.period, *date.marks.values()) for date in dates}) > 1 and len({date.period for date in dates}) == 1:
        cadence, told = _cadence([replace(date, before="", after="", marks=dates[0].marks).text() for date in dates])
        stands = f"Each batch stands where its {dates[0].period} is"
        return cadence, (f"Their dates are written in several ways. {stands}, but rename them to one way.", *told)
    steps = list(pairwise(batches))
    if not steps:
        return {"year": "P1Y", "half year": "P6M", "quarter": "P3M", "month": "monthly", "week": "weekly"}.get(dates[0].period, ""), ()
    for cadence in _CADENCES:
        kept = sum(next_batch(before, cadence) == after for before, after in steps)
        if kept >= _KEEPS * len(steps):
            gaps = len(with_missing(batches, cadence)) - len(batches)
            said = f"By {'an' if cadence == 'hourly' else 'a'} {cadence} cadence {gaps:,} batch{'es are' if gaps > 1 else ' is'} missing."
            off = [day_name[day] for day in sorted(days_off(batches, cadence))]
            return cadence, (*((f"No batch comes on {' or '.join(off)}.",) if off else ()), *((said,) if gaps else ()))
    if pace := pace_of(batches, _CADENCES):
        return pace, (f"The batches come about as often as {pace} says, at no fixed times: none is told to be missing.",)
    return "", ("The batches keep to no cadence: daily is a guess.",)


def _lengths_said(batches: Sequence[str]) -> tuple[str, ...]:
    """That some batches are of a week and some of a day, as a sentence; none where all are of one length."""
    lengths = dict.fromkeys(date.period for batch in batches if (date := BatchDate.of(batch)) is not None)
    if len(lengths) < 2:
        return ()
    return (
        f"Some batches are of {' and some of '.join(f'an {of}' if of == 'hour' else f'a {of}' for of in lengths)}: each stands where it "
        "begins, and is compared with the one before, of whatever length. Describe those of each length as a pipeline of their own.",
    )


def _key(table: SeenTable, profiler: Profiler) -> tuple[FoundKey | None, tuple[str, ...]]:
    """The key of the newest batch, None where there are not two; and why they were not looked at, as a sentence."""
    if len(table.batches) < 2:
        return None, _may_be_key(table, profiler) if set(table.batch) & set(SNAPSHOTS) else ()
    rows, why = _newest(table, profiler)
    if len(rows) < _COMPARED:
        return None, (f"No key was looked for. {why}",)
    if max(part.num_rows for part in rows) >= _ROWS:
        return None, (f"No key was looked for: a batch has {_ROWS:,} rows or more. `avh suggest` looks for one.",)
    found = find_key(*rows, whole=True, rows_before=None, earlier=earlier_rows(table.name, profiler, table.batches, _ROWS))
    if not found.few or len(table.batches) < FEW_ALIKE:
        return found, ()
    try:
        earlier = [profiler.sample(table.name, batch, LEAST_ROWS, 0) for batch in table.batches[-FEW_ALIKE:-2]]
    except AvhError:
        return found, ()
    return key_of_few([*earlier, *reversed(rows)]), ()


def _may_be_key(table: SeenTable, profiler: Profiler) -> tuple[str, ...]:
    """What tells the rows of a table apart that is overwritten, as a sentence: its next state has most of them, as far as one can know."""
    try:
        rows = profiler.sample(table.name, table.batches[0], _ROWS, 0)
    except AvhError:
        return ()
    found = find_key(rows, rows, whole=True, rows_before=None) if rows.num_rows < _ROWS else FoundKey()
    names = ", ".join(found.columns)
    if not names or found.apart < 1:
        return ()
    verb = "tell" if "," in names else "tells"
    return (
        f"{names} {verb} its rows apart: `key: [{names}]`, written before the second profile, matches them with those of the day before.",
    )


def _newest(table: SeenTable, profiler: Profiler) -> tuple[list[pa.Table], str]:
    """Rows of the two newest batches that can be read, the newest first, and why another could not: one of the newest may be empty."""
    rows: list[pa.Table] = []
    why = ""
    for batch in table.batches[: -_TRIED - 1 : -1]:
        try:
            rows.append(profiler.sample(table.name, batch, _ROWS, len(rows)))
        except AvhError as error:
            why = why or error.message
        if len(rows) == _COMPARED:
            break
    return rows, why


def _key_said(key: FoundKey | None) -> tuple[str, ...]:
    if key is None:
        return ()
    if key.few and not key.columns:
        return ("No key is found in so few rows: where columns tell them apart, `key: [...]` matches them with the batch before.",)
    if not key.columns or key.overlap is None:
        return ("No key: rows are not matched with those of the batch before.",)
    if key.few:
        return (f"{', '.join(key.columns)} is a key: of the few rows each has its own value, the same in the newest {FEW_ALIKE} batches.",)
    named, again = ", ".join(key.columns), f"{100 * key.overlap:.0f}% come from the one before"
    if key.apart < 1:
        return (
            f"{named} is nearly a key: {percent_below(key.apart)} of the rows have their own, and {again}; the others are not matched.",
        )
    return (f"{named} is a key: unique in the newest batch, and {again}.",)


def pipelines_text(started: Sequence[Started], root: Path) -> str:
    """The `pipelines:` of avh.yml."""
    return "pipelines:\n" + "".join(_text(one, pipeline_of(one.table, root)) for one in started)


def _text(one: Started, pipeline: Pipeline) -> str:
    source = pipeline.source
    lines = [
        f"  {pipeline.name}:",
        *(f"    # {said}" for said in (*one.seen, *_far(pipeline))),
        "    source:",
        f"      format: {source.format}",
    ]
    lines.append(f"      table: {_quoted(source.table)}" if source.table else f"      path: {_quoted(source.path)}")
    if source.batch:
        columns = ", ".join(map(_quoted, source.batch))
        lines.append(f"      batch: {columns if len(source.batch) == 1 else f'[{columns}]'}")
    if source.options:
        lines.append(f"      options: {{{', '.join(f'{name}: {_quoted(value)}' for name, value in source.options.items())}}}")
    if source.skip_lines:
        lines.append(f"      skip_lines: {source.skip_lines}")
    commas = {"decimal_comma": source.decimal_comma, "thousands_comma": source.thousands_comma}
    lines += [f"      {field}: [{', '.join(map(_quoted, named))}]" for field, named in commas.items() if named]
    lines.append("      # timezone: Europe/Berlin   # the clock by which a day is over and a batch is late; without it UTC")
    lines.append(f"    cadence: {one.cadence or 'daily'}")
    if one.key:
        lines.append(f"    key: [{', '.join(map(_quoted, one.key))}]")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A text as YAML takes it whatever it holds: JSON's strings are YAML's."""
    return json.dumps(text, ensure_ascii=False)


def _relative(path: str, root: Path) -> str:
    """A path below the workspace, or below the folder that it stands in (both move together), relative to it; another as it is."""
    whole, folder = os.path.abspath(path), os.path.abspath(root)  # noqa: PTH100 (Path.resolve follows links, which may be meant)
    beside = os.path.dirname(folder)  # noqa: PTH120
    # Above a link there are two folders, and at the top of a disk stands everything.
    near = folder if beside == os.sep or folder != os.path.realpath(folder) else beside
    return os.path.relpath(whole, folder) if whole.startswith(near.rstrip(os.sep) + os.sep) else whole


def _far(pipeline: Pipeline) -> tuple[str, ...]:
    """Why a path is absolute, as a sentence."""
    said = "Its path is absolute: it lies neither below the workspace nor beside it, and moving either breaks it."
    return (said,) if os.path.isabs(pipeline.source.path) else ()  # noqa: PTH117
