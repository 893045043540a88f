"""Suggesting what values a column has: its closed set, of which every other value alarms, or the share of new values that is usual.

Of text columns and of numbers that name something, where the history holds all values of its batches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.constraints.evidence import CLOSED_SET, FromValues, Ladder, Proposal, Record, Rung
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint
from avh_ui.constraints.provenance import Provenance
from avh_ui.history.series import ColumnHistory
from avh_ui.history.value_tables import Tables
from avh_ui.inference.by_values.closedness import LEAST_BATCHES, MOST_NEW, MOST_READ, SETTLED_ONCE, Arrivals
from avh_ui.inference.by_values.known_values import VOCABULARY, vocabulary_of
from avh_ui.inference.by_values.vocabularies import missing
from avh_ui.inference.emptiness import why_untold
from avh_ui.inference.source import Budget, LeftOut, Proposed, Window
from avh_ui.issues.column_issues import Issues
from avh_ui.metrics.conformance import SAMPLES, SHOWN
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.regexes import listed

OPEN = "new values"
# A share of new values may be so many times the largest of the later half of the history, and at least a hundredth. Learned of two thirds
# of 46 tables 128 lists had 12 spells of batches with more, 95 of 2,701 batches, nearly all of columns that changed for good; with the
# largest since the first third 119 had 11, 93 of 2,535, and readers called three such shares too loose, up to ten times what came lately.
# With 1.5 times it was 18 spells. Without the hundredth 25 of 1,894 batches of other tables had more where 9 did.
_FACTOR, _LEAST_SHARE = 2.0, 0.01
# Of a small batch so many rows with new values are no share yet.
_LEAST_ROWS = 2
# Of a closed set that grew so much is no matter: one row of 1,500 of a new seasonal route alarmed on 11 days running. What coverage tries
# least of a column is a hundredth of its rows, and a name in one of 21 regions is no such row.
_MOST_GROWN = 0.01
# A rule that a batch passes with an eighth of its values new says nothing: four readers of "one of 541 values, but for at most 18 %" called
# it too loose.
_BLUNT = 0.125
# Many values, and twice as many as a batch has rows, are no list: of 142 agents who report fires 14 of 110 rows of a batch had new ones,
# where a list of the batches before let 4 % pass.
_MANY, _TWICE = 100, 2.0
# Numbers are taken for names where their kind says so.
_NAMES = frozenset({"code", "category", "open category", "constant"})
_NUMBERED = "identifier"
# Texts of these kinds are not made of values that return.
_NO_NAMES = frozenset({"batch key", "calendar part", "date", _NUMBERED, "free text"})
# "One of 320 values, but for at most 1 %" was said of codes of which each row had its own, and kept it.
# But few that come so often each are what the rows are of, as provinces are, whichever rows stay.
_AGAIN = 5
_SAME_ROWS = "its values come again because the rows do: they do not tell how many new ones new rows bring"
# A column that came to the rows of an older table so few batches ago is in the making, as a list of products gets their providers. Of rows
# that stay the lists of fewer batches had another value within ten in 19 of 234 cases, those of 30 and more in 13 of 1,084.
_YOUNG = 15
# A list of more characters is no list that people read, and RE2 has limited memory.
_LONGEST = 40_000
# In a title the most frequent values stand for all.
_TITLED = 20
# Values kept with the suggestion: the most frequent ones; and those shown that came last.
_RETESTED, _NEWEST = 300, 5


def suggest(window: Window, issues: Issues, budget: Budget, watch: Watch) -> Proposed:
    """A closed set for each column of names where its history tells one; for the others the vocabulary that they are of, and how many new
    values are usual. The budget is the significance of a vocabulary's rise test.
    """
    columns = [c for c in window.columns if _named(window, c.column, c.kind) or _numbered(window, c.column, c.kind)]
    untold = {c.column: why for c in columns if (why := why_untold(window.history.columns.get(c.column, c)))}
    columns = [c for c in columns if c.column not in untold]
    if not columns:
        return Proposed()
    # All texts at once, since the patterns look at them next: each batch is read once.
    tables = window.tables(list(dict.fromkeys([*window.texts, *(c.column for c in columns)])))
    proposals: list[Proposal] = []
    left_out: list[LeftOut] = [{"column": name, "metric": METRIC, "reason": why} for name, why in sorted(untold.items())]
    for done, column in enumerate(columns):
        name, kind = column.column, column.kind
        watch.check()
        watch.report(done, len(columns), f"looking at the values of {name}")
        came = _arrivals(window, column, tables[name]) if _named(window, name, kind) else None
        closed = came is not None and is_closed(window, name, kind, came)
        known = None if closed or kind != "string" else vocabulary_of(name, window, tables[name], issues, budget.fpr)
        proposals += [] if known is None else [known]
        if came is not None and sum(map(len, came.values)) <= _LONGEST:
            made = (grown_set(name, kind, came) or closed_set(name, kind, came)) if closed else new_values(name, kind, came)
            if made is not None and not closed and window.values_stay(name) and not _is_few(came):
                made = None
                left_out.append({"column": name, "metric": METRIC, "reason": _SAME_ROWS})
            proposals += [] if made is None else [Proposal(made, evidence_of(made, came, issues))]
    lacking = missing()
    why = f"known vocabularies were not evaluated: `pip install {' '.join(lacking)}` to look for theirs"
    return Proposed(proposals, left_out + ([{"column": "", "metric": METRIC, "reason": why}] if lacking else []))


def described_columns(found: Proposed) -> frozenset[str]:
    """The columns of which no pattern says more: every new value alarms, or all values are of a vocabulary."""
    return frozenset(p.constraint.column for p in found.proposals if p.constraint.learned.rule in (CLOSED_SET, VOCABULARY))


def _arrivals(window: Window, column: ColumnHistory, tables: Tables) -> Arrivals | None:
    """How values came, where enough batches tell it; None where the latest has too many to be known."""
    out = window.out(column.column)
    unknown = len({*column.batches} & {*window.batches} - tables.keys() - out)
    taught = {batch: table for batch, table in tables.items() if batch not in out}
    came = Arrivals.of(taught, unknown) if window.latest in tables and len(taught) >= LEAST_BATCHES else None
    return came if came is not None and len(came.batches) >= LEAST_BATCHES else None


def _named(window: Window, column: str, kind: str) -> bool:
    known = window.kinds.get(column)
    if kind == "string":
        return known is None or known.kind not in _NO_NAMES
    return kind == "numeric" and known is not None and known.kind in _NAMES and _whole(window.sample.column(column))


def is_closed(window: Window, name: str, kind: str, came: Arrivals) -> bool:
    """Whether a new value is an alarm: not the next step of numbers, nor what the rows of a table get that are filled in later."""
    settled = (came.closed and not came.came_alone) or came.follow or (came.comes_again and not window.values_stay(name))
    young = len(came.batches) < _YOUNG <= len(window.batches) / 2 and window.values_stay(name)
    return settled and not young and not in_steps(kind, came)


def _is_few(came: Arrivals) -> bool:
    """Whether so few values come so often that they are what the rows are of, though the rows stay."""
    return len(came.values) <= MOST_READ and float(np.median(came.totals)) >= _AGAIN * len(came.values)


def _numbered(window: Window, column: str, kind: str) -> bool:
    """Whether these texts are another one in each row, as numbers of accounts are: none is a name, and all may have a check digit."""
    known = window.kinds.get(column)
    return kind == "string" and known is not None and known.kind == _NUMBERED


def _whole(sample: pa.ChunkedArray) -> bool:
    """Whether all are whole numbers: those of text files (CSV, JSON) are read as doubles."""
    if not pa.types.is_floating(sample.type):
        return bool(pa.types.is_integer(sample.type))
    return pc.all(pc.equal(pc.floor(sample), sample), min_count=1).as_py() is True


def in_steps(kind: str, came: Arrivals) -> bool:
    """Whether they are numbers of which the next step is to be expected, as the minutes 240, 265 and 290 of a game with overtime are: of
    ten lists in equal steps readers kept the eight whose step is 1, as codes have, but for years; of this one 315 was missing.
    """
    try:
        found = np.sort(np.array(came.values, dtype=np.float64)) if kind == "numeric" and len(came.values) > 2 else np.empty(0)
    except ValueError:
        return False
    steps = np.unique(np.diff(found))
    return len(steps) == 1 and float(steps[0]) > 1


def closed_set(column: str, kind: str, came: Arrivals) -> PatternConstraint:
    """Every value is one of those that came."""
    rate = max(came.expected, Record(len(came.batches), ()).rate())
    return _constraint(column, kind, came, CLOSED_SET, 0.0, rate)


def grown_set(column: str, kind: str, came: Arrivals) -> PatternConstraint | None:
    """Where the last value of a closed set came in the later half of its history, and in few rows, so few rows may have another one next;
    else None.
    """
    if not len(came.shares) or 2 * int(came.first.max()) < len(came.batches):
        return None
    upper = max(_FACTOR * float(came.shares.max()), _LEAST_ROWS / float(np.median(came.totals)))
    return _constraint(column, kind, came, CLOSED_SET, upper, Record(len(came.shares), ()).rate()) if upper <= _MOST_GROWN else None


def new_values(column: str, kind: str, came: Arrivals) -> PatternConstraint | None:
    """New values are no larger a share than they were lately; None where that says nothing. Slips are none of the values."""
    if came.strange > MOST_NEW or (came.stays and len(came.batches) < SETTLED_ONCE):
        return None
    if len(came.values) > max(_MANY, _TWICE * float(np.median(came.totals))):
        return None
    kept = without_slips(came)
    upper = _lately(came) if kept is came else _slipped(kept)
    return _constraint(column, kind, kept, OPEN, upper, Record(len(came.batches) - came.aged, ()).rate()) if upper < _BLUNT else None


def without_slips(came: Arrivals) -> Arrivals:
    """The values but the slips among them, where those left are closed and the list needs not let more pass than with them."""
    slips = came.seldom
    kept = came.without(slips) if slips.any() else came
    return kept if kept is not came and kept.closed and _slipped(kept) <= _lately(came) else came


def _lately(came: Arrivals) -> float:
    shares = came.unlisted[came.aged :] / came.totals[came.aged :]
    return max(_FACTOR * float(shares.max()), _LEAST_SHARE, _LEAST_ROWS / float(np.median(came.totals)))


def _slipped(kept: Arrivals) -> float:
    return max(_FACTOR * float((kept.beside / kept.totals).max()), _LEAST_ROWS / float(np.median(kept.totals)))


def _constraint(column: str, kind: str, came: Arrivals, rule: str, upper: float, rate: float) -> PatternConstraint:
    values = [came.values[k] for k in came.order]
    learned = Provenance(method="values", first_batch=came.batches[0], last_batch=came.batches[-1], batches=len(came.batches), rule=rule)
    return PatternConstraint(
        column=column,
        metric=METRIC,
        kind=kind,
        lower=None,
        upper=upper,
        origin="values",
        fpr=rate,
        provenance=learned.to_record(),
        pattern=Pattern(_title(values), listed(values), int(came.totals.sum()), 0, "dictionary"),
        usual=int(np.median(came.totals)),
    )


def _title(values: Sequence[str]) -> str:
    shown = " | ".join(value if len(value) <= SHOWN else f"{value[:SHOWN]}…" for value in values[:_TITLED])
    more = len(values) - _TITLED
    return f"{shown} | … ({more:,} more)" if more > 0 else shown


def evidence_of(constraint: PatternConstraint, came: Arrivals, issues: Issues) -> FromValues:
    """How the values came, and what the constraint would have said of the batches."""
    closed = constraint.upper == 0
    of = issues.of(constraint.column)
    caught = of.caught(constraint)
    # The set of a closed one has all values; of an open one the later batches tell how many a fixed list does not know.
    of_open = constraint.learned.rule == OPEN
    kept = without_slips(came) if of_open else came
    failing = kept.unlisted if of_open else np.zeros(len(came.batches), dtype=np.int64) if closed else came.fresh
    tried = len(came.batches) - (came.aged if of_open else came.learned)
    order = came.order
    shown = tuple(kept.values[k][:SHOWN] for k in kept.order[:SAMPLES])
    slips = tuple(value[:SHOWN] for value in came.values if value not in kept.values)[:SAMPLES]
    rung = Rung(constraint.pattern, None, None, tuple(failing.tolist()), 0 if closed else tried, 0, shown, slips, chosen=True)
    frequent = tuple((came.values[k][:SHOWN], int(came.rows[k])) for k in order[:_RETESTED])
    newest = sorted((k for k in order if came.first[k]), key=lambda k: -came.first[k])[:_NEWEST]
    return FromValues(
        method="values",
        batches=len(came.batches),
        backtest=Record(len(came.batches) if closed else tried, ()),
        tried=of.names,
        caught=caught,
        only_caught=caught,
        ladder=Ladder((rung,), came.batches, tuple(came.totals.tolist()), frequent, len(came.values)),
        rule=constraint.learned.rule,
        distinct=len(kept.values),
        settled=came.settled,
        expected=came.expected,
        newest=tuple((came.values[k][:SHOWN], came.batches[int(came.first[k])]) for k in newest),
    )
