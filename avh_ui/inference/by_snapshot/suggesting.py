"""Suggesting by Deequ's rules: what the latest batch's profile suggests, kept where no other batch speaks against it.

Data is read of columns that by a sketch may be keys, to count their values: nothing else is called unique.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import LAW, MOVES, FromSnapshot, Ladder, Proposal, Record, Rung
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.provenance import Provenance
from avh_ui.constraints.reading import percent
from avh_ui.history.series import ColumnHistory
from avh_ui.history.value_tables import Tables, pooled, shares_of
from avh_ui.inference.by_snapshot.ends import ends_move, is_cut
from avh_ui.inference.by_snapshot.judging import bounds_nulls, grown, implies, record_of, too_soon
from avh_ui.inference.by_snapshot.rules import (
    FRACTIONAL_CATEGORICAL_RANGE,
    RULES,
    UNIQUE_IF_APPROXIMATELY_UNIQUE,
    SnapshotFinding,
    SnapshotRule,
)
from avh_ui.inference.by_snapshot.snapshot import Snapshot
from avh_ui.inference.emptiness import chance_of_no_values
from avh_ui.inference.kinds.declarations import in_no_unit, is_amount, says
from avh_ui.inference.kinds.limits import may_be_negative
from avh_ui.inference.kinds.moments import declared_for
from avh_ui.inference.kinds.of_numbers import KEY_ROWS
from avh_ui.inference.selection import adding
from avh_ui.inference.source import Budget, LeftOut, Proposed, Window
from avh_ui.issues.column_issues import ColumnIssues, Issues
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.column import NUMBER_KINDS, Kind
from avh_ui.metrics.conformance import SAMPLES, SHOWN, conformance_of
from avh_ui.metrics.moments import MIN
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.text import MAX_LENGTH
from avh_ui.metrics.uniqueness import UNIQUE_RATIO

# What is a day is no list of days.
_DAYS = frozenset({"batch key", "date"})
# Of a list from which more of the values may differ nobody says that it is what the column holds: "Type is Banco Múltiplo, but for at
# most 27 %"; of the tags of crawlers 7.6 % were others, more in each batch, where 9 % were let pass.
_OTHERS = 0.08
_REPEATING = frozenset(rule.name for rule in RULES if rule.repeats)
NOTHING_MORE = "the column's other suggestions catch every issue that it catches"
# Values kept with the suggestion to try another regex on: the most frequent ones.
_RETESTED = 300


def suggest(window: Window, issues: Issues, budget: Budget, watch: Watch, others: Sequence[Proposal] = ()) -> Proposed:
    """What the rules suggest of the window's columns beside `others`, and what was left out with its reasons.

    Left out is what any batch so far (but the excluded ones) would have violated, what cannot be held against any, what another suggestion
    of the column implies; beside others what catches no issue that they miss, and what repeats a statistic that stood still in so few
    batches that it will move. No budget is spent: these rules promise no rate.
    """
    profile = window.profile()
    there, repeated = _counted(window, {c.column: profile.columns[c.column] for c in window.columns if c.column in profile.columns})
    said = {name: _meant(window, name, proposals_of(Snapshot.of(column), window.latest)) for name, column in there.items()}
    tables = window.tables([name for name, (made, _) in said.items() if any(isinstance(p.constraint, PatternConstraint) for p in made)])
    beside: dict[str, list[Proposal]] = {}
    for other in others:
        beside.setdefault(other.constraint.column, []).append(other)
    proposals, left_out = list[Proposal](), list[LeftOut]()
    for name, (made, meaningless) in said.items():
        watch.check()
        siblings = beside.get(name, [])
        not_repeated = [one for one in made if not (one.constraint.unique and name in repeated)]
        kept, without = _kept(window, not_repeated, tables.get(name, {}), [other.constraint for other in siblings])
        left_out += [*meaningless, *repeated.get(name, []), *without]
        if chance_of_no_values(window.history.columns[name]) > budget.fpr:
            kept, without = _defined(kept)
            left_out += without
        if beside:
            # How much is null of what is null in part is for its history to say.
            kept = [one for one in kept if not bounds_nulls(one.constraint)]
            kept, without = _old_enough(kept, 0.0 if window.moving else budget.fpr)
            left_out += without
        kept = [_tried(one, issues.of(name)) for one in kept]
        # On their own, all rules are wanted; beside the other sources, those that add something.
        if beside:
            kept, without = _adding(kept, siblings)
            left_out += without
        proposals += kept
    return Proposed(proposals, left_out)


def _meant(window: Window, column: str, made: Sequence[Proposal]) -> tuple[list[Proposal], list[LeftOut]]:
    """Those of metrics that say something of what the column is, and the others with their reason. A key is worth saying but of amounts."""
    known = window.kinds.get(column)
    kind = declared_for(known, window.history.columns[column], window.sample.column(column))
    if kind is None or known is None:
        return list(made), []
    # A number that has been the same throughout is known from the history, with how sure it is to stay.
    limited = math.isfinite(kind.lowest) and math.isfinite(kind.highest)
    # Orders of a customer were up to 16, then up to 17: the list of those that occurred is none of those that may.
    open_ended = is_amount(kind) and ends_move(_history_of(window, column), window.out(column))
    kept, left_out = [], []
    for one in made:
        c = one.constraint
        fixed = c.lower == c.upper and _is_quantity(c)
        # Between limits by nature a list of what occurred so far is too tight: an hour without a flight may have one.
        # "1 | 2 | 3, but for 7 % of the values" is no way to say of how many guests there are up to 4: a list of amounts has all.
        most = is_amount(kind) and c.upper != 0
        # The year of all batches so far ends with the year.
        free = known.kind == "calendar part" or (c.kind in NUMBER_KINDS and (limited or open_ended or most))
        # Nor do days come again: of a price's `valid_from` the list of those so far let 12 % be others until the next week.
        free = free or (known.kind in _DAYS and isinstance(c, PatternConstraint) and c.pattern.kind == "dictionary")
        listed = isinstance(c, PatternConstraint) and not free
        # Few numbers may all differ by chance: 21 counts of cases often do, until they do not.
        # The longest text so far is no limit of the next ones, but where a field ends.
        cut = c.metric != MAX_LENGTH.name or is_cut(window.sample.column(column), c.upper or 0.0)
        named = c.unique and kind.names_rows and (c.kind not in NUMBER_KINDS or window.history.rows[-1] >= KEY_ROWS)
        # Where numbers that are handed out begin and end is of their history; and temperatures in Fahrenheit do not end at 0.
        handed = _is_quantity(c) and (in_no_unit(kind) or (c.metric == MIN.name and may_be_negative(_history_of(window, column))))
        if named or listed or (says(kind, c.metric) and cut and not (fixed or handed) and not c.unique):
            kept.append(one)
        else:
            left_out.append(_without(one, f"says nothing of a column that {kind.words}" if cut else "the next text may be longer"))
    return kept, left_out


def _history_of(window: Window, column: str) -> ColumnHistory:
    return next((one for one in window.columns if one.column == column), window.history.columns[column])


def _is_quantity(constraint: Constraint) -> bool:
    declared = metric(constraint.metric, cast(Kind, constraint.kind)) if not isinstance(constraint, PatternConstraint) else None
    return declared is not None and declared.unit == "value"


def _counted(window: Window, columns: Mapping[str, ColumnProfile]) -> tuple[dict[str, ColumnProfile], dict[str, list[LeftOut]]]:
    """The columns, those that may be keys by a sketch with all their values counted; and those where that shows that values repeat."""
    rule = UNIQUE_IF_APPROXIMATELY_UNIQUE
    nearly = {name: column for name, column in columns.items() if column.sketched and rule.find(Snapshot.of(column))}
    counts = window.distinct({name: column.kind for name, column in nearly.items()}) if nearly else {}
    counted = {name: nearly[name].grouped(count) for name, count in counts.items()}
    repeated: dict[str, list[LeftOut]] = {}
    for name, column in counted.items():
        facts = Snapshot.of(column)
        if facts.distinct < facts.values:
            reason = f"{rule.name}: counted exactly, {facts.values - facts.distinct:,.0f} values of the latest batch repeat another"
            repeated[name] = [{"column": name, "metric": UNIQUE_RATIO.name, "rule": rule.name, "reason": reason}]
    return {**columns, **counted}, repeated


def proposals_of(snapshot: Snapshot, batch: str) -> list[Proposal]:
    """What every rule says of a column, in the rules' order; nothing of one that is not measured."""
    found = ((rule, rule.find(snapshot)) for rule in (RULES if snapshot.kind != "skipped" else ()))
    return [_proposal(snapshot, batch, rule, finding) for rule, finding in found if finding is not None]


