"""Section 5.1's protocol: rules from the first tenth of a column, tested on its rest and on the rests of all other query columns."""

from __future__ import annotations

import hashlib
import random
import time
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.auto_validate.corpus import Corpus
from benchmarks.auto_validate.corruptions import CORRUPTIONS, corrupted
from benchmarks.auto_validate.rules import Method, Rule

TRAIN, LEAST_VALUES, LEAST_TRAIN = 0.1, 100, 5
# Recall is the share of so many other columns that alarm: a sample of the queries, as 1,000 x 1,000 pairs cost minutes per method.
OTHERS = 300


@dataclass(frozen=True)
class Queries:
    """Q query columns by their positions in the corpus, cut into training and test values in their order."""

    corpus: Corpus
    columns: list[int]
    share: float = TRAIN

    @classmethod
    def draw(cls, corpus: Corpus, number: int, seed: int) -> Queries:
        """A random sample of the columns with at least 100 values."""
        enough = [k for k, values in enumerate(corpus.values) if len(values) >= LEAST_VALUES]
        return cls(corpus, random.Random(seed).sample(enough, min(number, len(enough))))

    @classmethod
    def half(cls, corpus: Corpus, which: str, seed: int = 7) -> Queries:
        """The half of the columns with at least 100 values that settings are chosen on, or the one that is reported; by family."""
        quarters = [hashlib.blake2b(f.encode("utf-8", "surrogatepass"), digest_size=4).digest()[-1] % 4 for f in corpus.families]
        wanted = ("choose", "report").index(which)
        enough = [k for k, values in enumerate(corpus.values) if len(values) >= LEAST_VALUES and quarters[k] // 2 == wanted]
        random.Random(seed).shuffle(enough)
        return cls(corpus, enough)

    @cached_property
    def train(self) -> list[list[str]]:
        """The first `share` of each column."""
        return [self.corpus.values[k][: max(LEAST_TRAIN, round(self.share * len(self.corpus.values[k])))] for k in self.columns]

    @cached_property
    def test(self) -> list[list[str]]:
        """The rest of each column."""
        return [self.corpus.values[k][len(train) :] for k, train in zip(self.columns, self.train, strict=True)]

    @cached_property
    def applicable(self) -> NDArray[np.bool_]:
        """The columns that the corpus' own heuristic calls machine-made: those that a pattern can describe (section 5.3)."""
        return np.array([self.corpus.kinds[k] == "machine" for k in self.columns])

    @cached_property
    def _pool(self) -> tuple[pa.Array, NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """All distinct test values of the first columns, and per (column, value) which they are and how often."""
        numbers: dict[str, int] = {}
        owner, value, times = [], [], []
        for k, test in enumerate(self.test[:OTHERS]):
            for text, n in Counter(test).items():
                owner.append(k)
                value.append(numbers.setdefault(text, len(numbers)))
                times.append(float(n))
        return pa.array(list(numbers), pa.large_string()), np.array(owner), np.array(value), np.array(times)

    def bad(self, rule: Rule) -> NDArray[np.int64]:
        """How many test values of the first query columns fail, shape (min(Q, OTHERS),)."""
        texts, owner, value, times = self._pool
        fails = ~rule.conforms(texts)
        return np.bincount(owner, weights=times * fails[value], minlength=len(self.test[:OTHERS])).round().astype(np.int64)


@dataclass(frozen=True)
class Outcome:
    """Of each query column: whether there is a rule, whether it is free of a false alarm, its recall (0 after one), CPU seconds to infer.

    One thread without input or output: on an idle machine the elapsed time is the same.
    """

    rules: list[Rule | None]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    seconds: NDArray[np.float64]

    def scores(self, among: NDArray[np.bool_]) -> dict[str, float]:
        """Means over some columns: precision, recall, F1, and the share that have a rule."""
        p, r = float(self.precision[among].mean()), float(self.recall[among].mean())
        ruled = float(np.mean([rule is not None for rule, chosen in zip(self.rules, among, strict=True) if chosen]))
        return {"precision": p, "recall": r, "f1": 2 * p * r / (p + r) if p + r else 0.0, "ruled": ruled}


def failing(rule: Rule, values: list[str]) -> int:
    """How many of the values fail."""
    counts = Counter(values)
    fails = ~rule.conforms(pa.array(list(counts), pa.large_string()))
    return round(float(fails @ np.array(list(counts.values()))))


def evaluate(queries: Queries, method: Method, level: float, among: NDArray[np.bool_]) -> Outcome:
    """Infer the rules of some columns (all others have none) and judge them, the rise test at a level of significance."""
    rules: list[Rule | None] = []
    seconds: list[float] = []
    for train, chosen in zip(queries.train, among, strict=True):
        if not chosen:
            rules.append(None)
            seconds.append(0.0)
            continue
        started = time.thread_time()
        rule = method(train)
        seconds.append(time.thread_time() - started)
        rules.append(None if rule is None else rule.at(level))
    sizes = [len(test) for test in queries.test]
    precision, recall = np.ones(len(rules)), np.zeros(len(rules))
    for k, rule in enumerate(rules):
        if rule is None:
            continue
        precision[k] = not rule.alarms(failing(rule, queries.test[k]), sizes[k])
        if precision[k]:
            alarms = [rule.alarms(bad, sizes[i]) for i, bad in enumerate(queries.bad(rule).tolist()) if i != k]
            recall[k] = np.mean(alarms)
    return Outcome(rules, precision, recall, np.array(seconds))


def detection(queries: Queries, outcome: Outcome, share: float) -> dict[str, dict[str, float]]:
    """Per kind of corruption the share of applicable columns in which it is seen: of `all` (not seen where the clean rest alarms already),
    and of those whose `clean` rest does not.
    """
    found: dict[str, dict[str, float]] = {}
    for kind in CORRUPTIONS:
        seen, clean = [], []
        for k in np.flatnonzero(queries.applicable):
            spoilt = corrupted(queries.test[k], kind, share, seed=int(k))
            if spoilt is None:
                continue
            rule = outcome.rules[k]
            clean.append(bool(outcome.precision[k]))
            seen.append(clean[-1] and rule is not None and rule.alarms(failing(rule, spoilt), len(spoilt)))
        found[kind] = {"all": float(np.mean(seen)) if seen else 0.0, "clean": sum(seen) / max(sum(clean), 1)}
    return found
