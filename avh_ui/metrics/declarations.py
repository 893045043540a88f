"""What each analyzer needs and how its value follows: one declaration per name of `analyzers`.

A value of None stands for Deequ's EmptyState: nothing was there to be measured.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from avh_ui.metrics.analyzer import Analyzer, BinnedHistogram, Histogram, Need, Value
from avh_ui.metrics.bins import BinState
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR
from avh_ui.metrics.groups import TOP, GroupState, GroupSummary
from avh_ui.metrics.matches import MatchState
from avh_ui.metrics.moments import MomentsState
from avh_ui.metrics.quantiles import QuantileState, sketch_size
from avh_ui.metrics.text import TextState
from avh_ui.metrics.value_types import TypeState

# What the columns must be: number types (no booleans, no times), texts, or anything that is not nested.
Rule = Literal["numeric", "string", "any"]
NULL_LABEL = "NullValue"
_ALL_ROWS = Need("rows")


@dataclass(frozen=True)
class Declaration:
    """`needs` of an analyzer, and its value from their states in the same order. `rules` by column; `many` when the one rule holds
    for any number of columns, at least `least`; the last `optional` columns may be left out. `error` as in `MetricResult`.
    """

    needs: Callable[[Analyzer], tuple[Need, ...]]
    value: Callable[..., Value | None]
    rules: tuple[Rule, ...] = ("numeric",)
    many: bool = False
    least: int = 1
    optional: int = 0
    error: Callable[..., float | None] = lambda *_: None


def _per_column(state: str, detail: Callable[[Analyzer], Any] = lambda _: None, *, rows: bool = False) -> Callable[..., tuple[Need, ...]]:
    """One state per column; with the table's rows, `where` or not, when `rows`."""

    def needs(a: Analyzer) -> tuple[Need, ...]:
        found = tuple(Need(state, (c,), a.where, detail(a)) for c in a.columns)
        return (*found, _ALL_ROWS) if rows else found

    return needs


def _together(state: str) -> Callable[[Analyzer], tuple[Need, ...]]:
    """One state of all columns, whatever their order."""
    return lambda a: (Need(state, tuple(sorted(set(a.columns))), a.where),)


def _lengths(a: Analyzer) -> tuple[Need, ...]:
    return Need("counts", a.columns, a.where), Need("text", a.columns, a.where)


def _histogram_needs(a: Analyzer) -> tuple[Need, ...]:
    column, *summed = a.columns
    own = Need("sums", a.columns, a.where) if summed else Need("groups", (column,), a.where)
    if a.where is None:
        return (own,)
    return own, Need("moments", tuple(summed)) if summed else _ALL_ROWS


def _size(a: Analyzer, rows: MatchState) -> float | None:
    return float(rows.matches) if a.where is None or rows.known else None


def _completeness(_: Analyzer, state: CountState) -> float | None:
    return (state.rows - state.nulls) / state.rows if state.rows else None


def _share(_: Analyzer, state: MatchState) -> float | None:
    return state.matches / state.rows if state.known else None


def _minimum(_: Analyzer, state: MomentsState) -> float | None:
    return state.low if state.n else math.nan if state.nans else None


def _moment(of: Callable[[MomentsState], float]) -> Callable[[Analyzer, MomentsState], float | None]:
    """A number that is NaN when any value is, and None without values."""

    def value(_: Analyzer, state: MomentsState) -> float | None:
        if state.nans:
            return math.nan
        with np.errstate(all="ignore"):
            return float(of(state)) if state.n else None

    return value


def _variance(state: MomentsState) -> float:
    # Rounding must not give a constant column a spread.
    return 0.0 if state.low == state.high and math.isfinite(state.low) else state.m2 / state.n


def _skewness(state: MomentsState) -> float:
    return float(math.sqrt(state.n) * state.m3 / np.float64(state.m2) ** 1.5) if _variance(state) else 0.0


def _kurtosis(state: MomentsState) -> float:
    return float(state.n * np.float64(state.m4) / np.float64(state.m2) ** 2 - 3) if _variance(state) else 0.0


