"""Whether the values of a column are a closed set: told by how new ones came, batch by batch.

A value that was in c of K batches is in a batch with the probability p = c / K, and was seen at all with pi = 1 - (1 - p)^K: it stands for
(1 - pi) / pi values as rare that were not seen yet (Horvitz and Thompson 1952, the estimate of a total from those seen; for values of one
batch it is 0.6 of Good and Turing's). So the next batch brings about the sum of p (1 - pi) / pi new values.

That is told of values that come and go. A list that grows, of articles or shops, has values that stay once they came, as if they had been
there from the start: of 358 articles in three warehouses, one new in 11 days, 0.00002 new ones were expected a day, and 42 of the next 45
days alarmed. Those that came late and stayed tell how often the next one comes. One alone does where others have left for good, as the
months, releases and fiscal years before it have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from avh_ui.history.value_tables import Tables

# A history of fewer batches says too little of what comes (as for programs, `workflows.eligible`).
LEAST_BATCHES = 7
# A set of more values is no list that people read, and a frequency table holds no more.
MOST_VALUES = 1_000
# At most so many new values a batch are expected of a closed set. Measured on 64 columns of texts of nine tables, walking forward in
# windows of 120: of 1,396 batches of such columns one brought a new value (a province that got its own code), of those with 0.01 to 0.1
# three in ten.
MOST_NEW = 0.01
# Where values return within a batch, so many batches without a new one are enough. Where most are there once (keys, lists that are
# delivered whole each time) batches repeat one another and say little: of columns settled for 7 to 30 batches 3 in 126 brought a new
# value in the next, for 30 to 60 batches 2 in 131, beyond 1 in 724.
SETTLED, SETTLED_ONCE = 7, 60
# But one value that was all to come, in batches of one row: that it is there once says nothing. Of the rows of flights, regions and
# provinces as tables of their own, such a column had another value in 0.02 to 0.3 % of the batches after 7, in 0.02 to 0.19 % after 30.
SETTLED_ALONE = 28
# Nor do so few values that are in every batch, as the counties of a state are: walking forward on 46 tables after 30 batches, 5 such
# columns had another value in none of 76.
SETTLED_SAME, MOST_READ = 29, 30
# Nor do few of which a batch has so many rows each, as answers of people, though some are there once today: of rows that are others in each
# batch those settled so long had another value in 0 of 130 next batches and in 4 of 130 spells of ten, 7 batches of five rows each in 1 and
# 4 of 63; sets that are closed without it in 5 and 26 of 982. "time is words of small letters, digits, …" was said of ten answers.
SETTLED_FEW, _EACH, _MANY_EACH = 15, 2, 5
# Of so few values one that one row of one batch had tells that another one may come: of the names of programs that write to a chat one
# stood in one row of 2,970, and a reader called the list of both too tight three times.
_FEW = 3
# So few values that followed one another, each in many batches, are all that there were: "true" and "false", and "TRUE" and "FALSE" since.
_FOLLOWING = 5
# More values than this share that are there once in a batch: others are to be expected (Deequ's CategoricalRangeRule has the same).
MOST_ONCE = 0.1
# Nearly all: a row is edited now and then.
_STAYING = 0.9
# So large a part of the values has left where values follow one another: of a hundred names that one is renamed says nothing of the next.
_LEFT = 0.1
# Of a history the first batches say which values there are, the others how often new ones come.
_LEARNED = 3
# A value of one batch in so small a part of all rows, while each of the others was in half of the batches and more, is a slip: '#N/A' once
# in 20,000 rows of "Male" and "Female". Walking forward on 59 tables the five open lists without theirs let 88 of 88 next batches pass, as
# with them. After 15 batches a precinct 0 came again; with others in a twentieth of the batches a cause of fires became frequent.
_SELDOM, _OFTEN, SELDOM_AFTER = 0.001, 0.5, 30


@dataclass(frozen=True)
class Arrivals:
    """How the values came: the `batches`, the `values` in the order of their coming, and the `counts` of rows (K, D) that each batch has of
    each. `unknown` is how many batches beside had more values, or longer ones, than the history holds. `beside` are the rows of each batch
    with a value that was left out, (K,).
    """

    batches: tuple[str, ...]
    values: tuple[str, ...]
    counts: NDArray[np.int64]
    unknown: int = 0
    beside: NDArray[np.int64] | int = 0

    @classmethod
    def of(cls, tables: Tables, unknown: int = 0) -> Arrivals | None:
        """From a frequency table per batch, in order, beside so many batches of which there is none; empty texts are no values. None where
        there are too many values, none at all, or one that is no Unicode, which no engine looks for.
        """
        there = {batch: found for batch, table in tables.items() if (found := _filled(table))}
        places: dict[str, int] = {}
        for table in there.values():
            new = [value for value in table if value not in places]
            if len(places) + len(new) > MOST_VALUES or any(_broken(value) for value in new):
                return None
            for value in new:
                places[value] = len(places)
        if not there:
            return None
        counts = np.zeros((len(there), len(places)), dtype=np.int64)
        for row, table in zip(counts, there.values(), strict=True):
            row[[places[value] for value in table]] = np.fromiter(table.values(), dtype=np.int64, count=len(table))
        return cls(tuple(there), tuple(places), counts, unknown)

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """How many rows each batch has, (K,)."""
        found: NDArray[np.int64] = self.counts.sum(axis=1) + self.beside
        return found

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """How many rows each value has, (D,)."""
        found: NDArray[np.int64] = self.counts.sum(axis=0)
        return found

    @cached_property
    def seen(self) -> NDArray[np.int64]:
        """How many batches each value was in, (D,)."""
        found: NDArray[np.int64] = np.count_nonzero(self.counts, axis=0)
        return found

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The place of the first batch of each value, (D,)."""
        found: NDArray[np.int64] = np.argmax(self.counts > 0, axis=0)
        return found

    @cached_property
    def last(self) -> NDArray[np.int64]:
        """The place of the last batch of each value, (D,)."""
        found: NDArray[np.int64] = len(self.batches) - 1 - np.argmax(self.counts[::-1] > 0, axis=0)
        return found

    @property
    def once(self) -> float:
        """Of the values of the latest batch the share that it has once."""
        latest = self.counts[-1]
        return float(np.count_nonzero(latest == 1) / np.count_nonzero(latest))

    @cached_property
    def fresh(self) -> NDArray[np.int64]:
        """How many rows of each batch have a value that the first batches did not have, (K,)."""
        found: NDArray[np.int64] = self.counts[:, self.first >= self.learned].sum(axis=1)
        return found

    @cached_property
    def unlisted(self) -> NDArray[np.int64]:
        """How many rows of each batch had a value that the list of a third of the history before did not have, or that of the first
        third, (K,); in the batches before `aged` those with a value that was left out.
        """
        age, found = len(self.batches) // _LEARNED, np.zeros(len(self.batches), dtype=np.int64)
        for k in range(self.aged, len(self.batches)):
            found[k] = self.counts[k, self.first >= max(k - age, self.learned)].sum()
        return found + self.beside

    @property
    def aged(self) -> int:
        """The first batch of the later half, which is judged by the list of a third of the history before: what has grown since is known
        by then, and new values came as often as lately.
        """
        return len(self.batches) // 2

    @property
    def learned(self) -> int:
        """How many of the first batches say which values there are."""
        return max(1, len(self.batches) // _LEARNED)

    @cached_property
    def expected(self) -> float:
        """About how many new values the next batch brings."""
        chance = self.seen / len(self.batches)
        met = 1 - (1 - chance) ** len(self.batches)
        # What is not known whole brought a new value at least.
        return float(((1 - met) / met * chance).sum()) + self.strange + self.growth

    @property
    def growth(self) -> float:
        """How often a value comes that stays from then on, as a share of the batches after the first third; 0 of one that came alone, where
        no others have left.
        """
        left = self.gone
        staying = (self.first >= self.learned) & ((self.seen >= _STAYING * (len(self.batches) - self.first)) | left)
        grown = len(np.unique(self.first[staying]))
        enough = grown > 1 or (grown == 1 and left.sum() >= max(1.0, _LEFT * len(self.values)))
        return grown / (len(self.batches) - self.learned) if enough else 0.0

    @property
    def gone(self) -> NDArray[np.bool_]:
        """Which values were in about all batches from their first to their last, some in a row, and in none of the latest, (D,); none where
        another one came back, as the quarters of a year do.
        """
        several = self.seen >= SETTLED
        whole = self.seen >= _STAYING * (self.last - self.first + 1)
        gone: NDArray[np.bool_] = several & whole & (self.last < len(self.batches) - SETTLED)
        return gone & bool(whole[several].all())

    @property
    def strange(self) -> float:
        """The share of batches whose values are not known."""
        return self.unknown / (len(self.batches) + self.unknown)

    @property
    def settled(self) -> int:
        """Since how many batches no new value came."""
        return len(self.batches) - 1 - int(self.first.max())

    @property
    def closed(self) -> bool:
        """Whether a new value is an alarm."""
        several = SETTLED_ALONE if len(self.values) == 1 else SETTLED_ONCE
        same = len(self.values) <= MOST_READ and bool((self.counts > 0).all())
        several = SETTLED_SAME if same and len(self.values) > 1 else several
        enough = SETTLED if self.once <= MOST_ONCE else several
        return len(self.batches) >= LEAST_BATCHES and self.settled >= enough and self.expected <= MOST_NEW

    @property
    def comes_again(self) -> bool:
        """Whether few values come in so many rows that a new one is an alarm, though some are there once today."""
        each = float(np.median(self.totals)) / len(self.values)
        enough = SETTLED if each >= _MANY_EACH else SETTLED_FEW
        few = 1 < len(self.values) <= MOST_READ and each >= _EACH and len(self.batches) > SETTLED_FEW and bool(self.seen.min() > 1)
        return few and self.settled >= enough and self.expected <= MOST_NEW

    @property
    def came_alone(self) -> bool:
        """Whether one of few values was in one row of all batches."""
        return 1 < len(self.values) <= _FEW and int(self.rows.min()) == 1

    @property
    def follow(self) -> bool:
        """Whether few values came at once, each in many batches, others before them or beside, and no new one for long."""
        often = self.once <= MOST_ONCE and len(self.batches) > SETTLED_FEW and int(self.seen.min()) >= SETTLED_FEW
        few = 1 < len(self.values) <= _FOLLOWING and len(np.unique(self.first)) == 2
        return few and often and self.settled >= SETTLED_FEW and not self.unknown

    @property
    def seldom(self) -> NDArray[np.bool_]:
        """Which values of few are slips, (D,): of one batch before the latest third, in hardly any rows, while all others come often."""
        few, rows = len(self.values) <= MOST_READ and len(self.batches) >= SELDOM_AFTER, _SELDOM * self.totals.sum()
        past = self.last < len(self.batches) - self.learned
        found: NDArray[np.bool_] = (self.seen == 1) & (self.rows <= rows) & past & few
        return found & bool((found | (self.seen >= _OFTEN * len(self.batches))).all())

    def without(self, left: NDArray[np.bool_]) -> Arrivals:
        """The same without these values, whose rows stay in the `totals`."""
        values = tuple(value for value, gone in zip(self.values, left.tolist(), strict=True) if not gone)
        return Arrivals(self.batches, values, self.counts[:, ~left], self.unknown, self.beside + self.counts[:, left].sum(axis=1))

    @property
    def stays(self) -> bool:
        """Whether batches repeat one another: of values that are mostly there once nearly all stay, as the rows of a list that is delivered
        whole each time do.
        """
        return self.once > MOST_ONCE and float((self.seen == len(self.batches) - self.first).mean()) >= _STAYING

    @property
    def shares(self) -> NDArray[np.float64]:
        """Of each batch after those that say which values there are the share of rows with another value, (K - learned,)."""
        found: NDArray[np.float64] = self.fresh[self.learned :] / self.totals[self.learned :]
        return found

    @property
    def order(self) -> list[int]:
        """The places of the values, the most frequent first."""
        found: list[int] = np.lexsort((np.array(self.values), -self.rows)).tolist()
        return found


def _broken(value: str) -> bool:
    return not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value)


def _filled(table: Mapping[str, int]) -> dict[str, int]:
    return {value: count for value, count in table.items() if value and count}
