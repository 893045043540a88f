"""Suggesting what columns keep together: mined in samples of many batches, held against all of them, few for a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromRelation, Proposal
from avh_ui.constraints.provenance import Provenance
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_relation.cells import SampledRows
from avh_ui.inference.by_relation.faults import TWICE, tried
from avh_ui.inference.by_relation.holding import Held, hold
from avh_ui.inference.by_relation.mining import mine
from avh_ui.inference.by_relation.orders import named
from avh_ui.inference.by_relation.relation import Relation
from avh_ui.inference.by_relation.uniques import NEVER_SHARED, uniques, unlike
from avh_ui.inference.by_relation.whole_rows import whole_rows
from avh_ui.inference.kinds.declarations import declaration_of as kind_of
from avh_ui.inference.kinds.declarations import is_measured, names_nothing
from avh_ui.inference.selection import select
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.metrics import analyzers
from avh_ui.metrics.column import Kind
from avh_ui.metrics.copied_rows import COPIED_ROWS
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profiler import Watch

# A table has at most so many: a person reads each, and a basis of the sums and orders of thirty columns has fewer.
MOST = 12
# So often mining begins anew with the batches that broke what it found: null masks need a batch that tells two columns apart.
_ROUNDS, _JOINING = 3, 4
# Numbers of these kinds have no order: "STORE is never above StoreID" was said of two codes of five shops. All 34 orders that readers kept
# are of others.
_CODES = frozenset({"code", "open category"})
# Shares measured on all rows of the latest batch, by measure; None where that could not be.
Exact = Callable[[Sequence[Measure]], Mapping[Measure, float | None]]
# The rows that are mined and those of more batches, oldest first, of these columns.
Wider = Callable[[Collection[str]], Sequence[SampledRows]]


@dataclass(frozen=True, eq=False)
class MinedSample:
    """What is mined: the sampled `rows` of batches, oldest first, of these columns, `untyped` where the source has texts alone. What is
    found in them has to hold in a `wider` sample, too.

    `exact` measures on all rows of the latest batch what was found in a part of them; `measured` are the histories of what was measured.
    Rows that are matched by a `key` are unique by that. By `kinds` what is measured names no row, be no two values alike.
    """

    rows: Sequence[SampledRows]
    names: Sequence[str]
    untyped: bool
    exact: Exact
    measured: Mapping[str, ColumnHistory] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    kinds: Mapping[str, KnownKind] = field(default_factory=dict)
    wider: Wider | None = None


@dataclass(frozen=True)
class ChosenRelation:
    """A relation that is suggested, how it fared, the faults that it was tried on, and those that it catches."""

    held: Held
    tried: tuple[str, ...]
    caught: tuple[str, ...]


def suggest(sampled: MinedSample, budget: Budget, watch: Watch, *, seed: int = 0) -> Proposed:
    """The relations that held, none beyond the budget of a column; what was found and is not suggested is left out with its reason."""
    chosen, left_out = choose(sampled, budget, watch, seed)
    return Proposed([_proposal(one, sampled.rows) for one in chosen], left_out)


def choose(sampled: MinedSample, budget: Budget, watch: Watch, seed: int = 0) -> tuple[list[ChosenRelation], list[LeftOut]]:
    """The relations to suggest, and what was left out."""
    if not sampled.rows:
        return [], []
    found = _held_wider(_mined(sampled, watch, seed), sampled)
    left_out = [_out(one, f"{len(one.record.fired)} of {one.record.judged} batches broke it") for one in found if not one.kept]
    found = [one for one in found if one.kept]
    dear = [one for one in found if one.fpr > budget.fpr]
    left_out += [_out(one, _too_dear(one, budget.fpr)) for one in dear]
    found = [one for one in found if one.fpr <= budget.fpr]
    latest = sampled.rows[-1]
    if found and not latest.whole:
        watch.report(0, 1, f"counting {len(found)} relations in {latest.batch}")
        shares = sampled.exact([measure_of(one.relation) for one in found])
        told = [(one, _kept(one.relation, shares.get(measure_of(one.relation)))) for one in found]
        left_out += [_out(one, _inexact(share)) for one, share in told if not _exactly(one, share)]
        found = [one for one, share in told if _exactly(one, share)]
    chosen = _adding(found, latest, budget, seed)
    said = {one.held.relation for one in chosen}
    left_out += [_out(one, "the others catch every fault that it catches") for one in found if one.relation not in said]
    return chosen, left_out


def _mined(sampled: MinedSample, watch: Watch, seed: int) -> list[Held]:
    """What was found: every second batch is mined, all are held against it, and those that break it join for another round."""
    rows = sampled.rows
    places = set(range(len(rows) - 1, -1, -2))
    amounts = {name for name, known in sampled.kinds.items() if (declared := kind_of(known)) is not None and names_nothing(declared)}
    codes = {name for name, known in sampled.kinds.items() if known.kind in _CODES}
    held: list[Held] = []
    for _ in range(_ROUNDS):
        watch.report(0, 1, "looking for relations between columns")
        some = [rows[k] for k in sorted(places)]
        found = mine(some, sampled.names, untyped=sampled.untyped, watch=watch, seed=seed, key=sampled.key, amounts=amounts)
        found = [one for one in found if one.family != "order" or not codes.issuperset(one.columns) or named(*one.columns)]
        if not sampled.key:
            apart = list(uniques(some, [n for n in sampled.names if not _measured(sampled.kinds.get(n))], np.random.default_rng(seed)))
            found += apart or [whole for whole in (whole_rows(some, sampled.names),) if whole is not None]
        held = [hold(relation, rows, _history(sampled, relation)) for relation in found]
        breaking = {batch for one in held if not one.kept for batch in one.record.fired}
        joining = [k for k, part in enumerate(rows) if part.batch in breaking and k not in places]
        if not joining:
            break
        places |= set(joining[-_JOINING:])
    return held


def _held_wider(found: Sequence[Held], sampled: MinedSample) -> list[Held]:
    """What held in the rows that were mined, held against those of more batches: 20 do not show what breaks in one of 40."""
    columns = {name for one in found if one.kept for name in one.relation.columns}
    if not columns or sampled.wider is None:
        return list(found)
    rows = sampled.wider(columns)
    held = [hold(one.relation, rows, _history(sampled, one.relation)) if one.kept else one for one in found]
    return [_without_twins(one, rows, sampled) for one in held]


def _without_twins(one: Held, rows: Sequence[SampledRows], sampled: MinedSample) -> Held:
    """That no two rows share what nearly told them apart, where none of so many batches had any that do."""
    relation = one.relation
    if relation.family != "unique" or not relation.passing or one.broken or one.record.judged < NEVER_SHARED:
        return one
    strict = hold(unlike(relation.columns, of_nulls=relation.of_nulls), rows, _history(sampled, relation))
    return one if strict.record.fired else strict


def _history(sampled: MinedSample, relation: Relation) -> ColumnHistory | None:
    return sampled.measured.get(measure_of(relation).subject)


def _measured(known: KnownKind | None) -> bool:
    declared = kind_of(known)
    return declared is not None and is_measured(declared)


def _kept(relation: Relation, share: float | None) -> float | None:
    """The share of the rows that keep it, of what was measured."""
    return 1 - share if share is not None and relation.family == "copied" else share


def _exactly(one: Held, share: float | None) -> bool:
    return share is not None and share >= 1 - one.relation.passing


def _adding(found: Sequence[Held], latest: SampledRows, budget: Budget, seed: int) -> list[ChosenRelation]:
    """Those that add to the faults that the others catch, within the budget of so many columns."""
    if not found:
        return []
    names, caught = tried([one.relation for one in found], latest, seed)
    costs = np.array([one.fpr for one in found])
    places = sorted(select(costs, caught, MOST * budget.fpr, max_groups=MOST))
    return [ChosenRelation(found[k], _of(found[k].relation, names), tuple(np.array(names)[caught[k]].tolist())) for k in places]


def _of(relation: Relation, names: Sequence[str]) -> tuple[str, ...]:
    """The faults of the relation's own columns, and rows that come twice where it is of these."""
    own = (*(f"{column} " for column in relation.columns), *((TWICE,) if relation.of_twins else ()))
    return tuple(name for name in names if name.startswith(own))


