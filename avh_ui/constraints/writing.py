"""How the values of a column were written in the batches before, as bounds: what spreadsheets and casts lose without a word. Amounts
without their cents, rounded rates, codes without their leading zeros have the types, the levels and often the formats of sound ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from avh_ui.metrics.counts import CountState
from avh_ui.metrics.decimal_points import PointState
from avh_ui.metrics.digits_after import MOST, digits_after
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.text import TextState
from avh_ui.metrics.type_names import NUMBER
from avh_ui.typed import CLOSED, LEFT_OUT, Truth, Whole

# In so many batches of so many values each: of 34 real tables three more columns were told without reason from three batches on, and of
# fewer values chance decides.
_BATCHES, _VALUES = 5, 20
# Of numbers that are seldom fractions a batch has none by chance. Of fewer digits than half of them have the number depends on the level.
# Where codes seldom begin with 0, other codes came: of icons' code points 0.6% did while they had four characters.
_FRACTIONS, _DIGITS, _ZEROS = 0.2, 0.5, 0.02
# Where the lowest share of all batches would give so few once in 10^8 batches, and less than a part of it is left, or what it lacks of all
# grew five times and to more than 5%. Of 112,000 times that numbers of these tables were judged, up to 28 batches later, this told of one
# table alone, of whose coordinates digits were in fact cut; where two thirds may be left it told of depths of earthquakes, too.
_SURPRISE, _GROWN, _MOST = 18.0, 5.0, 0.05
# Of codes two thirds told of none of 7,800 columns of batches.
_DIGITS_LEFT, _ZEROS_LEFT = 1 / 2, 2 / 3
# Of texts with an exponent or a plus sign: fewer are single entries.
_SIGNED = 0.05
Share = Annotated[float, LEFT_OUT]


@dataclass(frozen=True)
class Writing:
    """The lowest shares of numbers, or of texts with numbers, with at least 1, 2, ... `digits` after the point (of numbers without zeros at
    the end); in a source without types with how many digits after it all are written (`places`), and whether no number has an exponent or
    a plus sign (`bare`). Of texts the lowest share of those that are digits alone and begin with 0 (`padded`), and the `length` of all.
    """

    __pydantic_config__ = CLOSED
    digits: Annotated[tuple[float, ...], LEFT_OUT] = ()
    places: Annotated[Whole, LEFT_OUT] = 0
    bare: Annotated[Truth, LEFT_OUT] = False
    padded: Share = 0.0
    length: Annotated[Whole, LEFT_OUT] = 0

    @classmethod
    def learned(cls, columns: Sequence[ColumnProfile], batches: int = _BATCHES) -> Writing | None:
        """What holds in all of a column's batches, of which there are at least so many; None where nothing does."""
        found = cls(_digits(columns, batches), _places(columns, batches), _bare(columns, batches), *_padded(columns, batches))
        return None if found == cls() else found

    def broken(self, column: ColumnProfile) -> str:
        """What of it a batch's column breaks, in a sentence; '' where nothing."""
        name = f"Column {column.name!r}"
        if column.type in ("null", ""):
            return ""
        if said := self._digits_lost(column) or self._written(column):
            return f"{name} changed how its {'values' if column.kind == 'string' else 'numbers'} are written: {said}."
        return f"{name} lost leading zeros: {said}." if (said := self._zeros_lost(column)) else ""

    def _digits_lost(self, column: ColumnProfile) -> str:
        now = digits_after(column)
        if now.numbers < _VALUES:
            return ""
        all_digits = enumerate(zip(self.digits, now.shares, strict=False), 1)
        fallen = [(round(share / least, 1), k) for k, (least, share) in all_digits if _fell(least, share, now.numbers, _DIGITS_LEFT)]
        if not fallen:
            return ""
        # Of those of which about as many are gone the first tells most.
        _, k = min(fallen)
        least, share = self.digits[k - 1], now.shares[k - 1]
        what = f"{k} digits or more after the point" if k > 1 else "a number with a fraction" if column.kind == "string" else "a fraction"
        has = f"none of {_values(column):,} has" if not share else f"only {_percent(share)} of {_values(column):,} have"
        return f"{has} {what}, and {_before(least)} had"

    def _written(self, column: ColumnProfile) -> str:
        state = find(column.states, PointState)
        if state is None or state.digits is None or state.signs is None or column.type != NUMBER:
            return ""
        if self.bare and state.signs >= max(_SIGNED * state.texts, 1):
            return f"{state.signs:,} of {state.texts:,} have an exponent or a plus sign (1.2e+03, +5), and none had"
        other = sum(state.digits) - sum(state.digits[self.places : self.places + 1]) if self.places else 0
        if other:
            digits = f"{self.places} digits" if self.places > 1 else "one digit"
            return f"{other:,} of {state.texts:,} do not have {digits} after the point, and all had"
        return ""

    def _zeros_lost(self, column: ColumnProfile) -> str:
        state = find(column.states, TextState) if self.padded and column.kind == "string" else None
        if state is None or state.padded is None or state.n < _VALUES:
            return ""
        if not _fell(self.padded, state.padded / state.n, state.n, _ZEROS_LEFT):
            return ""
        # Days and times of one length begin with 0 in some batches, and in others not: a zero that was lost leaves a shorter text.
        if self.length and state.shortest >= self.length:
            return ""
        begin = f"{state.padded:,} of {state.n:,} values begin" if state.padded else f"none of {state.n:,} values begins"
        return f"{begin} with 0, and {_before(self.padded)} did"


