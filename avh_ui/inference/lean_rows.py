"""Rules that say no more than what is said of the rows matched by key, or of other columns, or that say of these what another rule does.

Owners of tables read as said twice: that no key is gone beside a mix of the key that is always the same, the mix of countries beside keys
of country and year of which none is ever gone, a code that is the same wherever a country is beside one that never changes in the rows of a
country, or a region's code wherever its name is beside both, which never change in the rows of a province, values that no rows exchange
beside values that are not shuffled, and a large number that never becomes 0 beside one that never jumps there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromRelation, FromValues, Proposal
from avh_ui.constraints.reading import declaration_of
from avh_ui.metrics.by_key import CHANGED, EXCHANGED, RANK_CHANGE, WIPED
from avh_ui.metrics.counts import ROW_COUNT
from avh_ui.metrics.distances import TEXT_DISTANCES
from avh_ui.metrics.jumped_rows import JUMPED_ROWS
from avh_ui.metrics.keys_matched import KEYS_GONE, KEYS_NEW, KEYS_TWICE
from avh_ui.metrics.uniqueness import UNIQUE_RATIO
from avh_ui.metrics.values_gone import GONE

_DETERMINED = "determined"
# Half of the rows lost are twice as many keys as this.
_FEW = 0.25
# How many rows are gone the keys say.
_FALLS = frozenset(("volume_change 50%", "volume_change 10%"))


def said_of_rows(kept: Sequence[Proposal]) -> Iterator[tuple[Proposal, Proposal]]:
    """The rules among the `kept` that say what another one does, each with that one."""
    out = set[int]()
    for one in kept:
        for says in _SAYS:
            other = next((p for p in kept if p is not one and id(p) not in out and says(one, p, kept)), None)
            if other is not None:
                out.add(id(one))
                yield one, other
                break


def only_rising(kept: Sequence[Proposal]) -> dict[int, Proposal]:
    """By the id of a rule that bounds by how much the number of rows changes from batch to batch the same without an end below, where few
    keys may be gone: that a list of 1,600 may lose 262 rows was too loose to all 13 readers of such rules, one that never lost any.
    """
    gone = any(_is_of(p.constraint, KEYS_GONE.name) and p.constraint.upper is not None and p.constraint.upper <= _FEW for p in kept)
    found = {}
    for one in kept if gone else ():
        rule = one.constraint
        if rule.of_table and rule.metric == ROW_COUNT.name and rule.transform.lag and rule.lower is not None and rule.upper is not None:
            caught = tuple(name for name in one.evidence.caught if name not in _FALLS)
            only = tuple(name for name in one.evidence.only_caught if name not in _FALLS)
            evidence = replace(one.evidence, caught=caught, only_caught=only)
            found[id(one)] = replace(one, constraint=replace(rule, lower=None), evidence=evidence)
    return found


def _keys_in_mix(one: Proposal, other: Proposal, _: Sequence[Proposal]) -> bool:
    """That keys of one column are gone, beside a mix of it that never changes."""
    a, b = one.constraint, other.constraint
    return _is_of(a, KEYS_GONE.name) and len(a.measure.key) == 1 and _is_mix(b) and b.upper == 0 and b.column == a.measure.key[0]


def _keys_in_list(one: Proposal, other: Proposal, kept: Sequence[Proposal]) -> bool:
    """That no key of one column is gone, beside a list of its values of which there are always as many rows, no two with the same."""
    a, b = one.constraint, other.constraint
    if not (_is_of(a, KEYS_GONE.name) and a.upper == 0 and a.measure.key == (b.column,) and isinstance(other.evidence, FromValues)):
        return False
    rules, listed = [p.constraint for p in kept], other.evidence.distinct
    every = any(c.of_table and c.metric == ROW_COUNT.name and c.transform.is_identity and c.lower == listed == c.upper for c in rules)
    return every and not b.upper and any(c.unique and c.column == b.column for c in rules)


def _mix_in_keys(one: Proposal, other: Proposal, kept: Sequence[Proposal]) -> bool:
    """How a column of a key of several is mixed, where the keys are the same ones."""
    a, b = one.constraint, other.constraint
    if not (_is_of(b, KEYS_GONE.name) and len(b.measure.key) > 1 and a.column in b.measure.key and _is_mix(a)):
        return False
    return _same_keys([p.constraint for p in kept])


def _told_by_key(one: Proposal, other: Proposal, kept: Sequence[Proposal]) -> bool:
    """What columns of the key determine, or others that never change in a row of that key, where it never does either, and the keys are the
    same ones: of new rows, of which some tables have many, only the former says it.
    """
    evidence, b = one.evidence, other.constraint
    if not isinstance(evidence, FromRelation) or evidence.family != _DETERMINED or one.constraint.measure.key:
        return False
    *by, told = evidence.of
    if not (_is_of(b, CHANGED.name, told) and b.upper == 0):
        return False
    rules = [p.constraint for p in kept]
    still = {
        c.measure.columns[0]
        for c in rules
        if c.upper == 0 and c.measure.key == b.measure.key and _is_of(c, CHANGED.name, *c.measure.columns[:1])
    }
    return {*by} <= {*b.measure.key} | still and _same_keys(rules)


def _exchanged_in_order(one: Proposal, other: Proposal, _: Sequence[Proposal]) -> bool:
    """That rows take each other's values, beside that these are not shuffled."""
    return _of_same(one.constraint, other.constraint, EXCHANGED.name, RANK_CHANGE.name)


