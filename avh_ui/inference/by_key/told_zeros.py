"""Suggesting that a large number does not become 0 but where another column says it: stock is 0 exactly where the status is out.

Of such a column any bound on rows that became 0 alarms on the day on which a dearer article than ever is sold out; and where some row
does so each day, as interest is 0 on the day of payment, no such bound is found. Beside the rows in which the other column says 0 the
column is held to no mistakes at all. That 0 stands beside 0 says nothing: who delivers nothing delivers it in all columns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np

from avh_ui.constraints.evidence import Proposal
from avh_ui.constraints.segment_conditions import named
from avh_ui.constraints.sql_text import literal
from avh_ui.errors import ConstraintError
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Law, Pair, held
from avh_ui.inference.by_key.nearly_carried import LEAST_ROWS, numbered
from avh_ui.inference.by_key.row_issues import column_issues
from avh_ui.inference.by_relation.cells import MOST_NAMES
from avh_ui.inference.by_relation.sides import DIFFERENT
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.metrics.by_key import FALLEN, SPOILED
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matched_parts import rows_where
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import SampledValues

# A person reads each.
MOST = 6
# A column of numbers above 0 that says the 0.
_NOTHING = " = 0"
_Values = set[bytes]
_Of = Callable[[SampledValues], Mask]


def suggest(pairs: Sequence[Pair], key: Sequence[str], budget: Budget, watch: Watch, seed: int, *, but: Collection[str]) -> Proposed:
    """The rules on columns of whose zeros another one tells, none of those in `but`."""
    proposals, left_out = list[Proposal](), list[LeftOut]()
    if len(pairs) < LEAST_BATCHES or pairs[-1].ours.hashed:
        return Proposed()
    for name, zero in _with_zeros(pairs, but):
        watch.check()
        where = next(_told_by(pairs, name, zero), "")
        if not where or len({p.constraint.measure.columns for p in proposals}) == MOST:
            continue
        found = _rules(name, where, pairs, key, budget, seed)
        proposals += [made for _, made in found if isinstance(made, Proposal)]
        # That a column falls is no news.
        wanted = ((of, made) for of, made in found if of.name == SPOILED.name)
        left_out += [{"column": of.subject, "metric": of.name, "reason": made} for of, made in wanted if isinstance(made, str)]
    return Proposed(proposals, left_out)


def _rules(
    name: str, where: str, pairs: Sequence[Pair], key: Sequence[str], budget: Budget, seed: int
) -> list[tuple[Measure, Proposal | str]]:
    """That beside these rows none is a mistake, and that none falls, as days that pass until a bill is paid. Not where a number says the 0:
    where days failed in between, what was paid on one of them fell, and is paid no more.
    """
    found = list[tuple[Measure, Proposal | str]]()
    for metric in (SPOILED, FALLEN) if not where.endswith(_NOTHING) else (SPOILED,):
        measure = Measure(metric.name, (name,), where, (("key", tuple(key)),))
        try:
            # Most columns fall every day.
            if metric is FALLEN and _broken(measure, pairs[-1]):
                continue
            found.append((measure, held(Law(metric, measure, tried_within(metric, measure, pairs[-1], seed), at=0.0), pairs, budget)))
        except ConstraintError as error:
            found.append((measure, str(error)))
    return found


def _with_zeros(pairs: Sequence[Pair], but: Collection[str]) -> Iterator[tuple[str, list[Mask]]]:
    """The columns of numbers that are 0 in enough rows, of several keys, and in which rows of each batch; latest first."""
    for name in numbered(pairs[-1].ours):
        if name in but or any(name not in pair.ours.columns for pair in pairs):
            continue
        zero = [np.asarray(pair.ours.column(name).numbers == 0) for pair in reversed(pairs)]
        hashes = [pair.ours.hashes[there] for pair, there in zip(reversed(pairs), zero, strict=True)]
        if sum(map(len, hashes)) >= LEAST_ROWS and len(np.unique(np.concatenate(hashes))) >= DIFFERENT:
            yield name, zero


def _told_by(pairs: Sequence[Pair], name: str, zero: Sequence[Mask]) -> Iterator[str]:
    """The conditions of the rows in which it may not be 0, by columns that are exactly so where it is; plain ones first."""
    samples = [pair.ours for pair in reversed(pairs)]
    others = [other for other in samples[0].columns if other != name and other not in samples[0].by]
    others = [other for other in others if all(other in sample.columns for sample in samples)]
    known = [np.asarray(~sample.column(name).is_null) for sample in samples]
    for other in others:
        if not samples[0].column(other).numeric and (values := _values(samples, other, zero, known)):
            texts = [literal(value.decode()) for value in sorted(values)]
            yield f"{named(other)} <> {texts[0]}" if len(texts) == 1 else f"{named(other)} NOT IN ({', '.join(texts)})"
    for other in others:
        if _always(samples, other, zero, known, lambda values: np.asarray(values.numbers > 0)):
            yield f"{named(other)}{_NOTHING}"
    for other in others:
        if _always(samples, other, zero, known, lambda values: values.is_null):
            yield f"{named(other)} IS NOT NULL"


def _values(samples: Sequence[RowSample], other: str, zero: Sequence[Mask], known: Sequence[Mask]) -> _Values:
    """The few texts that stand beside 0 and beside nothing else; none where some stand beside both, or a 0 beside none."""
    so, never = _Values(), _Values()
    for sample, there, has in zip(samples, zero, known, strict=True):
        codes, names = sample.column(other).own
        if np.any(codes[there] < 0):
            return _Values()
        so |= {*names.take(np.unique(codes[there])).to_pylist()}
        beside = codes[has & ~there]
        never |= {*names.take(np.unique(beside[beside >= 0])).to_pylist()}
        if so & never or len(so | never) > MOST_NAMES:
            return _Values()
    return so if never and all(_is_text(value) for value in so) else _Values()


def _is_text(value: bytes) -> bool:
    try:
        return bool(value.decode())
    except UnicodeDecodeError:
        return False


def _always(samples: Sequence[RowSample], other: str, zero: Sequence[Mask], known: Sequence[Mask], of: _Of) -> bool:
    """Whether the other column is so exactly where there is a 0."""
    return all(np.array_equal(of(sample.column(other))[has], there[has]) for sample, there, has in zip(samples, zero, known, strict=True))


def _broken(measure: Measure, pair: Pair) -> bool:
    (name,), where = measure.columns, measure.where or ""
    return FALLEN.between(*(Matched(rows_where(side, where), name) for side in (pair.ours, pair.theirs))) > 0


def tried_within(metric: Metric, measure: Measure, pair: Pair, seed: int) -> dict[str, bool]:
    """The faults of the rows for which the condition of a measure is true, and which of them happen to a row by the metric."""
    (name,), where = measure.columns, measure.where or ""
    ours, theirs = (Matched(rows_where(side, where), name) for side in (pair.ours, pair.theirs))
    spoiled = column_issues(ours, theirs, seed, within=False)
    return {issue: metric.between(one, theirs) > 0 for issue, one in spoiled.items()}
