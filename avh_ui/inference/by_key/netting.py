"""Suggesting what a number rises by: since the batch before a column changed by what other columns of its row say came and went.

A change is a sum of columns, so that it is found by words as sums within a row are (`by_relation.sums`): each column of the matched rows of
a few batches becomes one 64-bit word, and what columns added or taken away make has the word that theirs make. Each find is then held
against all pairs of batches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.evidence import Proposal
from avh_ui.inference.by_key.laws import Law, Pair, held
from avh_ui.inference.by_key.nearly_carried import LEAST_ROWS, numbered, tried
from avh_ui.inference.by_relation.cells import LARGEST
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.metrics.carried import places_of
from avh_ui.metrics.column import Floats
from avh_ui.metrics.joining import join
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.net_rise import NET_RISE
from avh_ui.metrics.profiler import Watch

# Looked for in the rows of the latest pairs of batches, as many as have so many rows, at least so many pairs.
_ROWS, _LOOKED = 200, 3
# Of so many columns 1,200 pairs are added or taken away.
_COLUMNS = 25
# A column has to say something: in so many of the rows it is not 0, and it has so many numbers.
_TELLING, _DIFFERENT = 10, 3
Words = NDArray[np.uint64]
# A column by its place, with its sign.
Terms = tuple[tuple[int, int], ...]


def suggest(
    pairs: Sequence[Pair], key: Sequence[str], budget: Budget, watch: Watch, seed: int, *, but: Collection[str], most: int
) -> Proposed:
    """The rules on up to so many columns, none of those that rules tell already (`but`)."""
    proposals, left_out, told = list[Proposal](), list[LeftOut](), list[frozenset[str]]()
    for columns, less in _found(pairs, but):
        watch.check()
        # What follows from a relation within the row says nothing more: what is free falls by what is taken.
        if len(proposals) == most or any(frozenset(columns[1:]) <= known for known in told):
            continue
        of = (("less", less),) if less else ()
        measure = Measure(NET_RISE.name, columns, parameters=(("key", tuple(key)), *of))
        bound = NET_RISE.of_measure(measure)
        made = held(Law(bound, measure, tried(bound, measure, pairs[-1], seed), "carried"), pairs, budget, always=True)
        if isinstance(made, Proposal):
            proposals.append(made)
            told.append(frozenset(columns))
        else:
            left_out.append({"column": measure.subject, "metric": NET_RISE.name, "reason": made})
    return Proposed(proposals, left_out)


def _found(pairs: Sequence[Pair], but: Collection[str]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The columns that others say the change of, with these and those that are taken away; for each the fewest."""
    names, now, rises = _table(pairs)
    if len(names) < 2 or now.shape[1] < LEAST_ROWS:
        return
    random = np.random.default_rng(0).integers(1, 2**63, size=now.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    with np.errstate(over="ignore"):
        words, wanted = ((table.view(np.uint64) * random).sum(axis=1, dtype=np.uint64) for table in (now, rises))
    able = [place for place in range(len(names)) if _says(now[place])]
    twos = _twos(words, able)
    for place, name in enumerate(names):
        if name in but or not _says(rises[place], LEAST_ROWS):
            continue
        terms = next((found for found in _made(wanted[place], words, able, twos) if _is(found, place, now, rises)), None)
        if terms is not None:
            added, less = (tuple(names[at] for at, sign in sorted(terms) if sign == side) for side in (1, -1))
            yield (name, *added, *less), less


def _table(pairs: Sequence[Pair]) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    """The columns of numbers that have no nulls in the latest rows, what they say there and what they changed by, in units of their last
    decimal place, shapes (columns, rows).
    """
    looked = list[Pair]()
    for pair in reversed(pairs):
        looked.append(pair)
        if len(looked) >= _LOOKED and sum(len(join(one.ours, one.theirs).ours) for one in looked) >= _ROWS:
            break
    names = [name for name in numbered(pairs[-1].ours) if all(name in s.columns for pair in looked for s in (pair.ours, pair.theirs))]
    sides = {name: _sides(looked, name) for name in names[:_COLUMNS]}
    known = [name for name, (now, then) in sides.items() if np.isfinite(now).all() and np.isfinite(then).all()]
    scale = 10.0 ** max((places_of(np.concatenate(sides[name])) for name in known), default=0)
    known = [name for name in known if np.abs(np.concatenate(sides[name])).max(initial=0) * scale < LARGEST]
    rows = len(sides[known[0]][0]) if known else 0
    now, then = (np.array([np.round(sides[name][side] * scale) for name in known]).reshape(len(known), rows) for side in (0, 1))
    return known, now.astype(np.int64), (now - then).astype(np.int64)


def _sides(pairs: Sequence[Pair], name: str) -> tuple[Floats, Floats]:
    joins = [(pair, join(pair.ours, pair.theirs)) for pair in pairs]
    now = [pair.ours.column(name).numbers[joined.ours] for pair, joined in joins]
    return np.concatenate(now), np.concatenate([pair.theirs.column(name).numbers[joined.theirs] for pair, joined in joins])


def _says(numbers: NDArray[np.int64], rows: int = _TELLING) -> bool:
    return bool(np.count_nonzero(numbers) >= rows and len(np.unique(numbers)) >= _DIFFERENT)


def _twos(words: Words, able: Sequence[int]) -> tuple[Words, list[Terms]]:
    """Two columns each, added or taken away, by their words in order."""
    made, terms = list[np.uint64](), list[Terms]()
    with np.errstate(over="ignore"):
        for one, other in combinations(able, 2):
            for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                made.append(_signed(words[one], signs[0]) + _signed(words[other], signs[1]))
                terms.append(((one, signs[0]), (other, signs[1])))
    found = np.array(made, dtype=np.uint64)
    order = np.argsort(found, kind="stable")
    return found[order], [terms[at] for at in order.tolist()]


def _signed(word: np.uint64, sign: int) -> np.uint64:
    return word if sign > 0 else np.uint64(0) - word


def _made(wanted: np.uint64, words: Words, able: Sequence[int], twos: tuple[Words, list[Terms]]) -> Iterator[Terms]:
    """What has the word that is wanted: one column taken away, then two, three and four. One that is added says `carrying`."""
    known, terms = twos
    with np.errstate(over="ignore"):
        for one in able:
            if words[one] == _signed(wanted, -1):
                yield ((one, -1),)
        yield from _two(known, terms, wanted)
        for one in able:
            for sign in (1, -1):
                yield from (((one, sign), *rest) for rest in _two(known, terms, wanted - _signed(words[one], sign)))
        rests = wanted - known
        at = np.minimum(np.searchsorted(known, rests), max(len(known) - 1, 0))
        yield from ((*terms[place], *terms[at[place]]) for place in np.flatnonzero(known[at] == rests).tolist()) if len(known) else ()


def _two(known: Words, terms: Sequence[Terms], wanted: np.uint64) -> Iterator[Terms]:
    for place in range(int(np.searchsorted(known, wanted, "left")), int(np.searchsorted(known, wanted, "right"))):
        yield terms[place]


def _is(terms: Terms, of: int, now: NDArray[np.int64], rises: NDArray[np.int64]) -> bool:
    """Whether it is so in all rows, of columns that are another each, and none of which is the one that changes."""
    places = [place for place, _ in terms]
    made = sum(sign * now[place] for place, sign in terms)
    return len({of, *places}) == len(places) + 1 and bool(np.array_equal(made, rises[of]))
