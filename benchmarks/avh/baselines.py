"""The other methods, each a score per next batch: the larger, the stranger. A batch is an alarm where its score exceeds the threshold.

All see the same history, shape (metrics, 30), and judge the same next batches, shape (metrics + 1, items); a metric that is undefined
anywhere in the history is left out for all, and one that is undefined in the next batch counts as infinitely strange.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, kolmogorov

from benchmarks.avh.cases import Case, ColumnCases

Floats = np.ndarray
Score = Callable[["View", Floats], Floats]
# What counts as no deviation at all: another order of summation.
_NOISE = 1e-9


@dataclass(frozen=True)
class View:
    """What a method may look at: the history of the metrics that are defined throughout."""

    column: ColumnCases
    case: Case
    history: Floats
    kept: np.ndarray
    names: list[str]

    @classmethod
    def of(cls, column: ColumnCases, case: Case, window: int = 30) -> View:
        history = column.series[:, case.end - window + 1 : case.end + 1]
        kept = np.flatnonzero(np.isfinite(history).all(axis=1))
        return cls(column, case, history[kept], kept, [column.metrics[i] for i in kept])

    def metric(self, name: str, items: Floats) -> Floats | None:
        """A metric of the items, whether or not its history is whole."""
        return items[self.column.metrics.index(name)] if name in self.column.metrics else None

    def latest(self, name: str) -> float:
        return float(self.column.series[self.column.metrics.index(name), self.case.end])


def _worst(deviation: Floats) -> Floats:
    """Per item the largest deviation over all metrics; undefined is infinite."""
    if not len(deviation):
        return np.zeros(deviation.shape[1])
    return np.where(np.isnan(deviation), np.inf, deviation).max(axis=0)


def _ratio(gap: Floats, unit: Floats, scale: Floats) -> Floats:
    """Gaps in units; where the unit is 0, any gap beyond noise is infinite."""
    still = unit <= _NOISE * scale
    with np.errstate(all="ignore"):
        found = gap / np.where(still, 1.0, unit)[:, None]
    return np.where(still[:, None], np.where(gap > _NOISE * np.maximum(scale, 1e-300)[:, None], np.inf, 0.0), found)


def _deviation(view: View, items: Floats, center: Floats, unit: Floats) -> Floats:
    with np.errstate(all="ignore"):
        gap = np.abs(items[view.kept] - center[:, None])
        return _worst(np.where(np.isnan(gap), np.nan, _ratio(gap, unit, np.abs(view.history).max(axis=1))))


def range_rule(view: View, items: Floats) -> Floats:
    """How many times its historical range, around its middle, must widen to hold every metric."""
    low, high = view.history.min(axis=1), view.history.max(axis=1)
    return _deviation(view, items, (low + high) / 2, (high - low) / 2)


def sigmas(view: View, items: Floats) -> Floats:
    """Standard deviations from the mean, of the strangest metric (Deequ's BatchNormalStrategy on every metric)."""
    return _deviation(view, items, view.history.mean(axis=1), view.history.std(axis=1, ddof=1))


def hampel(view: View, items: Floats) -> Floats:
    """1.4826 MAD from the median, of the strangest metric (Hampel X84)."""
    median = np.median(view.history, axis=1)
    return _deviation(view, items, median, 1.4826 * np.median(np.abs(view.history - median[:, None]), axis=1))


def online_normal(view: View, items: Floats) -> Floats:
    """Deequ's OnlineNormalStrategy: the deviation is measured with the tested point in it."""
    n = view.history.shape[1]
    mean, m2 = view.history.mean(axis=1)[:, None], (view.history.var(axis=1) * n)[:, None]
    with np.errstate(all="ignore"):
        gap = items[view.kept] - mean
        new_mean = mean + gap / (n + 1)
        deviation = np.sqrt((m2 + gap * (items[view.kept] - new_mean)) / (n + 1))
        found = np.abs(items[view.kept] - new_mean) / deviation
        scale = _NOISE * np.maximum(np.abs(view.history).max(axis=1), 1e-300)[:, None]
    return _worst(np.where(np.abs(gap) <= scale, 0.0, found))


def rate_of_change(view: View, items: Floats) -> Floats:
    """Deequ's RelativeRateOfChangeStrategy: the factor between the next value and the latest, of the strangest metric."""
    latest = view.history[:, -1:]
    with np.errstate(all="ignore"):
        factor = np.abs(items[view.kept] / latest)
        found = np.maximum(factor, 1 / factor)
    return _worst(np.where(items[view.kept] == latest, 1.0, found))


def holt_winters(view: View, items: Floats, season: int = 7) -> Floats:
    """Deequ's HoltWinters (daily, weekly): the forecast error in sample deviations of the training residuals.

    The three smoothing shares are the best of a grid instead of L-BFGS-B's, for all metrics at once.
    """
    x = view.history
    grid = np.array([(a, b, g) for a in (0.05, 0.3, 0.6, 0.9) for b in (0.0, 0.1, 0.4) for g in (0.0, 0.1, 0.5)])
    a, b, g = (grid[:, i][None, :] for i in range(3))
    first, second = x[:, :season], x[:, season : 2 * season]
    level = np.repeat(first.mean(axis=1)[:, None], len(grid), axis=1)
    trend = np.repeat(((second.sum(axis=1) - first.sum(axis=1)) / season**2)[:, None], len(grid), axis=1)
    seasons = [np.repeat((first[:, i] - first.mean(axis=1))[:, None], len(grid), axis=1) for i in range(season)]
    errors = []
    for t in range(x.shape[1]):
        now, s = x[:, t][:, None], seasons[t % season]
        errors.append(now - (level + trend + s))
        new = a * (now - s) + (1 - a) * (level + trend)
        trend = b * (new - level) + (1 - b) * trend
        seasons[t % season] = g * (now - new) + (1 - g) * s
        level = new
    residual = np.stack(errors[season:])
    best = (residual**2).sum(axis=0).argmin(axis=1)
    rows = np.arange(len(x))
    forecast = (level + trend + seasons[x.shape[1] % season])[rows, best]
    spread = np.abs(residual[:, rows, best]).std(axis=0, ddof=1)
    return _deviation(view, items, forecast, spread)


def tests(view: View, items: Floats) -> Floats:
    """KS on numbers, chi-squared on texts, against the latest batch: -log10 of the p-value."""
    rows, complete = (view.metric(name, items) for name in ("row_count", "complete_ratio"))
    n, m = rows * np.nan_to_num(complete), view.latest("row_count") * np.nan_to_num(view.latest("complete_ratio"))
    with np.errstate(all="ignore"):
        if "ks_dist" in view.column.metrics:
            p = kolmogorov(np.sqrt(n * m / (n + m)) * view.metric("ks_dist", items))
        else:
            cells = np.maximum(view.metric("dist_val_count", items), view.latest("dist_val_count"))
            p = chdtrc(np.maximum(cells - 1, 1), view.metric("chi_squared", items) ** 2 * (n + m))
        return np.where(np.isnan(p), np.inf, -np.log10(np.maximum(p, 1e-300)))


def tfdv(view: View, items: Floats) -> Floats:
    """TFDV: values outside the latest batch's domain, L-infinity (texts) or Jensen-Shannon (numbers) drift, and lost presence.

    The score is the largest of the new share and the distance; a share of nulls where there were none counts in full.
    """
    name = "ks_dist" if "ks_dist" in view.column.metrics else "linf"
    distance = view.metric("js_div", items) / np.log(2) if name == "ks_dist" else view.metric("linf", items)
    lost = np.maximum(0.0, view.latest("complete_ratio") - np.nan_to_num(view.metric("complete_ratio", items)))
    lost = np.where((view.latest("complete_ratio") == 1) & (lost > 0), 1.0, 0.0)
    return np.where(np.isnan(distance), np.inf, np.maximum(np.maximum(items[-1], distance), lost))


def deequ(view: View, items: Floats) -> Floats:
    """The share of Deequ's suggested checks (its default rules on the latest batch) that fail: alarms are scores above 0."""
    complete, unique = view.latest("complete_ratio"), view.latest("unique_ratio")
    now = np.nan_to_num(view.metric("complete_ratio", items))
    rows = max(view.latest("row_count"), 1.0)
    # RetainCompleteness: a binomial interval (z = 1.96) below the share seen; CompleteIfComplete where it was whole.
    least = 1.0 if complete == 1 else np.floor(100 * (complete - 1.96 * np.sqrt(complete * (1 - complete) / rows))) / 100
    failed = (now < least).astype(float) if complete == 1 or 0.2 < complete < 1 else np.zeros(items.shape[1])
    with np.errstate(invalid="ignore"):
        # UniqueIfApproximatelyUnique: distinct within 8 % of the rows.
        if complete == 1 and abs(1 - unique) <= 0.08:
            failed += ~(view.metric("unique_ratio", items) == 1)
        if "min" in view.column.metrics and view.latest("min") >= 0:
            failed += ~(view.metric("min", items) >= 0)
        # CategoricalRange: few distinct values (unique share of the values at most 0.1) are all there may be; 90 % else.
        if "min" not in view.column.metrics and unique <= 0.1:
            failed += items[-1] > 0
    return failed


@dataclass(frozen=True)
class Learner:
    """A detector of scikit-learn's style on the standardised metrics; its score is relative to its largest on the training rows."""

    make: Callable[[], object]

    def __call__(self, view: View, items: Floats) -> Floats:
        train, test = _standardised(view, items)
        model = self.make().fit(train)
        own, found = -model.score_samples(train), -model.score_samples(test)
        base = np.median(own)
        return (found - base) / max(own.max() - base, 1e-9)


def _standardised(view: View, items: Floats) -> tuple[Floats, Floats]:
    """Min-max over the history, as Redyuk et al.; what is undefined is far outside."""
    low, high = view.history.min(axis=1), view.history.max(axis=1)
    width = np.where(high - low > _NOISE * np.abs(view.history).max(axis=1), high - low, np.maximum(np.abs(high), 1e-9))
    train = ((view.history - low[:, None]) / width[:, None]).T
    with np.errstate(all="ignore"):
        test = ((items[view.kept] - low[:, None]) / width[:, None]).T
    return train, np.clip(np.nan_to_num(test, nan=1e3, posinf=1e3, neginf=-1e3), -1e3, 1e3)


def nearest(view: View, items: Floats, k: int = 5) -> Floats:
    """Average distance to the k nearest batches of the history, relative to the largest within it (Redyuk et al., EDBT 2021)."""
    train, test = _standardised(view, items)
    own = np.sqrt(np.maximum(((train[:, None] - train[None]) ** 2).sum(axis=2), 0))
    inner = np.sort(own, axis=1)[:, 1 : k + 1].mean(axis=1).max()
    found = np.sort(np.sqrt(((test[:, None] - train[None]) ** 2).sum(axis=2)), axis=1)[:, :k].mean(axis=1)
    return np.where(found > 1e-7, found / max(inner, 1e-7), 0.0)


def ecod(view: View, items: Floats) -> Floats:
    """ECOD (Li et al., 2022): summed -log tail shares of the empirical distributions, relative to the largest within the history."""
    train, test = _standardised(view, items)
    both = np.concatenate([train, test])
    n = len(train) + 1
    left = np.stack([np.searchsorted(np.sort(t), b, side="right") for t, b in zip(train.T, both.T, strict=True)], axis=1) / n
    right = 1 - np.stack([np.searchsorted(np.sort(t), b, side="left") for t, b in zip(train.T, both.T, strict=True)], axis=1) / n
    with np.errstate(all="ignore"):
        tails = [-np.log(np.clip(side, 0.5 / n, 1)) for side in (left, right)]
        skew = ((train - train.mean(axis=0)) ** 3).sum(axis=0)
    automatic = np.where(skew < 0, tails[0], tails[1])
    score = np.maximum(np.maximum(tails[0].sum(axis=1), tails[1].sum(axis=1)), automatic.sum(axis=1))
    return score[len(train) :] / max(score[: len(train)].max(), 1e-9)


def learners() -> dict[str, Score]:
    from sklearn.ensemble import IsolationForest
    from sklearn.neighbors import LocalOutlierFactor
    from sklearn.svm import OneClassSVM

    return {
        "Isolation Forest": Learner(lambda: IsolationForest(n_estimators=50, random_state=0)),
        "LOF": Learner(lambda: LocalOutlierFactor(n_neighbors=10, novelty=True)),
        "One-class SVM": Learner(lambda: OneClassSVM(nu=0.05, gamma="scale")),
    }


# Each with its thresholds, of which those a manual or paper recommends come first.
METHODS: dict[str, tuple[Score, tuple[float, ...]]] = {
    "Range of every metric": (range_rule, (1.5, 2.0, 3.0, 5.0, 10.0, 1.0)),
    "Sigma on every metric": (sigmas, (3.0, 5.0, 10.0, 20.0, 40.0)),
    "MAD (Hampel)": (hampel, (3.0, 6.0, 12.0, 40.0)),
    "Deequ OnlineNormal": (online_normal, (3.0, 4.0, 5.0)),
    "Deequ rate of change": (rate_of_change, (1.5, 2.0, 5.0, 10.0)),
    "Deequ Holt-Winters": (holt_winters, (1.96, 5.0, 10.0, 40.0)),
    "Deequ suggested checks": (deequ, (0.0,)),
    "TFDV": (tfdv, (0.01, 0.03, 0.1, 0.3)),
    "KS / chi-squared": (tests, (1.3, 2.0, 3.0, 6.0, 12.0)),
    "Average kNN": (nearest, (1.0, 1.5, 2.0, 4.0, 8.0)),
    "ECOD": (ecod, (1.0, 1.2, 1.5)),
}
LEARNED: dict[str, tuple[float, ...]] = {
    "Isolation Forest": (1.0, 1.2, 1.5),
    "LOF": (1.0, 1.5, 3.0, 8.0, 20.0),
    "One-class SVM": (1.0, 1.5, 2.0),
}
