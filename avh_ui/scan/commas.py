"""Numbers with a comma in the CSV columns that avh.yml names: `1.234,5` (`decimal_comma`) and `1,234.5` (`thousands_comma`) become
`1234.5` when they are read.

Beside a decimal comma thousands may stand apart by a point, a blank (no-break ones too) or an apostrophe. A minus may stand behind, as SAP
writes it (`1.234,50-`). What is no such number stays as it is, and so does `0.125`: no thousand begins with a zero.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.errors import SourceError, nearest
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import FailedBatch

if TYPE_CHECKING:
    from avh_ui.config import Source

_BETWEEN = "[.'\\x{2019} \\x{a0}\\x{202f}]"


@dataclass(frozen=True)
class Writing:
    """How numbers are written: the pattern of a `number`, that of what stands `between` thousands, and the decimal `point`. Java's regular
    expressions and RE2 read both patterns alike.
    """

    number: str
    between: str
    point: str


_COMMA = rf"(\d+|[1-9]\d{{0,2}}({_BETWEEN}\d{{3}})+)(,\d+)?"
_POINT = r"(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?"
DECIMAL_COMMA = Writing(rf"^([-+]?{_COMMA}|{_COMMA}-)\z", _BETWEEN, ",")
THOUSANDS_COMMA = Writing(rf"^([-+]?[1-9]\d{{0,2}}(,\d{{3}})+(\.\d+)?|{_POINT}-)\z", ",", ".")
# A minus behind a number, which belongs before it: of what stands before the minus the first group.
MINUS_BEHIND = r"^(.+)-\z"


def writings(source: Source) -> dict[str, Writing]:
    """How the numbers of the columns are written that avh.yml names."""
    return dict.fromkeys(source.decimal_comma, DECIMAL_COMMA) | dict.fromkeys(source.thousands_comma, THOUSANDS_COMMA)


def plain(texts: pa.Array, writing: Writing) -> pa.Array:
    """The texts, those that are such numbers written with a point, nothing between thousands and their minus before them."""
    written = pc.replace_substring(pc.replace_substring_regex(texts, writing.between, ""), writing.point, ".")
    written = pc.replace_substring_regex(written, MINUS_BEHIND, r"-\1")
    return pc.if_else(pc.match_substring_regex(texts, writing.number), written, texts)


def require_commas(source: Source, there: Collection[str], what: str) -> None:
    """`SourceError` for a column of `decimal_comma` or `thousands_comma` that `what` (a batch, a table) has not among its own."""
    if missing := [name for name in (*source.decimal_comma, *source.thousands_comma) if name not in there]:
        field = "decimal_comma" if missing[0] in source.decimal_comma else "thousands_comma"
        raise SourceError(f"{what} has no column {missing[0]!r}, which `{field}` names.", hint=nearest(missing[0], there))


def or_without_commas(source: Source, result: BatchProfile | FailedBatch, known: Collection[str]) -> BatchProfile | FailedBatch:
    """What became of a batch; one that lacks a column that is named there failed, lest a slip in avh.yml is kept. A column that is `known`,
    since batches before had it, is gone, which is told as of any column.
    """
    if isinstance(result, BatchProfile):
        try:
            require_commas(source, {*result.columns, *result.left_out, *known}, f"Batch {result.batch!r} of {result.pipeline!r}")
        except SourceError as error:
            return FailedBatch(result.batch, str(error))
    return result
