"""Whether a text can be parted in two ways by a part of a regular expression that is repeated: a search that backtracks tries all of them.

The part is an automaton of its characters' places (Glushkov, The Abstract Theory of Automata, 1961), whose last places lead to its first
ones. There are exponentially many ways just when two of the paths from a place back to it read the same text (Weber and Seidl, On the
Degree of Ambiguity of Finite Automata, TCS 1991, criterion EDA): each place of a part that is repeated leads back to itself.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from avh_ui.metrics.regex_parts import Aside, Either, One, Part, Repeated, Row

# A part that is repeated so often at most stands so often; more of it is as ambiguous (`x{4}` is not `x{3,}`, and hardly `x{9}` `x{8,}`).
_COPIES = 8
# So many steps are made, and pairs of steps tried, before the question is given up: less than a second in all. A list of 440 values that
# is repeated has as many steps.
_MADE, _TRIED = 200_000, 1_000_000


class _TooLargeError(Exception):
    """A part has more places or steps than are looked at."""


@dataclass(frozen=True)
class _Ends:
    """Where a part may begin and end, and whether it may take nothing."""

    nothing: bool
    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()


@dataclass
class _Places:
    """The places of a part's characters, and the steps between them; each step has the number of what it was made by."""

    bits: list[int] = field(default_factory=list)
    steps: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    made: int = 0
    left: int = _MADE

    def join(self, last: tuple[int, ...], first: tuple[int, ...]) -> int:
        self.made += 1
        self.left -= len(last) * len(first) + 1
        if self.left < 0:
            raise _TooLargeError
        for place in last:
            self.steps[place] += [(after, self.made) for after in first]
        return self.made

    def add(self, part: Part) -> _Ends:
        """Adds a part's places."""
        if isinstance(part, One):
            self.bits.append(part.bits)
            return _Ends(False, (len(self.bits) - 1,), (len(self.bits) - 1,))
        if isinstance(part, Aside):
            return _Ends(True)
        if isinstance(part, Either):
            found = [self.add(inner) for inner in part.parts]
            return _Ends(any(e.nothing for e in found), sum((e.first for e in found), ()), sum((e.last for e in found), ()))
        if isinstance(part, Row):
            ends = _Ends(True)
            for inner in part.parts:
                ends = self._followed(ends, self.add(inner))
            return ends
        return self._repeated(part)

    def _followed(self, before: _Ends, after: _Ends) -> _Ends:
        self.join(before.last, after.first)
        return _Ends(
            before.nothing and after.nothing,
            before.first + (after.first if before.nothing else ()),
            (before.last if after.nothing else ()) + after.last,
        )

    def _repeated(self, part: Repeated) -> _Ends:
        """As often as it must be, and then as often as it may be: `x{2,4}` is `xx(x(x)?)?`, and `x{2,}` is `xx+`."""
        least, rest = min(part.least, _COPIES), _Ends(True)
        if part.most is None:
            again = self.add(part.part)
            self.join(again.last, again.first)
            least, rest = max(least - 1, 0), _Ends(again.nothing or part.least == 0, again.first, again.last)
        for _ in range(min(part.most or 0, _COPIES) - least):
            more = self._followed(self.add(part.part), rest)
            rest = _Ends(True, more.first, more.last)
        ends = _Ends(True)
        for _ in range(least):
            ends = self._followed(ends, self.add(part.part))
        return self._followed(ends, rest)


def ambiguous(part: Part, between: bool = False) -> bool:
    """Whether the repetitions of a part can take the same text in two ways, as `a+` can: `(a+)+`; False where that takes too long to say.

    `between`: in two ways that part it between the repetitions at different characters: not so `(b(a|aa)+)+`.
    """
    places = _Places()
    try:
        ends = places.add(part)
        again = places.join(ends.last, ends.first)
        return _parted(places, again if between else None)
    except _TooLargeError:
        return False


def _parted(places: _Places, again: int | None) -> bool:
    """Whether two paths part and meet, step by step: from each pair of places that the same text leads to, and whether they differed."""
    seen = {(place, place, False) for place in range(len(places.bits))}
    todo, tried = list(seen), 0
    while todo:
        one, other, differed = todo.pop()
        for after, by in places.steps[one]:
            tried += len(places.steps[other])
            if tried > _TRIED:
                raise _TooLargeError
            for beside, by_other in places.steps[other]:
                if not places.bits[after] & places.bits[beside]:
                    continue
                differ = differed or ((by == again) != (by_other == again) if again else (after, by) != (beside, by_other))
                if differ and after == beside:
                    return True
                if (after, beside, differ) not in seen:
                    seen.add((after, beside, differ))
                    todo.append((after, beside, differ))
    return False
