"""How a metric is said in plain words: what it means, and the sentence that a rule on it makes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Wording:
    """Sentences are templates without their full stop: `{column}` is the column's name, `{low}` and `{high}` are the bounds as they read,
    `{not_low}` and `{not_high}` of a share what is missing from them to all.

    `means` is the metric for who has never heard of it. `subject` is what it is of a column (`the mean of {column}`), which makes a
    sentence where no other fits. `{key}` are the columns by which rows are matched, where they are, `{other}` the
    columns beside the first one, and `{added}` these as a sum. The others say a rule: `between` two
    bounds, with the `least` or the `most` alone, `exact` for one value (`whole` for one without a fraction, where that is said
    otherwise), and `at` for a certain one; a `most` up to `slight` says `little`.
    `alike` is the subject where all values are known to be one. `missing` says of a share what of a batch is missing from it to all, as
    `{not_value}`: the nulls of a batch are its fault.
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
    whole: str = ""


def seldom(means: str, subject: str, most: str, never: str) -> Wording:
    """Of what should happen to few rows or none: a bound above, and what it says where nothing of it may happen."""
    return Wording(means, subject, most=most, at={0.0: never})
