"""The programs of pipelines: publishing and rolling back, what is published, and who did what."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from avh_ui.config import Config
from avh_ui.constraints.program import Program
from avh_ui.constraints.program_store import ProgramStore, Verification
from avh_ui.errors import AvhError, ProgramNotFoundError
from avh_ui.history.repository import HistoryRepository
from avh_ui.review.audit import AuditEntry, link_of, newest_first, of_feedback, of_program, rule_words
from avh_ui.review.draft import Draft
from avh_ui.review.repository import ReviewRepository
from avh_ui.workflows.people import People
from avh_ui.workflows.runs import Runs
from avh_ui.workflows.validating import deleted_version

if TYPE_CHECKING:
    from avh_ui.review.difference import Difference
    from avh_ui.workflows.misnamed import Misnamed
    from avh_ui.workflows.preview import Preview
    from avh_ui.workflows.promise import Promise
    from avh_ui.workflows.publishing import Publisher


class Programs:
    """The published versions of each pipeline."""

    def __init__(
        self, config: Config, people: People, runs: Runs, *, history: HistoryRepository, reviews: ReviewRepository, programs: ProgramStore,
        repriced: Callable[[Draft], Draft],
    ) -> None:  # fmt: skip
        self._config, self._people, self._runs = config, people, runs
        self._history, self._reviews, self._programs, self._reweighed = history, reviews, programs, repriced

    def publish(
        self, pipeline: str, *, by: str | None = None, message: str, draft: str | None = None, version: int | None = None,
        again: bool = False,
    ) -> Program:  # fmt: skip
        """Approve the draft as the next version: the one whose digest was shown, where `draft` names it; see `workflows.publishing`. Where
        nothing changed, `NothingChangedError`, unless it is to be published `again`.
        """
        return self._publisher(pipeline).publish(by, message, draft, version, again=again)

    def other_changes(self, pipeline: str) -> tuple[str, ...]:
        """What publishing the draft would change besides the constraints, in sentences: columns and severities."""
        return self._publisher(pipeline).other_changes()

    def preview(self, pipeline: str) -> Preview:
        """What publishing the draft would do: its difference to the live version, and the program on the whole history."""
        return self._publisher(pipeline).preview()

    def compare(self, pipeline: str, old: int, new: int | None = None) -> Difference:
        """One published version against another (None = the newest), in sentences; `ProgramNotFoundError`."""
        from avh_ui.review.difference import compared

        return compared(self.load(pipeline, old).constraints, self.load(pipeline, new).constraints)

    def rollback(self, pipeline: str, version: int, *, by: str | None = None, message: str) -> Program:
        """Publish an older version's document as the next version; `message` says why."""
        return self._publisher(pipeline).roll_back(version, by, message)

    def live(self, pipeline: str) -> Program | None:
        """The newest version, None when nothing is published; `TamperedProgramError` when it is not to be trusted or a newer is gone."""
        try:
            return self._programs.load(self._config.pipeline(pipeline).name)
        except ProgramNotFoundError:
            return None

    def mark(self, pipeline: str) -> str:
        """What differs once more was decided, said, suggested, labelled or published: cheap to ask for, again and again."""
        name = self._config.pipeline(pipeline).name
        return f"{self._reviews.mark(name)} {max(self._programs.versions(name), default=0)}"

    def load(self, pipeline: str, version: int | None = None) -> Program:
        """One published version (None = the newest), its hash checked; `ProgramNotFoundError`, `TamperedProgramError`."""
        return self._programs.load(self._config.pipeline(pipeline).name, version)

    def versions(self, pipeline: str) -> list[Program]:
        """All published versions, newest first; errors as in `live`, since without its newest the list would name another one so."""
        live, name = self.live(pipeline), self._config.pipeline(pipeline).name
        if live is None:
            return []
        return [live, *(self._programs.load(name, v) for v in reversed(self._programs.versions(name)) if v < live.version)]

    def verify(self, pipeline: str) -> Verification:
        """Check every published version and that none is missing; what is wrong is said, not raised."""
        return self._programs.verify(self._config.pipeline(pipeline).name)

    def notes(self, pipeline: str) -> tuple[str, ...]:
        """What cannot be told of the live version, in sentences: whether a newer one was there."""
        return self._programs.notes(self._config.pipeline(pipeline).name)

    def misnamed(self, pipeline: str) -> Misnamed:
        """What `rules:`, `segments:` and `columns: exclude` of avh.yml name that neither the newest profiled batch nor the live program
        has; nothing where no batch is profiled, or no program can be read.
        """
        from avh_ui.workflows.misnamed import Misnamed, misnamed
        from avh_ui.workflows.stating import newest_profile

        settings = self._config.pipeline(pipeline)
        if settings.rules or settings.segments or settings.columns.exclude:
            with contextlib.suppress(AvhError):
                return misnamed(settings, newest_profile(settings, self._history), self.live(pipeline))
        return Misnamed()

    def unmeasured(self, pipeline: str) -> tuple[str, ...]:
        """Sentences on `measures:` of avh.yml with a metric that there is not, or a column that the newest profiled batch has not."""
        from avh_ui.workflows.misnamed import unmeasured
        from avh_ui.workflows.stating import newest_profile

        settings, table = self._config.pipeline(pipeline), None
        with contextlib.suppress(AvhError):
            table = newest_profile(settings, self._history)
        return unmeasured(settings, table)

    def miskeyed(self, pipeline: str) -> tuple[str, ...]:
        """Sentences on a `key:` of avh.yml that the newest profiled batch has not, or that is none of its rows."""
        from avh_ui.workflows.misnamed import miskeyed
        from avh_ui.workflows.stating import newest_profile

        settings = self._config.pipeline(pipeline)
        with contextlib.suppress(AvhError):
            return miskeyed(settings, newest_profile(settings, self._history))
        return ()

    def promise(self, pipeline: str, program: Program) -> Promise:
        """What a program promises and what came of it so far."""
        from avh_ui.workflows.calendar import cadence_of
        from avh_ui.workflows.promise import promise_of

        settings = self._config.pipeline(pipeline)
        runs, log = self._runs.recent(settings.name), self._runs.feedback(settings.name)
        batches = self._history.batches(settings.name)
        return promise_of(program, runs, log, batches, cadence_of(settings, batches))

    def audit(self, pipeline: str) -> list[AuditEntry]:
        """Who did what, when and why: drafts, decisions, feedback and versions, newest first."""
        name, versions = self._config.pipeline(pipeline).name, self.versions(pipeline)
        # An alarm is named by the constraint that some version had.
        names = {c.key: rule_words(c) for program in versions for c in program.by_key.values()}
        said = [of_feedback(entry, names) for entry in self._runs.feedback(pipeline)]
        done = [*self._reviews.trail(name), *said, *map(of_program, reversed(versions))]
        return newest_first(done, self._reviews.chain(name))

    def check_audit(self, pipeline: str) -> list[str]:
        """What is wrong with the audit log, in sentences: entries that were changed, deleted or put in after they were written, and a
        version that judged batches and is gone. The published versions say how the log ended when they were published.
        """
        name = self._config.pipeline(pipeline).name
        checked = [one.program for one in self.verify(pipeline).versions if one.program is not None]
        links = [(program.version, link) for program in checked if (link := link_of(program))]
        judged = [(run.batch, run.program_version) for run in self._runs.recent(pipeline)]
        newest = max(self._programs.versions(name), default=0)
        return [*self._reviews.check_audit(name, links), *deleted_version(self._history, name, newest, judged)]

    def without_log(self, pipeline: str) -> bool:
        """Whether versions are published of which the review database holds nothing, as in a copy of the programs alone, or after it was
        replaced: they are compared with no log.
        """
        name = self._config.pipeline(pipeline).name
        return bool(self._programs.versions(name)) and not self._reviews.chain(name).last

    def _publisher(self, pipeline: str) -> Publisher:
        # What publishes is loaded when it is first used: a validation asks only for the live version.
        from avh_ui.workflows.publishing import Publisher

        return Publisher(self._config.pipeline(pipeline), self._people, self._history, self._reviews, self._programs, self._reweighed)
