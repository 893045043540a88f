"""Suggesting that no row jumps alone: by the least factor that the history leaves, of all columns of which it leaves the same one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.evidence import Proposal, Record
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Law, Pair, bounded, held
from avh_ui.inference.by_key.mistaken import noticed, tried_of
from avh_ui.inference.by_key.nearly_carried import numbered
from avh_ui.inference.by_key.still_columns import parts_of_names
from avh_ui.inference.by_key.suspects import episodes
from avh_ui.inference.by_relation.holding import LEAST_RATE, SUSPECTS
from avh_ui.inference.kinds.declarations import declaration_of, is_place, means
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.metrics.jumped_rows import ALONE, JUMPED_ROWS, barely_moves, far, jumped
from avh_ui.metrics.matching import Matched, changes
from avh_ui.metrics.measure import Measure

# The factors that a rule may name: a mile is more than 1.5 kilometres, a tenth less than a third. That none jumps by a factor of 100 is too
# loose, said readers wherever it was suggested, and so is a factor of 10 where none ever went beyond 1.8: ten times as much is another
# rule's. Alone no row of the history went half of the way, on the log scale, and hardly any all of it, whatever the others did.
_TIMES, _WAY = (1.5, 3.0, 5.0), 0.5
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
    for times, able in _by_times(pairs, [n for n in numbered(pairs[-1].ours) if n not in but and _moves(kinds.get(n))]).items():
        seen = {name: found for name in able if any((found := noticed(ALONE, name, pairs[-1], seed, times=times)).values())}
        for some in parts_of_names(list(seen)):
            made = _rule(pairs, Measure(JUMPED_ROWS.name, some, parameters=(("key", tuple(key)), ("times", times))), seen, budget)
            if isinstance(made, Proposal):
                proposals.append(made)
            else:
                left_out.append({"column": ", ".join(some), "metric": JUMPED_ROWS.name, "reason": made})
    return Proposed(proposals, left_out)


def _rule(pairs: Sequence[Pair], measure: Measure, seen: Mapping[str, Mapping[str, bool]], budget: Budget) -> Proposal | str:
    law = Law(JUMPED_ROWS.of_measure(measure), measure, tried_of(measure.columns, seen), at=0.0)
    if len(pairs) < LEAST_BATCHES:
        return bounded(law, pairs, Record(len(pairs), ()), LEAST_RATE * len(measure.columns), upper=law.at)
    return held(law, pairs, budget)


def _moves(known: KnownKind | None) -> bool:
    """Whether a factor says something of such numbers: of a latitude it does not, which from 50 to 70 is another place."""
    kind = declaration_of(known)
    return kind is None or (means(kind, JUMPED_ROWS) and not is_place(kind))


def _by_times(pairs: Sequence[Pair], names: Sequence[str]) -> dict[float, list[str]]:
    """By factor the columns of which it is the least one that the history leaves."""
    still, jumps = ({name: [0] * len(_TIMES) for name in names} for _ in range(2))
    moved: dict[str, list[list[bool]]] = {name: [[] for _ in _TIMES] for name in names}
    # Pair by pair: two batches are matched by all of their columns at once, which is remembered of the latest two.
    for pair in pairs:
        for name in names:
            found = changes(Matched(pair.ours, name), Matched(pair.theirs, name))
            if found is None:
                continue
            for at, times in enumerate(_TIMES):
                still[name][at] += barely_moves(found, times)
                jumps[name][at] += bool(jumped(found, times, _WAY).any())
                moved[name][at].append(bool(far(found, times).any()))
    found_at: dict[float, list[str]] = {}
    for name in names:
        able = (
            times
            for times, calm, had, by_all in zip(_TIMES, still[name], jumps[name], moved[name], strict=True)
            if not had and calm >= _STILL * len(pairs) and episodes(by_all) <= SUSPECTS * len(pairs)
        )
        if (least := next(able, None)) is not None:
            found_at.setdefault(least, []).append(name)
    return found_at
