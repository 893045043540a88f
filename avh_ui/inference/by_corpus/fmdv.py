"""FMDV (Auto-Validate, section 2.3): of the hypotheses, the pattern of least expected FPR with enough coverage in the corpus.

`min FPR_T(p) subject to FPR_T(p) <= r and Cov_T(p) >= m`; FPR_T is drawn towards a prior, so that five clean columns are not taken for
certainty, and within a small band of the minimum the most specific pattern wins: FPR says nothing of what a pattern lets through.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from avh_ui.errors import UsageError
from avh_ui.inference.by_corpus.corpus_index import CorpusIndex, Found
from avh_ui.inference.by_corpus.hypotheses import Hypotheses
from avh_ui.inference.by_corpus.language import Pattern
from avh_ui.inference.by_corpus.strata import prior_key, salted

Method = Literal["fmdv", "fmdv-v", "fmdv-h", "fmdv-vh", "extended"]
Basis = Literal["whole", "within"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    """r, m, tau and theta as in the paper, and what section 7 of the design adds.

    `r`: highest expected FPR. `m`: least coverage in columns (the paper's 100 is for millions of columns). `tau`: most tokens of a
    segment. `theta`: share of values that may not conform. `prior_columns` at `prior_fpr`: what FPR_T is drawn towards. `tie`: FPRs
    this near are equal, and the most specific pattern wins; 0.02 instead of 0.002 costs 1.6 points of precision, `<digit>{4}` where
    numbers grow. `slot_tie`: the same per slot. `skeletons`: most alternatives of a union. `cased`: from so many distinct values on a
    rule keeps the case that they have. `risk`: the highest chance of an alarm that a rule may have that keeps a column to what it has
    shown, and `caution`: what an alarm costs, in columns told from this one (see `keeping`). `alike`: of so many values that are all the
    same no pattern is inferred.

    Chosen on 463 columns held out of the index, by F1 where precision is at least .97, the drift test at 0.001 (precision, recall, F1):
    .970/.914/.941 as they are; `risk` 0.1 .972/.907/.938, 0.15 .968/.919/.943, 0.3 .961/.921/.941; `caution` from 1 to 3 and `r` from 0.03
    to 0.08 change F1 by less than .001; without rules that keep to what was shown .983/.844/.908, without `cased` .970/.905/.936. Standard
    error of a precision 0.008.
    """

    method: Method = "extended"
    r: float = 0.06
    m: int = 5
    tau: int = 13
    theta: float = 0.1
    prior_columns: float = 5.0
    prior_fpr: float = 0.05
    tie: float = 0.002
    slot_tie: float = 0.01
    skeletons: int = 4
    cased: int = 3
    risk: float = 0.12
    caution: float = 2.0
    alike: int = 30

    def __post_init__(self) -> None:
        for name in ("r", "theta", "prior_fpr", "tie", "slot_tie", "risk"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is a share from 0 to 1, not {getattr(self, name)}.")
        for name, least in (("m", 0), ("tau", 1), ("prior_columns", 0), ("skeletons", 1), ("cased", 1), ("caution", 0), ("alike", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} is at least {least}, not {getattr(self, name)}.")

    @property
    def tolerance(self) -> float:
        """The share of values that may not conform: 0 without horizontal cuts."""
        return self.theta if self.method in ("fmdv-h", "fmdv-vh", "extended") else 0.0

    @property
    def cuts(self) -> bool:
        """Whether vertical cuts are made."""
        return self.method in ("fmdv-v", "fmdv-vh", "extended")


@dataclass(frozen=True)
class Choice:
    """A pattern with what the corpus says of it: expected FPR, coverage (of its least covered segment), bits left open, segments.

    `matched` is the weight of the column's values that match, where it is known from the enumeration; a regex tells otherwise.
    """

    pattern: Pattern
    fpr: float
    coverage: int
    bits: float
    segments: int = 1
    matched: float | None = None


@dataclass(frozen=True)
class Scored:
    """The feasible patterns of some hypotheses: positions (F,), FPR, coverage and bits, all (F,)."""

    patterns: Hypotheses
    at: NDArray[np.int64]
    fpr: Floats
    coverage: NDArray[np.int64]
    bits: Floats

    def choice(self, k: int) -> Choice:
        """The k-th feasible pattern."""
        at = int(self.at[k])
        matched = float(self.patterns.matched[self.patterns.masks[at], 0])
        return Choice(self.patterns.pattern(at), float(self.fpr[k]), int(self.coverage[k]), float(self.bits[k]), matched=matched)

    def best(self, tie: float) -> int:
        """Of those within the band of the least FPR the most specific; then the better covered, then the first by key."""
        near = np.flatnonzero(self.fpr <= self.fpr.min() + tie)
        order = np.lexsort((self.patterns.keys[self.at[near]], -self.coverage[near], np.round(self.bits[near], 6)))
        return int(near[order[0]])

    def ladder(self, most: int) -> list[Choice]:
        """At most `most` rungs from the most specific to the most general, evenly spread over the feasible patterns, both ends included."""
        order = np.lexsort((self.patterns.keys[self.at], self.fpr, np.round(self.bits, 6)))
        if not len(order):
            return []
        spread = np.unique(np.linspace(0, len(order) - 1, min(most, len(order))).round().astype(np.int64))
        return [self.choice(int(order[k])) for k in spread]


def score(
    patterns: Hypotheses, profile: int, index: CorpusIndex, settings: Settings, basis: Basis = "whole", *, r: float | None = None
) -> Scored:
    """The patterns that meet `r` and `m` (Equations 6 and 7), by their impurity as a column's pattern or within one skeleton.

    Beyond the paper's methods, FPR_T is that of columns of like diversity and order (`profile`), drawn towards that of all.
    """
    coverage, mean = _basis(index.find(patterns.keys), basis)
    if settings.method == "extended":
        like, like_mean = _basis(index.find(salted(patterns.keys, profile)), basis)
        believed = drawn(mean, coverage, settings, prior_of(profile, index, settings))
        fpr = (like_mean * like + believed * settings.prior_columns) / np.maximum(like + settings.prior_columns, 1e-9)
    else:
        fpr = drawn(mean, coverage, settings)
    at = np.flatnonzero((coverage >= settings.m) & (fpr <= (settings.r if r is None else r)))
    return Scored(patterns, at, fpr[at], coverage[at], patterns.bits[at])


def _basis(found: Found, basis: Basis) -> tuple[NDArray[np.int64], Floats]:
    return (found.columns, found.whole) if basis == "whole" else (found.group_columns, found.within)


def prior_of(profile: int, index: CorpusIndex, settings: Settings) -> float:
    """The mean impurity of patterns inferred from columns of like profile; that of the settings where there were too few."""
    found = index.find(np.array([prior_key(profile)], dtype=np.uint64))
    return float(drawn(found.whole, found.columns, settings)[0])


def drawn(mean: Floats, coverage: NDArray[np.int64], settings: Settings, prior: float | None = None) -> Floats:
    """The posterior mean of the impurity under a Beta prior worth `prior_columns` columns, around `prior` or that of the settings."""
    weight = coverage + settings.prior_columns
    centre = settings.prior_fpr if prior is None else prior
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(weight > 0, (mean * coverage + centre * settings.prior_columns) / weight, 1.0)


def fmdv(patterns: Hypotheses, profile: int, index: CorpusIndex, settings: Settings, basis: Basis = "whole") -> Choice | None:
    """The solution of FMDV over these hypotheses; None where nothing is feasible."""
    scored = score(patterns, profile, index, settings, basis)
    return scored.choice(scored.best(settings.tie)) if len(scored.at) else None
