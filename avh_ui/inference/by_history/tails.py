"""The calibrated costs: how often a clean batch falls outside bounds r times as wide as the largest deviation of its history.

Distribution-free reasoning ends at 1 / (n + 1): the next of n + 1 exchangeable values is the strangest with that probability. Beyond, the
tail must be assumed, and normality is far too light: after windows of 30 batches the next value was more than 5 sample deviations from
the mean in 0.9 % (provinces of Italy) to 2.5 % (regions of airports) of (column, metric, window) triples, where Student-t says 0.003 %.
What holds is a power law, `r ** -index / (n + 1)`. Measured on 73,500 triples of daily flights, provinces of Italy and runways, and on
58,300 of four other tables: share of next values beyond r = 1, 1.5, 2, 3, 5, 8 times the largest deviation, in %:

| metrics that (index) | the three | the law | the four |
|---|---|---|---|
| vary in most batches (2.5) | 3.6, 0.74, 0.29, 0.10, 0.03, 0.02 | 3.2, 1.2, 0.57, 0.21, 0.06, 0.02 | 5.2, 1.0, 0.4, 0.2, 0.07, 0.04 |
| are shares of nulls or shapes (1.5) | 4.1, 1.5, 1.0, 0.6, 0.3, 0.06 | 3.2, 1.8, 1.1, 0.6, 0.3, 0.14 | 2.8, 0.9, 0.3, 0.2, 0.07, 0.07 |
| mostly stand still (1) | 1.1, 0.7, 0.6, 0.2, 0.07, 0.06 | 3.2, 2.2, 1.6, 1.1, 0.6, 0.40 | 2.5, 1.5, 1.3, 0.8, 0.5, 0.33 |

Index 3 fits the three tables nearer by but claims a third of what is seen beyond 8 times; since the choice seeks out what is claimed too
cheap, 0.22 % of all clean batches alarmed at a target of 0.1 % with it, and 0.16 % with 2.5, which costs .014 of recall. So this index was
chosen with all seven tables in sight, the others with the three. The cost is the larger of this and Student-t's, which matters in histories
of few, even values.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_history.bounds import LEAST_RATE, student
from avh_ui.inference.by_history.still_shares import is_share, share_index, times_as_large
from avh_ui.metrics.by_key import EXCHANGED, LARGEST_FALL, LARGEST_RISE, OF_VALUES
from avh_ui.metrics.column import NUMBER_KINDS, Kind
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.keys_matched import KEYS_GONE, KEYS_NEW, SOUND_KEYS
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT

Floats = NDArray[np.float64]

# Widths in largest deviations of the history: steps of 10 % to 7, where the floor on costs is reached with 30 batches, then of 25 %.
GRID_R: Floats = np.concatenate([1.1 ** np.arange(21), 7.0 * 1.25 ** np.arange(13)])
INDEX = 2.5
# Longer histories have seen more of what happens. Beyond 1.5, 2, 3 times the largest deviation lay, in %, after 60 batches 0.16, 0.07, 0.01
# (flights, provinces, weather), 0.51, 0.19, 0.11 (regions of Italy) and 1.16, 0.37, 0.16 (airports' tables); after 120 batches 0.06, 0.02,
# 0.00 and 0.33, 0.11, 0.04 and 0.46, 0.00, 0.00. The law with 3 says 0.49, 0.21, 0.06 and 0.25, 0.10, 0.03.
LONG = 60
LONG_INDEX = 3.0
# So do they of nulls where few are null, and from `LONG` on of the number of rows. After 120 batches of six tables the next share of values
# that are there was beyond 1.3, 1.5 and 2 times the largest deviation in 0.19, 0.06 and 0.00 % of 3,202 (index 1.5 says 0.56, 0.45, 0.29,
# index 3 says 0.38, 0.25, 0.10; after 60 batches 1.1, 0.79, 0.41 % of 3,931, as index 1.5 says). The logarithm of the number of rows was
# beyond 1.3 and 1.5 times in 5 and 4 of 2,188 batches of five tables, 4 of them documented or plain faults (files without rows, a day cut
# short): index 6 says 4 and 2. After 60 batches it was beyond 1.3, 1.5 and 2 times in 4, 2 and 1 of 524 of four tables, one of them the day
# cut short (index 6 says 1.8, 0.8, 0.1, index 3 says 3.9, 2.5, 1.1); after 30 in 7, 5 and 3 of 650, as index 3 says.
VERY_LONG = 100
VOLUME_INDEX = 6.0
# A metric that mostly has one value moves in bursts, and the next burst is as large as it likes.
STILL = 0.5
STILL_INDEX = 1.0
# Shares of matched rows that are changed, lost or filled do not: after 30 batches in which more than half of these shares were the same the
# next was beyond 5, 8, 12 and 32 times the largest deviation in 0.39, 0.21, 0.12 and 0.06 % of 3,330 windows of six tables, of which index
# 1.5 says 0.29, 0.14, 0.08 and 0.02 and index 1 says 0.65, 0.40, 0.27 and 0.10 (of 11,186 of regions of Italy in none; one delivery that
# revised all is left out); after 60 and 100 batches it was beyond 2 and 3 times in 0.29 and 0.00 % of 13,985 and 0.24 and 0.00 % of 13,223
# (index 2 says 0.41 and 0.18, 0.25 and 0.11).
_SHARES = tuple(m for m in OF_VALUES if m.unit == "ratio" and not (m.of_farthest or m.of_faults))
STILL_SHARES_INDEX = 1.5
LONG_STILL_SHARES_INDEX = 2.0
# Nor do numbers of rows: of 43,900 windows of 30 days of flights by route, destination and hour whose logarithms mostly were the same the
# next was beyond 3, 5 and 8 times the largest deviation in 0.27, 0.05 and 0.01 % (index 2 says 0.36, 0.13 and 0.05), of 24,900 of 120 days
# in 0.19, 0.02 and 0.00 % (0.09, 0.03 and 0.01). Nor does what they change by from batch to batch, of lists that slowly grow or shrink:
# after 30 batches of runways, navaids, frequencies and regions by country or type, flights by destination and carrier, of which most
# stood still, the next change was beyond 2, 3, 5 and 8 times the largest in 0.34, 0.19, 0.13 and 0.11 % of 87,900, after 60 in 0.22,
# 0.16, 0.12 and 0.11 % of 129,900 (this says 1.6, 0.72, 0.26 and 0.10, and 0.82, 0.36, 0.13 and 0.05, with `LAG_FACTOR`); of the 93 and 139
# beyond 8 times 79 and 128 lost, or had again, 40 % of the rows or more. Index 1 let half of 16 employees be gone.
# Nor do shares of keys that are gone or new: after 10, 30, 60 and 120 batches mostly without, of 145 of the same tables and parts, the next
# share gone was beyond 2, 3, 5 and 8 times the largest deviation in 0.93, 0.41, 0.16 and 0.06 % of 10,300 windows, 0.47, 0.21, 0.11 and
# 0.05 % of 20,700, 0.30, 0.13, 0.06 and 0.02 % of 29,900, and 0.15, 0.07, 0.04 and 0.02 % of 40,500 (this says 2.3, 1.0, 0.36 and 0.14,
# then 0.81, 0.36, 0.13 and 0.05, 0.41, 0.18, 0.07 and 0.03, 0.21, 0.09, 0.03 and 0.01); of keys that are new it is 2.0, 0.90, 0.29 and
# 0.10, then 0.69, 0.27, 0.09 and 0.04. Index 1 let 45 % of 168 countries be gone, of which one ever was.
STILL_VOLUME_INDEX = 2.0
# What a list's number of rows changes by: those windows but for .1 %, of which most lost 40 % of the rows or more, or had them again, as a
# rule of rows is there to tell, follow this factor: .24, .09, .03 and .01 % after 30 (it says .24, .11, .04 and .02), .12, .06, .02 and .01
# after 60 (.12, .06, .02 and .01). With `LAG_FACTOR` "0.65 to 1.58 times the batch before" was said of a list that never fell and once rose
# by 13 %.
STILL_VOLUME_FACTOR = 0.3
# Nulls and odd shapes come in outbreaks, as a storm that cancels flights.
HEAVY_INDEX = 1.5
# From `LONG` on those of nulls have ends: of 41 columns of flights (by carrier, origin and destination, too) and earthquakes in which few
# were null the next share was beyond 1.3, 1.5, 2, 3 and 5 times the largest deviation in 0.99, 0.73, 0.43, 0.07 and 0.02 % of 5,920
# windows of 60 batches (this says 0.97, 0.73, 0.41, 0.18 and 0.07, the index above 1.1, 0.89, 0.58, 0.32 and 0.15, of which it says the
# truth after 30: 1.9, 1.5, 1.1, 0.6 and 0.3 % of 6,149). "At most half is null" was said of a column of which 8 % are.
LONG_NULL_INDEX = 2.0
# Where many are null in every batch an outbreak is no larger than the usual spread. After 60 batches there lay beyond 1.3, 1.5 and 2 times
# the largest deviation 0.85, 0.36 and 0.17 % of 15,534 windows with 10 to 90 % null (index 3 says 0.75, 0.49, 0.20), and 1.04,
# 0.43 and 0.20 % of 3,474 with more; of 5 to 10 % null 1.48, 0.91 and 0.40 %, of less than 2 % 1.63, 1.06 and 0.49 % (index 1.5 says 1.1,
# 0.89, 0.58). After 30 batches it was 3.1, 1.1 and 0.4 % of 15,729 with 10 to 90 % (index 2.5 says 1.7, 1.2, 0.6).
MANY_NULL = 0.1
# How far the rows moved that moved farthest has a tail of its own: one row decides it, and waves come and go. After 120 batches the next
# was beyond 1, 1.5, 2, 3, 5 and 8 times the largest deviation in 1.1, 0.39, 0.21, 0.11, 0.06 and 0.04 % of 89,930 windows of four tables
# with keys (regions of Italy, runways, navaids and frequencies of airports; this index says 0.83, 0.45, 0.29, 0.16, 0.07 and 0.04 %,
# index 3 says 0.03 % beyond 3 times), after 30 in 3.8, 1.6, 0.84, 0.38, 0.19 and 0.12 % (3.2, 1.8, 1.1, 0.62, 0.29 and 0.14). In the
# provinces of Italy, by which it was not chosen, it was 1.0, 0.50, 0.37, 0.25, 0.14 and 0.10 % of 7,672 after 120.
FARTHEST_INDEX = 1.5
# How far a number of rows lies beyond all before it has little to do with how far apart these lie: quiet weekends make no day emptier. Its
# logarithm was 0.1, 0.2, 0.35, 0.5 and 0.69 (half) beyond the farthest of 40 batches in 0.64, 0.19, 0.08, 0.04 and 0.03 % of 13,396 windows
# of flights by carrier, destination and hour, of 60 in 0.49, 0.14, 0.07, 0.04 and 0.03 % of 12,516, of 100 in 0.37, 0.09, 0.04, 0.02 and
# 0.01 % of 10,769, nearly all of them on Thanksgiving; of all flights, of those by airport and of earthquakes in 0.74, 0.23, 0.11, 0.11 and
# 0.11 % of 1,766 windows of 40. This says 0.61, 0.27, 0.12, 0.07 and 0.04 % after 40, 0.25, 0.11, 0.05, 0.03 and 0.02 % after 100.
VOLUME_SCALE, VOLUME_AWAY_INDEX = 0.1, 2.0
# Where the correlation with the batch before is less, values come back to their level: of 19 tables the next 60 batches lay beyond 2.5
# times the largest deviation in .0 to .4 % of theirs, of those of which it is more in up to 4.2 %. Before so many batches it tells
# nothing.
NEAR, _SHORT = 0.5, 30
_COUNTED = ("characters", "values", "rows")
# A number of different values is no burst either: where this says .05 %, the next five lay in .02 to .10 % of 33,000 after 23 to 114
# batches.
STILL_DISTINCT_INDEX = 1.5
# Differences against an earlier batch exceed their history twice as often (7.5 % beyond the largest deviation; 0.7 % beyond twice).
LAG_FACTOR = 2.0

# A metric that never changed changes in the next batch with probability (n + 2) ** -exponent. 2 is Jeffreys' rule for universal laws
# (Theory of Probability, 1939, 3.2): with even odds beforehand it is not constant by rule with probability 1 / (n + 2), and then changes
# with 1 / (n + 2): 0.1 % after 30 batches. Measured on flights, weather, regions and provinces of Italy and runways, after 30 batches:
# frequencies of texts and distances between them changed in 0.12 % of 4,000 windows (rule 2: 0.10 %);
CONSTANT_RULE = 2.0
# what every single value has to keep (completeness, lengths, shapes, the set of values) in at most 0.05 % of 4,000 to 15,000, and any
# metric of a column that had one value in all rows in none of 572 (rule: 0.02 %); what only faults do in rows, such as 0 after a large
# number, in 0.27, 0.19, 0.12, 0.10 and 0.08 % of 71,700 to 66,000 windows of 6, 9, 14, 20 and 30 days of 22 tables (rule: 0.55 to 0.02 %);
OF_EVERY_VALUE_RULE = 2.5
# that nothing is null, of as many cells as `NEVER_CELLS` in sum, in far fewer: after 7, 10, 14, 20 and 30 batches that had no null the next
# had one in 5 of 30,035, 5 of 29,711, 5 of 29,279, 4 of 28,636 and 4 of 27,570 windows of nine tables without documented faults, 0.014 to
# 0.017 % each (rule: 0.015 % after 7, then the floor). The rule of every value says 0.41 % after 7 and 0.06 % after 18, so that tables of
# 18 batches and 247 or 48,000 rows were told that at most 0.9 % may be null;
NEVER_NULL_RULE = 4.0
# so in that no key stands in several rows: after 7, 14 and 30 batches of ten tables whose keys never did the next one had such a key in 2
# of 6,659, 6,582 and 6,417 windows, two documented faults, and of a key that was one by chance (of flights) in 2, 1 and 1 of 251 to 199;
# what alarmed there was no key any more.
# Nor does a table of one row a batch, such as a day's totals, get a second one: of a flight's days (carrier and number) that had one row
# in 7 and in 30 days the next one had several in 4 of 304,474 and 4 of 232,964. Where it is chance, as of a route that is flown once a day,
# the next had several in 0.66 and 0.46 % of 28,630 and 22,781; nobody delivers these apart.
# What names a part of its batch's date, as a year, does so in the next batch, too: 18 such columns of 15 tables did in all 2,274 batches.
# Nor do rows exchange numbers: after 6, 9, 14, 20 and 30 days of the same 22 tables without, the next had such rows in 12 to 15 of 79,700
# to 75,000 windows (0.016 to 0.019 % each), of which 8 or 9 were mistakes. And where no row ever fell to half or rose to twice (`CALM`, on
# the log scale), none has 0 after a large number, ten times as much or the other sign: in 13, 8, 6, 4 and 4 of 56,100 to 46,400 windows
# (0.023, 0.015, 0.012, 0.008 and 0.009 %).
CALM = 0.7
# The fewest cells in sum that these windows had: 7 batches of 21 rows.
NEVER_CELLS = 147
# what one row decides, which is every metric of numbers and the number of rows, in 0.2 to 0.9 % of 1,200 to 11,000 (rule: 0.55 %).
OF_ONE_ROW_RULE = 1.5
# Of one number of rows in 30 batches and more this says too much. Of 12 tables whose batches had as many rows each (panels of regions,
# houses and shops, half hours of days, windows of 91 days) the next had another number in 5 of 8,639 windows of 30 batches, 4 of 8,215 of
# 60 and 2 of 7,761 of 100: 0.06, 0.05 and 0.03 % (rule 2: 0.10, 0.05 and 0.01 %; the rule above: 0.55, 0.20 and 0.10 %); after 14 in 5 of
# 437 of all but the four longest, as that one says. "Between 46 and 50 rows" was said of days of 48 half hours.
SAME_ROWS, OF_SAME_ROWS_RULE = 30, 2.0
# How many smallest steps a constant may move: the change is beyond s steps with probability 1 / (1 + s), STILL_INDEX again.
STEPS: Floats = np.array([0, 1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 1_000, 2_000], dtype=np.float64)
# Keys that never were gone are gone as a part of the table, however many rows it has: after 6, 10 and 30 batches without, of 465 tables and
# parts of them the next had lost any in 0.39, 0.33 and 0.21 % of 221,000 to 197,000 windows, more than 2 % of the keys in 0.050, 0.036 and
# 0.029, 5 % in 0.026, 0.016 and 0.013, 10 % in 0.006, 0.006 and 0.004 (this says 0.40, 0.052, 0.023 and 0.012).
LOST, LOST_SCALE = 0.004, 0.003
# What is left of a budget buys bounds so many largest deviations away, and none nearer: the law of the tails, by which they cost, does not
# hold there. Of means that wander 13 % lay beyond 1 and 0.12 % beyond 2 after 60 batches; the law says 1.6 and 0.20 %.
NEAREST = 2.0


def beyond(metric: Metric, r: Floats, k: Floats, values: Floats, *, lagged: bool, logs: bool = False, own: float = 0.0) -> Floats:
    """Probability that the next value deviates more than `r` times the largest deviation of `values`, which is `k` sigma; shape of `r`.

    `values` of shape (n,) do not stand still throughout; numbers of rows may be `logs`. The table's `own` tail (`own_record`; 0 = none) is
    that of what comes and goes. At least `LEAST_RATE`.
    """
    n = len(values)
    still = is_share(metric) and not lagged and modal_share(values) >= STILL
    times = times_as_large(metric, r, values) if still else r
    power = _factor(metric, values, lagged=lagged) * times ** -index_of(metric, values, lagged=lagged, own=own) / (n + 1)
    rate: Floats = np.maximum(np.minimum(power, 1.0), student(k, n, one_sided=metric.two_distribution))
    if logs and metric.volume and not lagged:
        rate = np.minimum(rate, rows_beyond(n, (r - 1) * float(np.abs(values - values.mean()).max())))
    return rate


def _factor(metric: Metric, values: Floats, *, lagged: bool) -> float:
    """How much more often than what is as it is a change against an earlier batch exceeds its history."""
    if not lagged:
        return 1.0
    return STILL_VOLUME_FACTOR if metric.volume and modal_share(values) >= STILL else LAG_FACTOR


def rows_beyond(n: int, away: Floats) -> Floats:
    """Probability that the logarithm of the next number of rows lies so far `away` beyond all of n batches; shape of `away`, at least
    `LEAST_RATE`.
    """
    rate: Floats = np.maximum(LEAST_RATE, (1 + np.maximum(away, 0.0) / VOLUME_SCALE) ** -VOLUME_AWAY_INDEX / (n + 1))
    return rate


def moved(metric: Metric, exponent: float, n: int, far: Floats, step: float) -> Floats:
    """Probability that a metric that had one value in n batches moves farther than each of `far`, of which `step` is the smallest."""
    rate = changed(exponent, n, far / step if step > 0 else far)
    return np.maximum(LEAST_RATE, np.minimum(rate, LOST / (1.0 + far / LOST_SCALE))) if metric is KEYS_GONE else rate


def changed(exponent: float, n: int, steps: Floats) -> Floats:
    """Probability that a metric that had one value in n batches moves more than so many smallest steps; shape of `steps`."""
    rate: Floats = np.maximum(LEAST_RATE, (n + 2.0) ** -exponent / (1.0 + steps))
    return rate


def rule(  # noqa: PLR0913 (what is known of a history)
    metric: Metric,
    kind: Kind,
    *,
    one_value: bool = False,
    unique: bool = False,
    filled: bool = False,
    one_row: bool = False,
    dated: bool = False,
    calm: bool = False,
    same: int = 0,
) -> float:
    """The exponent of `n + 2` for a metric that never changed.

    `one_value` when all rows of all batches had the same value, `unique` when every value of every batch was unique, `filled` when no cell
    of so many as `NEVER_CELLS` was null, `one_row` when every batch had one row, `dated` when it is a part of the batch's date in all rows,
    `calm` when no row moved farther than `CALM`. So many batches had the `same` value as it is.
    """
    if (filled and metric is COMPLETE_RATIO) or metric in SOUND_KEYS or (one_row and metric.volume) or dated:
        return NEVER_NULL_RULE
    if metric is EXCHANGED or (calm and metric.of_faults):
        return NEVER_NULL_RULE
    if metric.volume:
        return OF_SAME_ROWS_RULE if same >= SAME_ROWS else OF_ONE_ROW_RULE
    if one_value or (unique and metric.tells_keys) or metric.of_every_value or metric.of_faults:
        return OF_EVERY_VALUE_RULE
    return OF_ONE_ROW_RULE if kind in NUMBER_KINDS else CONSTANT_RULE


def is_calm(series: Mapping[str, Floats]) -> bool:
    """Whether no row matched by key ever moved farther than `CALM`, by the series of a column's metrics; not where none is matched."""
    moves = [series[metric.name] for metric in (LARGEST_FALL, LARGEST_RISE) if metric.name in series]
    return bool(moves) and all(np.nanmax(one, initial=0.0) <= CALM for one in moves)


