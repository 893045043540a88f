"""Whether rules can hold together, and fail: what people state is refused before it is kept where no table could keep it, or break it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise

from avh_ui.constraints.bounds import Bounds
from avh_ui.constraints.check import Check
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.reading import NONCONFORMING, Reader, percent
from avh_ui.constraints.transforms import IDENTITY, Transform
from avh_ui.errors import ConstraintError, UsageError
from avh_ui.metrics.catalogue import named
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric


def refuse_contradictions(checks: Sequence[Check], standing: Iterable[Constraint] = ()) -> None:
    """`UsageError` for a rule that is there twice, that no table can keep, or that contradicts another, of these or of those that stand."""
    seen: dict[str, Check] = {}
    for check in checks:
        key = check.constraint().key
        if key in seen:
            raise UsageError(f"The rule `{check}` is there twice.", hint="State it once.")
        seen[key] = check
        if check.bounds.strategy is None and not _possible(check.measure, [check.bounds]):
            raise UsageError(f"No table keeps the rule `{check}`.", hint=_can_be(check.measure))
    # What follows from the history is another on each batch.
    stated = [(check.measure, check.bounds, str(check)) for check in checks if check.bounds.strategy is None]
    stand = [(c.measure, c.bounds, c.title) for c in standing if c.bounds is not None]
    for one, other in (*combinations(stated, 2), *((new, old) for new in stated for old in stand)):
        if one[0] == other[0] and not _possible(one[0], [one[1], other[1]]):
            raise UsageError(f"The rules `{one[2]}` and `{other[2]}` contradict each other.", hint="Leave out one of them.")


def refuse_idle(constraint: Constraint, *, beside: str = "") -> None:
    """`ConstraintError` for a rule that no batch could break, as at most 100%; `beside` is what else can be done than to give a bound."""
    if can_be := never_fails(constraint):
        of = constraint.metric if constraint.worded else constraint.subject
        raise ConstraintError(
            f"With these bounds the rule never alarms: {of} is always {can_be}.",
            hint=f"Give a bound that a batch can break{beside}.",
        )


def refuse_beyond(constraint: Constraint, bounds: Sequence[float | None], *standing: Sequence[float | None]) -> None:
    """`UsageError` for a bound of a share below nothing or above all, unless it is one of those that stand: some that were learned are."""
    reader = Reader.of(constraint)
    of_share = reader.of_share or (constraint.metric == NONCONFORMING and constraint.transform == IDENTITY)
    lowest, highest = (reader.lowest, reader.highest) if reader.of_share else (0.0, 1.0)
    for name, bound, *known in zip(("lower", "upper"), bounds, *standing, strict=True):
        if of_share and bound is not None and bound not in known and not lowest <= bound <= highest:
            raise UsageError(
                f"The {name} bound {bound:g}, which is {percent(bound)}, is no share.",
                hint=f"Give a number between {lowest:g} and {highest:g}, which are {percent(lowest)} and {percent(highest)}.",
            )


def never_fails(constraint: Constraint) -> str:
    """What the metric of a constraint can be at all, where no value that it can have breaks the bounds ('' otherwise): `at least 0%`."""
    bounds, reads = constraint.bounds, Reader.of(constraint).value
    if bounds is None or bounds.strict or bounds.outside or constraint.strategy is not None:
        return ""
    lowest, highest = (0.0, 1.0) if constraint.metric == NONCONFORMING else _range(constraint.measure)
    least, most = _transformed(constraint.transform, lowest, highest)
    above, below = (bounds.lower is None or bounds.lower <= least), (bounds.upper is None or bounds.upper >= most)
    ends = [f"at {word} {reads(end)}" for word, end in (("least", lowest), ("most", highest)) if math.isfinite(end)]
    return " and ".join(ends) if above and below else ""


def _transformed(transform: Transform, lowest: float, highest: float) -> tuple[float, float]:
    """Between what values lie that lie between these before the transform."""
    if transform.from_id:
        return -math.inf, math.inf
    least, most = (math.log1p(end) if transform.log and end > -1 else end for end in (lowest, highest))
    return (least - most, most - least) if transform.lag else (least, most)


def _possible(measure: Measure, bounds: Sequence[Bounds]) -> bool:
    """Whether some value that the measure can have keeps all of the bounds.

    Between two neighbours among all ends nothing changes, so that one value between each two, and the ends themselves, tell.
    """
    lowest, highest = _range(measure)
    ends = sorted(
        {b for one in bounds for b in (one.lower, one.upper) if b is not None} | {x for x in (lowest, highest) if math.isfinite(x)}
    )
    tried = [ends[0] - 1, *ends, *((a + b) / 2 for a, b in pairwise(ends)), ends[-1] + 1]
    if any(metric.whole for metric in _declared(measure)):
        tried = [float(whole) for end in ends if abs(end) < 2**53 for whole in range(math.floor(end) - 1, math.ceil(end) + 2)] or tried
    return any(lowest <= value <= highest and all(one.holds(value) for one in bounds) for value in tried)


def _can_be(measure: Measure) -> str:
    lowest, highest = _range(measure)
    ends = [f"at {word} {end:g}" for word, end in (("least", lowest), ("most", highest)) if math.isfinite(end)]
    whole = "a whole number" if any(metric.whole for metric in _declared(measure)) else "a number"
    return f"{measure.name} is {whole}, {' and '.join(ends)}." if ends else f"{measure.name} is {whole}."


def _range(measure: Measure) -> tuple[float, float]:
    declared = _declared(measure)
    lows, highs = [metric.lowest for metric in declared], [metric.highest for metric in declared]
    return min(lows, default=-math.inf), max(highs, default=math.inf)


def _declared(measure: Measure) -> tuple[Metric, ...]:
    return named(measure.name)
