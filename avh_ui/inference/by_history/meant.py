"""Which metrics say something of a column, and which issues may happen to it, by what it is and by its history."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.date_parts import part_followed
from avh_ui.history.marks import mark_of
from avh_ui.history.series import ColumnHistory, Series
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import Unconstrained
from avh_ui.inference.by_history.mixes import is_standing, mostly_others, no_mix
from avh_ui.inference.by_history.told_values import comes_by_chance, whole_by_chance
from avh_ui.inference.by_history.totals import ALONE
from avh_ui.inference.kinds.declarations import (
    DECLARATIONS,
    KindDeclaration,
    in_no_unit,
    is_amount,
    is_dated,
    is_prose,
    may_be_prose,
    means,
    names_nothing,
    says,
)
from avh_ui.issues.amounts import AMOUNTS
from avh_ui.issues.column_issues import ColumnIssues
from avh_ui.issues.coming_again import COMING_AGAIN
from avh_ui.issues.dating import DATED, REORDERED
from avh_ui.issues.losing import HALVED, LOST
from avh_ui.issues.prose import PROSE
from avh_ui.issues.variants import IN_MILES, MIXED, RENAMED
from avh_ui.metrics.catalogue import metrics_for
from avh_ui.metrics.clocks import CLOCK_DIST
from avh_ui.metrics.column import Kind
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.dates import FIRST_DATE
from avh_ui.metrics.distribution import MEDIAN
from avh_ui.metrics.going_on import NOT_ABOVE
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MAX, MEAN, RANGE
from avh_ui.metrics.most_frequent import TOP_RATIO
from avh_ui.metrics.new_each_time import THERE_BEFORE
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.text import CAPITAL_RATIO, CHAR_LEN, STR_LEN
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT, UNIQUE_RATIO
from avh_ui.metrics.values_gone import GONE
from avh_ui.metrics.values_thinned import VALUE_LOSS
from avh_ui.metrics.whole_numbers import WHOLE_RATIO

# What is said of names of rows alone, where each batch has its own.
_NEW_EACH_TIME = (NOT_ABOVE, THERE_BEFORE)
# Of names that come again alone that one is gone, or rows of one, of what people write how many letters are capitals, of moments their
# times of day, of amounts how few are whole.
_ONLY = (*_NEW_EACH_TIME, GONE, VALUE_LOSS, CAPITAL_RATIO, CLOCK_DIST, WHOLE_RATIO)
_OF_SOME_KINDS = frozenset(metric.name for metric in _ONLY)
# Of amounts of which so many may be whole nobody sees that all are.
_MANY_WHOLE = 0.5
# So many rows of one value, as of a flag, hardly lose half of them; the few others come by chance.
_MOST = 0.6
# Of 44 rules on how many of a value's rows are lost readers kept 12: those of values of hundreds of rows. Of fewer a tenth is chance.
_ROWS = 100
# Of texts of which so many are different how many are was kept 12 times of 16, of others 2 times of 6: that languages share an alphabet, or
# places their contacts, is no fault. And of less than so many texts, in less than half of the rows, that none comes twice is chance.
_DIFFERENT, _FEW, _HALF_FILLED = 0.75, 30, 0.5
# What has a value in so few rows.
_HARDLY_FILLED = 0.1
# Texts of which so many are different and that are no longer than this are names: how long these are on average was kept none of 7 times,
# banks and labware of 41 to 44 characters among them; of descriptions of 500 it was kept.
_NAMES, _LONG = 0.5, 60
_OF_WORDS = frozenset({CAPITAL_RATIO.name, STR_LEN.name})
# Of fewer values of a batch, what they are like and how they are mixed is chance.
LEAST_VALUES = 10
# But for the average of a few rows that are the same in every batch, such as a city's five boroughs: it moves as these do. Without it five
# shares' prices a day in another unit (x1000 and x1.6) passed, since no single one stood out from the others.
_OF_SAME_ROWS = frozenset({MEAN.name})
# Nor is it chance what says which batch the rows are of: of five shares a day the date of the day before passed, and swapped months.
_OF_BATCH = (DECLARATIONS["batch key"], DECLARATIONS["calendar part"])
# Of a table of one row a batch, such as a day's totals, the one value is what it is like.
_OF_ONE_ROW = frozenset({FIRST_DATE.name, *(metric.name for metric in ALONE)})


def telling(
    history: ColumnHistory, issues: ColumnIssues, method: Method, of: KindDeclaration | None, *, moving: bool, same_rows: bool
) -> tuple[list[Metric], list[Unconstrained]]:
    """The metrics that say something of such a column, and the others with why they do not."""
    metrics, left_out = _comparable(issues.baseline, history.kind, of)
    if moving:
        why = "the table is a window that moves: an extreme steps when its row leaves; rows that are new or changed are judged by key"
        left_out += [Unconstrained(m.name, why) for m in metrics if m.extreme]
        metrics = [m for m in metrics if not m.extreme]
    if of is not None:
        left_out += [Unconstrained(m.name, f"says nothing of a column that {of.words}") for m in metrics if not means(of, m)]
        chance = {m.name: why for m in metrics if (why := _by_chance(history, of, m) or _as_before(history, issues.baseline, m))}
        left_out += [Unconstrained(name, why) for name, why in chance.items()]
        unsaid = {*chance} | (set() if as_prose(history, issues, of) else {CAPITAL_RATIO.name})
        metrics = [m for m in metrics if means(of, m) and m.name not in unsaid]
    if method == "calibrated":
        mixless = {m.name: why for m in metrics if (why := no_mix(history, issues.baseline, m, names=of is not None and in_no_unit(of)))}
        left_out += [Unconstrained(name, why) for name, why in mixless.items()]
        metrics = [m for m in metrics if m.name not in mixless]
        if (mark := mark_of(history)) is not None:
            left_out += [Unconstrained(m.name, f"{mark:,.0f} stands for no number in it") for m in metrics if _by_marks(m, history, mark)]
            metrics = [m for m in metrics if not _by_marks(m, history, mark)]
    usual = _usual_values(history)
    if method == "calibrated" and usual < LEAST_VALUES and of not in _OF_BATCH:
        why = f"a batch has {usual:.0f} of its values, too few to say more than how many"
        told = _OF_ONE_ROW if history.of_one_row else _OF_SAME_ROWS if same_rows else frozenset()
        kept = [m for m in metrics if m.always_defined or m.name in told]
        left_out += [Unconstrained(m.name, why) for m in metrics if m not in kept]
        metrics = kept
    return metrics, left_out


def _by_marks(metric: Metric, history: ColumnHistory, mark: float) -> bool:
    """Whether a metric of numbers is another one where some stand for none: where these end below, on average, and how they move; and what
    is in the middle, where half of a batch once were such.
    """
    if metric is MEDIAN:
        return bool(np.any(history.values.get(MEDIAN.name, np.empty(0)) == mark))
    return metric is not MAX if metric.unit == "value" else metric.unit == "distance" and metric.highest == math.inf


def _usual_values(history: ColumnHistory) -> float:
    """How many values a batch has in the middle; infinite where that is not known."""
    there = history.values_there()
    return float(np.nanmedian(there)) if there is not None and np.isfinite(there).any() else math.inf


def as_prose(history: ColumnHistory, issues: ColumnIssues, of: KindDeclaration | None) -> bool:
    """Whether texts are written by people, or names of which most are others in each batch: cities, products, persons. All of 9,994 orders'
    cities in small letters, cut in half and behind a blank passed, since none of them is ever the same share.
    """
    if of is None or is_prose(of):
        return of is not None
    worded = any(name.startswith(PROSE) for name in issues.names)
    return worded and may_be_prose(of) and mostly_others(history)


def tried(issues: ColumnIssues, of: KindDeclaration | None, *, prose: bool) -> NDArray[np.bool_]:
    """Which of the issues may happen to such a column, shape (V,)."""
    never: tuple[str, ...] = (RENAMED, MIXED, LOST, HALVED) if of is not None and names_nothing(of) else ()
    never += (f"unit_change {IN_MILES}",) if of is not None and in_no_unit(of) else ()
    # Of what is no name of rows nothing speaks of values that come again.
    never += (COMING_AGAIN,) if of is not None and not any(says(of, m.name) for m in _NEW_EACH_TIME) else ()
    never += () if prose else (PROSE,)
    never += () if of is not None and is_dated(of) else (DATED,)
    never += () if of is not None and (is_dated(of) or of is _OF_BATCH[0]) else (REORDERED,)
    never += () if of is not None and is_amount(of) else (AMOUNTS,)
    return np.array([not name.startswith(never) for name in issues.names], dtype=bool)


def _by_chance(history: ColumnHistory, of: KindDeclaration, metric: Metric) -> str:
    """Why what a metric always was is chance, or what another one says; '' where it is neither.

    Every value of every batch may be unique and name no row: a quantity or a moment, of which two may be alike on any day. Walked forward,
    weekly rates that were unique in 60 batches had two alike in 19 of 1,932 later column-batches.
    """
    known = history.values.get(metric.name)
    if (
        of is _OF_BATCH[1]
        and known is not None
        and not part_followed(history.values.get(MEAN.name, known), history.batches, history.column)
    ):
        return "" if metric.always_defined else "it is a year that has not changed so far, and ends"
    told = history.of_one_row and metric in ALONE
    if (
        metric.extreme
        and not told
        and history.kind == "numeric"
        and says(of, MEAN.name)
        and not np.any(history.values.get(RANGE.name, 1.0))
    ):
        return "a batch has one number, which its average is"
    if metric.name == CLOCK_DIST.name and known is not None and not np.nan_to_num(known).any():
        return "its times of day never moved, as those of days without one"
    if metric.name == WHOLE_RATIO.name and known is not None and np.nanmax(known, initial=0.0) >= _MANY_WHOLE:
        return "many of its numbers are whole in some batch"
    if why := _of_texts(history, of, metric, known):
        return why
    tops = history.values.get(TOP_RATIO.name, np.empty(0))
    tops = tops[np.isfinite(tops)]
    if metric.name == VALUE_LOSS.name and 2 * np.sum(tops > _MOST) > len(tops):
        return "one value is most of them, and how many have it says more"
    if metric.name == VALUE_LOSS.name and len(tops) and np.median(tops) * _usual_values(history) < _ROWS:
        return "no value has so many rows that a part of them is none by chance"
    unique = metric.tells_keys and known is not None and bool(np.all(known[np.isfinite(known)] == 1))
    return f"all its values are different, which of what {of.words} is chance" if unique and not of.names_rows else ""


def _as_before(history: ColumnHistory, before: ColumnProfile | None, metric: Metric) -> str:
    """Why the values of the batch before say that a metric is chance, or what another one says; '' where it is neither."""
    if metric.name == WHOLE_RATIO.name:
        return whole_by_chance(before)
    if metric.name == VALUE_LOSS.name and is_standing(history, before):
        return "its rows stay from batch to batch, so that no value loses any by chance"
    return comes_by_chance(history.column, before) if metric.name == GONE.name else ""


def _of_texts(history: ColumnHistory, of: KindDeclaration, metric: Metric, known: Series | None) -> str:
    """Why a metric says nothing of the letters and lengths of a column, or of how many of its values differ; '' where it does."""
    if metric.name in _OF_WORDS and (why := _no_words(history, of, metric, known)):
        return why
    shares = history.values.get(UNIQUE_RATIO.name)
    if (metric.tells_keys or metric.name == TOP_RATIO.name) and shares is not None and (why := _differing(history, metric, shares)):
        return why
    if metric.name == DIST_VAL_COUNT.name and _middle(history, COMPLETE_RATIO) < _HARDLY_FILLED:
        # Of a column of which 2 of 1,500 rows have a value it was said that it always has two.
        return "so few rows have a value that how many differ is chance"
    return ""


def _no_words(history: ColumnHistory, of: KindDeclaration, metric: Metric, known: Series | None) -> str:
    """Why how many letters are capitals, or how long texts are on average, says nothing of these; '' where it does."""
    if metric.name == STR_LEN.name and (known is None or len(np.unique(known[np.isfinite(known)])) <= 1):
        return ""
    if _middle(history, CHAR_LEN) < 1:
        # "Has no capitals" was said of digits and of marks.
        return "its texts have hardly a letter"
    if metric.name != STR_LEN.name:
        return ""
    named = _middle(history, UNIQUE_RATIO) >= _NAMES and _middle(history, STR_LEN) < _LONG
    # Of lower ends readers kept 3 of 7, and asked why anybody should want to know.
    return "" if is_prose(of) and not named else "how long names are on average nobody asks"


def _differing(history: ColumnHistory, metric: Metric, shares: Series) -> str:
    """Why how many values differ, or are the same one, says nothing of a column of which these `shares` differed; '' where it does."""
    known = shares[np.isfinite(shares)]
    if metric.tells_keys and len(known) and float(np.median(known)) < _DIFFERENT:
        return "so many of its values are there several times that how many differ is chance"
    if metric.tells_keys and len(known) and known.min() < 1 and _usual_values(history) < _FEW:
        # Of 12 of 13 divisions and 13 of 16 names that differ readers kept none of 4 rules, nor one of 17 values; of 38 to 41 all 3.
        return "so few values are there that how many differ is chance"
    if len(known) and known.min() == 1 and _usual_values(history) < _FEW and _middle(history, COMPLETE_RATIO) < _HALF_FILLED:
        return "so few rows have a value that all are different by chance"
    return ""


def _middle(history: ColumnHistory, metric: Metric) -> float:
    """A metric in the batch in the middle; infinite where it is not known."""
    known = history.values.get(metric.name, np.empty(0))
    return float(np.nanmedian(known)) if np.isfinite(known).any() else math.inf


def _comparable(baseline: ColumnProfile | None, kind: Kind, of: KindDeclaration | None) -> tuple[list[Metric], list[Unconstrained]]:
    """The metrics, less those that need a predecessor where there is none of the same kind; that all are new is said of such."""
    metrics = [m for m in metrics_for(kind) if m.name not in _OF_SOME_KINDS or (of is not None and says(of, m.name))]
    if baseline is not None and baseline.kind == kind:
        return metrics, []
    reason = "the latest batch has no predecessor to compare with" if baseline is None else f"its predecessor is {baseline.kind}"
    return [m for m in metrics if not m.two_distribution], [Unconstrained(m.name, reason) for m in metrics if m.two_distribution]
