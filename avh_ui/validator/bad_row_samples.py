"""Rows that are kept of a run, read back: the first that break one rule, for a person who looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.row_rules import RowRule, row_rules
from avh_ui.errors import SourceError, sentence_of
from avh_ui.metrics.conformance import SHOWN
from avh_ui.validator.kept_rows import folder_of, on_a_disk
from avh_ui.validator.row_table import in_conditions
from avh_ui.validator.sample_texts import texts_of

# A page of rows: who needs more opens the folder.
MOST_ROWS = 50
# More columns than a person compares; those that the rule and the key name come first.
MOST_COLUMNS = 30
_REASONS = {"rule", "why", "level"}


@dataclass(frozen=True)
class BadRowSamples:
    """The first rows that break a rule: by `columns` their values as texts of at most `SHOWN` characters, and how many columns are left
    out. `all` says that no more rows break it.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0
    all: bool = True


def bad_row_samples(verdict: Verdict, key: Sequence[str] = (), most: int = MOST_ROWS) -> BadRowSamples | None:
    """Of the rows that are kept of a verdict's run those that break its rule; None where none are kept on this machine's disk.

    `SourceError` where they are not there any more, or cannot be read.
    """
    rule = next(iter(row_rules([verdict])), None)
    if rule is None or not verdict.kept or not on_a_disk(verdict.kept):
        return None
    folder = folder_of(verdict.kept)
    if not folder.is_dir():
        hint = "Validate the batch again with --quarantine to keep them anew."
        raise SourceError(f"The bad rows are not in {folder} any more.", hint=hint)
    try:
        return _first(folder, rule, key, most)
    except (OSError, pa.ArrowException) as error:
        raise SourceError(f"The bad rows in {folder} cannot be read: {sentence_of(error)}") from error


def _first(folder: Path, rule: RowRule, key: Sequence[str], most: int) -> BadRowSamples:
    rows = ds.dataset(folder, format="parquet")
    at = [place for place, field in enumerate(rows.schema) if _of_reasons(field.type)]
    if not at:
        raise SourceError(f"{folder} is not a folder of bad rows: no column says which rules a row breaks.")
    # Whatever else was in the table stands before it, of the run behind it.
    failed, own = rows.schema.names[at[-1]], rows.schema.names[: at[-1]]
    asked = in_conditions(own, *(test.text for test in rule.tests if test.column is None))
    named = {name.strip("`").lower() for name in rule.columns}
    first = [*(name for name in key if name in own), *(name for name in own if name.lower() in named), *asked]
    shown = list(dict.fromkeys((*first, *own)))[:MOST_COLUMNS]
    found: list[tuple[str, ...]] = []
    for part in _breaking(rows, rule, failed, shown):
        texts = [pc.utf8_slice_codeunits(texts_of(part.column(name)), 0, SHOWN).to_pylist() for name in shown]
        found += zip(*texts, strict=True)
        if len(found) > most:
            break
    return BadRowSamples(tuple(shown), tuple(found[:most]), len(own) - len(shown), len(found) <= most)


def _breaking(rows: ds.Dataset, rule: RowRule, failed: str, shown: Sequence[str]) -> Iterator[pa.Table]:
    for batch in rows.to_batches(columns=[*shown, failed]):
        if not batch.num_rows:
            continue
        reasons = batch.column(batch.num_columns - 1)
        told = reasons.flatten()
        this = pc.and_(pc.equal(told.field("rule"), rule.rule), pc.equal(told.field("why"), rule.why))
        places = pc.list_parent_indices(reasons).filter(this).unique()
        yield pa.Table.from_batches([batch]).take(places)


def _of_reasons(kind: Any) -> bool:
    return bool(pa.types.is_list(kind) and pa.types.is_struct(kind.value_type) and {field.name for field in kind.value_type} >= _REASONS)
