"""A workspace's services, one per noun: what the app, the command line and notebooks call, and nothing below."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from avh_ui.config import Config, Pipeline
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.errors import AvhError
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.profiler import ProfileTable
from avh_ui.review.feedback import FeedbackRepository, standing_labels
from avh_ui.review.repository import ReviewRepository
from avh_ui.validator.rejecting import EMPTY
from avh_ui.validator.row_table import Engine, RowTable
from avh_ui.validator.run import RunStore
from avh_ui.workflows.batches import Batches
from avh_ui.workflows.incidents import Incidents
from avh_ui.workflows.measuring_rules import RuleMeasures, asked_for
from avh_ui.workflows.people import People
from avh_ui.workflows.programs import Programs
from avh_ui.workflows.runs import Runs
from avh_ui.workflows.telling import Notify, tells_nobody
from avh_ui.workflows.withholding import unless_withheld

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredRepository
    from avh_ui.review.draft import Draft
    from avh_ui.workflows.covering import Coverages
    from avh_ui.workflows.piles import Piles
    from avh_ui.workflows.suggestions import Suggestions
    from avh_ui.workflows.trials import Trials


class Services:
    """`batches`, `suggestions`, `piles`, `programs`, `coverages`, `trials`, `runs`, `incidents` and `people` of one workspace, over one
    adapter per port; `tables` gives the rows of a table that somebody has, `profile_table` its profile.

    Calls that take a pipeline raise `NotFoundError` for an unknown one, and `NotPermittedError` for who may not do what they do.
    """

    def __init__(  # noqa: PLR0913 (one adapter per port)
        self,
        root: Path,
        config: Config,
        *,
        profiler: Engine,
        history: HistoryRepository,
        reviews: ReviewRepository,
        programs: ProgramStore,
        runs: RunStore,
        feedback: FeedbackRepository,
        measured: MeasuredRepository,
        actor: str,
        tables: Callable[[Any], RowTable] | None = None,
        profile_table: ProfileTable | None = None,
        notify: Notify = tells_nobody,
    ) -> None:
        self.root, self.config = root, config
        profiler = unless_withheld(profiler, config)
        self.people = people = People(config.people, actor)

        def asked(pipeline: str) -> RuleMeasures:
            return asked_for(config.pipeline(pipeline), reviews, programs)

        self.batches = Batches(config, people, profiler, history, asked, root)
        self.runs = Runs(
            config, people, profiler=profiler, history=history, programs=programs, runs=runs, feedback=feedback, tables=tables, asked=asked,
            profile_table=profile_table, notify=notify,
        )  # fmt: skip
        self.incidents = Incidents(config, people, runs, feedback)
        self.programs = Programs(config, people, self.runs, history=history, reviews=reviews, programs=programs, repriced=self._repriced)
        ports = {"profiler": profiler, "history": history, "reviews": reviews, "measured": measured}
        self._suggesting: Callable[[], Suggestions] = partial(_suggestions, config, people, self.runs, asked=asked, **ports)
        self._covering: Callable[[], Coverages] = partial(_coverages, config, programs=programs, **ports)
        self._trying = partial(_trials, config, people, profiler=profiler, history=history, programs=programs, tables=tables)
        self._profile_table = profile_table
        self._one = threading.RLock()

    def _repriced(self, draft: Draft) -> Draft:
        return self.suggestions.repriced(draft)

    def cadence(self, pipeline: str) -> str:
        """How often its batches come: as avh.yml says, else as their ids do."""
        from avh_ui.workflows.calendar import cadence_of

        return cadence_of(self.config.pipeline(pipeline), self.batches.names(pipeline))

    def to_judge(self, pipeline: str) -> list[str]:
        """The batches that are new: those at the source that have no profile yet, but for those that people have called wrong, or of which
        they said that they may be empty.

        An empty file of the past has no profile, ever; who has labelled it need not move it away. Where the review database cannot be
        read, nothing is known to be labelled: what keeps the run says so.
        """
        waiting = self.batches.waiting(pipeline)
        answered: set[str] = set()
        with suppress(AvhError):
            if waiting:
                labelled = standing_labels(self.runs.feedback(pipeline))
                answered = {*self.runs.excluded(pipeline), *(batch for batch, key in labelled if key == f"{EMPTY}/")}
        return [batch for batch in waiting if batch not in answered]

    # What infers is loaded when it is first used: a validation does without it.
    @cached_property
    def suggestions(self) -> Suggestions:
        """The drafts of each pipeline."""
        with self._one:
            # Another thread may have been first.
            made: Suggestions = self.__dict__.get("suggestions") or self._suggesting()
            self.__dict__["suggestions"] = made
            return made

    @cached_property
    def coverages(self) -> Coverages:
        """Which faults the rules of each pipeline notice."""
        with self._one:
            made: Coverages = self.__dict__.get("coverages") or self._covering()
            self.__dict__["coverages"] = made
            return made

    @cached_property
    def trials(self) -> Trials:
        """Batches broken on trial."""
        with self._one:
            made: Trials = self.__dict__.get("trials") or self._trying(profile_table=self._profile_table)
            self.__dict__["trials"] = made
            return made

    @cached_property
    def piles(self) -> Piles:
        """The triage of each pipeline's draft."""
        from avh_ui.workflows.piles import Piles

        return Piles(self.config, self.suggestions, self.cadence)

    def pipelines(self) -> list[str]:
        """The names of the pipelines, in the order of avh.yml."""
        return list(self.config.pipelines)

    def pipeline(self, name: str) -> Pipeline:
        """One pipeline's settings; `NotFoundError` names the nearest."""
        return self.config.pipeline(name)


def _trials(*about: Any, profile_table: ProfileTable | None, **ports: Any) -> Trials:
    from avh_ui.workflows.frames import profile_table as on_arrow
    from avh_ui.workflows.trials import Trials

    return Trials(*about, profile_table=profile_table or on_arrow, **ports)


def _suggestions(*about: Any, **ports: Any) -> Suggestions:
    from avh_ui.workflows.suggestions import Suggestions

    return Suggestions(*about, **ports)


def _coverages(*about: Any, **ports: Any) -> Coverages:
    from avh_ui.workflows.covering import Coverages

    return Coverages(*about, **ports)
