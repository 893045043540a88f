"""Deequ's anomaly checks: a strategy and an analyzer, read from their constructors, as checks whose bounds follow from the history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.deequ_source import MethodCall, Name, made_by
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.errors import nearest
from avh_ui.history.anomalies import AbsoluteChange, RelativeRateOfChange, Strategy, Threshold
from avh_ui.history.deviations import BatchNormal, OnlineNormal
from avh_ui.history.seasonal import HoltWinters
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.measure import Measure

# Analyzers by their names: how many arguments say what they are of (a list of columns is one), and the measure.
_ANALYZERS: Mapping[str, tuple[int, Callable[..., Measure]]] = {
    "Size": (0, of.size), "Completeness": (1, of.completeness), "Minimum": (1, of.minimum), "Maximum": (1, of.maximum),
    "Mean": (1, of.mean),
    "Sum": (1, of.sum_), "StandardDeviation": (1, of.standard_deviation), "Variance": (1, of.variance), "Skewness": (1, of.skewness),
    "Kurtosis": (1, of.kurtosis), "Range": (1, of.range_), "ZerosCount": (1, of.zeros_count), "MinLength": (1, of.min_length),
    "MaxLength": (1, of.max_length), "ApproxCountDistinct": (1, of.approx_count_distinct), "ApproxQuantile": (2, of.approx_quantile),
    "Correlation": (2, of.correlation), "CountDistinct": (1, of.count_distinct), "Distinctness": (1, of.distinctness),
    "Uniqueness": (1, of.uniqueness), "UniqueValueRatio": (1, of.unique_value_ratio), "Entropy": (1, of.entropy),
    "MutualInformation": (2, of.mutual_information), "RatioOfSums": (2, of.ratio_of_sums),
    "Compliance": (2, lambda label, predicate, where=None: of.compliance(predicate, label, where=where)),
}  # fmt: skip
_CHANGE = ("maxRateDecrease", "maxRateIncrease", "order")
_OPEN = {"maxRateDecrease": None, "maxRateIncrease": None, "order": 1}
# Strategies by their names: the parameters in their order, their usual values, and ours.
_STRATEGIES: Mapping[str, tuple[tuple[str, ...], Mapping[str, Any], Callable[..., Strategy]]] = {
    "SimpleThresholdStrategy": (("lowerBound", "upperBound"), {"lowerBound": None}, Threshold),
    "AbsoluteChangeStrategy": (_CHANGE, _OPEN, AbsoluteChange),
    "RateOfChangeStrategy": (_CHANGE, _OPEN, AbsoluteChange),
    "RelativeRateOfChangeStrategy": (_CHANGE, _OPEN, RelativeRateOfChange),
    "OnlineNormalStrategy": (
        ("lowerDeviationFactor", "upperDeviationFactor", "ignoreStartPercentage", "ignoreAnomalies"),
        {"lowerDeviationFactor": 3.0, "upperDeviationFactor": 3.0, "ignoreStartPercentage": 0.1, "ignoreAnomalies": True}, OnlineNormal,
    ),
    "BatchNormalStrategy": (
        ("lowerDeviationFactor", "upperDeviationFactor", "includeInterval"),
        {"lowerDeviationFactor": 3.0, "upperDeviationFactor": 3.0, "includeInterval": False}, BatchNormal,
    ),
}  # fmt: skip
# The season that Holt-Winters repeats, in batches, by how often they come and what repeats.
_SEASONS = {("Daily", "Weekly"): 7, ("Hourly", "Daily"): 24, ("Monthly", "Yearly"): 12}


def checks(arguments: list[Any], call: MethodCall) -> list[Check]:
    """`addAnomalyCheck(strategy, analyzer, config)`, or `isNewestPointNonAnomalous(repository, strategy, analyzer, ...)`.

    It warns unless its config says otherwise.
    """
    named = call.named
    rest = arguments if call.method == "addAnomalyCheck" else arguments[1:]
    given = dict(zip(("strategy", "analyzer", "config"), rest, strict=False)) | {
        {"anomalyDetectionStrategy": "strategy", "anomalyCheckConfig": "config"}.get(name, name): value for name, value in named.items()
    }
    config = given.get("config")
    error = isinstance(config, Name) and "CheckLevel.Error" in config.text
    check = c.has_no_anomalies(_analyzer(given["analyzer"]), _strategy(given["strategy"]), level="error" if error else "warning")
    return [check]


def _constructor(value: Any, what: str) -> MethodCall:
    found = made_by(value.text) if isinstance(value, Name) else None
    if found is None:
        shown = value.text if isinstance(value, Name) else value
        raise UnreadError(f"its {what} `{shown}` is a variable, and code is not run")
    return found


def _strategy(value: Any) -> Strategy:
    made = _constructor(value, "strategy")
    if made.method == "HoltWinters":
        words = [str(one.text if isinstance(one, Name) else one).rpartition(".")[2] for one in (*made.arguments, *made.named.values())]
        if tuple(words) not in _SEASONS:
            raise UnreadError(f"Holt-Winters of {' and '.join(words)} is none of Deequ's")
        return HoltWinters(_SEASONS[words[0], words[1]])
    if made.method not in _STRATEGIES:
        raise UnreadError(f"there is no strategy {made.method}. {nearest(made.method, (*_STRATEGIES, 'HoltWinters'))}".strip().rstrip("."))
    names, usual, ours = _STRATEGIES[made.method]
    given = {**usual, **dict(zip(names, made.arguments, strict=False)), **made.named}
    if strange := sorted(given.keys() - set(names)):
        raise UnreadError(f"its setting {strange[0]!r} is not understood")
    if given.pop("includeInterval", False):
        raise UnreadError("it learns from the batch that it judges (includeInterval); here from those before it")
    return ours(*(given[name] for name in names if name in given))


def _analyzer(value: Any) -> Measure:
    made = _constructor(value, "analyzer")
    if made.method not in _ANALYZERS:
        raise UnreadError(f"no history is kept of {made.method}")
    count, measure = _ANALYZERS[made.method]
    where = made.named.pop("where", next(iter(made.arguments[count : count + 1]), None))
    what = [*made.arguments[:count], *made.named.values()]
    return measure(*what, where=where if isinstance(where, str) else None)
