"""Suggesting that nothing stands still: in every region, shop or carrier some value changes from batch to batch, and in every row.

Who delivers a part may deliver yesterday's again, and so may the one meter, shop or hospital that a row is of. Found by the columns that
change most; of parts by a column that says which one a row is of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.evidence import Proposal
from avh_ui.constraints.judging import judge
from avh_ui.inference.by_key.as_read import clocks
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Law, Pair, held
from avh_ui.inference.by_relation.holding import SUSPECTS
from avh_ui.inference.kinds.declarations import declaration_of, is_amount, is_dated
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.issues.coverage import NOTICED
from avh_ui.metrics.by_key import UNCHANGED
from avh_ui.metrics.column import Counts
from avh_ui.metrics.joining import Places, join
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_groups import codes_of, words_of
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import SampledValues
from avh_ui.metrics.standing_still import LEAST_ROWS, MOST_COLUMNS, RENEWED_PARTS, RENEWED_ROWS, Standing, parts_of, rows_of

# Looked for in the latest so many pairs of batches: of a week, whose Sundays change less.
_LOOKED = 7
# So many columns that change are tried, those that change most first: a part that stands still does so in all of them.
_TRIED = 3
# So many of the rows are in parts, or are rows, of which it would be noticed: else the rule says more than it does.
_NOTICED = 0.5
# More columns than by which so many rows tell make a sentence longer and no better.
_NEARLY = 0.9
# That many rows change their part, where it is one.
_MOVED = 0.01
# That none stands still is said where chance left one as it was in no more of the batches: of rows readers knew of a golfer whose one week
# was as the one before, and threw the rule away.
_CHANCE = {RENEWED_PARTS.name: 0.05, RENEWED_ROWS.name: SUSPECTS}
# Of parts: one by region and one by supplier.
MOST = 2
_CALENDAR = KnownKind("calendar part")
_Of = Callable[..., Standing | None]


@dataclass(frozen=True, eq=False)
class _Group:
    """A column that says which part a row is of, and the number of each row's part in the latest sample."""

    name: str
    codes: Counts
    words: float

    @property
    def count(self) -> int:
        return int(self.codes.max(initial=-1)) + 1

    def within(self, other: _Group) -> bool:
        """Whether each part is made of whole parts of the other: what stands still here does so there."""
        return len(np.unique(self.codes * (other.count + 1) + other.codes)) == other.count


@dataclass(frozen=True)
class _Looking:
    """What is looked at: all `pairs` of batches, the `key`, what columns are, the `rules` on all rows, and the budget."""

    pairs: Sequence[Pair]
    key: Sequence[str]
    kinds: Mapping[str, KnownKind]
    rules: Sequence[Proposal]
    budget: Budget

    @property
    def latest(self) -> Sequence[Pair]:
        return self.pairs[-_LOOKED:]

    def measure(self, metric: Metric, columns: Sequence[str]) -> Measure:
        return Measure(metric.name, tuple(columns), parameters=(("key", tuple(self.key)),))


def suggest(
    pairs: Sequence[Pair],
    key: Sequence[str],
    kinds: Mapping[str, KnownKind],
    rules: Sequence[Proposal],
    budget: Budget,
    watch: Watch,
) -> Proposed:
    """The rules that every part changes, by at most `MOST` columns, and that every row does, where they held in nearly all `pairs` of
    batches, and where the `rules` on all rows do not notice that a part of middle size, or a row, stands still.
    """
    looking = _Looking(pairs, key, kinds, rules, budget)
    columns = _changing(pairs[-LEAST_BATCHES:]) if len(pairs) >= LEAST_BATCHES else []
    # What is as far on in each row as in all is never as it was, and says it of no other column.
    out = clocks(pairs, columns)
    columns = [name for name in columns if name not in out]
    if not columns:
        return Proposed()
    # A date is another one in each batch, whatever else is as it was.
    parts, rows = _of_parts(looking, columns[:_TRIED], watch), _of_rows(looking, [n for n in columns if not _is_dated(kinds.get(n))])
    return Proposed([*parts.proposals, *rows.proposals], [*parts.left_out, *rows.left_out])


