"""Which synthetic issues a constraint catches: R(Q) of AVH, eq. 8."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint, judge_pattern
from avh_ui.constraints.transforms import Transform
from avh_ui.issues.sample import Sample
from avh_ui.issues.variants import Variant
from avh_ui.metrics.column import EXACT
from avh_ui.metrics.conformance import Conformance, conformance_of_states
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.regexes import conforming
from avh_ui.metrics.state import State

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Measured on one core, all variants and their states: 0.1 s for 20,000 rows of few distinct values or 5,000 rows of distinct texts; of
# 100,000 distinct texts it would be 2 s, and the shares hardly change (by 0.7 points at most, 95 %; those of texts by 1.4).
MOST_ROWS = 20_000
MOST_ROWS_DISTINCT = 5_000
# Half of a column at 0 was .1351 from the day before on one day of flights and .134 on the next, where the bound was .135.
CLEAR = 1.1


@dataclass(frozen=True)
class Batch:
    """The latest batch: `sample` of its rows, `rows` in all, the predecessor's profile, and the metrics measured on all rows."""

    sample: Sample
    rows: int
    baseline: ColumnProfile | None
    measured: dict[str, float]


# A column's values each in the next row, as a sheet whose one column was sorted, or moved, leaves them.
SHIFTED = "shifted"


def of_every_row(name: str) -> bool:
    """Whether the issue of that name, of values or rows, leaves no row as it was, or those of one end alone: other data come."""
    return "100%" in name or name == SHIFTED or (name.startswith("distribution_change") and name.endswith("10%"))


def thinned_sample(sample: Sample, seed: int) -> Sample:
    """The sample, cut to as many rows as D(C) is fast on."""
    most = MOST_ROWS if len(sample.values) <= EXACT else MOST_ROWS_DISTINCT
    return sample.thin(most, np.random.default_rng([seed, 1_000]))


def variant_matrix(metrics: Sequence[Metric], variants: Sequence[Variant], batch: Batch) -> Floats:
    """Each metric on each variant, shape (metrics, variants); NaN where undefined.

    Where the sample is smaller than the batch, what sampling alone did to the clean metric is taken back: totals (`row_count`,
    `sum`, `dist_val_count`) are scaled by batch / sample, all others are shifted by batch - sample, distances not below 0.
    """
    # Variant by variant: what several distances compute of two batches is remembered of the latest pair.
    values = np.array([[measured_on(m, v.states, batch.baseline) for m in metrics] for v in variants], dtype=np.float64)
    values = values.reshape(len(variants), len(metrics)).T
    if batch.sample.rows >= batch.rows:
        return values
    clean = batch.sample.states()
    for i, metric in enumerate(metrics):
        full, part = batch.measured.get(metric.name, math.nan), measured_on(metric, clean, batch.baseline)
        values[i] = corrected(metric, values[i], full, part)
    return values


def measured_on(metric: Metric, states: dict[str, State], baseline: ColumnProfile | None) -> float:
    """A metric of states, against the predecessor's where it compares two batches; NaN or infinite where it is undefined."""
    # Metrics of infinite or huge values are infinite or NaN: that is a result here, not a fault.
    with np.errstate(all="ignore"):
        return metric.value(states, baseline.states if baseline is not None else None)


def corrected(metric: Metric, values: Floats, full: float, part: float) -> Floats:
    """Values measured on a sample, as they would be of the whole batch: `full` is the clean metric of the batch, `part` of the sample."""
    if not (math.isfinite(full) and math.isfinite(part)):
        return values
    if metric.total:
        return values * (full / part) if part else values
    shifted = values + (full - part)
    return np.clip(shifted, metric.lowest, metric.highest)


def transformed_of(transform: Transform, values: Floats, reference: float | None) -> Floats:
    """`Transform.forward` of many observations that share one reference, shape of `values`."""
    return transform.against(values, math.nan if reference is None else reference)


def clearly_beyond(values: Floats, upper: Floats | float) -> Mask:
    """Which distances are beyond a bound by more than they vary from one spoiled batch to the next, of the shape that both have together;
    undefined ones are.
    """
    return ~(values <= CLEAR * np.asarray(upper))


def outside_bounds(values: Floats, lower: Floats | float, upper: Floats | float, transform: Transform, reference: float | None) -> Mask:
    """Which values are outside such bounds, of the shape that bounds and values have together; undefined and infinite values are."""
    with np.errstate(invalid="ignore"):
        found = transformed_of(transform, values, reference)
        return ~((found >= lower) & (found <= upper) & np.isfinite(found))


def caught_by(constraint: Constraint, values: Floats, observed: Floats | None, batches: Sequence[str] = ()) -> Mask:
    """Which variants one constraint catches, edited bounds and all; `values` of shape (variants,) are its metric's, `observed` of shape
    (batches,) its history and `batches` their ids; None where it compares with nothing.
    """
    reference = None if observed is None else constraint.transform.reference_of_last(observed, batches)
    lower = -math.inf if constraint.lower is None else constraint.lower
    upper = math.inf if constraint.upper is None else constraint.upper
    # A bound that may not be reached lets pass what comes next to it.
    lower = math.nextafter(lower, math.inf) if constraint.strict in ("lower", "both") else lower
    upper = math.nextafter(upper, -math.inf) if constraint.strict in ("upper", "both") else upper
    return outside_bounds(values, lower, upper, constraint.transform, reference)


def breaking(constraint: PatternConstraint, variants: Sequence[Variant]) -> list[bool]:
    """Which variants' values violate a pattern. All texts are matched at once: to read a list of 8,000 values as a regex takes 3 ms."""
    samples, regex = [variant.sample for variant in variants], constraint.pattern.regex
    worded = [pa.nulls(0, pa.large_string()), *(cast(pa.Array, s.values) for s in samples if not s.is_number)]
    texts = pa.concat_arrays([values.cast(pa.large_string()) for values in worded])
    every = texts.dictionary_encode()
    right = conforming(every.dictionary, regex)[every.indices.to_numpy(zero_copy_only=False)]
    full = pc.greater(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False).astype(bool)
    found, at = list[bool](), 0
    for variant, sample in zip(variants, samples, strict=True):
        measured = conformance_of_states(variant.states, regex) if sample.is_number else None
        if not sample.is_number:
            some, at = slice(at, at + len(sample.values)), at + len(sample.values)
            counts = np.bincount(sample.codes[sample.codes >= 0], minlength=len(sample.values)) * variant.copies
            measured = Conformance(int(counts[full[some]].sum()), int(counts[full[some] & ~right[some]].sum()))
        found.append(judge_pattern(constraint, measured).status in ("fail", "warn"))
    return found
