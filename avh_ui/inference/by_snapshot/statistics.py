"""Rules that a statistic stays exactly as it was: HasMin, HasMax, HasMean, HasStandardDeviation, HasMinLength and HasMaxLength."""

from __future__ import annotations

from collections.abc import Callable

from avh_ui.constraints.constraint import number
from avh_ui.inference.by_snapshot.rule import Finding, Rule, quoted
from avh_ui.inference.by_snapshot.snapshot import Snapshot

# Values closer than this share of their size are the same value computed in another order of summation.
_NOISE = 1e-10
# Extremes are not summed.
_EXACT = ("HasMin", "HasMax")


def _equal(name: str, metric: str, statistic: str, read: Callable[[Snapshot], float | None]) -> Rule:
    # Deequ's own HasMean states the maximum (a defect); here it is the mean.
    def find(s: Snapshot) -> Finding | None:
        value = read(s)
        if s.kind != "numeric" or value is None:
            return None
        noise = 0.0 if name in _EXACT else _NOISE * abs(value)
        code = f".{name[0].lower()}{name[1:]}({quoted(s.column)}, _ == {value})"
        return Finding(metric, value - noise, value + noise, code, f"the {statistic} is {number(value)}", f"{statistic}: {value}")

    return Rule(name, f"the {statistic} stays as it is", find)


def _min_length(s: Snapshot) -> Finding | None:
    if s.shortest is None:
        return None
    words, current = f"no value is shorter than {s.shortest:g} characters", f"MinLength: {s.shortest:g}"
    return Finding("min_length", s.shortest, None, f".hasMinLength({quoted(s.column)}, _ >= {s.shortest})", words, current)


def _max_length(s: Snapshot) -> Finding | None:
    if s.longest is None:
        return None
    words, current = f"no value is longer than {s.longest:g} characters", f"MaxLength: {s.longest:g}"
    return Finding("max_length", None, s.longest, f".hasMaxLength({quoted(s.column)}, _ <= {s.longest})", words, current)


HAS_MIN = _equal("HasMin", "min", "minimum", lambda s: s.minimum)
HAS_MAX = _equal("HasMax", "max", "maximum", lambda s: s.maximum)
HAS_MEAN = _equal("HasMean", "mean", "mean", lambda s: s.mean)
HAS_STANDARD_DEVIATION = _equal("HasStandardDeviation", "standard_deviation", "standard deviation", lambda s: s.deviation)
HAS_MIN_LENGTH = Rule("HasMinLength", "no value is shorter than the shortest one", _min_length)
HAS_MAX_LENGTH = Rule("HasMaxLength", "no value is longer than the longest one", _max_length)