def _proposal(snapshot: Snapshot, batch: str, rule: SnapshotRule, finding: SnapshotFinding) -> Proposal:
    common: dict[str, Any] = {
        "column": snapshot.column,
        "metric": finding.metric,
        "kind": snapshot.kind,
        "lower": finding.lower,
        "upper": finding.upper,
        "origin": "snapshot",
        "provenance": Provenance(method="snapshot", rule=rule.name, batch=batch, code=finding.code).to_record(),
    }
    evidence = FromSnapshot(
        method="snapshot", rule=rule.name, words=rule.words, code=finding.code, current=finding.current, found=finding.words
    )
    if finding.pattern is None:
        return Proposal(Constraint(**common), evidence)
    return Proposal(PatternConstraint(**common, pattern=finding.pattern, usual=snapshot.values), evidence)


def _tried(one: Proposal, issues: ColumnIssues) -> Proposal:
    """With the issues of its column that it was tried on, and those that it catches."""
    caught = issues.caught(one.constraint)
    return replace(one, evidence=replace(one.evidence, tried=issues.names, caught=caught, only_caught=caught))


def _adding(made: Sequence[Proposal], siblings: Sequence[Proposal]) -> tuple[list[Proposal], list[LeftOut]]:
    """Those that catch an issue which neither a sibling nor another of them catches, and the others with their reason."""
    covered = {issue for other in siblings for issue in other.evidence.caught}
    names = sorted({name for one in made for name in one.evidence.caught} - covered)
    catches = np.array([[name in one.evidence.caught for name in names] for one in made], dtype=bool).reshape(len(made), len(names))
    # No injected issue repeats a row.
    chosen = {*adding(catches), *(k for k, one in enumerate(made) if one.constraint.unique)}
    kept = [one for k, one in enumerate(made) if k in chosen]
    return kept, [_without(one, NOTHING_MORE) for k, one in enumerate(made) if k not in chosen]


