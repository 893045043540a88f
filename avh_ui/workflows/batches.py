"""The batches of pipelines: profiling those that have no profile yet, and their history, from their states alone."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from avh_ui.config import Config, Pipeline
from avh_ui.constraints.constraint import Verdict
from avh_ui.errors import UNREADABLE_BATCH, NoFolderError, SourceError
from avh_ui.history.ranges import batches_in_range
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import History, batch_order, sort_batches
from avh_ui.history.views import View, segments_within, view
from avh_ui.metrics.asked import pipeline_measures, profiled_measures
from avh_ui.metrics.content import content_of
from avh_ui.metrics.moved import Moved
from avh_ui.metrics.profile import READER, BatchProfile
from avh_ui.metrics.profiler import UNKNOWN, FailedBatch, KnownTypes, Profiler, Watch
from avh_ui.metrics.segment import Segment
from avh_ui.metrics.sql.conditions import taking_spark
from avh_ui.scan.commas import or_without_commas
from avh_ui.scan.planning import who_reads
from avh_ui.scan.profiles import NOT_SPLIT
from avh_ui.validator.bad_row_samples import BadRowSamples, bad_row_samples
from avh_ui.validator.schema_drift import schema_of
from avh_ui.validator.unmeasured import NOT_MEASURED
from avh_ui.workflows.absent import but_empty, emptied, nothing_there, unstarted
from avh_ui.workflows.behind import Behind
from avh_ui.workflows.beside_before import Seen, drift_of, repeated_of
from avh_ui.workflows.given_input import GivenInput
from avh_ui.workflows.measuring_rules import NOTHING_ASKED, RuleMeasures, recent_types
from avh_ui.workflows.moved_rows import moved_rows
from avh_ui.workflows.people import People
from avh_ui.workflows.row_key import unsaid_key
from avh_ui.workflows.unfinished import finished
from avh_ui.workflows.withholding import refuse_rows

# Profiles of so many columns wait to be saved at most: 32 MB at the median of 8 KB, 315 batches of 13 columns. Where 32 batches waited, who
# saves 1,781 of them had nothing to do for 12 to 16 % of the time, while the next hundred were measured, and for 5 % since.
_WAITING_COLUMNS = 4_096
# A share is known to 0.7 points (95 %) from so many rows.
_ROWS = 20_000


@dataclass(frozen=True)
class ProfileReport:
    """What one profiling did: batches profiled and failed in natural order, per batch how its columns differ from the batch before it and
    what was wrong with its delivery, as sentences, and the batches whose content is that of one of the latest before them, with that one.
    `notes` say what is not measured of the newest. `seconds` is wall time. `readers` are who read the batches' rows, with how many.
    """

    pipeline: str
    profiled: tuple[str, ...]
    failed: tuple[FailedBatch, ...]
    drift: tuple[tuple[str, tuple[str, ...]], ...]
    seconds: float
    repeated: tuple[tuple[str, str], ...] = ()
    deliveries: tuple[tuple[str, tuple[str, ...]], ...] = ()
    notes: tuple[str, ...] = ()
    readers: tuple[tuple[str, int], ...] = ()


class Batches:
    """The batches of each pipeline: at their source, profiled, and as series of metrics."""

    def __init__(
        self,
        config: Config,
        people: People,
        profiler: Profiler,
        history: HistoryRepository,
        asked: Callable[[str], RuleMeasures] = lambda _: NOTHING_ASKED,
        root: Path | None = None,
    ) -> None:
        self._config, self._people, self._profiler, self._history, self._asked, self._root = config, people, profiler, history, asked, root

    def reading(self, pipeline: str) -> str:
        """Who measures the pipeline's batches and who reads their rows, as a sentence; the batches themselves may say otherwise.

        `SourceError` where nobody does.
        """
        source = self._config.pipeline(pipeline).source
        # Of files whose first lines are skipped Arrow hands Spark the rows.
        return who_reads(source, self._config.engine, "" if source.skip_lines else self._condition(pipeline))

    def _condition(self, pipeline: str) -> str:
        """Why a condition of avh.yml takes Spark, by the columns of the newest batch that is profiled; '' where none does, or none is."""
        settings = self._config.pipeline(pipeline)
        asked = [text for m in pipeline_measures(settings) for text in (m.where, m.parameter("predicate")) if isinstance(text, str)]
        newest = self._history.batches(settings.name)[-1:] if asked else []
        try:
            columns = {c.name: c.type for b in newest for c in schema_of(self._history.load(settings.name, b))}
        except UNREADABLE_BATCH:
            columns = {}
        declined = taking_spark(asked, columns) if columns else {}
        return next((f"the condition {text!r} takes Spark ({why})" for text, why in declined.items()), "")

    def names(self, pipeline: str) -> list[str]:
        """The profiled batches, in natural order."""
        return self._history.batches(self._config.pipeline(pipeline).name)

    def available(self, pipeline: str) -> list[str]:
        """The batches at the source now, in natural order; starts Spark."""
        return self._profiler.batches(self._config.pipeline(pipeline).name)

    def waiting(self, pipeline: str, batches: str | None = None) -> list[str]:
        """The batches at the source that have no profile yet; of a range `A..B` all, those that are profiled too."""
        return to_profile(self._config.pipeline(pipeline), self._profiler, self._history, batches, batches is not None, self._root)

    def unstarted(self, pipeline: str) -> SourceError | None:
        """Why nothing can be profiled yet and what to do: no batch was, and none is at the source of files. None where there may be one."""
        settings = self._config.pipeline(pipeline)
        return None if self._history.batches(settings.name) else unstarted(settings, self._profiler, self._root)

    def emptied(self, pipeline: str) -> tuple[str, ...]:
        """That no batch is at the source of files any more, as a sentence; none where one is, or others tell it."""
        return emptied(self._config.pipeline(pipeline), self._profiler)

    def profile(
        self, pipeline: str, *, batches: str | None = None, again: bool = False, watch: Watch | None = None, by: str | None = None,
        input: str | None = None,  # noqa: A002 (likewise)
    ) -> ProfileReport:  # fmt: skip
        """Profile the batches that have no profile yet, or a file or folder `input` as the one batch `batches`: see the function `profile`.
        Takes a reviewer, but for a scheduler: an account that avh.yml does not name, when no `by` is given, may profile as it may validate.
        """
        settings = self._config.pipeline(pipeline)
        self._people.reviewer_or_machine(by, "profile")
        asked, again = self._asked(pipeline), again or input is not None
        source = self._profiler if input is None else GivenInput(self._profiler, input, batches)
        return profile(settings, source, self._history, batches=batches, again=again, watch=watch or Watch(), asked=asked, root=self._root)

    def history(
        self,
        pipeline: str,
        *,
        columns: Sequence[str] | None = None,
        upto: str | None = None,
        segment: Segment | str | None = None,
        watch: Watch | None = None,
        beside: Collection[str] = (),
    ) -> History:
        """The metric series, of one segment (or its label) when given; its arrays are shared and read-only. Of all columns also what is
        measured of segments, `beside` them (`x where origin = 'EWR'`).
        """
        part = Segment.parse(segment) if isinstance(segment, str) else segment
        name = self._config.pipeline(pipeline).name
        found = self._history.history(name, columns, upto, part, watch)
        if columns is not None or part is not None or not beside:
            return found
        return replace(found, columns={**found.columns, **self._history.history(name, list(beside), upto).columns})

    def segments(self, pipeline: str, within: str | None = None) -> list[Segment]:
        """The segments of the profiled batches; with labels (commas between) those that are, or are within, one of them."""
        there = self._history.segments(self._config.pipeline(pipeline).name)
        return there if within is None else segments_within(pipeline, Segment.parse_many(within), there)

    def view(
        self,
        pipeline: str,
        *,
        span: str | Iterable[str] | None = None,
        segments: str | Iterable[Segment] | None = None,
        columns: Sequence[str] | None = None,
    ) -> View:
        """The union of a span `A..B` (or any set) of batches, and of segments (or their labels), as one profile: `history.views`."""
        chosen = Segment.parse_many(segments) if isinstance(segments, str) else segments
        return view(self._history, self._config.pipeline(pipeline).name, span, chosen, columns)

    def load(self, pipeline: str, batch: str) -> BatchProfile:
        """One batch's profile with its states; `NotFoundError` when it was not profiled."""
        return self._history.load(self._config.pipeline(pipeline).name, batch)

    def moved_rows(self, pipeline: str, batch: str, against: str | None = None, *, column: str, metric: str = "") -> Moved | None:
        """The rows that moved most since batch `against` (None: the one that distances of `batch` compare with), of a table whose rows are
        matched by a key; None where they are not, or nothing was sampled. `workflows.moved_rows` says which rows of a metric. With
        `samples: off` None, of batches of before, whose samples hold values, too.
        """
        settings = self._config.pipeline(pipeline)
        if settings.samples == "off":
            return None
        name = settings.name
        if against is None:
            series = self._history.history(name, [], batch)
            against = series.baselines[-1] if series.baselines else ""
        return moved_rows(self._history, name, batch, against, column=column, metric=metric) if against else None

    def bad_rows(self, pipeline: str, verdict: Verdict, key: Sequence[str] = ()) -> BadRowSamples | None:
        """The first rows that a run kept of those that break this rule; with `samples: off` None."""
        return None if self._config.pipeline(pipeline).samples == "off" else bad_row_samples(verdict, key)

    def notes(self, pipeline: str, batch: str | None = None) -> tuple[str, ...]:
        """Sentences on what was not measured of a batch (the newest profiled one by default), as far as it is still asked for; none where
        all was, or nobody can tell.
        """
        settings = self._config.pipeline(pipeline)
        with contextlib.suppress(*UNREADABLE_BATCH):
            if newest := batch or next(reversed(self.names(pipeline)), None):
                return self._still_asked(settings, self._history.load(settings.name, newest, []).notes)
        return ()

    def _still_asked(self, pipeline: Pipeline, notes: tuple[str, ...]) -> tuple[str, ...]:
        """The notes without those on what nobody asks for any more: a query that avh.yml had when the batch was profiled."""
        kept = tuple(note for note in notes if pipeline.segments or not note.startswith(NOT_SPLIT))
        told = {note: note.partition(NOT_MEASURED)[0] for note in kept if NOT_MEASURED in note}
        if not told:
            return kept
        asked = {measure.subject for measure in profiled_measures(pipeline, self._asked(pipeline.name).measures)}
        return tuple(note for note in kept if note not in told or told[note] in asked or told[note].startswith("What "))

    def sample(self, pipeline: str, batch: str, rows: int = _ROWS, seed: int = 0, watch: Watch | None = None) -> pa.Table:
        """About `rows` rows of a batch at its source; starts Spark. `CancelledError` by `watch`."""
        refuse_rows(settings := self._config.pipeline(pipeline))
        return self._profiler.sample(settings.name, batch, rows, seed, watch)


