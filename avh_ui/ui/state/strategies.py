"""An anomaly strategy beside a suggestion's bounds: on which batches it would have alarmed, and taking it as the rule."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import param
from numpy.typing import NDArray

from avh_ui.constraints.anomaly_checks import has_no_anomalies
from avh_ui.constraints.backtest import Backtest, backtest
from avh_ui.constraints.check import Check
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import declaration_of
from avh_ui.constraints.strategy_field import STRATEGIES
from avh_ui.errors import AvhError, UsageError
from avh_ui.history.anomalies import AbsoluteChange, RelativeRateOfChange, Strategy, Threshold
from avh_ui.history.deviations import BatchNormal, OnlineNormal
from avh_ui.history.recent import Recent
from avh_ui.history.seasonal import HoltWinters
from avh_ui.history.series import Series
from avh_ui.metrics import analyzers
from avh_ui.metrics.measure import Measure
from avh_ui.review.draft import Draft
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.marks import Mark
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.reading import count, rate

# Deequ's own number of standard deviations: 0.3 % of normal values are beyond.
WIDTH = "3"
# So many batches a strategy of the last ones looks back: a week of days.
WEEK = 7
# Digits of bounds that are made of a series: more would be noise to who reads them.
_DIGITS = 3
LABELS = {name: name.replace("_", " ").capitalize() for name in STRATEGIES} | {HoltWinters.name: "Holt-Winters"}


@dataclass(frozen=True)
class TriedStrategy:
    """A strategy on the history of a suggestion's metric, as measured, beside which batches its bounds would have alarmed on."""

    strategy: Strategy
    result: Backtest
    bounds_fired: NDArray[np.bool_]
    x: Series
    batches: tuple[str, ...]

    @property
    def edges(self) -> tuple[Series, Series]:
        """The bounds of each batch, NaN where open or not told."""
        return self.result.lower, self.result.upper

    @property
    def marks(self) -> list[Mark]:
        """The batches on which it would have alarmed."""
        words = self.strategy.words
        return [Mark(float(self.x[k]), "strategy", f"{self.batches[k]}: {words}") for k in np.flatnonzero(self.result.fired)]

    @property
    def verdict(self) -> str:
        """`Online normal, 3 standard deviations: would have alarmed on 4 of 365 batches (1.1%), the bounds on 3, both on 2.`"""
        words, judged, fires = self.strategy.words, int(self.result.judged.sum()), self.result.fires
        named = words[0].upper() + words[1:]
        if not judged:
            return f"{named}: no batch of the history can be judged by it."
        share = f" ({rate(fires / judged)})" if fires else ""
        both = int((self.result.fired & self.bounds_fired).sum())
        theirs = int(self.bounds_fired.sum())
        beside = f", the bounds on {theirs or 'none'}" + (f", both on {both or 'none'}" if fires and theirs else "")
        return f"{named}: would have alarmed on {fires or 'none'} of {count(judged, 'batch')}{share}{beside}."


