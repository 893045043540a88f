"""Conditions that no rule can be made of, on whichever engine: the same row has another answer at each look, or all rows the same one."""

from __future__ import annotations

import re
from collections.abc import Iterable

# What is between quotes says nothing of how a condition is told: texts, and names of columns, of which a sign is left; then comments.
_TEXTS = re.compile(r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*\"""", re.DOTALL)
_NAMES, _COMMENTS = re.compile(r"`(?:[^`]|``)*`"), re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
# Functions of Spark that tell something else of the same row each time, or of where it lies while it is read.
_RANDOM = re.compile(
    r"(?<![.`])\b(rand|random|randn|randstr|uniform|uuid|shuffle|monotonically_increasing_id|spark_partition_id|"
    r"input_file_name|input_file_block_start|input_file_block_length)\s*\(",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z_`]\w*")
_CONSTANTS = frozenset({"true", "false", "null", "and", "or", "not", "is", "in", "between", "like"})


def unfit(conditions: Iterable[str], predicate: object = None) -> str | None:
    """Which of some SQL conditions is told anew at each look, in a sentence; None where none is. What rows are held to, the `predicate`,
    may not be the same for all of them either. Other tables that a query in a condition looks at are Spark's session's.

    `current_date()` and `now()` are let through: they are one value for all rows of a look, and rules of a batch's age need them.
    """
    for condition in conditions:
        if found := _RANDOM.search(_plain(condition)):
            return (
                f"{condition!r} calls {found[1].lower()}, which says something else of the same row at each look, so that no verdict could "
                "be told again. Name columns alone."
            )
    return _constant(str(predicate)) if predicate is not None else None


def _constant(condition: str) -> str | None:
    """Whether it names no column and calls nothing: `true`, `1 = 1`."""
    words = {word.lower() for word in _WORD.findall(_plain(condition))}
    if not condition.strip() or words - _CONSTANTS:
        return None
    return f"{condition!r} names no column, and is the same for every row. Say what must be true of a row, such as `price > 0`."


def _plain(condition: str) -> str:
    return _COMMENTS.sub(" ", _NAMES.sub("`name`", _TEXTS.sub("''", condition)))