def _digits(columns: Sequence[ColumnProfile], batches: int) -> tuple[float, ...]:
    seen = [found.shares for found in map(digits_after, columns) if found.numbers >= _VALUES]
    if len(seen) < batches:
        return ()
    least = [min(shares) for shares in zip(*seen, strict=True)]
    kept = [share for k, share in enumerate(least) if share >= (_DIGITS if k else _FRACTIONS)]
    # The shares fall from digit to digit.
    return tuple(_floor(share) for share in kept)


def _places(columns: Sequence[ColumnProfile], batches: int) -> int:
    """With how many digits after the point all are written, some of them zeros at the end: without these it is what the values have."""
    counted = _points(columns)
    if len(counted) < batches:
        return 0
    sums = [sum(row) for row in zip(*(_long(state.digits or ()) for state in counted), strict=True)]
    found = [k for k, count in enumerate(sums) if count]
    if len(found) != 1 or not found[0]:
        return 0
    shown = [digits_after(column).shares for column in columns]
    return found[0] if any(shares and shares[min(found[0], MOST) - 1] < 1 for shares in shown) else 0


def _bare(columns: Sequence[ColumnProfile], batches: int) -> bool:
    counted = _points(columns)
    return len(counted) >= batches and not any(state.signs for state in counted)


def _points(columns: Sequence[ColumnProfile]) -> list[PointState]:
    """How the numbers of each batch were written; none where an older release measured one of them."""
    found = [find(column.states, PointState) for column in columns if column.type == NUMBER]
    known = [state for state in found if state is not None and state.digits is not None and state.signs is not None]
    return [state for state in known if state.texts] if len(known) == len(found) else []


def _padded(columns: Sequence[ColumnProfile], batches: int) -> tuple[float, int]:
    states = [find(column.states, TextState) for column in columns if column.kind == "string"]
    seen = [state for state in states if state is not None and state.padded is not None and state.n >= _VALUES]
    if len(seen) < batches:
        return 0.0, 0
    least = _floor(min((state.padded or 0) / state.n for state in seen))
    lengths = {length for state in seen for length in (state.shortest, state.longest)}
    return (least, lengths.pop() if len(lengths) == 1 else 0) if least >= _ZEROS else (0.0, 0)


def _fell(least: float, share: float, values: int, left: float) -> bool:
    """Whether a share of so many values is far below the lowest of the batches before."""
    if share >= least or (share >= left * least and 1 - share <= max(_GROWN * (1 - least), _MOST)):
        return False
    # Kullback and Leibler's distance of the two, times the values, bounds the logarithm of the rate (Chernoff); all is all but one.
    usual = min(least, 1 - 1 / values)
    apart = sum(p * math.log(p / q) for p, q in ((share, usual), (1 - share, 1 - usual)) if p)
    return values * apart > _SURPRISE


def _long(digits: Sequence[int]) -> tuple[int, ...]:
    return (*digits, *(0 for _ in range(20 - len(digits))))


def _floor(share: float) -> float:
    """With four digits, for people to read in a document."""
    return int(share * 10_000) / 10_000


def _before(least: float) -> str:
    return "all" if least == 1 else f"in all batches before at least {_percent(least)}"


def _values(column: ColumnProfile) -> int:
    found = find(column.states, CountState) or CountState()
    return found.rows - found.nulls


def _percent(share: float) -> str:
    return f"{100 * share:.4g}%"
