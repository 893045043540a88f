r"""Whether a regular expression can be read at all, and whether a search that backtracks could take exponential time for it.

RE2 never backtracks, and Java remembers where a repeated group has failed (since 9) unless the pattern refers back to a group: Java 17
searched 30 letters by `(a|aa)+\1$` for 2.4 seconds, and each letter more took half as long again. It does not remember lazy repetitions,
repetitions with a highest count (`(a+){1,40}$`), nor those of a group within one that is repeated itself: 24 letters by `^(a+?)+?$` or
`^(([a-z]+)*)*$`, and 32 by `^((a|aa)+)+$`, took more than 1.5 seconds.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator

from avh_ui.metrics.ambiguity import ambiguous
from avh_ui.metrics.regex_parts import Part, Repeated, parts_of, repetitions_in, ways
from avh_ui.metrics.sql.lexing import texts_in

# What Python says of a text that no engine reads. What else it refuses (`\\p{Alpha}`, `\\h`, a set of sets) Java may read.
_BROKEN = (
    "unterminated character set",
    "missing ), unterminated",
    "unbalanced parenthesis",
    "nothing to repeat",
    "min repeat greater",
    "bad escape (end of",
)
# `\1`, `\k<name>` and Python's `(?P=name)`: what a group has matched, which stands behind it.
_BACK = re.compile(r"(?<!\\)(?:\\\\)*(?:\\[1-9]|\\k<|\(\?P=)")
# So many repetitions of an ambiguous part are many: 60 letters are parted by `([A-Za-z]+ ?){1,5}` in half a million ways, and by six in
# millions: Java 17 took 0.8 s and more than 2 s.
_OFTEN = 6
# What is limited in itself can be parted in so many ways at least before it is too many: `(a|aa){1,19}` in a million.
_MANY_WAYS = 1e6
# Spark's functions that search by a regular expression.
_SEARCHES = re.compile(r"\b(?:rlike|regexp\w*|split)\b", re.IGNORECASE)


def broken(pattern: str) -> bool:
    r"""Whether no engine reads it: a set or a group is not closed, nothing stands before `*`, or a backslash at the end.

    What is quoted by `\Q` may hold all of these, and is left to the engine.
    """
    if r"\Q" in pattern:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except re.error as error:
        return error.msg.startswith(_BROKEN)
    return False


def explodes(pattern: str) -> bool:
    """Whether a part that can take one text in two ways is repeated without end or often, as in `(a+)+`, `(a+){6}` or
    `([a-z]+ ?){1,20}`: there are as many ways to fail as to part the text.
    """
    return next(_explosive(parts_of(pattern)), None) is not None


def endless(pattern: str) -> bool:
    """Whether Java could take exponential time as well: what `explodes`, and refers back to a group or is repeated where Java forgets."""
    tree = parts_of(pattern)
    return any(_BACK.search(pattern) is not None or _forgotten(repeated, around) for repeated, around in _explosive(tree))


def _explosive(tree: Part) -> Iterator[tuple[Repeated, tuple[Repeated, ...]]]:
    """The repetitions that can be parted in exponentially many ways, with those around each."""
    for repeated, around in repetitions_in(tree):
        often = repeated.most is None or (repeated.most >= _OFTEN and ways(repeated) >= _MANY_WAYS)
        if often and repeated.of_group and not repeated.possessive and ambiguous(repeated.part):
            yield repeated, around


def _forgotten(repeated: Repeated, around: tuple[Repeated, ...]) -> bool:
    """Whether Java does not remember where it has failed: it is lazy, or has a highest count, or one around it comes back to the same
    character after different repetitions.
    """
    if repeated.lazy or repeated.most is not None:
        return True
    return any((outer.most is None or outer.most > 1) and not outer.possessive and ambiguous(outer.part, between=True) for outer in around)


def endless_in(conditions: Iterable[str]) -> str | None:
    """Which of some SQL conditions (or queries) could make Java search for exponential time, in a sentence; None where none could.

    A pattern that a function puts together, or that comes from a column, is not looked at.
    """
    for condition in conditions:
        if _SEARCHES.search(condition) and (pattern := next(filter(endless, texts_in(condition)), None)) is not None:
            return (
                f"{condition!r} searches by {pattern!r}, which can take exponential time: what is repeated can take one text in two "
                "ways, and Java tries them all where it is repeated lazily (`+?`), with a highest count, within another repetition, or "
                "beside a reference back to a group. Say what stands between the repetitions, or repeat it at most 5 times."
            )
    return None