def index_of(metric: Metric, values: Floats, *, lagged: bool = False, own: float = 0.0) -> float:
    """The power of the metric's tail, whose history is `values`, shape (n,); `lagged` are those that differ from an earlier batch. The
    table's `own` is that of what comes and goes.
    """
    if own and comes_and_goes(metric, values, lagged=lagged):
        return own
    if modal_share(values) >= STILL:
        return _index_of_still(metric, len(values), lagged=lagged)
    if metric.of_farthest:
        return FARTHEST_INDEX
    if metric.volume and len(values) >= LONG:
        return VOLUME_INDEX
    if metric.outbreaks and len(values) < VERY_LONG and not _many_null(metric, values):
        return LONG_NULL_INDEX if _long_shares(metric, values) else HEAVY_INDEX
    return LONG_INDEX if len(values) >= LONG else INDEX


def comes_and_goes(metric: Metric, values: Floats, *, lagged: bool) -> bool:
    """Whether a metric of what a batch holds returns to its level from batch to batch: not where each is near to the one before, nor where
    it mostly stands still. Nulls and odd shapes come in outbreaks, numbers of rows have a tail of their own, as what matched rows did has.
    """
    apart = lagged or metric.volume or metric.by_key or metric.outbreaks or metric.total or metric.dated or metric.unit in _COUNTED
    if apart or len(values) < _SHORT or not np.ptp(values) or modal_share(values) >= STILL:
        return False
    gap = values - values.mean()
    return bool(gap[1:] @ gap[:-1] < NEAR * (gap @ gap))


def _index_of_still(metric: Metric, count: int, *, lagged: bool) -> float:
    if metric.volume or metric in (KEYS_GONE, KEYS_NEW):
        return STILL_VOLUME_INDEX
    if not lagged and is_share(metric):
        return share_index(metric)
    if metric is DIST_VAL_COUNT:
        return STILL_DISTINCT_INDEX
    if metric in _SHARES and not lagged:
        return LONG_STILL_SHARES_INDEX if count >= LONG else STILL_SHARES_INDEX
    return STILL_INDEX


def _long_shares(metric: Metric, values: Floats) -> bool:
    """Whether values, shape (n,), are shares of those that are there of a long history; changes of them are none."""
    return metric is COMPLETE_RATIO and len(values) >= LONG and float(values.min()) >= 0


def _many_null(metric: Metric, values: Floats) -> bool:
    """Whether values, shape (n,), are shares of those that are there, which usually are not nearly all; changes of them are none."""
    return metric is COMPLETE_RATIO and float(values.min()) >= 0 and float(values.mean()) <= 1 - MANY_NULL


def modal_share(values: Floats) -> float:
    """The share of the most frequent value, shape (n,)."""
    ordered = np.sort(values)
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    return float(np.diff(ends, prepend=-1).max()) / len(values)
