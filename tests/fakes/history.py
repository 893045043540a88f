"""An in-memory `HistoryRepository`: keeps profiles and computes every series from their states, each number once."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from avh_ui.errors import NotFoundError
from avh_ui.history.parts import Part
from avh_ui.history.series import ColumnHistory, History, sort_batches
from avh_ui.history.standings import Said, Standing, baselines_of
from avh_ui.metrics.catalogue import measured_for
from avh_ui.metrics.content import content_of, undated_content_of
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.sampled_rows import matched_columns
from avh_ui.metrics.segment import Segment, sort_segments
from avh_ui.metrics.type_names import MATCHED


class Once:
    """What was computed of profiles, which never change: by the objects themselves, and kept with them, so that none takes another's place.

    A test that validates 60 batches reads 60 histories; computed anew each time, their distances were most of its time.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], tuple[tuple[object, ...], Any]] = {}

    def __call__(self, compute: Callable[..., Any], *of: object) -> Any:
        """What `compute` says of these objects."""
        key = (id(compute), *map(id, of))
        if key not in self._known:
            self._known[key] = ((compute, *of), compute(*of))
        return self._known[key][1]


class FakeHistory:
    """`HistoryRepository` in memory. `saves` counts calls of `save`."""

    def __init__(self) -> None:
        self.profiles: dict[str, dict[str, BatchProfile]] = {}
        self.said: dict[str, dict[str, Said]] = {}
        self.begins: dict[str, dict[str, Sequence[str]]] = {}
        self.saves = 0
        self._alone = threading.RLock()
        self._once = Once()

    def batches(self, pipeline: str) -> list[str]:
        return sort_batches(self.profiles.get(pipeline, {}))

    def segments(self, pipeline: str) -> list[Segment]:
        return sort_segments([s for profile in self.profiles.get(pipeline, {}).values() for s in profile.segments])

    def load(self, pipeline: str, batch: str, columns: Sequence[str] | None = None, segment: Segment | None = None) -> BatchProfile:
        try:
            profile = self.profiles[pipeline][batch]
        except KeyError:
            raise NotFoundError(f"profile of {pipeline!r} for batch", batch, self.batches(pipeline)) from None
        if segment is not None:
            if segment not in profile.segments:
                raise NotFoundError(f"segment in batch {batch!r}", segment.label, [s.label for s in profile.segments])
            part = profile.segments[segment]
            profile = replace(profile, rows=part.rows, columns=part.columns)
        kept = {n: c for n, c in profile.columns.items() if columns is None or n in set(columns)}
        return replace(profile, columns=kept, segments={})

    def save(self, profile: BatchProfile) -> None:
        self.saves += 1
        self.profiles.setdefault(profile.pipeline, {})[profile.batch] = profile

    def together(self, pipeline: str) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def alone(self, pipeline: str) -> threading.RLock:
        return self._alone

    def standings(self, pipeline: str, batches: Sequence[str]) -> list[Standing]:
        said = self.said.get(pipeline, {})
        begins, kept = self.begins.get(pipeline, {}), self.profiles.get(pipeline, {})
        found = (self.load(pipeline, batch) for batch in batches)
        # What is loaded is another object each time; workspaces that draw their profiles keep none.
        return [
            replace(
                Standing.of(p.batch, self._once(content_of, kept.get(p.batch, p)), p.extra, said.get(p.batch), begins.get(p.batch, ())),
                undated=self._once(undated_content_of, kept.get(p.batch, p)),
            )
            for p in found
        ]

    def tell(self, pipeline: str, said: Mapping[str, Said], begins: Mapping[str, Sequence[str]] | None = None) -> None:
        self.said[pipeline], self.begins[pipeline] = dict(said), dict(begins or {})

    def delete(self, pipeline: str, batch: str) -> None:
        self.profiles.get(pipeline, {}).pop(batch, None)

    def history(
        self,
        pipeline: str,
        columns: Sequence[str] | None = None,
        upto: str | None = None,
        segment: Segment | None = None,
        watch: Watch | None = None,
    ) -> History:
        batches = self.batches(pipeline)
        if upto is not None:
            if upto not in batches:
                raise NotFoundError(f"profile of {pipeline!r} for batch", upto, batches)
            batches = batches[: batches.index(upto) + 1]
        if segment is not None:
            if segment not in (known := self.segments(pipeline)):
                raise NotFoundError(f"segment of {pipeline!r}", segment.label, [s.label for s in known])
            batches = [b for b in batches if segment in self.profiles[pipeline][b].segments]
        profiles = [_with_matched(self.load(pipeline, b, segment=segment)) for b in batches]
        standings = FakeHistory.standings(self, pipeline, batches)
        found = baselines_of(standings)
        places = [None if one is None else k - one.steps for k, one in enumerate(found)]
        names: list[str] = []
        for profile in reversed(profiles):
            names += [n for n in profile.columns if n not in names]
        wanted = [n for n in names if columns is None or n in set(columns)]
        rows = _frozen(np.array([p.rows for p in profiles], dtype=np.float64))
        return History(
            pipeline,
            tuple(batches),
            rows,
            {n: _column(n, profiles, places, self._once) for n in wanted},
            tuple(b.batch if b else "" for b in found),
            tuple(None if segment else p.delivery for p in profiles),
            standings=tuple(standings),
        )

    def parts(
        self, pipeline: str, batches: Sequence[str], columns: Sequence[str] | None = None, segment: Segment | None = None
    ) -> list[Part]:
        return [self._part(pipeline, batch, columns, segment) for batch in batches]

    def _part(self, pipeline: str, batch: str, columns: Sequence[str] | None, segment: Segment | None) -> Part:
        self.load(pipeline, batch, [])
        whole = self.profiles[pipeline][batch]
        if segment is None or segment in whole.segments:
            return Part.of(self.load(pipeline, batch, columns, segment))
        return Part({}, unsplit=frozenset() if whole.segments else frozenset([batch]))


