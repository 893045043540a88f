"""Alarms: results of a run that alarm, with what tells which of them are of one event (`validator.incidents`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from avh_ui.constraints.constraint import Status, Verdict
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import declaration_of
from avh_ui.constraints.surprise import delivered_before
from avh_ui.metrics.measure import subject_by
from avh_ui.metrics.moved import NAMED
from avh_ui.metrics.type_names import ROWS
from avh_ui.validator.results import Outcome, RuleResult
from avh_ui.validator.row_table import in_conditions
from avh_ui.validator.run import Run
from avh_ui.validator.stale import RULE as STALE

# What a moved row's sample has between its value before and after (`metrics.moved.MovedRow`).
ARROW = " → "


@dataclass(frozen=True)
class Alarm:
    """A result that alarms (`Outcome.alarms`). `key` is what was judged (`Outcome.key`), `sign` 1 above its bounds, -1 below, else 0.

    `bad` is how many rows break it (None: not counted), `rows` the keys of those that were named, `among` the values of other columns that
    tell these rows from the rest, `observed` the value of `name`. What is `of_rows` follows from the number of rows: it, and what grows
    with it. A rule of no single column is `called` by its words, quoted. `of` are the columns that its rule looks at: of rows matched by
    key and of conditions, too, whose `column` is no column's name. An `old` one says that the batch was delivered before.
    """

    batch: str
    key: str
    column: str
    name: str
    status: Status
    sign: int = 0
    bad: int | None = None
    rows: frozenset[str] = frozenset()
    among: frozenset[tuple[str, str | None]] = frozenset()
    observed: float | None = None
    of_rows: bool = False
    called: str = ""
    of: tuple[str, ...] = ()
    old: bool = False
    beyond: float = 0.0

    @property
    def place(self) -> str:
        """Where people look for it: its column ('' is the table), or its rule in words."""
        return self.called or self.column

    @property
    def all_named(self) -> bool:
        """Whether `rows` are all that break it, and not the first of more."""
        return bool(self.rows) and (len(self.rows) < NAMED if self.bad is None else len(self.rows) >= self.bad)

    def elsewhere(self, other: Alarm) -> bool:
        """Whether both are known to be of other rows: those of two countries, or, of two rules, of no key in common."""
        apart = bool(self.among and other.among and not self.among & other.among)
        return apart or (self.key != other.key and self.all_named and other.all_named and not self.rows & other.rows)

    def goes_on(self, before: Alarm) -> bool:
        """Whether the same happens still: to the same side, and not to other rows."""
        return self.sign == before.sign and not self.elsewhere(before)


@dataclass(frozen=True)
class Judged:
    """The newest run of a batch: its alarms, and the keys that could not be told there. Of a batch that was not `measured` none can."""

    batch: str
    alarms: tuple[Alarm, ...] = ()
    unknown: frozenset[str] = frozenset()
    measured: bool = True

    @classmethod
    def of(cls, run: Run) -> Judged:
        """Of a run with its sentences."""
        return judged(run.batch, run.row_count, run.results)


def judged(batch: str, rows: int | None, results: Sequence[RuleResult | Verdict]) -> Judged:
    """What a run says of incidents, from its results (those that passed may be left out); of no rows only the reason is an alarm."""
    alarms, unknown = [], set()
    for result in results:
        about = Outcome.of(result)
        if about.alarms(rows):
            alarms.append(_alarm(batch, about, result))
        elif result.status == "not_evaluated":
            unknown.add(about.key)
    known = sorted({name for alarm in alarms for name in alarm.of})
    alarms = [alarm if alarm.of else replace(alarm, of=tuple(in_conditions(known, alarm.column))) for alarm in alarms]
    return Judged(batch, tuple(sorted(alarms, key=lambda alarm: (alarm.column, alarm.key))), frozenset(unknown), measured=bool(rows))


def _alarm(batch: str, about: Outcome, result: RuleResult | Verdict) -> Alarm:
    if isinstance(result, RuleResult):
        return Alarm(batch, about.key, about.column, about.name, about.status, old=about.name == STALE)
    observed, constraint = result.observed, result.constraint
    known = observed is not None and not math.isnan(observed)
    below, above = (known and bound is not None for bound in (result.lower, result.upper))
    sign = -1 if below and observed < result.lower else 1 if above and observed > result.upper else 0  # type: ignore[operator]
    declared = None if isinstance(constraint, PatternConstraint) else declaration_of(constraint.metric, constraint.kind)
    of_rows = declared is not None and (declared.volume or declared.grows)
    keys = frozenset(sample.partition(": ")[0] for sample in result.samples if ARROW in sample)
    # Of `price by store, sku` it is the price.
    of, by_key = result.columns or constraint.measure.columns, declared is not None and declared.by_key
    words = f"“{constraint.title}”" if constraint.worded and of != (constraint.column,) else ""
    called = ", ".join(of) or ROWS if by_key else words
    own = in_conditions([one.column for one in result.shared], constraint.column)
    among = frozenset((one.column, value) for one in result.shared if one.column not in own for value in one.values)
    # Of a rule on many columns those that broke it.
    column = subject_by(", ".join(result.columns), constraint.measure.key) if result.columns else about.column
    shown = (about.key, column, about.name, about.status)
    looked_at = of or ((ROWS,) if by_key else ())
    if declared is not None and by_key and declared.share_of != ROWS:
        looked_at = (about.column,)  # which of its columns is at fault, the rule does not say
    value, old = observed if known else None, delivered_before(result)
    broken = result.lower if sign < 0 else result.upper
    beyond = abs(observed - broken) if sign and observed is not None and broken is not None else 0.0
    return Alarm(batch, *shown, sign, result.failing, keys, among, value, of_rows, called, looked_at, old, beyond)
