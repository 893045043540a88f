"""Views: the merged profile of any set of batches and segments, from states alone (differential Deequ, ICDE 2019, scenarios 1 to 3).

No data is read: the states of a union are the merge of the states. Exact states stay exact, sketches keep their stated error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from avh_ui import plots
from avh_ui.errors import NotFoundError, UsageError
from avh_ui.history.parts import UNTYPED, ColumnPart, Part, merge_parts
from avh_ui.history.plotting import distributions
from avh_ui.history.ranges import batches_in_range
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import sort_batches
from avh_ui.metrics.catalogue import STATES, measured_for, metric
from avh_ui.metrics.column import Kind
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.metric import NOT_MEASURED
from avh_ui.metrics.profile import BatchProfile, ColumnProfile, merge_columns
from avh_ui.metrics.sampled_rows import hosts_of, matched_columns
from avh_ui.metrics.segment import REST, Segment, sort_segments
from avh_ui.metrics.state import State

# So many metrics that a batch lacks are named.
_NAMED = 3


@dataclass(frozen=True)
class Gap:
    """What a view is not of: `batches`, in one `column` ('' = in all of them), and why, as the end of a sentence. Where it is `partial`
    the column is there and lacks some metrics, which the union then lacks too.
    """

    batches: tuple[str, ...]
    column: str
    reason: str
    partial: bool = False

    def __str__(self) -> str:
        first, last, n = self.batches[0], self.batches[-1], len(self.batches)
        where = f"Batch {first!r}" if n == 1 else f"{n:,} batches ({first!r} to {last!r})"
        return f"{where}: {f'column {self.column!r} ' if self.column else ''}{self.reason}."


@dataclass(frozen=True)
class View:
    """The union of the rows of `batches` (of their `segments`, when some were chosen) as one profile.

    `batches` are those that are in it, in natural order. `columns` are in source order, the newest batch's first; a column has the kind
    and type of its newest batch. `gaps` say what was asked for and is missing.
    """

    pipeline: str
    batches: tuple[str, ...]
    segments: tuple[Segment, ...]
    rows: int
    columns: dict[str, ColumnProfile]
    gaps: tuple[Gap, ...] = ()

    def column(self, name: str) -> ColumnProfile:
        """One column's merged states; `NotFoundError` names the nearest."""
        if name not in self.columns:
            raise NotFoundError(f"column in this view of {self.pipeline!r}", name, self.columns)
        return self.columns[name]

    def metric(self, column: str, name: str) -> float:
        """A single-distribution metric of the union; NaN when undefined. `NotFoundError` for a name that the kind does not have."""
        found = self.column(column)
        declared = found.metric(name)
        if declared.two_distribution:
            raise UsageError(f"{name!r} compares two views.", hint="Use `distance`, with the view to compare with.")
        return declared.value(found.states)

    def metrics(self, column: str) -> dict[str, float]:
        """Every single-distribution metric of the union."""
        return self.column(column).single_metrics()

    def errors(self, column: str) -> dict[str, float]:
        """How far the metrics that come from sketches may be off; see `ColumnProfile.errors`."""
        return self.column(column).errors()

    def distance(self, baseline: View, column: str, name: str) -> float:
        """A two-distribution metric between two views; NaN when undefined or when the column is of another kind there."""
        ours, theirs = self.column(column), baseline.column(column)
        declared = metric(name, ours.kind)
        if not declared.two_distribution:
            raise UsageError(f"{name!r} is a metric of one view.", hint="Use `metric`.")
        return declared.value(ours.states, theirs.states if theirs.kind == ours.kind else None)

    def distances(self, baseline: View, column: str) -> dict[str, float]:
        """Every two-distribution metric between two views; empty when the column is of another kind there."""
        return self.column(column).distances(baseline.column(column))

    @property
    def name(self) -> str:
        """The batch, or the first and last of a span."""
        return self.batches[0] if len(self.batches) == 1 else f"{self.batches[0]}..{self.batches[-1]}" if self.batches else ""

    def plot(self, column: str, baseline: View | None = None) -> Any:
        """The distribution of a column as a HoloViews object, beside a baseline's when given: a histogram of numbers, bars of texts.

        `UsageError` for a column whose values are not kept or that is of another kind in the baseline, and where there are no values.
        """
        sides = [self] if baseline is None else [baseline, self]
        profiles = [side.column(column) for side in sides]
        title = f"{column} of {self.pipeline}"
        titles = [f"{title}, {self.name}"] if baseline is None else [side.name for side in sides]
        made = distributions(profiles, titles)
        return made[0] if baseline is None else plots.over(made, title)

    def profile(self) -> BatchProfile:
        """The view as if it were one batch, for whatever judges profiles; its gaps are its notes."""
        return BatchProfile(self.pipeline, self.name, self.rows, self.columns, tuple(map(str, self.gaps)))