def _of_parts(looking: _Looking, columns: Sequence[str], watch: Watch) -> Proposed:
    chosen, proposals, left_out = list[_Group](), list[Proposal](), list[LeftOut]()
    for group in _groups(looking.latest, looking.kinds):
        watch.check()
        if len(proposals) == MOST or any(group.within(one) for one in chosen):
            continue
        for pair in ((name, group.name) for name in columns if name != group.name):
            made = _rule(looking, RENEWED_PARTS, parts_of, pair)
            if isinstance(made, Proposal):
                chosen.append(group)
                proposals.append(made)
                break
            if made:
                left_out.append({"column": looking.measure(RENEWED_PARTS, pair).subject, "metric": RENEWED_PARTS.name, "reason": made})
    return Proposed(proposals, left_out)


def _of_rows(looking: _Looking, columns: Sequence[str]) -> Proposed:
    """Of the fewest columns by which nearly all rows tell, those that change most first; else of those by which most do."""
    shares = dict[int, float]()
    for count in range(2, min(len(columns), MOST_COLUMNS) + 1):
        shares[count] = float(np.median([_telling(pair, rows_of, columns[:count]) for pair in looking.latest]))
        if shares[count] >= _NEARLY:
            break
    if not shares:
        return Proposed()
    best = max(shares, key=lambda count: (shares[count], -count))
    # In the order of the table, so that the same columns are the same rule.
    chosen = [name for name in looking.pairs[-1].ours.columns if name in columns[:best]]
    made = _rule(looking, RENEWED_ROWS, rows_of, chosen)
    if isinstance(made, Proposal):
        return Proposed([made])
    measure = looking.measure(RENEWED_ROWS, chosen)
    return Proposed(left_out=[{"column": measure.subject, "metric": RENEWED_ROWS.name, "reason": made}] if made else [])


def _changing(pairs: Sequence[Pair]) -> list[str]:
    """The columns that change and are not one value in all rows, numbers first, those that change in most rows first."""
    latest = pairs[-1].ours
    able = {name: values for name, values in latest.columns.items() if name not in latest.by and _varies(values)}
    found = []
    for place, (name, shares) in enumerate(_changed(pairs, list(able)).items()):
        # What differs by less than a hundredth changes alike, and next time the other way round.
        share = round(float(np.median(shares)), 2)
        if share > 0:
            found.append((not able[name].numeric, -share, place, name))
    return [name for *_, name in sorted(found)]


def _varies(values: SampledValues) -> bool:
    return len(np.unique(values.numbers[~np.isnan(values.numbers)])) + len(values.used) > 1


def _changed(pairs: Sequence[Pair], names: Sequence[str]) -> dict[str, list[float]]:
    """By column the share of the rows that changed, of each pair; 0 where none match."""
    return {name: [pair.changed[name].share if name in pair.changed else 0.0 for pair in pairs] for name in names}


def _groups(pairs: Sequence[Pair], kinds: Mapping[str, KnownKind]) -> list[_Group]:
    """The columns that say which part a row is of, and that rows keep; those of the most parts first, of as many those with words. What
    says how much of something there is, is no part.
    """
    latest = pairs[-1].ours
    able = {name: values for name, values in latest.columns.items() if not (values.is_null.all() or _is_amount(kinds.get(name)))}
    found = []
    for name, shares in _changed(pairs, list(able)).items():
        if max(shares) > _MOVED:
            continue
        values = able[name]
        codes, count = codes_of(values)
        if 2 <= count <= latest.keys / LEAST_ROWS:
            found.append(_Group(name, codes, words_of(values)))
    return sorted(found, key=lambda g: (-g.count, -g.words))


def _is_dated(kind: KnownKind | None) -> bool:
    known = declaration_of(kind)
    return known is not None and (known == declaration_of(_CALENDAR) or is_dated(known))


