"""The synthetic issues of the latest batch's columns, and what catches them; made when they are asked for, shared by all sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.history.series import ColumnHistory
from avh_ui.issues.amounts import amount_issues
from avh_ui.issues.catching import MOST_ROWS, Batch, Floats, breaking, caught_by, measured_on, thinned_sample, variant_matrix
from avh_ui.issues.coming_again import coming_again
from avh_ui.issues.counting import counted
from avh_ui.issues.dating import date_issues
from avh_ui.issues.losing import halved_values, lost_values
from avh_ui.issues.prose import prose_issues
from avh_ui.issues.sample import Sample, neighbour_of
from avh_ui.issues.variants import PAPER, WITH_NULLS, Magnitudes, Variant, issues_of
from avh_ui.metrics.catalogue import metric, of_any_kind
from avh_ui.metrics.column import Kind
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profile import BatchProfile, ColumnProfile

# How issues of a part of the values end: of the one value of a table of one row a batch there is no half.
_SHARES = ("of 1%", "of 10%", "of 50%", "50% null")


@dataclass(frozen=True)
class LatestBatch:
    """What D(C) is made of: a `sample` of the latest batch's column, the batch's full number of `rows`, a sample of a `neighbour`
    column of the same kind (None leaves the schema change out), and the predecessor's profile as `baseline` (None = there is none).
    """

    sample: pa.Array | pa.ChunkedArray
    rows: int
    neighbour: pa.Array | pa.ChunkedArray | None = None
    baseline: ColumnProfile | None = None


class ColumnIssues:
    """D(C) of one column, whose latest batch is the last of its `history`; the same `seed` gives the same issues.

    Metrics of the issues are kept, the issues themselves until `forget`. Where the sample is of another kind than the history, what is the
    same of any kind alone (`catalogue.of_any_kind`) catches them. A first batch has none before it: what compares with one is tried as if
    the batch itself had come before its issues.
    """

    def __init__(self, history: ColumnHistory, latest: LatestBatch, *, seed: int = 0, magnitudes: Magnitudes = WITH_NULLS) -> None:
        sample = Sample.from_arrow(latest.sample, history.kind)
        self.kind: Kind = sample.kind
        self._like = history.kind
        known = {name: float(series[-1]) for name, series in history.values.items() if len(series)}
        thinned = thinned_sample(sample, seed)
        before = latest.baseline or ColumnProfile("", sample.kind, "", thinned.states())
        self._given, self._batch = latest.baseline, Batch(thinned, max(latest.rows, sample.rows), before, known)
        self._neighbour, self._seed, self._magnitudes = latest.neighbour, seed, magnitudes
        self._made: list[Variant] | None = None
        self._rows: dict[str, Floats] = {}

    @property
    def rows(self) -> int:
        """The latest batch's number of rows."""
        return self._batch.rows

    @property
    def baseline(self) -> ColumnProfile | None:
        """The predecessor's profile; None where there is none."""
        return self._given

    @property
    def variants(self) -> list[Variant]:
        """The issues."""
        if self._made is None:
            neighbour = None if self._neighbour is None else thinned_sample(Sample.from_arrow(self._neighbour), self._seed)
            issues = issues_of(self._batch.sample, neighbour, seed=self._seed, magnitudes=self._magnitudes)
            alone = self._batch.rows == 1 and self._magnitudes is not PAPER
            self._made = [one for one in issues if not (alone and one.name.endswith(_SHARES))]
            if self._given is not None and self._magnitudes is not PAPER:
                self._made += coming_again(self._batch.sample, self._given, seed=self._seed)
                self._made += lost_values(self._batch.sample, self._given)
                self._made += halved_values(self._batch.sample, self._given)
            if self._magnitudes is not PAPER:
                self._made += [
                    *prose_issues(self._batch.sample), *date_issues(self._batch.sample), *amount_issues(self._batch.sample),
                ]  # fmt: skip
        return self._made

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(variant.name for variant in self.variants)

    def values(self, metrics: Sequence[Metric]) -> Floats:
        """Each metric on each issue, shape (metrics, issues); see `catching.variant_matrix`."""
        missing = [m for m in metrics if m.name not in self._rows]
        if missing:
            told = [m for m in missing if self._tells(m)]
            self._rows |= {m.name: np.full(len(self.names), np.nan) for m in missing}
            self._rows |= dict(zip((m.name for m in told), variant_matrix(told, self.variants, self._batch), strict=True))
        return np.array([self._rows[m.name] for m in metrics], dtype=np.float64).reshape(len(metrics), len(self.names))

    def caught(self, constraint: Constraint) -> tuple[str, ...]:
        """The issues that a constraint catches that follows no earlier value of its metric, or is a pattern."""
        if self.kind != self._like and (
            isinstance(constraint, PatternConstraint) or not self._tells(metric(constraint.metric, self._like))
        ):
            return ()
        if isinstance(constraint, PatternConstraint):
            hits = breaking(constraint, self.variants)
        elif constraint.unique:
            of = metric(constraint.metric, self._like)
            values = [measured_on(of, counted(v.sample, v.states), self._batch.baseline) for v in self.variants]
            hits = caught_by(constraint, np.array(values, dtype=np.float64), None).tolist()
        else:
            hits = caught_by(constraint, self.values([metric(constraint.metric, self._like)])[0], None).tolist()
        return tuple(name for name, hit in zip(self.names, hits, strict=True) if hit)

    def _tells(self, of: Metric) -> bool:
        """Whether the sample says what a metric of the history is."""
        return self.kind == self._like or of_any_kind(of)

    def forget(self) -> None:
        """Let go of the issues; they are made anew when they are asked for."""
        self._made = None


class Issues:
    """The issues of a batch's columns; of so many columns at a time they are in memory as take no more of it than those of one column of
    `MOST_ROWS` rows: each source asks for those of all columns.

    `sample` is of the batch, `rows` its whole number of rows, `baseline` the profile of its predecessor.
    """

    def __init__(
        self,
        columns: Mapping[str, ColumnHistory],
        sample: pa.Table,
        rows: int,
        baseline: BatchProfile,
        *,
        seed: int = 0,
        magnitudes: Magnitudes = WITH_NULLS,
    ) -> None:
        self._columns, self._sample, self._whole, self._baseline = columns, sample, rows, baseline
        self._seed, self._magnitudes = seed, magnitudes
        self._known: dict[str, ColumnIssues] = {}
        self._made: dict[str, ColumnIssues] = {}

    def of(self, name: str) -> ColumnIssues:
        """Those of one column."""
        if name not in self._known:
            sample, baseline = self._sample, self._baseline.columns.get(name)
            latest = LatestBatch(sample.column(name), self._whole, neighbour_of(sample, name), baseline)
            self._known[name] = ColumnIssues(self._columns[name], latest, seed=self._seed, magnitudes=self._magnitudes)
        # The one that was asked for longest ago stands first.
        self._made[name] = self._made.pop(name, self._known[name])
        if len(self._made) * self._sample.num_rows > MOST_ROWS and len(self._made) > 1:
            self._made.pop(next(iter(self._made))).forget()
        return self._known[name]