def _ratio_of_sums(_: Analyzer, numerator: MomentsState, denominator: MomentsState) -> float | None:
    above, below = (_moment(lambda s: s.total)(_, state) for state in (numerator, denominator))
    if above is None or below is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(above) / np.float64(below))


def _count_in_table(of: Callable[[Any], float]) -> Callable[[Analyzer, Any, MatchState], float | None]:
    return lambda _, state, rows: of(state) if rows.rows else None


def _length(a: Analyzer, counts: CountState, text: TextState) -> float | None:
    shortest = a.name == "min_length"
    if counts.nulls and a.param("nulls") == "fail":
        return -sys.float_info.max if shortest else sys.float_info.max
    lengths = [float(text.shortest if shortest else text.longest)] if text.n else []
    if counts.nulls and a.param("nulls") == "empty_string":
        lengths.append(0.0)
    return (min if shortest else max)(lengths, default=None)


def _quantile(a: Analyzer, state: QuantileState) -> float | None:
    return state.quantile(a.param("quantile")) if state.n else None


def _quantiles(a: Analyzer, state: QuantileState) -> Mapping[str, float] | None:
    return {str(q): state.quantile(q) for q in a.param("quantiles")} if state.n else None


def _data_type(_: Analyzer, state: TypeState) -> Histogram | None:
    if not state.rows:
        return None
    absolute = {name.capitalize(): float(count) for name, count in vars(state).items()}
    return Histogram(absolute, {name: count / state.rows for name, count in absolute.items()}, len(absolute))


def _summary(state: GroupState | GroupSummary) -> GroupSummary:
    return state.summary() if isinstance(state, GroupState) else state


def _grouped(of: Callable[[GroupSummary], float], *, zero: bool = False) -> Callable[[Analyzer, Any], float | None]:
    """A number of a summary; without groups None, or 0."""

    def value(_: Analyzer, state: GroupState | GroupSummary) -> float | None:
        summary = _summary(state)
        return float(of(summary)) if summary.groups or zero else None

    return value


def _histogram(a: Analyzer, state: GroupState | GroupSummary, table: MatchState | MomentsState | None = None) -> Histogram | None:
    summary = _summary(state)
    if not summary.groups and not summary.null_group:
        return None
    whole = amount = summary.n + summary.nulls
    if table is not None:
        whole = table.rows if isinstance(table, MatchState) else table.total
    absolute: dict[str, float] = {}
    for key, count in summary.top[: a.param("max_bins")]:
        label = NULL_LABEL if key is None else key
        absolute[label] = absolute.get(label, 0.0) + count
    ratio = {label: count / whole if whole else math.nan for label, count in absolute.items()}
    return Histogram(absolute, ratio, summary.groups + summary.null_group, amount - sum(absolute.values()))


def _binned(_: Analyzer, state: BinState) -> BinnedHistogram | None:
    return BinnedHistogram(state.edges, state.frequencies, state.nulls) if state.edges else None


def _sketch_k(a: Analyzer) -> int:
    return sketch_size(a.param("relative_error"))


_MOMENTS = _per_column("moments")


def _of_moments(of: Callable[[MomentsState], float]) -> Declaration:
    return Declaration(_MOMENTS, _moment(of))


def _of_groups(of: Callable[[GroupSummary], float], *, zero: bool = False, least: int = 1) -> Declaration:
    return Declaration(_together("groups"), _grouped(of, zero=zero), ("any",), many=True, least=least)


def _rank_error(_: Analyzer, state: QuantileState) -> float | None:
    return state.rank_error


