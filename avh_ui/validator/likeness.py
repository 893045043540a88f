"""Which earlier incident one is like: in its columns, and in what alarmed to which side."""

from __future__ import annotations

from collections.abc import Iterable

from avh_ui.history.series import batch_order
from avh_ui.validator.incidents import Incident


def nearest_like(incident: Incident, others: Iterable[Incident]) -> Incident | None:
    """The earlier incident that is most like it: in columns, and in what alarmed to which side; of equally like ones the newest. None where
    none shares half of either, or a column: that another column's average rose, too, is no likeness.
    """
    before, columns = batch_order(incident.since), set(incident.columns)
    earlier = [one for one in others if batch_order(one.since) < before and columns & set(one.columns)]
    ranked = [(likeness(incident, one), batch_order(one.since), one) for one in earlier]
    score, _, found = max(ranked, key=lambda ranking: ranking[:2], default=(0.0, (), None))
    return found if score >= 0.5 else None


def likeness(one: Incident, other: Incident) -> float:
    """How much two incidents have in common, 0 to 1: the mean of the shared shares of their columns and of their kinds of failures."""
    columns = [set(some.columns) for some in (one, other)]
    kinds = [{(alarm.name, alarm.sign) for alarm in some.alarms} for some in (one, other)]
    return sum(len(a & b) / len(a | b) for a, b in (columns, kinds)) / 2
