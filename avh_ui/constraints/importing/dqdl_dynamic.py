"""Dynamic rules of DQDL: bounds from the last runs, such as `avg(last(5)) * 0.8`, as the strategy that says the same (`history.recent`).

What Glue takes as 0 where nothing is known before (`last`) is not evaluated here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from avh_ui.constraints.importing.dqdl_tokens import Reading, Token
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.history.recent import DEVIATION, FIRST, Recent

_OF = {"avg": "mean", "average": "mean", "median": "median", "min": "min", "max": "max", "sum": "sum", "std": DEVIATION}
_ENDS = ("and", "where", "with")
_REASON = "its bound is no multiple of one number of the last runs with an amount added, or with a multiple of their `std`"
# Which side an operator bounds, and whether the bound belongs to it.
_SIDES = {">": [("lower", "lower")], ">=": [("lower", "")], "<": [("upper", "upper")], "<=": [("upper", "")]}


@dataclass(frozen=True)
class Dynamic:
    """`factor` times a number `of` the last `batches` runs (`absolute`: without its sign), `plus` an amount and `spread` times their
    standard deviation; of no run ('') the amount alone.
    """

    of: str
    batches: int
    factor: float
    plus: float
    spread: float = 0.0
    absolute: bool = False

    def times(self, by: float) -> Dynamic:
        """All of it times a number."""
        return replace(self, factor=self.factor * by, plus=self.plus * by, spread=self.spread * by)

    def and_more(self, more: Dynamic) -> Dynamic:
        """The sum of both; `UnreadError` where no strategy is of it."""
        one, other = (more, self) if not self.of or (more.of and self.of == DEVIATION and more.of != DEVIATION) else (self, more)
        spread = one.spread + other.spread
        if other.of:
            if other.of != DEVIATION or other.batches != one.batches or one.of == DEVIATION:
                raise UnreadError(_REASON)
            spread += other.factor
        return replace(one, plus=one.plus + other.plus, spread=spread)


def begins(tokens: Sequence[Token], at: int) -> bool:
    """Whether what is compared with there takes the last runs."""
    depth = 0
    for token in tokens[at:]:
        depth += (token.value in ("(", "[")) - (token.value in (")", "]"))
        if token.kind == "text" or depth < 0 or (depth == 0 and (token.value == "," or token.value.lower() in _ENDS)):
            return False
        if token.kind == "word" and token.value == "last":
            return True
    return False


def read(tokens: Sequence[Token], at: int) -> tuple[Dynamic, int]:
    """The expression there, and the place behind it; `UnreadError` where no strategy says it."""
    reader = _Reader(tokens, at)
    found = reader.sum()
    if not found.of:
        raise UnreadError(_REASON)
    return found, reader.at


def strategies(operator: str, operands: Sequence[Any]) -> list[Recent]:
    """A condition of which an operand is dynamic, as strategies: one for each side of which it is."""
    if operator == "=":
        (one,) = map(_of, operands)
        if one.spread:  # which widens both sides
            return [made for side in ("lower", "upper") for made in _side(one, side, "")]
        return [Recent(one.factor, one.factor, one.of, one.batches, one.plus, absolute=one.absolute)]
    if operator == "between":
        low, high = operands
        return [made for one, end in ((low, "lower"), (high, "upper")) if isinstance(one, Dynamic) for made in _side(one, end, end)]
    if operator not in _SIDES:
        raise UnreadError(f"`{operator}` bounds no side of what the last runs let expect")
    (one,) = map(_of, operands)
    return [made for side, strict in _SIDES[operator] for made in _side(one, side, strict)]


def _of(operand: Any) -> Dynamic:
    if not isinstance(operand, Dynamic):
        raise UnreadError(_REASON)
    return operand


def _side(one: Dynamic, side: str, strict: str) -> list[Recent]:
    lower, upper, deviations = (one.factor, None, -one.spread) if side == "lower" else (None, one.factor, one.spread)
    return [Recent(lower, upper, one.of, one.batches, one.plus, strict, deviations, one.absolute)]


class _Reader(Reading):
    """Reads sums and products."""

    def sum(self) -> Dynamic:
        """Of terms; a negative number behind a term is taken away from it."""
        found = self._product()
        while self.value in ("+", "-") or (self.kind == "number" and self.value.startswith("-")):
            sign = -1 if self.value == "-" else 1
            if self.value in ("+", "-"):
                self.at += 1
            found = found.and_more(self._product().times(sign))
        return found

    def _product(self) -> Dynamic:
        found = self._factor()
        while self.value in ("*", "/"):
            sign = self.take().value
            more = self._factor()
            if (found.of and more.of) or (sign == "/" and (more.of or not more.plus)):
                raise UnreadError(_REASON)
            many, one = (found, more) if found.of or not more.of else (more, found)
            found = many.times(1 / one.plus if sign == "/" else one.plus)
        return found

    def _factor(self) -> Dynamic:
        kind, value = self.kind, self.take().value
        if kind == "number":
            return Dynamic("", 0, 0.0, float(value))
        if value == "(":
            found = self.sum()
            self._close()
            return found
        if value == "abs":
            return self._absolute()
        if value == "index":
            return self._one_of_them()
        if value == "last":
            if (batches := self._last()) > 1:
                raise UnreadError(f"`last({batches})` is a list: say which number of it, such as avg(last({batches}))")
            return Dynamic("mean", 1, 1.0, 0.0)
        if value not in _OF or self.take().value != "(" or self.take().value != "last":
            raise UnreadError(_REASON)
        batches = self._last()
        self._close()
        if batches == 1 and _OF[value] == DEVIATION:
            raise UnreadError("one run has no standard deviation")
        return Dynamic(_OF[value], batches, 1.0, 0.0)

    def _absolute(self) -> Dynamic:
        """`abs(...)` of a multiple of one number, or of an amount."""
        if self.take().value != "(":
            raise UnreadError(_REASON)
        found = self.sum()
        self._close()
        if not found.of:
            return replace(found, plus=abs(found.plus))
        if found.plus or found.spread:
            raise UnreadError("`abs` is taken of a multiple of one number of the last runs, and of no sum")
        return replace(found, factor=abs(found.factor), absolute=found.of != DEVIATION)

    def _one_of_them(self) -> Dynamic:
        """`index(last(k), i)`: the i-th before the newest of the last k, counted from 0."""
        if self.take().value != "(" or self.take().value != "last":
            raise UnreadError(_REASON)
        batches = self._last()
        if self.take().value != "," or self.kind != "number" or not self.value.isdecimal():
            raise UnreadError(_REASON)
        place = int(self.take().value)
        self._close()
        if place >= batches:
            raise UnreadError(f"`last({batches})` has no number {place}: the newest is 0, the oldest {batches - 1}")
        return Dynamic(FIRST if place else "mean", place + 1, 1.0, 0.0)

    def _last(self) -> int:
        """How many runs, in the brackets behind `last`."""
        if self.take().value != "(":
            raise UnreadError(_REASON)
        batches = int(self.take().value) if self.kind == "number" and self.value.isdecimal() else 1
        self._close()
        if batches < 1:
            raise UnreadError(_REASON)
        return batches

    def _close(self) -> None:
        if self.take().value != ")":
            raise UnreadError(_REASON)
