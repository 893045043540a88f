"""Suggesting that no row jumps alone: by the least factor that the history leaves, of all columns of which it leaves the same one."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.evidence import Proposal, Record
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Law, Pair, bounded, held, told
from avh_ui.inference.by_key.mistaken import noticed, tried_of
from avh_ui.inference.by_key.nearly_carried import numbered
from avh_ui.inference.by_key.still_columns import parts_of_names
from avh_ui.inference.by_key.suspects import episodes
from avh_ui.inference.by_relation.holding import LEAST_RATE, SUSPECTS
from avh_ui.inference.kinds.declarations import declaration_of, is_place, means
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.metrics.jumped_rows import ALONE, JUMPED_ROWS, barely_moves, farthest, jumped
from avh_ui.metrics.matching import MatchedChange
from avh_ui.metrics.measure import Measure

# The factors that a rule may name: a mile is more than 1.5 kilometres, a tenth less than a third. That none jumps by a factor of 100 is too
# loose, said readers wherever it was suggested, and so are 10 where none ever went beyond 1.8, 3 where none did beyond 1.4, and 1.5 of a
# count of cases that rises by 3 % a day. Alone no row of the history went half of the way, on the log scale, and hardly any all of it,
# whatever the others did. Walked forward over 66 tables, rules of 2 alarmed on 2 of 490 batches, and on 1 where 3 was the next factor.
_TIMES, _WAY = (1.1, 1.2, 1.5, 2.0, 3.0, 5.0), 0.5
# A smaller one than this is said of what moves: so many of the rows in so many of the batches, which are no fewer than were seen, and by so
# little that a row is alone after two batches, too, beside which the end of a fault is judged. So walked forward no such rule alarmed on
# any of 237 batches; of columns of which a few rows change, 6 of 288.
_NEAR, _OF_ROWS, _OF_BATCHES = 1.5, 0.5, 0.9
# So many factors a table's rules name: nobody reads more of such rules.
_MOST = 3
# The others barely moved in so many of its batches: of where nobody can be alone the history says nothing. While cases grew by a third
# daily no region was, and when they stood still one that was put right, from 66 to 607, alarmed.
_STILL = 0.9
# Of a young table it is said of columns of which so many batches, as a program needs, had none.
_YOUNG = 7


def suggest(
    pairs: Sequence[Pair],
    key: Sequence[str],
    kinds: Mapping[str, KnownKind],
    budget: Budget,
    seed: int,
    *,
    but: Collection[str],
) -> Proposed:
    """The rules on the columns in which no row of the `pairs` of batches jumped half as far, none of those in `but`."""
    if len(pairs) < _YOUNG:
        return Proposed()
    proposals, left_out = list[Proposal](), list[LeftOut]()
    for times, able in _by_times(pairs, able_to_jump(pairs, kinds, but)).items():
        seen = {name: found for name in able if any((found := noticed(ALONE, name, pairs[-1], seed, times=times)).values())}
        for some in parts_of_names(list(seen)):
            made = _rule(pairs, Measure(JUMPED_ROWS.name, some, parameters=(("key", tuple(key)), ("times", times))), seen, budget)
            if isinstance(made, Proposal):
                proposals.append(made)
            else:
                left_out.append({"column": ", ".join(some), "metric": JUMPED_ROWS.name, "reason": made})
    return Proposed(proposals, left_out)


def able_to_jump(pairs: Sequence[Pair], kinds: Mapping[str, KnownKind], but: Collection[str]) -> list[str]:
    """The columns of numbers of which a factor says something, none of those in `but`."""
    return [n for n in numbered(pairs[-1].ours) if n not in but and _moves(kinds.get(n))]


def _rule(pairs: Sequence[Pair], measure: Measure, seen: Mapping[str, Mapping[str, bool]], budget: Budget) -> Proposal | str:
    law = Law(JUMPED_ROWS.of_measure(measure), measure, tried_of(measure.columns, seen), at=0.0)
    if len(pairs) < LEAST_BATCHES:
        return bounded(law, pairs, Record(len(pairs), ()), LEAST_RATE * len(measure.columns), upper=law.at)
    return held(law, pairs, budget)


def _moves(known: KnownKind | None) -> bool:
    """Whether a factor says something of such numbers: of a latitude it does not, which from 50 to 70 is another place."""
    kind = declaration_of(known)
    return kind is None or (means(kind, JUMPED_ROWS) and not is_place(kind))


class Jumps(NamedTuple):
    """Whether nearly all rows barely move beside one factor, some row goes half of its way alone, and one all of it, whatever others do."""

    still: bool
    alone: bool
    far: bool


def jumps(change: MatchedChange) -> list[Jumps]:
    """By factor how rows jumped. Beside one of the near factors a row is to stand out that goes half of its way."""
    most, found = farthest(change), list[Jumps]()
    for times in _TIMES:
        still, way = barely_moves(change, times if times >= _NEAR else times**_WAY), math.log(times)
        found.append(Jumps(still, most >= _WAY * way and bool(jumped(change, times, _WAY).any()), most >= way))
    return found


def _by_times(pairs: Sequence[Pair], names: Sequence[str]) -> dict[float, list[str]]:
    """By factor the columns of which it is the least one that the history leaves, or the next of those that others share."""
    able = _able(pairs, names)
    found = {name: times[0] for name, times in able.items()}
    while len(used := sorted({*found.values()})) > _MOST:
        wider = {least: next_one for least, next_one in pairwise(used) if all(next_one in able[n] for n in found if found[n] == least)}
        if not wider:
            break
        moved = min(wider, key=lambda least: [*found.values()].count(least) * math.log(wider[least] / least))
        found = {name: wider[times] if times == moved else times for name, times in found.items()}
    return {times: [name for name in names if found.get(name) == times] for times in used}


def _able(pairs: Sequence[Pair], names: Sequence[str]) -> dict[str, list[float]]:
    """The factors that the history leaves each column, the least first; none of those of which it leaves none."""
    left = {}
    for name, found in told(pairs, names, jumps).items():
        moving = _is_moving(pairs, name)
        left[name] = [
            times
            for times, said in zip(_TIMES, zip(*found, strict=True), strict=False)
            if (times >= _NEAR or moving)
            and not any(one.alone for one in said)
            and sum(one.still for one in said) >= _STILL * len(pairs)
            and episodes(one.far for one in said) <= SUSPECTS * len(pairs)
        ]
    return {name: able for name, able in left.items() if able}


def _is_moving(pairs: Sequence[Pair], name: str) -> bool:
    """Whether most of a column's rows change from batch to batch: of what stands still nothing says how far it goes."""
    most = sum(name in pair.changed and pair.changed[name].share >= _OF_ROWS for pair in pairs)
    return len(pairs) >= LEAST_BATCHES and most >= _OF_BATCHES * len(pairs)