def view(
    repository: HistoryRepository,
    pipeline: str,
    batches: str | Iterable[str] | None = None,
    segments: Iterable[Segment] | None = None,
    columns: Sequence[str] | None = None,
) -> View:
    """The view of `batches`: a span `A..B` (ends included, either open), one id, any set of ids, or all (None).

    A segment stands for all that are within it, so `region=EU` takes every country of a pipeline split by region and country; without
    `segments` the whole batches are taken. `NotFoundError` for a batch or segment that is not there. Columns nobody has are passed over.
    """
    known = repository.batches(pipeline)
    columns = None if columns is None else [*columns, *hosts_of(columns)]
    chosen = (
        batches_in_range(pipeline, batches, known) if batches is None or isinstance(batches, str) else _listed(pipeline, batches, known)
    )
    if segments is None:
        part = merge_parts(repository.parts(pipeline, chosen, columns))
        return _view(pipeline, part, (), _unread(part))
    wanted, there = list(segments), repository.segments(pipeline)
    picked = segments_within(pipeline, wanted, there)
    by_segment = {segment: repository.parts(pipeline, chosen, columns, segment) for segment in picked}
    part = merge_parts([part for parts in by_segment.values() for part in parts])
    gaps = _unread(part)
    gaps += [Gap(tuple(sort_batches(part.unsplit)), "", "was profiled without segments")] if part.unsplit else []
    if REST in there and REST not in picked:
        rest = merge_parts(repository.parts(pipeline, chosen, [], REST)).rows
        unsure = [b for b in rest if not all(s in by_segment and any(b in p.rows for p in by_segment[s]) for s in wanted)]
        gaps += [Gap(tuple(unsure), "", f"has more segments than are kept apart; some rows may be in {REST}")] if unsure else []
    return _view(pipeline, part, tuple(picked), gaps)


def _unread(part: Part) -> list[Gap]:
    return [Gap((batch,), "", f"is left out. {part.unread[batch].rstrip('.')}") for batch in sort_batches(part.unread)]


def segments_within(pipeline: str, wanted: Sequence[Segment], there: Sequence[Segment]) -> list[Segment]:
    """The segments of `there` that are one of `wanted` or a part of one; `NotFoundError` for one that has none."""
    for segment in wanted:
        if not any(other.within(segment) for other in there):
            raise NotFoundError(f"segment of {pipeline!r}", segment.label, [s.label for s in there])
    return sort_segments([other for other in there if any(other.within(segment) for segment in wanted)])


def _listed(pipeline: str, batches: Iterable[str], known: Sequence[str]) -> list[str]:
    wanted, there = sort_batches(batches), set(known)
    for batch in wanted:
        if batch not in there:
            raise NotFoundError(f"profile of {pipeline!r} for batch", batch, known)
    return wanted


def union(pipeline: str, part: Part) -> View:
    """The view of merged parts, which need not all be of the history."""
    return _view(pipeline, part, (), _unread(part))


def _view(pipeline: str, part: Part, segments: tuple[Segment, ...], gaps: list[Gap]) -> View:
    place = {batch: k for k, batch in enumerate(part.rows)}
    by_name: dict[str, list[ColumnPart]] = {}
    for column in part.columns:
        by_name.setdefault(column.profile.name, []).append(column)
    columns: dict[str, ColumnProfile] = {}
    for name, found in by_name.items():
        # Those with values first, newest first: the first decides on kind and type.
        found.sort(key=lambda c: (c.profile.type == UNTYPED, -max(place[b] for b in c.batches)))
        kind = found[0].profile.kind
        added = [c for c in found if _addable(c.profile, kind)]
        if added:
            columns[name] = merge_columns([_as_kind(c.profile, kind) for c in added])
        gaps.extend(_gaps(name, tuple(part.rows), found))
    columns |= {column.name: column for column in matched_columns(columns)}
    return View(pipeline, tuple(part.rows), segments, sum(part.rows.values()), columns, tuple(gaps))


def _addable(profile: ColumnProfile, kind: Kind) -> bool:
    return profile.kind == kind or (profile.type == UNTYPED and CountState.key in profile.states)


def _as_kind(profile: ColumnProfile, kind: Kind) -> ColumnProfile:
    """An untyped column as one of the kind: it has nulls and nothing else."""
    if profile.type != UNTYPED:
        return profile
    nothing: dict[str, State] = {state.key: state.identity() for state in STATES[kind]}
    return replace(profile, kind=kind, states={**nothing, CountState.key: profile.states[CountState.key]})


def _gaps(name: str, batches: Sequence[str], found: Sequence[ColumnPart]) -> Iterator[Gap]:
    have: frozenset[str] = frozenset().union(*(c.batches for c in found))
    if absent := tuple(b for b in batches if b not in have):
        yield Gap(absent, name, "is not there")
    kind = found[0].profile.kind
    for column in found:
        there = tuple(b for b in batches if b in column.batches)
        if not _addable(column.profile, kind):
            yield Gap(there, name, f"is {column.profile.kind}, not {kind}")
        elif column.profile.type != UNTYPED and (lost := [m.name for m in measured_for(kind) if m.lacks(column.profile.states)]):
            # What one batch lacks, the union lacks: the others alone would say too little.
            more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
            yield Gap(there, name, f"has no {', '.join(lost[:_NAMED])}{more}: {NOT_MEASURED}", partial=True)