def profile(
    pipeline: Pipeline,
    profiler: Profiler,
    history: HistoryRepository,
    *,
    batches: str | None,
    again: bool,
    watch: Watch,
    asked: RuleMeasures = NOTHING_ASKED,
    root: Path | None = None,
) -> ProfileReport:
    """Profile the batches at the source that have no profile yet (of a range; with `again` those that have one too), and what is `asked`.

    Each profile is saved as it comes, while the next are measured: a killed run loses those and what waits to be saved (`Behind`) or
    synced, a cancelled one what the profiler was measuring, a power cut those of the last second, too. A batch that has vanished, cannot
    be read or is empty is reported as failed.
    """
    start = time.monotonic()
    todo = to_profile(pipeline, profiler, history, batches, again, root)
    seen: dict[str, Seen] = {}
    failed: list[FailedBatch] = []
    faults: dict[str, tuple[str, ...]] = {}
    readers = Counter[str]()
    by_key = unsaid_key(pipeline, profiler, history, todo, watch) if todo and asked.key is None and not pipeline.key else ()
    known = KnownTypes(recent=recent_types(pipeline, history), measures=(*asked.measures, *by_key)) if todo else UNKNOWN
    behind = Behind[BatchProfile](lambda p: history.save(_as_judged(p, history) if again else p), _columns, _WAITING_COLUMNS)
    with history.together(pipeline.name), behind as saving:
        for profiled_or_not in profiler.profile(pipeline.name, todo, watch, known) if todo else ():
            result = or_without_commas(pipeline.source, profiled_or_not, known.recent)
            if isinstance(result, FailedBatch):
                failed.append(result)
                continue
            saving.put(result)
            seen[result.batch] = Seen.of(pipeline, result)
            readers[result.extra.get(READER, "Spark")] += 1
            if result.delivery is not None and (told := result.delivery.sentences()):
                faults[result.batch] = told
    failed, said = but_empty(pipeline, sorted(failed, key=lambda f: batch_order(f.batch)))
    profiled = tuple(sort_batches(seen))
    drift, notes = drift_of(pipeline, history, seen), (*(seen[profiled[-1]].notes if profiled else ()), *asked.notes, *said)
    notes = notes if todo or batches is not None else (*notes, *emptied(pipeline, profiler))
    repeated = repeated_of(pipeline.name, history, profiled) if profiled else ()
    deliveries = tuple((batch, faults[batch]) for batch in profiled if batch in faults)
    seconds, by = time.monotonic() - start, tuple(readers.most_common())
    return ProfileReport(pipeline.name, profiled, tuple(failed), drift, seconds, repeated, deliveries, notes, by)


