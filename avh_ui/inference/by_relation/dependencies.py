"""One column, or two together, determine another: where they are equal, it is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_relation.agreeing import LIKELY, LIKELY_OF_AMOUNTS, beyond_chance
from avh_ui.inference.by_relation.cells import Cells, Mask, Mined
from avh_ui.inference.by_relation.relation import Relation
from avh_ui.inference.by_relation.screening import FIRST
from avh_ui.metrics.row_keys import mixed

Words = NDArray[np.uint64]
# Of so many columns pairs are looked at: 300 pairs. Of more, only single ones.
_IN_PAIRS = 25
# So many rows must have a row like them in their batch: what is nearly a key determines everything. Fewer are enough of what names the
# rows of all batches again and again, as an article does: its price holds over all of these. Of 1,900 searches a fifth had a destination
# like another one's in their batch and half in any: that determined its country until 2 of 40 batches broke it.
_REPEATED, _SELDOM, _OVER_ALL = 0.3, 0.1, 0.75
# So many numbers of an amount for each value of another column are a range.
_MANY_EACH = 8


def determined(mined: Mined, without: set[str], amounts: Collection[str] = ()) -> Iterator[Relation]:
    """The dependencies on the fewest columns; of columns that determine each other the first does it, and of a chain only its links. What
    is known to be `amounts` determines less easily.
    """
    names = [name for name in mined.varied if name not in without]
    words = {name: _words(mined, (name,)) for name in names}
    different = mined.different(np.ones(mined.rows, dtype=bool))
    least = {name: _least(mined, name, different) for name in names}
    able = [name for name in names if _repeats(mined, name, least[name])]
    table = np.stack([words[name] for name in names]) if names else np.empty((0, mined.rows), np.uint64)
    by_one = dict[str, set[str]]()
    for name in able:
        alike = _follow(words[name], mined.cells[name].null, names, table, mined, least[name]) - {name}
        alike = {other for other in alike if not _is_stepped(mined, name, other)} if name in amounts else alike
        by_one[name] = set(beyond_chance(mined, (name,), sorted(alike), LIKELY_OF_AMOUNTS if name in amounts else LIKELY))
    yield from (_relation((one,), other) for one, others in _links(by_one).items() for other in sorted(others, key=names.index))
    if len(able) > _IN_PAIRS:
        return
    found: dict[str, tuple[str, str]] = {}
    # Two numbers together are soon nearly a key.
    for pair in combinations([name for name in able if mined.cells[name].form == "text"], 2):
        known = by_one[pair[0]] | by_one[pair[1]] | set(pair)
        if pair[0] in by_one[pair[1]] or pair[1] in by_one[pair[0]]:
            continue
        null = mined.cells[pair[0]].null | mined.cells[pair[1]].null
        alike = _follow(_words(mined, pair), null, names, table, mined) - known
        for other in beyond_chance(mined, pair, sorted(alike, key=names.index)):
            # Of several pairs that determine a column the first one is enough, and none is needed where one column does it.
            if other not in found and not any(other in others for others in by_one.values()):
                found[other] = pair
    yield from (_relation(pair, other) for other, pair in found.items())


def _words(mined: Mined, names: Sequence[str]) -> Words:
    """One word for each combination of values within a batch; null is a value."""
    found = mined.batch.astype(np.uint64)
    for name in names:
        cells = mined.cells[name]
        with np.errstate(over="ignore"):
            found = mixed(found * np.uint64(31) + cells.words)
    return found


def _repeats(mined: Mined, name: str, least: float) -> bool:
    """Whether a column names things: a text, a time or a whole number that comes again in a batch, in `least` of the rows."""
    cells = mined.cells[name]
    if cells.form == "number" and mined.places[name] != 0:
        return False
    words = _words(mined, (name,))
    return len(np.unique(words)) <= (1 - least) * mined.rows and _varies(words, int(mined.batch.max(initial=0)) + 1)


def _least(mined: Mined, name: str, different: int) -> float:
    """Which share of the rows must have one like them in their batch, by how many of the `different` rows of all batches have one."""
    there = mined.cells[name].keys[mined.there(name)]
    return _SELDOM if len(np.unique(there)) <= (1 - _OVER_ALL) * min(len(there), different) else _REPEATED


def _varies(words: Words, batches: int) -> bool:
    return len(np.unique(words)) > 1.5 * batches


def _follow(by: Words, null: Mask, names: Sequence[str], table: Words, mined: Mined, least: float = _REPEATED) -> set[str]:
    """The columns that are equal wherever these words are, and not everywhere; rows where what determines is null say nothing.

    A column that has one value in all the other rows is determined by none: a signal's strength, null where the reading is an estimate,
    "determined" that the rest are none.
    """
    rows = np.flatnonzero(~null)
    order = rows[np.argsort(by[rows], kind="stable")]
    same = by[order][1:] == by[order][:-1]
    again = by[order][1:][same]
    # One value in many rows, such as "not known yet", says nothing of the others: as many are asked for as pairs of rows would have.
    few, some = len(again) < _REPEATED * max(len(rows), 1), least * len(rows)
    if few and (len(again) < max(some, 1) or len(np.unique(again)) < some / 2):
        return set()
    now, then = order[1:][same], order[:-1][same]
    alike = np.flatnonzero(np.all(table[:, now[:FIRST]] == table[:, then[:FIRST]], axis=1))
    alike = alike[np.all(table[np.ix_(alike, now)] == table[np.ix_(alike, then)], axis=1)]
    batches = int(mined.batch.max(initial=0)) + 1
    return {names[k] for k in alike.tolist() if _varies(table[k, order], batches)}


def _is_stepped(mined: Mined, amount: str, other: str) -> bool:
    """Whether a column is another one beyond some level of an amount, which has so many values that it determines nothing: of players the
    strokes of four rounds are more than those of two.
    """
    if mined.cells[amount].form != "number":
        return False
    there = mined.there(amount, other)
    _, values = np.unique(mined.numbers(amount)[there], return_inverse=True)
    kinds, own = np.unique(mined.cells[other].keys[there], return_inverse=True)
    pairs = np.unique(np.stack([values, own]), axis=1)
    steps = int(np.count_nonzero(np.diff(pairs[1])))
    return bool(values.max(initial=0) + 1 >= _MANY_EACH * len(kinds) and steps <= 2 * (len(kinds) - 1))


def _links(by_one: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """What each determines, without what follows by way of another; of columns that determine each other the first stands for all."""
    order = list(by_one)
    first = {name: next((o for o in order if o == name or (name in by_one[o] and o in by_one[name])), name) for name in order}
    found: dict[str, list[str]] = {}
    for name in order:
        if first[name] != name:
            continue
        own = by_one[name]
        ways = {way for way in own if way in by_one and first[way] == way and name not in by_one[way]}
        found[name] = [other for other in own if not any(other in by_one[way] and other != way for way in ways)]
    return found


def _relation(by: tuple[str, ...], other: str) -> Relation:
    def keeps(cells: Mapping[str, Cells]) -> Mask:
        words = np.zeros(len(cells[other].keys), dtype=np.uint64)
        for name in by:
            with np.errstate(over="ignore"):
                words = mixed(words * np.uint64(31) + cells[name].words)
        return _usual(words, cells[other].words)

    says = f"{other} is the same wherever {' and '.join(by)} {'is' if len(by) == 1 else 'are'}"
    return Relation("determined", (*by, other), says, "", keeps)


def _usual(by: Words, own: Words) -> Mask:
    """Whether each row has the most frequent value of its group."""
    with np.errstate(over="ignore"):
        _, place, counts = np.unique(mixed(by) * np.uint64(31) + own, return_inverse=True, return_counts=True)
    order = np.lexsort((-counts[place], by))
    start = np.ones(len(by), dtype=bool)
    start[1:] = by[order][1:] != by[order][:-1]
    leading = place[order][start][np.cumsum(start) - 1]
    found = np.empty(len(by), dtype=bool)
    found[order] = place[order] == leading
    return found