def _wiped_in_jumps(one: Proposal, other: Proposal, _: Sequence[Proposal]) -> bool:
    """That a large number becomes 0 or changes its sign, beside that none jumps there."""
    return other.constraint.upper == 0 and _of_same(one.constraint, other.constraint, WIPED.name, JUMPED_ROWS.name)


def _gone_together(one: Proposal, other: Proposal, kept: Sequence[Proposal]) -> bool:
    """That values of a column come again which another one determines, of which that is said, too: of days of the week and a flag for each
    it was said six times.
    """
    a, b = one.constraint, other.constraint
    if not (_is_gone(a) and _is_gone(b) and a.column != b.column):
        return False
    told = (p.evidence for p in kept if isinstance(p.evidence, FromRelation) and p.evidence.family == _DETERMINED)
    return any(evidence.of == (b.column, a.column) for evidence in told)


def _is_gone(rule: Constraint) -> bool:
    return rule.metric == GONE.name and rule.measure.standard


_SAYS: tuple[Callable[[Proposal, Proposal, Sequence[Proposal]], bool], ...] = (
    _keys_in_mix, _keys_in_list, _mix_in_keys, _told_by_key, _exchanged_in_order, _wiped_in_jumps, _gone_together,
)  # fmt: skip


def _same_keys(rules: Sequence[Constraint]) -> bool:
    """Whether no key is ever gone or stands in several rows, and something says how many are new."""
    gone = [c.measure.key for c in rules if _is_of(c, KEYS_GONE.name) and c.upper == 0]
    once = any(_is_of(c, KEYS_TWICE.name) and c.upper == 0 for c in rules) or any(_is_unique(c) and (c.column,) in gone for c in rules)
    return bool(gone) and once and any(c.upper is not None and (c.of_table or _is_of(c, KEYS_NEW.name)) for c in rules)


def _is_unique(rule: Constraint) -> bool:
    """Whether it says that no value of a column occurs twice."""
    return rule.measure.standard and rule.metric == UNIQUE_RATIO.name and rule.lower == 1


def _is_of(rule: Constraint, metric: str, *columns: str) -> bool:
    """Whether it is of this metric by a key, on all rows, of these columns alone where some are given."""
    of = rule.measure
    return rule.metric == metric and bool(of.key) and of.where is None and (not columns or of.columns == columns)


def _of_same(one: Constraint, other: Constraint, metric: str, others: str) -> bool:
    """Whether the one is of a metric of one column, and the other of another metric of several that are or hold it, by the same key."""
    if not (_is_of(one, metric) and _is_of(other, others) and one.measure.key == other.measure.key):
        return False
    return len(one.measure.columns) == 1 and one.measure.columns[0] in other.measure.columns


def _is_mix(rule: Constraint) -> bool:
    """Whether it says how far the values of a column of texts are from those of the batch before."""
    return rule.measure.standard and declaration_of(rule.metric, rule.kind) in TEXT_DISTANCES
