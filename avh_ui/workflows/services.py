"""A workspace's services, one per noun: what the app, the command line and notebooks call, and nothing below."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from avh_ui.config import Config, Pipeline
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.profiler import ProfileTable
from avh_ui.review.feedback import FeedbackRepository
from avh_ui.review.repository import ReviewRepository
from avh_ui.validator.row_table import Engine, RowTable
from avh_ui.validator.run import RunStore
from avh_ui.workflows.batches import Batches
from avh_ui.workflows.covering import Coverages
from avh_ui.workflows.incidents import Incidents
from avh_ui.workflows.measuring_rules import Asked, asked_for
from avh_ui.workflows.people import People
from avh_ui.workflows.programs import Programs
from avh_ui.workflows.runs import Notify, Runs, tells_nobody
from avh_ui.workflows.suggestions import Suggestions
from avh_ui.workflows.withholding import unless_withheld

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredRepository


class Services:
    """`batches`, `suggestions`, `programs`, `coverages`, `runs`, `incidents` and `people` of one workspace, over one adapter per port;
    `tables` gives the rows of a table that somebody has, `profile_table` its profile.

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

        def asked(pipeline: str) -> Asked:
            return asked_for(config.pipeline(pipeline), reviews, programs)

        self.batches = Batches(config, people, profiler, history, asked)
        self.runs = Runs(
            config, people, profiler=profiler, history=history, programs=programs, runs=runs, feedback=feedback, tables=tables, asked=asked,
            profile_table=profile_table, notify=notify,
        )  # fmt: skip
        self.incidents = Incidents(config, people, runs, feedback)
        self.suggestions = Suggestions(
            config, people, self.runs, profiler=profiler, history=history, reviews=reviews, measured=measured, asked=asked
        )
        self.programs = Programs(
            config, people, self.runs, history=history, reviews=reviews, programs=programs, repriced=self.suggestions.repriced
        )
        self.coverages = Coverages(config, profiler=profiler, history=history, reviews=reviews, programs=programs, measured=measured)

    def pipelines(self) -> list[str]:
        """The names of the pipelines, in the order of avh.yml."""
        return list(self.config.pipelines)

    def pipeline(self, name: str) -> Pipeline:
        """One pipeline's settings; `NotFoundError` names the nearest."""
        return self.config.pipeline(name)
