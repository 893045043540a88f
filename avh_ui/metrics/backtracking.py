r"""Whether a regular expression can be read at all, and whether a search that backtracks could take exponential time for it.

RE2 never backtracks, and Java remembers where a repeated group has failed (since 9) unless the pattern refers back to a group: Java 17
searched 30 letters by `(a|aa)+\1$` for 2.4 seconds, and each letter more took half as long again. It does not remember lazy repetitions,
nor those of a group within one that is repeated itself: 24 letters by `^(a+?)+?$` or `^(([a-z]+)*)*$`, and 32 by `^((a|aa)+)+$`, took more
than 1.5 seconds.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable

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
# An escape, a set, a count, the start of a group, or any other character.
_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<count>[*+?]|\{(?P<least>\d*)(?P<comma>,)?(?P<most>\d*)\})|(?P<other>.)", re.DOTALL)
# `\1`, `\k<name>` and Python's `(?P=name)`: what a group has matched, which stands behind it.
_BACK = re.compile(r"(?<!\\)(?:\\\\)*(?:\\[1-9]|\\k<|\(\?P=)")
# How a group begins that says more of itself.
_OPENED = re.compile(r"(?<!\\)\(\?(?:[a-zA-Z-]*:|<?[=!]|>|P?<\w+>)")
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
    """Whether a group that holds an alternative or a part of variable length is repeated without end, as in `(a+)+`: there are as many
    ways to fail as to part the text. `(a+b)+` is taken for one too, though what stands between tells where each repetition ends.
    """
    varies, closed = [False], False
    for part in _PART.finditer(pattern):
        if part["count"]:
            endless = part["count"] in "*+" or bool(part["comma"] and not part["most"])
            if endless and closed:
                return True
            varies[-1] |= endless or part["count"] == "?" or (part["least"] != part["most"] and bool(part["comma"]))
        closed = False
        if part["other"] == "(":
            varies.append(False)
        elif part["other"] == ")" and len(varies) > 1:
            closed = varies.pop()
            varies[-1] |= closed
        elif part["other"] == "|":
            varies[-1] = True
    return False


def endless(pattern: str) -> bool:
    """Whether Java could take exponential time as well: what `explodes`, and refers back to a group or is repeated where Java forgets."""
    return explodes(pattern) and (_BACK.search(pattern) is not None or _forgotten(pattern))


def _forgotten(pattern: str) -> bool:
    """Whether a group that varies is repeated without end lazily, or as all that a group holds which is repeated without end itself."""
    # Of each open group: whether it varies, whether it holds such a repetition, and how many parts beside that must be there.
    groups, closed = [[False, False, 0]], (False, False)
    parts = list(_PART.finditer(_OPENED.sub("(", pattern)))
    for part, after in zip(parts, [*(p[0] for p in parts[1:]), ""], strict=True):
        varies, repeats, needed = groups[-1]
        if part["count"]:
            endless = part["count"] in "*+" or bool(part["comma"] and not part["most"])
            group, alone = closed
            if endless and group and after != "+" and (after == "?" or alone):
                return True
            optional = part["count"] in "*?" or part["least"] == "0"
            ranged = part["count"] == "?" or bool(part["comma"] and part["least"] != part["most"])
            whole = endless and group and after != "+"
            groups[-1] = [varies or endless or ranged, repeats or whole, needed - (optional or whole)]
            closed = (False, False)
            continue
        closed = (False, False)
        if part["other"] == "(":
            groups.append([False, False, 0])
        elif part["other"] == ")" and len(groups) > 1:
            closed = (bool(varies), bool(repeats) and needed <= 0)
            groups.pop()
            groups[-1][0], groups[-1][2] = groups[-1][0] or varies, groups[-1][2] + 1
        elif part["other"] == "|":
            groups[-1] = [True, repeats, 0]
        else:
            groups[-1][2] = needed + (part[0] not in "^$")
    return False


def endless_in(conditions: Iterable[str]) -> str | None:
    """Which of some SQL conditions (or queries) could make Java search for exponential time, in a sentence; None where none could.

    A pattern that a function puts together, or that comes from a column, is not looked at.
    """
    for condition in conditions:
        if _SEARCHES.search(condition) and (pattern := next(filter(endless, texts_in(condition)), None)) is not None:
            return (
                f"{condition!r} searches by {pattern!r}, which can take exponential time: a group that varies is repeated without end, and "
                "the pattern refers back to a group, repeats it lazily (`+?`), or repeats a group that holds nothing else. "
                "Repeat it once, and not lazily."
            )
    return None
