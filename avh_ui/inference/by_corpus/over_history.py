"""The rule of a column whose history is known: the corpus proposes, the column's own later batches decide.

The paper infers from one sample and lets the corpus say how often such a rule breaks. A recurring table says it itself: rules are
learned from the first batches and tried on those after, as a validator would have met them. Each such batch counts as one more column
of the corpus, so that what the corpus believes fades as the history grows. Of the rules that are safe, the most specific is taken.

What the rise test believes beforehand of a rule that columns keep to is dropped where it would have made a batch of the history alarm
that Fisher's test lets pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.constraints.rising import NO_PRIOR, Prior, most_bad, rises
from avh_ui.errors import ConstraintError
from avh_ui.inference.by_corpus.candidates import Candidate, in_one_case
from avh_ui.inference.by_corpus.corpus_index import CorpusIndex
from avh_ui.inference.by_corpus.fmdv import Thresholds
from avh_ui.inference.by_corpus.hexadecimal import hexadecimal
from avh_ui.inference.by_corpus.inferring import infer, rungs
from avh_ui.inference.by_corpus.tightening import tightened
from avh_ui.inference.by_corpus.words import any_number_of, word_of
from avh_ui.metrics.conformance import Conformance
from avh_ui.metrics.regexes import conforming

# The first batches are learned from, the others tried on: a third is enough to see what a column looks like.
_LEARNED = 3
# Values that are looked at to infer; beyond, nothing new is found (a thousand distinct values are the most that inference takes).
_LOOKED_AT = 6_000
# Of a history, at most this share of batches may have alarmed: one delivery in fifty may really have been broken.
_MOST_ALARMS = 0.02
# Of two rules of which one leaves out more than dirt, the other is taken, though it may be less specific.
_CLEAN = 0.98
# A rule that a batch passes with a quarter of its values failing says nothing.
BLUNT = 0.25
# After so many later batches without another case, length or word a column is taken to have one.
SETTLES = 10


@dataclass(frozen=True)
class ValueHistory:
    """The D distinct non-empty values of B batches. The k-th of N entries says how often (`numbers`) a batch (`rows`) has a value
    (`places`), in the order of batches and then of values. Of values that are new in each batch a table of (B, D) would be nearly empty:
    1 GB of 1,000 batches of 120 values.

    Where those of the only batch are a sample, `whole` is how many values it has.
    """

    batches: tuple[str, ...]
    texts: tuple[str, ...]
    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    numbers: NDArray[np.int64]
    whole: int | None = None

    @classmethod
    def of(cls, tables: Mapping[str, Mapping[str, int]]) -> ValueHistory:
        """From a frequency table per batch, in the order of the batches."""
        known: dict[str, int] = {}
        entries = [
            (row, known.setdefault(text, len(known)), number)
            for row, table in enumerate(tables.values())
            for text, number in table.items()
            if text and number
        ]
        rows, places, numbers = np.array(entries, np.int64).reshape(-1, 3).T
        order = np.lexsort((places, rows))
        return cls(tuple(tables), tuple(known), rows[order], places[order], numbers[order])

    @cached_property
    def arrow(self) -> pa.Array:
        """The texts; those that are no Unicode with their broken characters replaced, which match nothing then either."""
        try:
            return pa.array(self.texts, pa.large_string())
        except UnicodeEncodeError:
            return pa.array([t.encode("utf-8", "replace").decode() for t in self.texts], pa.large_string())

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """Values per batch, (B,)."""
        if self.whole is not None:
            return np.array([self.whole], dtype=np.int64)
        return _summed(self.rows, self.numbers, len(self.batches))

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each value is there in all batches, (D,)."""
        return _summed(self.places, self.numbers, len(self.texts))

    @property
    def is_single(self) -> bool:
        """Whether no batch has two values."""
        return len(np.unique(self.rows)) == len(self.rows)

    def drawn(self, stop: int, seed: int = 0) -> Iterable[str]:
        """Values of the first `stop` batches, of each as many, in the order of batches and within a batch at random."""
        rng = np.random.default_rng(seed)
        each = max(1, _LOOKED_AT // max(stop, 1))
        ends = np.searchsorted(self.rows, np.arange(len(self.batches) + 1))
        for begin, end in pairwise(ends[: stop + 1].tolist()):
            values = np.repeat(self.places[begin:end], self.numbers[begin:end])
            for k in rng.permutation(values)[:each].tolist():
                yield self.texts[k]

    def bad(self, regex: str) -> NDArray[np.int64]:
        """How many values of each batch do not conform, (B,); `ConstraintError` for a regex that cannot be used."""
        bad = ~conforming(self.arrow, regex)[self.places]
        return _summed(self.rows[bad], self.numbers[bad], len(self.batches))


def _summed(at: NDArray[np.int64], numbers: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """The sums of the numbers at each of so many places."""
    # Doubles are exact beyond any number of rows.
    return np.bincount(at, numbers, size).astype(np.int64)


@dataclass(frozen=True)
class TriedRule:
    """A rule tried on the history: `bad` values of each batch (B,), how many later batches it was tried on and would have alarmed on,
    and the expected share of alarms after both corpus and history. `prior` is what its rise test believes beforehand. The last batch that
    it was widened for is the one numbered `since`.
    """

    rule: Candidate
    bad: NDArray[np.int64]
    tried: int
    alarms: int
    fpr: float
    prior: Prior = NO_PRIOR
    since: int = 0


@dataclass(frozen=True)
class HistoryPattern:
    """The rule chosen and the ladder, itself among it, from the most specific to the most general."""

    chosen: TriedRule
    ladder: tuple[TriedRule, ...]


def infer_over(values: ValueHistory, index: CorpusIndex, settings: Thresholds, level: float) -> HistoryPattern | None:
    """The rule of a column by corpus and history; None where nothing is safe. `level` is the significance of the rise test.

    With fewer than three batches the corpus decides alone.
    """
    first = first_judged(values)
    codes = hexadecimal(values.texts)
    proposed = [*rungs(values.drawn(first), index, settings), *codes]
    ladder = tried_on(proposed, values, first, settings, level)
    if len(values.batches) - first >= SETTLES:
        ladder += [rung for wide in ladder for rung in _in_one_case(wide, values, first, settings, level)]
    safe = [rung for rung in ladder if is_safe(rung, values, settings, level)]
    # A closed list is the last resort, as it is where the corpus decides alone; it stays on the ladder to be chosen by hand.
    chosen = min(safe, key=_preferred, default=None)
    if chosen is None or len(values.batches) < _LEARNED:
        found = infer(values.drawn(len(values.batches)), index, settings)
        whole = tried_on([*codes, *([found.chosen] if found else [])], values, first, settings, level)
        chosen = next((rung for rung in whole if is_safe(rung, values, settings, level)), None)
        if chosen is None:
            return None
    words = _of_words(chosen, values, first, settings, level)
    wide, chosen = chosen, words or _tightest(chosen, values, first, settings, level)
    unique = {rung.rule.regex: rung for rung in (*ladder, wide, chosen)}
    ordered = sorted(unique.values(), key=lambda rung: (rung.rule.kind != "dictionary", rung.rule.bits, rung.rule.pattern))
    return HistoryPattern(chosen, tuple(ordered))


def first_judged(values: ValueHistory) -> int:
    """The batches before this one are learned from, those from it on tried on."""
    return max(1, len(values.batches) // _LEARNED)


def on_whole(
    found: HistoryPattern, values: ValueHistory, counted: Mapping[str, Conformance], settings: Thresholds, level: float
) -> tuple[HistoryPattern, ValueHistory] | None:
    """What was inferred from a sample of a batch with the numbers of the whole batch, which were `counted` by regex.

    The rule chosen is kept where it is still safe, else the most specific that is; None where none is.
    """
    sizes = [c.values for c in counted.values()]
    if not sizes or not sizes[0]:
        return None
    values = replace(values, whole=sizes[0])
    ladder = [_counted(rung, counted[rung.rule.regex]) for rung in found.ladder if rung.rule.regex in counted]
    ladder = [rung for rung in ladder if 1 - rung.rule.matched <= settings.theta]
    safe = [rung for rung in ladder if is_safe(rung, values, settings, level)]
    kept = (rung for rung in safe if rung.rule.regex == found.chosen.rule.regex)
    chosen = next(kept, min(safe, key=_preferred, default=None))
    return None if chosen is None else (HistoryPattern(chosen, tuple(ladder)), values)


def _counted(rung: TriedRule, found: Conformance) -> TriedRule:
    return replace(rung, bad=np.array([found.bad], dtype=np.int64), rule=replace(rung.rule, matched=1 - found.ratio))


def _preferred(rung: TriedRule) -> tuple[bool, bool, float, float]:
    """The order in which safe rules are taken: a closed list last, then those that leave out more than dirt, then the most specific."""
    return rung.rule.kind == "dictionary", rung.rule.matched < _CLEAN, rung.rule.bits, rung.fpr


def is_safe(rung: TriedRule, values: ValueHistory, settings: Thresholds, level: float) -> bool:
    """Whether corpus and history have little against it, and a usual batch could fail it at all."""
    usual = int(np.median(values.totals[values.totals > 0]))
    limit = most_bad(int(rung.bad.sum()), int(values.totals.sum()), usual, level, rung.prior)
    return rung.alarms <= _MOST_ALARMS * rung.tried and rung.fpr <= settings.r and limit < BLUNT * usual


def _in_one_case(wide: TriedRule, values: ValueHistory, first: int, settings: Thresholds, level: float) -> list[TriedRule]:
    """The same rule for letters of one case, where that loses no value of the whole history."""
    narrow = in_one_case(wide.rule, settings.prior_fpr)
    kept = [rung for rung in tried_on(narrow, values, first, settings, level) if rung.bad.sum() <= wide.bad.sum()]
    # Where either case will do there are no letters.
    return kept if len(kept) == 1 else []


def _of_words(wide: TriedRule, values: ValueHistory, first: int, settings: Thresholds, level: float) -> TriedRule | None:
    """Of a rule of words, more or less of them, the one of any number of them where it is safe, which loses no value; else None."""
    word = word_of(wide.rule)
    tried = tried_on([any_number_of(wide.rule, word)], values, first, settings, level) if word else []
    return next((rung for rung in tried if is_safe(rung, values, settings, level)), None)


def _tightest(wide: TriedRule, values: ValueHistory, first: int, settings: Thresholds, level: float) -> TriedRule:
    """The rule as narrow as the values of the first batches are, where no value of all of them is lost to it and it is safe; else itself.

    Of few batches those of all of them are looked at, which must then be many.
    """
    settled = len(values.batches) - first >= SETTLES
    seen = dict.fromkeys(values.drawn(first if settled else len(values.batches)))
    narrow = tightened(wide.rule, list(seen), settled=settled)
    for found in tried_on([narrow] if narrow else [], values, first, settings, level):
        if found.bad.sum() <= wide.bad.sum() and is_safe(found, values, settings, level):
            return found
    return wide


def tried_on(proposed: list[Candidate], values: ValueHistory, first: int, settings: Thresholds, level: float) -> list[TriedRule]:
    """The rules with what the batches from `first` on say of each, without those that too many values break."""
    found = []
    for rule in proposed:
        try:
            bad = values.bad(rule.regex)
        except ConstraintError:
            continue  # too large for the engine that enforces it
        total = int(values.totals.sum())
        if not total or bad.sum() > settings.theta * total:
            continue
        plain, believing = (alarms_of(bad, values.totals, first, level, prior) for prior in (NO_PRIOR, rule.prior))
        prior = rule.prior if believing <= plain else NO_PRIOR
        alarms, tried = len(plain), len(bad) - first
        fpr = (rule.fpr * settings.prior_columns + alarms) / (settings.prior_columns + tried) if settings.prior_columns else rule.fpr
        found.append(TriedRule(replace(rule, matched=1 - float(bad.sum()) / total), bad, tried, alarms, float(fpr), prior))
    return found


def alarms_of(bad: NDArray[np.int64], totals: NDArray[np.int64], first: int, level: float, prior: Prior) -> set[int]:
    """Which batches from `first` on would have alarmed, known what was known before each."""
    before, known = (np.cumsum(bad) - bad).tolist(), (np.cumsum(totals) - totals).tolist()
    return {k for k in range(first, len(bad)) if rises(before[k], known[k], int(bad[k]), int(totals[k]), level, prior)}