def _kept(window: Window, made: Sequence[Proposal], tables: Tables, siblings: Sequence[Constraint]) -> tuple[list[Proposal], list[LeftOut]]:
    """Those that no batch speaks against and that nothing else implies, with what the batches say of them."""
    held: list[Proposal] = []
    left_out: list[LeftOut] = []
    for one in made:
        record = _record(window, one.constraint, tables)
        if record.fired:
            left_out.append(_without(one, f"would have alarmed on {len(record.fired):,} of {record.judged:,} batches"))
        elif (one.constraint.upper or 0.0) > _OTHERS and one.constraint.learned.rule == FRACTIONAL_CATEGORICAL_RANGE.name:
            left_out.append(_without(one, f"{percent(one.constraint.upper or 0.0)} of the values may be others"))
        elif not record.judged:
            left_out.append(_without(one, "it cannot be held against any batch of the history"))
        else:
            held.append(_held(one, record, tables))
    kept = []
    for at, one in enumerate(held):
        rivals = [*siblings, *(other.constraint for k, other in enumerate(held) if k != at and _stronger(held, k, at))]
        by = next((rival for rival in rivals if implies(rival, one.constraint)), None)
        if by is None:
            kept.append(one)
        else:
            left_out.append(_without(one, f"implied by {by.learned.rule or f'what the {by.origin} suggests of {by.metric}'}"))
    return kept, left_out


def _defined(kept: Sequence[Proposal]) -> tuple[list[Proposal], list[LeftOut]]:
    """Those that a batch without a value does not violate, and the others with their reason.

    Of one table's notes 4 of 64 alarms on 715 quiet batches were of their shortest length, on days without a note.
    """
    undefined = [one for one in kept if not isinstance(one.constraint, PatternConstraint) and not _always_defined(one.constraint)]
    told = [_without(one, "a batch may come without a value") for one in undefined]
    return [one for one in kept if one not in undefined], told


