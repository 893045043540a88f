"""Numbers with a decimal comma, in the CSV columns that avh.yml names (`decimal_comma`): `1.234,5` becomes `1234.5` when it is read.

Thousands may stand apart by a point, a blank (no-break ones too) or an apostrophe. What is no such number stays as it is,
and so does `0.125`: no thousand begins with a zero.
"""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.config import Source
from avh_ui.errors import SourceError, nearest
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import FailedBatch

# Java's regular expressions and RE2 read both alike.
BETWEEN = "[.'\\x{2019} \\x{a0}\\x{202f}]"
NUMBER = rf"^[-+]?(\d+|[1-9]\d{{0,2}}({BETWEEN}\d{{3}})+)(,\d+)?\z"


def with_points(texts: pa.Array) -> pa.Array:
    """The texts, those that are such numbers written with a point."""
    written = pc.replace_substring(pc.replace_substring_regex(texts, BETWEEN, ""), ",", ".")
    return pc.if_else(pc.match_substring_regex(texts, NUMBER), written, texts)


def require_commas(source: Source, there: Collection[str], what: str) -> None:
    """`SourceError` for a column of `decimal_comma` that `what` (a batch, a table) has not among its own."""
    if missing := [name for name in source.decimal_comma if name not in there]:
        raise SourceError(f"{what} has no column {missing[0]!r}, which `decimal_comma` names.", hint=nearest(missing[0], there))


def or_without_commas(source: Source, result: BatchProfile | FailedBatch, known: Collection[str]) -> BatchProfile | FailedBatch:
    """What became of a batch; one that lacks a column of `decimal_comma` failed, lest a slip in avh.yml is kept. A column that is `known`,
    since batches before had it, is gone, which is told as of any column.
    """
    if isinstance(result, BatchProfile):
        try:
            require_commas(source, {*result.columns, *result.left_out, *known}, f"Batch {result.batch!r} of {result.pipeline!r}")
        except SourceError as error:
            return FailedBatch(result.batch, str(error))
    return result
