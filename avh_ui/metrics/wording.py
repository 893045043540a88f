"""How a metric is said in plain words: what it means, and the sentence that a rule on it makes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

# So many columns a sentence names: a person reads no more of them at once.
_NAMED = 4


@dataclass(frozen=True)
class Wording:
    """Sentences are templates without their full stop: `{column}` is the column's name, `{low}` and `{high}` are the bounds as they read,
    `{not_low}` and `{not_high}` of a share what is missing from them to all; `{points}` is the upper one in points of a share.

    `means` is the metric for who has never heard of it. `subject` is what it is of a column (`the mean of {column}`), which makes a
    sentence where no other fits. `{key}` are the columns by which rows are matched, where they are, `{other}` the columns beside the first
    one, `{columns}` all of them, few by name, `{added}` these as a sum, and `{times}` by how much. The others say a rule: `between` two
    bounds, with the `least` or the `most` alone, `exact` for one value (`whole` for one without a fraction, where that is said otherwise),
    and `at` for a certain one, `above` for what is more than a certain one; a `most` up to `slight` says `little`.
    `each` says `exact` of as many values as a closed set of the column has. `alike` is the subject where all values are known to be one.
    `missing` says of a share what of a batch is missing from it to all, as `{not_value}`: the nulls of a batch are its fault. `moved` is
    which share of the rows a distance is at most, said as `{moved}` of the upper bound. `sized` is the most where it is known how large the
    numbers are that it is told of, as so `{far}` in their unit; `lately` where they were so `{large}` of late alone. `told` is what an
    upper bound comes to for who reads it, as `{told}`.
    """

    means: str
    subject: str
    between: str = ""
    least: str = ""
    most: str = ""
    exact: str = ""
    at: Mapping[float, str] = field(default_factory=dict)
    missing: str = ""
    little: str = ""
    slight: float = -math.inf
    alike: str = ""
    each: str = ""
    sized: str = ""
    lately: str = ""
    above: Mapping[float, str] = field(default_factory=dict)
    moved: Callable[[float], float] | None = None
    whole: str = ""
    told: Callable[[float], str] | None = None


def few_names(names: Sequence[str]) -> str:
    """Names as a sentence has them: `a, b and c`, and of many the first: `a, b, c and 6 more`."""
    *first, last = names[:_NAMED] if len(names) <= _NAMED else (*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more")
    return f"{', '.join(first)} and {last}" if first else last


def seldom(means: str, subject: str, most: str, never: str) -> Wording:
    """Of what should happen to few rows or none: a bound above, and what it says where nothing of it may happen."""
    return Wording(means, subject, most=most, at={0.0: never})