def _always_defined(constraint: Constraint) -> bool:
    return metric(constraint.metric, cast(Kind, constraint.kind)).always_defined


def _old_enough(kept: Sequence[Proposal], fpr: float) -> tuple[list[Proposal], list[LeftOut]]:
    """Those whose statistic has stood still for long, and the others with their reason.

    In a window that moves none ever does. On 88 quiet batches of one young table (the regions of Italy) 28 alarmed by such rules alone.
    """
    early = [one for one in kept if one.constraint.learned.rule in _REPEATING and too_soon(one.evidence.batches or 0, fpr)]
    told = [_without(one, f"that it stood still in {one.evidence.batches or 0:,} batches says little of the next") for one in early]
    return [one for one in kept if one not in early], told


def _held(one: Proposal, record: Record, tables: Tables) -> Proposal:
    """With the false-positive rate that the batches so far let one expect."""
    evidence = replace(one.evidence, backtest=record, batches=record.judged)
    if isinstance(evidence, FromSnapshot) and isinstance(one.constraint, PatternConstraint):
        evidence = replace(evidence, ladder=_ladder(one.constraint, tables))
    return Proposal(replace(one.constraint, fpr=record.rate(MOVES if one.constraint.learned.rule in _REPEATING else LAW)), evidence)


def _stronger(held: Sequence[Proposal], k: int, at: int) -> bool:
    """Of two that imply one another the first is kept."""
    return k < at or not implies(held[at].constraint, held[k].constraint)


def _without(one: Proposal, reason: str) -> LeftOut:
    rule = one.constraint.learned.rule
    return {"column": one.constraint.column, "metric": one.constraint.metric, "rule": rule, "reason": f"{rule}: {reason}"}


def _record(window: Window, constraint: Constraint, tables: Tables) -> Record:
    """The constraint on the batches that may speak: of a pattern those of the window, else all of the history.

    The errors of values count where these are estimates of what the constraint counts.
    """
    if isinstance(constraint, PatternConstraint):
        shares = shares_of(tables, constraint.pattern.regex)
        found = record_of(constraint, tuple(shares), np.array(list(shares.values()), dtype=np.float64))
        whole = constraint.pattern.kind == "dictionary" and constraint.upper == 0
        later = {*grown({batch: tables[batch] for batch in shares})} if whole else set()
        return replace(found, fired=tuple(batch for batch in shares if batch in later or batch in found.fired))
    column, name = window.history.columns[constraint.column], constraint.metric
    kept = np.array([batch not in window.out(constraint.column) for batch in column.batches], dtype=bool)
    batches = [batch for batch, keep in zip(column.batches, kept, strict=True) if keep]
    if name not in column.values:
        return record_of(constraint, batches, np.full(len(batches), np.nan))
    return record_of(constraint, batches, column.values[name][kept], column.errors(name)[kept] if constraint.unique else None)


def _ladder(constraint: PatternConstraint, tables: Tables) -> Ladder:
    """The pattern alone."""
    pattern, total = constraint.pattern, pooled(tables)
    by_batch = {batch: conformance_of(table, pattern.regex) for batch, table in tables.items()}
    order = sorted((value for value in total if value), key=lambda value: (-total[value], value))[:_RETESTED]
    failing = tuple(one.bad for one in by_batch.values())
    bad = sorted({sample for one in by_batch.values() for sample in one.samples})
    matching = [value[:SHOWN] for value in order if not conformance_of({value: 1}, pattern.regex).bad]
    totals = tuple(one.values for one in by_batch.values())
    counted = replace(pattern, values=sum(totals), bad=sum(failing))
    rung = Rung(counted, None, None, failing, len(by_batch), 0, tuple(matching[:SAMPLES]), tuple(bad[:SAMPLES]), chosen=True)
    return Ladder((rung,), tuple(by_batch), totals, tuple((value[:SHOWN], total[value]) for value in order), len(total))
