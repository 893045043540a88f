"""What a rule finds as a constraint of the one model, and why it is suggested, as plain data that serialises to JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import METRIC, PatternConstraint
from avh_ui.inference.by_snapshot.judging import Record
from avh_ui.inference.by_snapshot.rules import RULES, Finding, Rule
from avh_ui.inference.by_snapshot.snapshot import Snapshot
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.conformance import SAMPLES, SHOWN, conformance_of

Tables = Mapping[str, Mapping[str, int]]
# Values kept with the suggestion to try another regex on: the most frequent ones.
_RETESTED = 300


@dataclass(frozen=True)
class Found:
    """A rule that applies to a column, and the constraint that enforces what it says."""

    rule: Rule
    finding: Finding
    constraint: Constraint

    def with_record(self, record: Record) -> Found:
        """With the false-positive rate that the batches so far let one expect."""
        return replace(self, constraint=replace(self.constraint, fpr=record.rate))


def found_in(snapshot: Snapshot, batch: str, rules: Sequence[Rule] = RULES) -> list[Found]:
    """What every rule says of a column, in the rules' order; nothing of one that is not measured."""
    made: list[Found] = []
    for rule in rules if snapshot.kind != "skipped" else ():
        finding = rule.find(snapshot)
        if finding is not None:
            made.append(Found(rule, finding, _constraint(snapshot, batch, rule, finding)))
    return made


def _constraint(snapshot: Snapshot, batch: str, rule: Rule, finding: Finding) -> Constraint:
    common: dict[str, Any] = {
        "column": snapshot.column,
        "metric": finding.metric,
        "kind": snapshot.kind,
        "lower": finding.lower,
        "upper": finding.upper,
        "origin": "snapshot",
        "provenance": {"method": "snapshot", "rule": rule.name, "batch": batch, "code": finding.code},
    }
    if finding.pattern is None:
        return Constraint(**common)
    return PatternConstraint(**common, pattern=finding.pattern, usual=snapshot.values)


def explain(found: Found, record: Record, tables: Tables, tried: Sequence[str], caught: Sequence[str]) -> dict[str, Any]:
    """The evidence behind a suggestion; of a pattern with the same parts as those by corpus have, its `ladder` being itself alone."""
    rule, finding, constraint = found.rule, found.finding, found.constraint
    made: dict[str, Any] = {
        "metric": finding.metric,
        "method": "snapshot",
        "rule": rule.name,
        "rule_words": rule.words,
        "code": finding.code,
        "current": finding.current,
        "lower": finding.lower,
        "upper": finding.upper,
        "proposition": 0,
        "proposition_name": "none: an estimate from the batches so far",
        "proposition_words": _promise(record),
        "fpr": constraint.fpr,
        "batches": record.judged,
        "backtest": {"judged": record.judged, "fired": list(record.fired)},
        "variants": len(tried),
        "tried": list(tried),
        "caught": list(caught),
        "sentence": f"{rule.name}: {rule.words}. In the latest batch {finding.words}",
    }
    if isinstance(constraint, PatternConstraint):
        return made | {"description": "share of values that are not as described", "unit": "ratio"} | _pattern_parts(constraint, tables)
    declared = metric(constraint.metric, constraint.kind)  # type: ignore[arg-type]
    return made | {"description": declared.description, "unit": declared.unit}


def _promise(record: Record) -> str:
    fired = f"{len(record.fired)} of them" if record.fired else "none of them"
    return (
        f"Deequ's rules promise no false-positive rate. Held against {record.judged:,} batches it would have fired on {fired}, "
        f"which lets one expect about 1 false alarm in {1 / record.rate:,.0f} batches: an estimate, not a bound."
    )


def _pattern_parts(constraint: PatternConstraint, tables: Tables) -> dict[str, Any]:
    """The series of non-conforming values over the batches, and the most frequent values to try another regex on."""
    pattern = constraint.pattern
    by_batch = {batch: conformance_of(table, pattern.regex) for batch, table in tables.items()}
    pooled: dict[str, int] = {}
    for table in tables.values():
        for value, count in table.items():
            pooled[value] = pooled.get(value, 0) + count
    order = sorted((value for value in pooled if value), key=lambda value: (-pooled[value], value))
    failing = [one.bad for one in by_batch.values()]
    bad = sorted({sample for one in by_batch.values() for sample in one.samples})
    matching = [v[:SHOWN] for v in order[:_RETESTED] if not conformance_of({v: 1}, pattern.regex).bad]
    rung: dict[str, Any] = {
        "kind": pattern.kind,
        "pattern": pattern.text,
        "regex": pattern.regex,
        "fpr": None,
        "coverage": None,
        "chosen": True,
    }
    rung |= {"values": sum(one.values for one in by_batch.values()), "bad": sum(failing), "failing": failing, "alarms": 0}
    rung |= {"matched": 1.0, "batches_tried": len(by_batch), "matching": matching[:SAMPLES], "deviating": bad[:SAMPLES]}
    return {
        "metric": METRIC,
        "pattern": pattern.text,
        "regex": pattern.regex,
        "ladder": [rung],
        "series": {"batches": list(by_batch), "values": [one.values for one in by_batch.values()]},
        "values": [[value[:SHOWN], pooled[value]] for value in order[:_RETESTED]],
        "distinct": len(pooled),
    }