DECLARATIONS: dict[str, Declaration] = {
    "size": Declaration(lambda a: (Need("rows", (), a.where),), _size, ()),
    "completeness": Declaration(_per_column("counts"), _completeness, ("any",)),
    "compliance": Declaration(lambda a: (Need("compliance", (), a.where, a.param("predicate")),), _share, ()),
    "pattern_match": Declaration(_per_column("pattern", lambda a: a.param("pattern")), _share, ("string",)),
    "minimum": Declaration(_MOMENTS, _minimum),
    "maximum": _of_moments(lambda s: s.high),
    "mean": _of_moments(lambda s: s.mean),
    "sum": _of_moments(lambda s: s.total),
    "standard_deviation": _of_moments(lambda s: math.sqrt(_variance(s))),
    "variance": _of_moments(_variance),
    "skewness": _of_moments(_skewness),
    "kurtosis": _of_moments(_kurtosis),
    "range": _of_moments(lambda s: s.high - s.low),
    "zeros_count": Declaration(_per_column("zeros", rows=True), _count_in_table(lambda s: float(s.matches))),
    "ratio_of_sums": Declaration(_MOMENTS, _ratio_of_sums, ("numeric", "numeric")),
    "correlation": Declaration(
        lambda a: (Need("comoments", tuple(sorted(a.columns)), a.where),),
        lambda _, s: s.correlation if s.n else None,
        ("numeric", "numeric"),
    ),
    "approx_quantile": Declaration(_per_column("quantiles", _sketch_k), _quantile, error=_rank_error),
    "approx_quantiles": Declaration(_per_column("quantiles", _sketch_k), _quantiles, error=_rank_error),
    "exact_quantile": Declaration(
        _per_column("percentile", lambda a: (a.param("quantile"),)), lambda _, found: found[0] if found else None
    ),
    "interquartile_range": Declaration(
        _per_column("percentile", lambda _: (0.25, 0.75)), lambda _, found: found[1] - found[0] if found else None
    ),
    "min_length": Declaration(_lengths, _length, ("string",)),
    "max_length": Declaration(_lengths, _length, ("string",)),
    "data_type": Declaration(_per_column("types"), _data_type, ("any",)),
    "approx_count_distinct": Declaration(
        _per_column("distinct", rows=True), _count_in_table(lambda s: s.distinct()), ("any",), error=lambda *_: HLL_RELATIVE_ERROR
    ),
    "count_distinct": _of_groups(lambda s: s.groups, zero=True),
    "uniqueness": _of_groups(lambda s: s.singles / s.n),
    "distinctness": _of_groups(lambda s: s.groups / s.n),
    "unique_value_ratio": _of_groups(lambda s: s.singles / s.groups),
    "entropy": Declaration(_together("groups"), lambda _, state: _summary(state).entropy, ("any",)),
    "duplicate_row_count": _of_groups(lambda s: s.repeated, zero=True, least=0),
    "mutual_information": Declaration(_together("pairs"), lambda _, s: s.mutual_information(), ("any", "any")),
    "histogram": Declaration(_histogram_needs, _histogram, ("any", "numeric"), optional=1),
    "histogram_binned": Declaration(_per_column("bins", lambda a: a.param("bins")), _binned),
}


def _share_of_one(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 1


def _shares_of_one(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) > 0 and all(map(_share_of_one, value))


def _edges(value: Any) -> bool:
    numbers = isinstance(value, tuple) and len(value) > 1 and all(isinstance(v, int | float) and not math.isnan(v) for v in value)
    return value >= 1 if type(value) is int else numbers and list(value) == sorted(set(value))


def wrong_parameter(a: Analyzer) -> str | None:
    """What is wrong with an analyzer's parameters; None when nothing is."""
    where: object = a.where
    if not isinstance(where, str | None):
        return f"where of {a.name} must be an SQL condition, not {where!r}."
    for name, needed_by, ok, must in (
        ("quantile", ("approx_quantile", "exact_quantile"), _share_of_one, "from 0 to 1"),
        ("quantiles", ("approx_quantiles",), _shares_of_one, "one or more, each from 0 to 1"),
        ("relative_error", ("approx_quantile", "approx_quantiles"), _share_of_one, "from 0 to 1"),
        ("max_bins", ("histogram",), lambda v: isinstance(v, int) and 1 <= v <= TOP, f"from 1 to {TOP}"),
        ("nulls", (), lambda v: v in ("ignore", "empty_string", "fail"), "ignore, empty_string or fail"),
        ("bins", ("histogram_binned",), _edges, "1 or more, or ascending edges"),
        ("pattern", ("pattern_match",), lambda v: isinstance(v, str), "a text"),
        ("predicate", ("compliance",), lambda v: isinstance(v, str), "a text"),
    ):
        if (name in dict(a.params) or a.name in needed_by) and not ok(a.param(name)):
            return f"{name} of {a.name} must be {must}, not {a.param(name)!r}."
    return None
