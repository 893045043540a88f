"""Rules on the keys of a table that say no more than other rules do: those of columns, of the number of rows, and of keys.

Of a table of 19 releases they were "at most 45 % of the keys of the batch before are gone, at most 40 % were not there, at most 30 % stand
in several rows", where one of them is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from avh_ui.constraints.evidence import Proposal
from avh_ui.inference.lean_rule import rule_of

# That a rule as loose as this notices a segment besides is no reason for it: the segment tried is the largest one.
_LOOSE = 0.25
_SEGMENT = ":segment of "
# What half of the rows lost are to the number of rows.
_HALF_LOST, _HALF_OF_ROWS = "keys_lost:0.5", "volume_change 50%"


def of_keys(proposals: Iterable[Proposal], kept: Sequence[Proposal]) -> Iterator[tuple[Proposal, Proposal]]:
    """The rules on keys that say what other rules do, each with one of those: nulls, where each column of the key is never null as it is;
    keys in several rows, where no value of a column that is never null, or of the key's own, occurs twice; and half of them lost, where the
    number of rows says it.
    """
    left = [p for p in proposals if _is_of_keys(p)]
    said = {id(p): _said(p, kept) for p in left}
    for one in sorted(left, key=lambda p: len(p.evidence.caught)):
        others = {name: other for other in left if other is not one and _alike(one, other) for name in other.evidence.caught}
        others |= said[id(one)]
        more = [name for name in one.evidence.caught if name not in others]
        if any(name in others for name in one.evidence.caught) and all(_is_loose(one) and _SEGMENT in name for name in more):
            left = [p for p in left if p is not one]
            yield one, next(others[name] for name in one.evidence.caught if name in others)


def _is_of_keys(one: Proposal) -> bool:
    return bool(one.constraint.measure.key and one.evidence.caught) and not one.constraint.measure.columns


def _alike(one: Proposal, other: Proposal) -> bool:
    """Whether both are of the same keys and rows."""
    a, b = one.constraint.measure, other.constraint.measure
    return (a.key, a.where) == (b.key, b.where)


def _is_loose(one: Proposal) -> bool:
    return one.constraint.upper is not None and one.constraint.upper >= _LOOSE


def _said(one: Proposal, kept: Sequence[Proposal]) -> dict[str, Proposal]:
    """Of what it notices what rules of columns, or of the number of rows, say: each with that rule."""
    key, own = one.constraint.measure.key, [p for p in kept if p.constraint.measure.standard]
    filled = {p.constraint.column: p for p in own if p.constraint.lower == 1 and rule_of(p).fills}
    # That no key ever stood in several rows is what a key is, and no estimate.
    names = {*filled} if one.constraint.upper else set[str]()
    alone = [p for p in own if p.constraint.unique and p.constraint.column in {*names, *(key if len(key) == 1 else ())}]
    rows = [p for p in kept if p.constraint.of_table and _HALF_OF_ROWS in p.evidence.caught]
    found: dict[str, Proposal] = {}
    for name in one.evidence.caught:
        if name.startswith("null_keys:") and all(column in filled for column in key):
            found[name] = filled[key[0]]
        elif name.startswith("keys_twice:") and alone:
            found[name] = alone[0]
        elif name == _HALF_LOST and rows:
            found[name] = rows[0]
    return found