class StrategiesState(Observable):
    """`picked` is the strategy that is looked at ('' none) and stays while others are looked at; `width` how many deviations it allows, as
    typed. `found` is it on the history of the item, None where there is none; `problem` says why.
    """

    picked: param.Selector[str] = param.Selector(default="", objects=["", *STRATEGIES])
    width = param.String(WIDTH)
    found = param.Parameter(None)
    problem = param.String("")
    saving = param.Boolean(False)

    def __init__(self, evidence: EvidenceState, **params: Any) -> None:
        super().__init__(**params)
        self.evidence, self.session = evidence, evidence.session
        evidence.param.watch(self._try, ["item", "bounds"])
        self.param.watch(self._pick, "picked")
        self.param.watch(self._try, "width")

    @property
    def offered(self) -> bool:
        """Whether a strategy can judge what the item is of: a number of one batch, with a history."""
        item = self.evidence.item
        return item is not None and _measure(item.current) is not None and self.evidence.trial() is not None

    def _pick(self, *_: Any) -> None:
        # Its bounds are of the metric as measured.
        self.evidence.measured = bool(self.picked) and self.evidence.can_measure
        self._try()

    def _try(self, *_: Any) -> None:
        trial = self.evidence.trial() if self.picked and self.offered else None
        if trial is None:
            self.param.update(found=None, problem="")
            return
        name, width, of = self.picked, self.width, (self.evidence.item, self.evidence.bounds)
        series, learned = trial.result.observed, trial.learned

        def work() -> TriedStrategy:
            strategy = strategy_of_width(name, width, series[learned] if learned.any() else series)
            constraint = Constraint(trial.constraint.column, trial.constraint.metric, kind=trial.constraint.kind, lower=None, upper=None,
                                    measure=trial.constraint.measure, strategy=strategy)  # fmt: skip
            return TriedStrategy(strategy, backtest(constraint, series), trial.result.fired, trial.axis.x, tuple(trial.axis.batches))

        def answered(**answer: Any) -> None:
            if (self.picked, self.width, (self.evidence.item, self.evidence.bounds)) == (name, width, of):
                self.param.update(**answer)

        self.session.attempt(work, lambda found: answered(found=found, problem=""), lambda error: answered(found=None, problem=str(error)))

    @property
    def check(self) -> Check | None:
        """The rule that the strategy would be."""
        item, found = self.evidence.item, self.found
        measure = None if item is None else _measure(item.current)
        return None if measure is None or found is None else has_no_anomalies(measure, found.strategy, level=item.current.level)

    def take(self) -> None:
        """Put the strategy into the draft as an accepted rule, and reject the suggestion in whose place it is."""
        check, item, session, pipeline = self.check, self.evidence.item, self.session, self.session.pipeline
        if check is None or item is None or self.saving:
            return
        decisions, rule, old = self.evidence.decisions, check.constraint().key, item.suggestion.id
        self.saving = True

        def done(draft: Draft) -> None:
            self.saving = False
            if pipeline != session.pipeline:
                return
            session.draft = draft
            made = draft.by_id.get(rule)
            if made is None:
                return
            decisions.added(made, check)
            decisions.accept([rule])
            decisions.reject([old])
            self.evidence.queue.reveal(rule)
            session.said = f"Took {check.bounds.words} as the rule; the suggestion in its place is rejected · u undoes, one by one"

        def failed(error: AvhError) -> None:
            self.saving = False
            session.tell("error", str(error))

        session.attempt(lambda: session.services.suggestions.add(pipeline, check, by=session.actor), done, failed)


def strategy_of_width(name: str, width: str, values: Series) -> Strategy:
    """A strategy that allows so many deviations: of the values for a threshold, of their changes or ratios for these.

    `UsageError` for what is no number above 0, and where the values are too few.
    """
    try:
        factor = float(width.strip().replace(",", "."))
    except ValueError:
        factor = math.nan
    if not 0 < factor < math.inf:
        raise UsageError(f"{width.strip()!r} is no number of deviations.", hint="Give a number above 0, such as 3.")
    own: dict[str, type[OnlineNormal] | type[BatchNormal]] = {OnlineNormal.name: OnlineNormal, BatchNormal.name: BatchNormal}
    if name in own:
        return own[name](factor, factor)
    if name == HoltWinters.name:
        return HoltWinters(factor=factor)
    values = values[np.isfinite(values)]
    if name == Recent.name:
        means = np.array([values[max(0, k - WEEK) : k].mean() for k in range(1, len(values))])
        shares = values[1:][means != 0] / means[means != 0]
        return Recent(*_around(shares, factor), batches=WEEK)
    if name == Threshold.name:
        return Threshold(*_around(values, factor))
    if name == AbsoluteChange.name:
        return AbsoluteChange(*_around(np.diff(values), factor))
    ratios = RelativeRateOfChange(0.0).changes(values)
    return RelativeRateOfChange(*_around(ratios[np.isfinite(ratios)], factor))


def _around(values: Series, factor: float) -> tuple[float, float]:
    """So many deviations below and above the mean, outward to a few digits of their distance."""
    if len(values) < 2:
        raise UsageError("Too few batches are known to tell how far values move.", hint="Take a strategy when more of them are profiled.")
    mean, away = float(values.mean()), factor * float(values.std(ddof=1))
    step = 10.0 ** (math.floor(math.log10(away)) - _DIGITS + 1) if away > 0 else 0.0
    if not step:
        return mean, mean
    digits = max(-math.floor(math.log10(step)), 0)
    return round(math.floor((mean - away) / step) * step, digits), round(math.ceil((mean + away) / step) * step, digits)


def _measure(constraint: Constraint) -> Measure | None:
    """What a rule of the constraint's metric would be of; None where a strategy has nothing to judge."""
    if isinstance(constraint, PatternConstraint):
        return None
    declared = declaration_of(constraint.metric, constraint.kind)
    if declared is None or declared.single is None or not declared.number or declared.by_key:
        return None
    return analyzers.size() if declared.volume and constraint.measure.where is None else constraint.measure