def _columns(profile: BatchProfile) -> int:
    return len(profile.columns) + sum(len(part.columns) for part in profile.segments.values())


def to_profile(
    pipeline: Pipeline, profiler: Profiler, history: HistoryRepository, batches: str | None, again: bool, root: Path | None = None
) -> list[str]:
    """The batch ids that a call of `profile` would measure, in natural order (unless named, those that are over); `NotFoundError`."""
    kept = set(history.batches(pipeline.name))
    try:
        there = profiler.batches(pipeline.name)
    except NoFolderError as error:
        raise error if kept else nothing_there(pipeline, root, error.message) from error
    if batches is None:
        if not there and not kept:
            raise nothing_there(pipeline, root)
        wanted: Sequence[str] = finished(pipeline.source, there)
    else:
        wanted = batches_in_range(pipeline.name, batches, sort_batches([*there, *kept]), listable=bool(there))
    return [b for b in wanted if again or b not in kept]


def _as_judged(profile: BatchProfile, history: HistoryRepository) -> BatchProfile:
    """The profile with what its validation said, where the content is still the one that was judged."""
    if profile.batch not in history.batches(profile.pipeline):
        return profile
    (known,) = history.standings(profile.pipeline, [profile.batch])
    if known.content != content_of(profile):
        return profile
    return replace(profile, extra={**history.load(profile.pipeline, profile.batch, []).extra, **profile.extra})
