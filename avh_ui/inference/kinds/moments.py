"""Whether dates and moments that are all different are so by rule, or by chance.

A hundred events of a day, told to the hundredth of a second, all differ on nearly every day, and on some day two do not: on a year of
earthquakes "no moment occurs twice" alarmed on three days of a month. Ninety days of ninety rows differ because each has one row. What
tells the two apart is how many repetitions chance would have made: of `n` values drawn from `m` there are `n (n - 1) / 2 m` pairs.
"""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC

import numpy as np
import pyarrow as pa

from avh_ui.config import ColumnKind
from avh_ui.constraints.column_kind import KnownKind
from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.kinds.declarations import KindDeclaration, declaration_of
from avh_ui.inference.kinds.facts import Floats
from avh_ui.inference.kinds.limits import limited
from avh_ui.inference.kinds.numbering import numbered
from avh_ui.inference.kinds.of_texts import moment_of
from avh_ui.metrics.column import Column
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.moments import MAX, MEAN, MIN

_ENDING: tuple[ColumnKind, ...] = ("count", "measure")
_NUMBERED: tuple[ColumnKind, ...] = ("identifier", "code")
# With so many pairs to be expected chance makes none in 1 of 1,000 histories.
_EXPECTED = 7.0
# Finer than this, in seconds, no moment is told: doubles of this century are exact to a quarter of it.
_FINEST = 1e-6
# Moments as numbers: in so many ticks a second, and as many days from their batch's date at most.
_TICKS, _BESIDE, _DAY = (1.0, 1e3, 1e6, 1e9), 7.0, 86_400.0
# An average of moments says less than the first and the last.
_OF_MOMENTS = frozenset({MIN.name, MAX.name, COMPLETE_RATIO.name})


def declared_for(known: KnownKind | None, history: ColumnHistory, sample: pa.ChunkedArray | pa.Array) -> KindDeclaration | None:
    """What is declared of a column of this kind, as `declaration_of`; dates name rows where their history rules chance out, amounts end
    where it shows that, and numbers handed out keep their sign and size.
    """
    declared = declaration_of(known)
    if declared is not None and known is not None and known.kind in _ENDING:
        return limited(declared, history, sample)
    if declared is not None and known is not None and known.kind in _NUMBERED:
        found = numbered(declared, history)
        # That a flight's number is not below 1 nobody asks.
        return found if known.kind != "code" or math.isfinite(found.highest) else declared
    if declared is not None and known is not None and known.kind == "counter" and since_1970(history):
        return replace(declared, metrics={name: says for name, says in declared.metrics.items() if name in _OF_MOMENTS})
    if declared is None or known is None or known.kind != "date" or declared.names_rows:
        return declared
    return replace(declared, names_rows=pairs_by_chance(_seconds(history, sample)) * len(history.batches) >= _EXPECTED)


def since_1970(history: ColumnHistory) -> bool:
    """Whether its numbers are its batch's date in seconds, thousandths, millionths or billionths since 1970, some days more or less."""
    means, dates = history.values.get(MEAN.name), [BatchDate.of(batch) for batch in history.batches]
    if means is None or not dates or len(means) != len(dates):
        return False
    days = np.array([math.nan if date is None else date.start.replace(tzinfo=UTC).timestamp() / _DAY for date in dates])
    return any(bool(np.all(np.abs(means / _DAY / ticks - days) <= _BESIDE)) for ticks in _TICKS)


def pairs_by_chance(seconds: Floats) -> float:
    """How many pairs of equal values chance would make among as many moments, shape (n,), of the same span and told as finely."""
    ticks = np.round((seconds - seconds.min(initial=np.inf)) / _FINEST).astype(np.int64) if len(seconds) > 1 else np.zeros(0, np.int64)
    finest = int(np.gcd.reduce(ticks)) if len(ticks) else 0
    if not finest:
        return 0.0
    return len(ticks) * (len(ticks) - 1) / 2 / (int(ticks.max()) // finest + 1)


def _seconds(history: ColumnHistory, sample: pa.ChunkedArray | pa.Array) -> Floats:
    if history.kind == "temporal":
        found = Column.from_arrow(history.column, sample)
        return found.numbers[np.isfinite(found.numbers)] if found.kind == "temporal" else np.empty(0)
    moments = (moment_of(text) for text in sample.drop_null().to_pylist()) if history.kind == "string" else ()
    return np.array([(m if m.tzinfo else m.replace(tzinfo=UTC)).timestamp() for m in moments if m is not None])
