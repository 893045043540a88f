"""Injecting: a copy of a batch with one synthetic issue, so that a person can see the validator fail."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv, orc

from avh_ui.config import Source
from avh_ui.errors import DeliveryError, NotFoundError, UsageError

DROP, EXTRA, RETYPE = "drop-column", "extra-column", "retype"
SCHEMA_ISSUES = (DROP, EXTRA, RETYPE)
# The same rows again: it is of no column, and an issue in the place of another batch alone.
REPEAT = "same-delivery"
# A batch is held in memory to be changed; this many rows of 50 columns are about 1 GB.
MOST_ROWS = 2_000_000
EXTRA_COLUMN = "unexpected_column"
FORMATS = ("parquet", "csv", "json", "orc")


@dataclass(frozen=True)
class Injected:
    """The changed table, and what was done to it in words."""

    table: pa.Table
    description: str


def issue_names(table: pa.Table, column: str, seed: int = 0) -> list[str]:
    """The names of the synthetic issues that would change this column, schema issues first."""
    return [*SCHEMA_ISSUES, *_variants(table, column, seed)]


def inject(table: pa.Table, issue: str, column: str | None, seed: int = 0) -> Injected:
    """A copy of the table with the issue in one column.

    `issue` is `same-delivery` (nothing changes), a schema issue, the name of a synthetic issue (`unit_change x10`), or the beginning of
    one (`unit_change`), which takes the strongest.
    `NotFoundError` for an unknown column or issue, `UsageError` when the issue needs a column.
    """
    if issue == EXTRA:
        name = EXTRA_COLUMN
        while name in table.column_names:
            name += "_"
        return Injected(table.append_column(name, pa.array(["unexpected"] * table.num_rows)), f"added column {name!r}")
    if issue == REPEAT:
        return Injected(table, "the same rows, to be delivered once more")
    if column is None:
        raise UsageError(f"The issue {issue!r} needs a column.", hint="Give --column.")
    if column not in table.column_names:
        raise NotFoundError("column", column, table.column_names)
    at = table.column_names.index(column)
    if issue == DROP:
        return Injected(table.remove_column(at), f"dropped column {column!r}")
    if issue == RETYPE:
        texts = pc.binary_join_element_wise(table.column(at).cast(pa.string()), "units", " ")
        return Injected(table.set_column(at, column, texts), f"made column {column!r} a text, each value followed by 'units'")
    kind, _, rest = issue.partition(" ")
    return _synthetic(table, f"{kind.replace('-', '_')} {rest}".strip(), column, seed)


def write_batch(table: pa.Table, path: Path, source: Source) -> None:
    """Write a table as the pipeline's source would read it; `DeliveryError` when it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(table, path, source)
    except OSError as error:
        raise DeliveryError(f"{path} could not be written: {error.strerror or error}.") from error


def _synthetic(table: pa.Table, issue: str, column: str, seed: int) -> Injected:
    variants = _variants(table, column, seed)
    matching = [name for name in variants if name == issue or name.startswith(f"{issue} ")]
    if not matching:
        raise NotFoundError(f"synthetic issue that changes column {column!r}", issue, [REPEAT, *SCHEMA_ISSUES, *variants])
    # The issues of one type come from the weakest to the strongest; those of a part of the rows (`x10 of 10%`) stand by themselves.
    whole = [name for name in matching if " of " not in name]
    name = (whole or matching)[-1]
    array, at = variants[name], table.column_names.index(column)
    if len(array) != table.num_rows:
        # A change of volume is one of the whole table; its rows repeat in their order, or are drawn.
        drawn = np.sort(np.random.default_rng(seed).choice(table.num_rows, min(len(array), table.num_rows), replace=False))
        rows = np.arange(len(array)) % table.num_rows if len(array) > table.num_rows else drawn
        return Injected(table.take(pa.array(rows)), f"{name}: {table.num_rows:,} rows became {len(array):,}")
    return Injected(table.set_column(at, column, as_before(array, table.schema.field(at).type)), f"{name} in column {column!r}")


def _variants(table: pa.Table, column: str, seed: int) -> dict[str, pa.Array]:
    from avh_ui.issues.sample import neighbour_of
    from avh_ui.issues.variants import WITH_NULLS, synthetic_issues

    issues = synthetic_issues(table.column(column), neighbour_of(table, column), seed=seed, magnitudes=WITH_NULLS)
    return {v.name: v.array for v in issues}


def as_before(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    """The issue's values in the column's own type where they fit it; otherwise as they are, which changes the column's type."""
    try:
        if pa.types.is_timestamp(wanted):
            micros = pc.multiply(array, 1e6)
            return pc.round(micros).cast(pa.int64()).cast(pa.timestamp("us", wanted.tz)).cast(wanted, safe=False)
        if pa.types.is_date(wanted):
            return pc.floor(pc.divide(array, 86_400.0)).cast(pa.int32()).cast(pa.date32()).cast(wanted)
        changed = array.cast(wanted)
        # `TRUE` is read as true, which would undo a change of casing.
        exact = not pa.types.is_boolean(wanted) or changed.cast(array.type).equals(array)
        return changed if exact else array.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return array.cast(pa.string()) if pa.types.is_large_string(array.type) else array


def _write(table: pa.Table, path: Path, source: Source) -> None:
    if source.format == "parquet":
        pq.write_table(table, path)
    elif source.format == "orc":
        orc.write_table(table, path)
    elif source.format == "json":
        path.write_text("".join(f"{json.dumps(row, default=str)}\n" for row in table.to_pylist()), encoding="utf-8")
    elif source.format == "csv":
        path.write_bytes(_csv(table, source))
    else:
        raise UsageError(f"A batch of format {source.format} cannot be written to a file.", hint=f"Formats are {', '.join(FORMATS)}.")


def _csv(table: pa.Table, source: Source) -> bytes:
    """The rows below as many empty lines as the source passes over, in its encoding and with its decimal commas."""
    for at, name in enumerate(table.column_names):
        if name in source.decimal_comma:
            texts = table.column(at).cast(pa.string())
            commas = pc.replace_substring(texts, ".", ",")
            table = table.set_column(at, name, pc.if_else(pc.match_substring_regex(texts, r"^[-+]?\d+\.\d+$"), commas, texts))
    options = {k.lower(): v for k, v in source.options.items()}
    sep, encoding = options.get("sep", options.get("delimiter", ",")), options.get("encoding", options.get("charset", "utf-8"))
    written = io.BytesIO()
    header = options.get("header", "false").lower() == "true"
    csv.write_csv(table, written, csv.WriteOptions(include_header=header, delimiter="\t" if sep == "\\t" else sep))
    try:
        return ("\n" * source.skip_lines + written.getvalue().decode()).encode(encoding, "replace")
    except LookupError:
        hint = "Write its encoding as Python knows it, too, such as ISO-8859-1."
        raise UsageError(f"A batch cannot be written in the encoding {encoding}.", hint=hint) from None
