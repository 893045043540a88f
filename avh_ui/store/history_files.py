"""The history as Parquet files, `<url>/<pipeline>/<batch>.parquet`: one per profiled batch, whole or not there at all."""

from __future__ import annotations

import contextlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial

from avh_ui.constraints.segment_conditions import WHERE
from avh_ui.errors import UNREADABLE_BATCH, NotFoundError
from avh_ui.history.parts import Part
from avh_ui.history.regimes import Labels
from avh_ui.history.series import History, batch_order, sort_batches
from avh_ui.history.standings import Said, Standing, baseline_of
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.sampled_rows import with_shared
from avh_ui.metrics.segment import Segment
from avh_ui.store.batch_files import BatchFiles
from avh_ui.store.history_blocks import Blocks
from avh_ui.store.history_format import StoredProfile, encode
from avh_ui.store.names import to_file_name
from avh_ui.store.recent_batches import RecentBatches
from avh_ui.store.segment_columns import with_segment_profiles, with_segment_series
from avh_ui.store.series_files import SeriesFiles, settled

# Locked by whoever ingests. It stays: who removed it could take it from under somebody who waits.
LOCK = "ingest.lock"


class HistoryFiles:
    """`HistoryRepository` under a path or an fsspec URL. Safe to share between threads, and between processes on one store.

    Nothing is ever written to a batch's file but by `save` of that batch: distances that a change of the baseline made stale are
    measured anew when they are read, and remembered in a file beside. So a reader never undoes what a writer just did.
    """

    def __init__(self, url: str) -> None:
        self._files = BatchFiles(url)
        self._series = SeriesFiles(self._files)
        self._recent = RecentBatches()

    def batches(self, pipeline: str) -> list[str]:
        """Profiled batch ids in natural order; empty for a pipeline that was never profiled."""
        return self._files.batches(pipeline)

    def segments(self, pipeline: str) -> list[Segment]:
        """The segments that some batch has, in order, the rest last; empty for a pipeline without."""
        return self._series.segments(pipeline)

    def load(self, pipeline: str, batch: str, columns: Sequence[str] | None = None, segment: Segment | None = None) -> BatchProfile:
        """As the port says: columns that it lacks are passed over; `NotFoundError` names the nearest batches or segments."""
        try:
            stored = self._files.profile(pipeline, batch, columns, segment)
        except FileNotFoundError:
            raise NotFoundError(f"profile of {pipeline!r} for batch", batch, self.batches(pipeline)) from None
        if segment is not None and not stored.header.digest:
            labels = [Segment(part.values).label for part in stored.header.segments]
            raise NotFoundError(f"segment in batch {batch!r} of {pipeline!r}", segment.label, labels)
        wanted = [] if segment is not None or columns is None else [name for name in columns if name not in stored.profile.columns]
        of = [Segment(part.values) for part in stored.header.segments] if wanted else []
        if not of:
            return stored.profile
        return with_segment_profiles(stored.profile, wanted, of, lambda some, part: self.load(pipeline, batch, some, part))

    def save(self, profile: BatchProfile) -> None:
        """As the port says; `DeliveryError` when it cannot be. Costs the same however long the history is, but for listing it."""
        pipeline, (batches, labels) = profile.pipeline, self._files.around(profile.pipeline)
        earlier = batches[: bisect_left(batches, batch_order(profile.batch), key=batch_order)]
        found = baseline_of(self._there(pipeline, reversed(earlier), labels))
        baselines: dict[Segment | None, StoredProfile] = {}
        if found is not None:
            # Somebody else's damage must not keep a new batch out: distances that are not there are measured when they are read.
            with contextlib.suppress(FileNotFoundError, *UNREADABLE_BATCH):
                baselines = self._baselines(pipeline, found.batch, segmented=bool(profile.segments))
        if None in baselines:
            profile = replace(profile, columns=with_shared(profile.columns, baselines[None].profile.columns))
        content, header = encode(profile, baselines)
        stamp = self._files.write(pipeline, profile.batch, content)
        if stamp is None or profile.segments or not all(column.stored_whole for column in profile.columns.values()):
            self._recent.forget(pipeline, profile.batch)
        else:
            self._recent.keep(StoredProfile(header, profile), stamp, len(content))
        self._blocks(pipeline).complete(profile.batch)

    def together(self, pipeline: str) -> AbstractContextManager[None]:
        """As the port says: a power cut takes at most what was saved in the last second or waits to be synced, and no half of a batch."""
        return self._files.together(pipeline)

    def _baselines(self, pipeline: str, batch: str, *, segmented: bool) -> dict[Segment | None, StoredProfile]:
        """A baseline's states, and those of its segments."""
        if segmented:
            return self._files.all_profiles(pipeline, batch)
        return {None: self._unchanged(pipeline, batch) or self._files.profile(pipeline, batch)}

    def _unchanged(self, pipeline: str, batch: str) -> StoredProfile | None:
        """A profile that was saved here a short while ago, if its file is still that one."""
        return self._recent.get(pipeline, batch, self._files.stamp(pipeline, batch))

    def alone(self, pipeline: str) -> AbstractContextManager[None]:
        """As the port says, by a lock on a file beside the batches'."""
        return self._files.folder.alone(f"{to_file_name(pipeline)}/{LOCK}")

    def delete(self, pipeline: str, batch: str) -> None:
        """Forget one batch and its segments; nothing when it is not there. The next batch is then compared with another."""
        self._files.delete(pipeline, batch)

    def standings(self, pipeline: str, batches: Sequence[str]) -> list[Standing]:
        """What became of these batches, in their order: of each the header of its file is read."""
        labels = self._files.labels(pipeline)
        with ThreadPoolExecutor(self._files.threads) as pool:
            return list(pool.map(lambda batch: self._standing(pipeline, batch, labels), batches))

    def tell(self, pipeline: str, said: Mapping[str, Said], begins: Mapping[str, Sequence[str]] | None = None) -> None:
        """Keep what people say of the batches, in one file beside theirs; nothing is written where it is kept already."""
        labels = Labels(dict(said), {batch: tuple(sorted(columns)) for batch, columns in (begins or {}).items()})
        if labels != self._files.labels(pipeline):
            self._files.tell(pipeline, labels)

    def _there(self, pipeline: str, batches: Iterable[str], labels: Labels) -> Iterator[Standing]:
        """The standings of those that nobody has deleted since they were listed."""
        for batch in batches:
            with contextlib.suppress(NotFoundError):
                yield self._standing(pipeline, batch, labels)

    def _standing(self, pipeline: str, batch: str, labels: Labels) -> Standing:
        try:
            header = self._recent.header(pipeline, batch, self._files.stamp(pipeline, batch)) or self._files.header(pipeline, batch)
        except FileNotFoundError:
            raise NotFoundError(f"profile of {pipeline!r} for batch", batch, self.batches(pipeline)) from None
        except UNREADABLE_BATCH as error:
            return Standing(batch, unread=str(error))
        return replace(labels.standing(batch, header.content, header.extra), undated=header.undated)

    def history(
        self,
        pipeline: str,
        columns: Sequence[str] | None = None,
        upto: str | None = None,
        segment: Segment | None = None,
        watch: Watch | None = None,
    ) -> History:
        """As the port says; no states are read unless a batch's baseline has changed since it was saved, and columns nobody has are
        passed over. The result is shared between callers, so its arrays are read-only. Batches whose files cannot be read are left out
        and named in `unread`; where none can be, the error of the first is raised.
        """
        found = self._series.history(pipeline, columns, upto, segment, watch)
        if segment is not None and not found.batches and segment not in (known := self.segments(pipeline)):
            raise NotFoundError(f"segment of {pipeline!r}", segment.label, [s.label for s in known])
        conditions = [] if segment is not None else [name for name in columns or () if WHERE in name]
        if not conditions:
            return found
        part_of = partial(self._series.history, pipeline, upto=upto)
        return with_segment_series(found, conditions, self.segments(pipeline), lambda some, part: part_of(columns=some, segment=part))

    def parts(
        self, pipeline: str, batches: Sequence[str], columns: Sequence[str] | None = None, segment: Segment | None = None
    ) -> list[Part]:
        """As the port says, merged where a block holds them (`history_blocks`); what cannot be read is told as in `history`."""

        def read() -> list[Part]:
            listed = self._files.listed(pipeline)
            for batch in batches:
                if batch not in listed:
                    raise NotFoundError(f"profile of {pipeline!r} for batch", batch, sort_batches(listed))
            found = self._blocks(pipeline).parts(listed, batches, columns, segment)
            unread = {batch for part in found for batch in part.unread}
            if batches and unread.issuperset(batches):
                self._files.profile(pipeline, batches[0], columns, segment)
            return found

        return settled(pipeline, read)

    def _blocks(self, pipeline: str) -> Blocks:
        def read(batch: str, columns: Sequence[str] | None, segment: Segment | None) -> Part:
            saved = self._unchanged(pipeline, batch) if columns is None and segment is None else None
            try:
                stored = saved or self._files.profile(pipeline, batch, columns, segment)
            except UNREADABLE_BATCH as error:
                return Part({}, unread={batch: str(error)})
            if stored.header.digest:
                return Part.of(stored.profile)
            return Part({}, unsplit=frozenset() if stored.header.segments else frozenset([batch]))

        files = self._files
        return Blocks(
            files.folder,
            to_file_name(pipeline),
            read,
            listed=lambda: files.listed(pipeline),
            batches=lambda: files.around(pipeline)[0],
            stamps=lambda wanted: files.stamps(pipeline, wanted),
            threads=files.threads,
        )