def _with_matched(profile: BatchProfile) -> BatchProfile:
    """With what its samples of rows say of each column, as files keep it."""
    return replace(profile, columns={**profile.columns, **{c.name: c for c in matched_columns(profile.columns)}})


def _column(name: str, profiles: list[BatchProfile], places: list[int | None], once: Once) -> ColumnHistory:
    newest = next(p.columns[name] for p in reversed(profiles) if name in p.columns)
    values = {m.name: np.full(len(profiles), math.nan) for m in measured_for(newest.kind)}
    present = np.zeros(len(profiles), dtype=bool)
    for k, profile in enumerate(profiles):
        column = profile.columns.get(name)
        if column is None or column.kind != newest.kind:
            # Rows and nulls are counted alike of every kind.
            told = {} if column is None else once(ColumnProfile.single_metrics, column)
            for metric in {"row_count", "complete_ratio"} & told.keys() & values.keys():
                values[metric][k] = told[metric]
            # Without a value it is of no kind, where it was there before.
            present[k] = told.get("complete_ratio") == 0 and present[:k].any()
            continue
        present[k] = True
        found = dict(once(ColumnProfile.single_metrics, column))
        place = places[k]
        before = None if place is None else profiles[place].columns.get(name)
        if before is not None:
            found |= once(ColumnProfile.distances, column, before)
        for metric, value in found.items():
            values.setdefault(metric, np.full(len(profiles), math.nan))[k] = value
    for series in values.values():
        _frozen(series)
    asked = newest.type == MATCHED or any(name in p.asked for p in profiles)
    return ColumnHistory(name, newest.kind, newest.type, tuple(p.batch for p in profiles), values, _frozen(present), asked=asked)


def _frozen(array: Any) -> Any:
    """A history is shared between callers, so its arrays are read-only."""
    array.flags.writeable = False
    return array