def measure_of(relation: Relation) -> Measure:
    """What enforces it."""
    *by, other = relation.columns
    if relation.family == "copied":
        return Measure(COPIED_ROWS.name, relation.columns)
    if relation.family == "unique":
        return analyzers.uniqueness(relation.columns)
    return analyzers.determined_ratio(other, by) if relation.family == "determined" else analyzers.compliance(relation.condition)


def _out(one: Held, reason: str) -> LeftOut:
    says = one.relation.says
    return {"column": one.relation.columns[0], "metric": measure_of(one.relation).name, "relation": says, "reason": f"{says}: {reason}"}


def _too_dear(one: Held, fpr: float) -> str:
    if one.speechless > fpr:
        return f"in one of {one.record.judged} batches it spoke of {one.fewest:,} rows alone, so that the next may have none"
    return f"it held in {one.record.judged} batches, too few for a false-alarm rate of {fpr:g}"


def _inexact(share: float | None) -> str:
    return "it could not be counted on all rows" if share is None else f"of all rows of the latest batch {100 * share:.4g}% keep it"


def _proposal(choice: ChosenRelation, rows: Sequence[SampledRows]) -> Proposal:
    relation, record, measure = choice.held.relation, choice.held.record, measure_of(choice.held.relation)
    kind: Kind = "boolean" if relation.condition else "rows"
    # Of copies the metric has words; where none is let pass, it is 0 as it should be.
    copied = relation.family == "copied"
    says, lower = ("", None if relation.passing else 0.0) if copied else (relation.says, 1 - relation.passing)
    learned = Provenance(method="relation", first_batch=choice.held.first, last_batch=rows[-1].batch, batches=record.judged, says=says)
    made = Constraint(
        column=measure.subject, metric=measure.name, measure=measure, kind=kind, lower=lower,
        upper=relation.passing if copied else None, fpr=choice.held.fpr, origin="relation", provenance=learned.to_record(),
    )  # fmt: skip
    told = relation.told(rows[-1].cells)
    evidence = FromRelation(
        method="relation", batches=record.judged, backtest=record, tried=choice.tried, caught=choice.caught, only_caught=choice.caught,
        family=relation.family, of=relation.columns, rows=choice.held.rows, broken=choice.held.broken,
        latest=0 if told is None else int(told[0].sum()), exact=rows[-1].whole,
    )  # fmt: skip
    return Proposal(made, evidence)
