"""All suggestion rules: one line each, in Deequ's order (`Rules.EXTENDED`)."""

from __future__ import annotations

from avh_ui.inference.by_snapshot import domains, presence, statistics
from avh_ui.inference.by_snapshot.rule import Rule

RULES: tuple[Rule, ...] = (
    presence.COMPLETE_IF_COMPLETE,
    presence.RETAIN_COMPLETENESS,
    domains.RETAIN_TYPE,
    domains.CATEGORICAL_RANGE,
    domains.FRACTIONAL_CATEGORICAL_RANGE,
    domains.NON_NEGATIVE_NUMBERS,
    presence.UNIQUE_IF_APPROXIMATELY_UNIQUE,
    statistics.HAS_MIN,
    statistics.HAS_MAX,
    statistics.HAS_MEAN,
    statistics.HAS_STANDARD_DEVIATION,
    statistics.HAS_MIN_LENGTH,
    statistics.HAS_MAX_LENGTH,
)