def _is_amount(kind: KnownKind | None) -> bool:
    known = declaration_of(kind)
    return known is not None and is_amount(known)


def _tells(pairs: Sequence[Pair], of: _Of, columns: Sequence[str]) -> bool:
    """Whether in most of these pairs it would be noticed of most of the rows that they, or their parts, stand still."""
    return 2 * sum(_told(pair, of, columns) for pair in pairs) > len(pairs)


def _told(pair: Pair, of: _Of, columns: Sequence[str]) -> bool:
    return _telling(pair, of, columns) >= _NOTICED


def _telling(pair: Pair, of: _Of, columns: Sequence[str]) -> float:
    """The share of the rows of which it would be noticed; 0 where that is of one part alone."""
    found = of(pair.ours, pair.theirs, columns, stale=True)
    return 0.0 if found is None or np.count_nonzero(found.stale) < 2 else len(found.places) / len(found.among)


def _rule(looking: _Looking, metric: Metric, of: _Of, columns: Sequence[str]) -> Proposal | str:
    """The rule as it fared; else why there is none, '' where it would tell little, or other rules tell it."""
    if not _tells(looking.latest, of, columns):
        return ""
    measure = looking.measure(metric, columns)
    bound, pair = metric.of_measure(measure), next(one for one in reversed(looking.latest) if _told(one, of, columns))
    found = of(pair.ours, pair.theirs, columns, stale=True)
    assert found is not None
    spoiled = {which: _as_before(pair, found.among[found.codes == place]) for which, place in _sizes(found).items()}
    if _noticed(spoiled.get("middle", spoiled["smallest"]), pair.theirs, looking.rules):
        return ""
    name = f"the {{}} {columns[1]}" if metric is RENEWED_PARTS else "one"
    tried = {f"{columns[0]} stale:{name.format(which)}": bound.between(sample, pair.theirs) < 1 for which, sample in spoiled.items()}
    stood, shares = 0, list[float]()
    for one in looking.pairs:
        standing = of(one.ours, one.theirs, columns)
        stood += standing is not None and standing.as_it_reads
        shares.append(math.nan if standing is None else standing.renewed)
    if stood > _CHANCE[metric.name] * len(looking.pairs):
        return f"in {stood} of {len(looking.pairs)} batches one stood still, be it by chance"
    return held(Law(bound, measure, tried, "standing"), looking.pairs, looking.budget, shares=shares)


def _sizes(found: Standing) -> dict[str, int]:
    """The smallest, the middle and the largest part of those that would be noticed; of rows one."""
    places = np.flatnonzero(found.stale)
    places = places[np.argsort(found.rows[places], kind="stable")]
    middle = int(places[len(places) // 2])
    if found.rows[places[0]] == found.rows[places[-1]]:
        return {"smallest": middle}
    return {"smallest": int(places[0]), "middle": middle, "largest": int(places[-1])}


def _as_before(pair: Pair, some: Places) -> RowSample:
    """The newer sample with some matched rows as they were."""
    joined = join(pair.ours, pair.theirs)
    back = np.full(pair.ours.keys, -1, dtype=np.int64)
    back[joined.ours] = joined.theirs
    places = np.arange(pair.ours.keys)
    places[some] = pair.ours.keys + back[some]
    columns = dict(pair.ours.columns)
    for name, values in columns.items():
        if name not in pair.ours.by and name in pair.theirs.columns:
            columns[name] = values.joined([values, pair.theirs.column(name)]).take(places)
    return replace(pair.ours, columns=columns)


def _noticed(spoiled: RowSample, before: RowSample, rules: Sequence[Proposal]) -> bool:
    """Whether a rule on how many of all rows stand still says it."""
    for rule in rules:
        of = rule.constraint.measure
        if of.name == UNCHANGED.name and of.key == spoiled.by and len(of.columns) == 1:
            value = UNCHANGED.between(Matched(spoiled, of.columns[0]), Matched(before, of.columns[0]))
            if judge(rule.constraint, value, None).status in NOTICED:
                return True
    return False
