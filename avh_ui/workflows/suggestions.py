"""The suggestions of a pipeline's draft: making them, deciding on them, comments, whose they are, and what other settings would change."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from avh_ui.config import Config
from avh_ui.constraints import several
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import Pattern
from avh_ui.errors import ConstraintError, NotEnoughHistoryError, UsageError
from avh_ui.history.ranges import select_many
from avh_ui.history.regimes import TABLE, untaught
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.profiler import Profiler, Watch
from avh_ui.review.decision import REASONS, Action, Decision, Reason, with_columns_out, with_reason
from avh_ui.review.draft import Draft, DraftItem
from avh_ui.review.lessons import lessons_of, taught
from avh_ui.review.repository import ReviewRepository
from avh_ui.review.senseless import refuse_senseless
from avh_ui.review.suggestion import SuggestionRun
from avh_ui.validator.schema_drift import schema_of
from avh_ui.workflows import suggesting
from avh_ui.workflows.calendar import seasons_of
from avh_ui.workflows.column_kinds import picked, with_kind
from avh_ui.workflows.eligible import begins_of
from avh_ui.workflows.lasting import Lasting, LastingChanges
from avh_ui.workflows.measuring_rules import NOTHING_ASKED, RuleMeasures
from avh_ui.workflows.pattern_trying import PatternTrial, try_pattern
from avh_ui.workflows.people import People
from avh_ui.workflows.refusing import decided, refused
from avh_ui.workflows.remarks import Remarks, at_this_moment, named_once
from avh_ui.workflows.repricing import labelled_since, repriced, seen_rate
from avh_ui.workflows.row_key import with_key
from avh_ui.workflows.runs import Runs
from avh_ui.workflows.stated_drafts import bare_run, rules_of, stated, weighed_anew, with_rules
from avh_ui.workflows.stating import file_checks, newest_profile
from avh_ui.workflows.suggesting import Choices, SuggestOptions
from avh_ui.workflows.teaching import mover
from avh_ui.workflows.what_if import NextBounds, Priced, Reprogrammer, WhatIf, leaned, next_bounds, pattern_share, run_of
from avh_ui.workflows.withholding import sources_of

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredRepository
    from avh_ui.inference.by_history.reprogramming import ColumnResult


class Suggestions(Remarks):
    """The draft of each pipeline, with the rules that people state in it. What changes it takes a reviewer, and is kept with who did it."""

    def __init__(
        self,
        config: Config,
        people: People,
        runs: Runs,
        *,
        profiler: Profiler,
        history: HistoryRepository,
        reviews: ReviewRepository,
        measured: MeasuredRepository,
        asked: Callable[[str], RuleMeasures] = lambda _: NOTHING_ASKED,
    ) -> None:
        super().__init__(config, people, profiler=profiler, history=history, reviews=reviews, asked=asked)
        self._runs, self._measured, self._reprogrammer, self._lasting = runs, measured, Reprogrammer(measured), LastingChanges()

    @property
    def read_only(self) -> str:
        """Why nothing can be decided or recorded here, in a sentence: a disk that is full or read-only; '' otherwise."""
        return self._reviews.read_only

    def draft(self, pipeline: str) -> Draft | None:
        """The current draft, with what edited bounds cost and catch; None before the first `suggest`."""
        found = super().draft(pipeline)
        return None if found is None else self.repriced(found)

    def required(self, pipeline: str) -> Draft:
        """The current draft; `NotFoundError` says how to make one."""
        return self.repriced(super().required(pipeline))

    def repriced(self, draft: Draft) -> Draft:
        """A draft with what its edited bounds cost and catch, told from what the last suggestion run measured."""
        told = labelled_since(draft, self._config.pipeline(draft.pipeline), self._history)
        return repriced(told, lambda constraint: self.price(draft.pipeline, constraint))

    def price(self, pipeline: str, constraint: Constraint) -> Priced | None:
        """The false-positive rate of a constraint with the bounds that it has, and the synthetic issues that it catches.

        Where the last suggestion run kept nothing of it, the rate is what the history shows; None where that has nothing of it either.
        """
        settings = self._config.pipeline(pipeline)
        return self._reprogrammer.price(settings, constraint) or seen_rate(self._history, settings.name, constraint)

    def lasting(self, pipeline: str) -> tuple[Lasting, ...]:
        """Lasting changes in the history that nobody has answered, validated or not, the newest first; `Runs.expect` answers one."""
        settings = self._config.pipeline(pipeline)
        batches = self._history.batches(settings.name)
        return self._lasting.of(self._history.history(settings.name), seasons_of(batches, settings.cadence)) if batches else ()

    def decisions(self, pipeline: str) -> list[Decision]:
        """Every decision on the current draft, oldest first."""
        return self._reviews.log(self._config.pipeline(pipeline).name)

    # Making them

    def suggest(
        self,
        pipeline: str,
        *,
        exclude: str | Iterable[str] = (),
        watch: Watch | None = None,
        by: str | None = None,
        forget: bool = False,
        **choices: Unpack[Choices],
    ) -> Draft:
        """Suggest from the pipeline's sources and make it the draft; `choices` are those of `workflows.suggesting.SuggestOptions`.

        Starts Spark and takes long. Nothing is learned from the batches and ranges to `exclude`, nor from those whose alarms people
        labelled known error or real issue. Decisions on what stays the same stay, and what was rejected with a reason
        is left out or comes with other bounds (`review.lessons`), unless these are to be forgotten (`forget`).
        """
        settings, who = self._config.pipeline(pipeline), self._people.require(by, "reviewer", "suggest")
        choices["sources"] = sources_of(settings, choices.get("sources"))
        named, known = [exclude] if isinstance(exclude, str) else exclude, self._history.batches(settings.name)
        wrong = frozenset(batch for one in named for batch in select_many(pipeline, one, known)) | frozenset(self._runs.excluded(pipeline))
        before = self.draft(pipeline)
        key = before.run.row_key if before is not None else None
        options = SuggestOptions(
            **choices, exclude=wrong, picked=picked(before), row_key=key, asked=self._asked(settings.name).measures,
            refused=refused(None if forget else before),
            decided=decided(before, (check.measure for check in file_checks(settings))),
        )  # fmt: skip
        try:
            run = suggesting.suggest(settings, self._profiler, self._history, options, watch or Watch(), self._measured)
        except NotEnoughHistoryError as error:
            if not settings.rules and not rules_of(self.draft(pipeline)):
                raise
            left_out = [{"column": "", "metric": "", "reason": str(error)}]
            run = bare_run(settings, self._history, newest_profile(settings, self._history), left_out)
        rules = stated(settings, self._history, (), who, lenient=True)
        move = mover(settings.name, run.batches, self._history, lambda constraint: self.price(settings.name, constraint))
        run = taught(run, () if forget else lessons_of(before), move)
        run = replace(run, suggested_by=who, left_out=(*run.left_out, *rules.left_out))

        def with_them(draft: Draft | None) -> SuggestionRun:
            return weighed_anew(with_rules(run, draft, rules, ()), settings, self._history)

        self._reviews.amend(settings.name, with_them)
        return self.required(pipeline)

    # Deciding

    def decide(  # noqa: PLR0913 (a decision has these parts)
        self,
        pipeline: str,
        ids: Sequence[str],
        action: Action,
        *,
        by: str | None = None,
        why: str = "",
        reason: Reason | None = None,
        lower: float | None = None,
        upper: float | None = None,
        pattern: Pattern | None = None,
        without: Sequence[str] | None = None,
        expected: dict[str, int] | None = None,
    ) -> Draft:
        """Record one decision on each suggestion, all or none, and return the draft after it.

        `expected` maps ids to the revisions the decider saw: `ConflictError` when somebody decided meanwhile. `lower` and `upper`, in the
        transform's space, and `pattern` belong to `edit`, after which bounds stay as they are. With `limit` bounds that follow the history
        go on doing so, and `lower` and `upper` are what they never go beyond: `ConstraintError` where they do not follow. A `reason`
        belongs to `reject`: it leads `why`, and teaches the next suggestion. `without` belongs to `edit`: the columns that are taken out of
        a rule that says the same of several, which is not said of them again; None leaves them as they are, and bounds, too.
        `NotPermittedError` unless `by` is reviewer or approver.
        """
        who, chosen = self._people.require(by, "reviewer", "decide"), named_once(ids)
        if action in ("edit", "limit") and (pattern is None or action == "edit"):
            if len(chosen) > 1:
                raise UsageError(f"Bounds can be edited of one suggestion at a time, not of {len(chosen)}.")
            lower, upper = _bound(lower, -math.inf), _bound(upper, math.inf)
        elif lower is not None or upper is not None or pattern is not None:
            raise UsageError(f"Bounds belong to an edit or a limit and patterns to an edit, not to {action!r}.")
        if reason is not None:
            if action != "reject" or reason not in REASONS:
                raise UsageError(f"{reason!r} is no reason to {action}.", hint=f"Reasons to reject are {', '.join(REASONS)}.")
            why = with_reason(reason, why)
        if without is not None and action != "edit":
            raise UsageError(f"Columns are taken out by an edit, not by {action!r}.")
        if action == "edit":
            item = self.required(pipeline).item(chosen[0])
            out = item.out if without is None else _known(item, without)
            why = with_columns_out(out, why) if out else why
            if without and lower is upper is None:
                lower, upper = item.current.lower, item.current.upper
        now = at_this_moment()
        decisions = [Decision(i, action, who, now, why, lower, upper, pattern=pattern) for i in chosen]
        refuse_senseless(decisions, lambda: self.required(pipeline))
        self._reviews.record(self._config.pipeline(pipeline).name, decisions, expected)
        return self.required(pipeline)

    def try_pattern(self, pipeline: str, suggestion_id: str, typed: str) -> PatternTrial:
        """Another regex for a suggested pattern, tried on the history; see `workflows.pattern_trying`."""
        return try_pattern(self._history, self.required(pipeline), suggestion_id, typed)

    def say_kind(self, pipeline: str, column: str, kind: str, *, by: str | None = None) -> Draft:
        """Say what a column is, where what was found is wrong: the next suggestions go by it; '' takes it back.

        `NotFoundError` for an unknown column or kind, `UsageError` where avh.yml says it.
        """
        settings, who = self._config.pipeline(pipeline), self._people.require(by, "reviewer", "say what a column is")
        draft = self.required(pipeline)
        self._reviews.amend(settings.name, lambda now: with_kind(settings, now or draft, column, kind, who))
        return self.required(pipeline)

    def say_key(self, pipeline: str, columns: Sequence[str] | None = None, *, by: str | None = None) -> Draft:
        """Say which key rows are matched by: the one that was found (None), other columns, or none at all (an empty list). What is
        suggested next goes by it, and so does what is profiled.

        `NotFoundError` for an unknown column, `UsageError` where avh.yml says it, or where none was found to accept.
        """
        settings, who = self._config.pipeline(pipeline), self._people.require(by, "reviewer", "say what the key is")
        draft = self.required(pipeline)
        there = [c.name for c in schema_of(newest_profile(settings, self._history))]

        def said(now: Draft | None) -> SuggestionRun:
            run = (now or draft).run
            chosen = columns if columns is not None else run.row_key.columns if run.row_key is not None else ()
            if columns is None and not chosen:
                raise UsageError(f"No key was found for {settings.name!r} that could be accepted.", hint="Name its columns.")
            return with_key(settings, now or draft, chosen, who, there)

        self._reviews.amend(settings.name, said)
        return self.required(pipeline)

    # What if

    def reprogram(self, pipeline: str, columns: Sequence[str] | None = None, change: WhatIf | None = None) -> tuple[ColumnResult, ...]:
        """What the last suggestion run would have suggested under another target, number of clauses, span of history or set of excluded
        batches: `suggestions` per column with constraint, issues caught and explanation, and `left_out` with reasons.

        Reads neither data nor Spark and changes nothing: the draft stays. See `WhatIf` for what can be changed; None takes the pipeline's
        settings. Milliseconds per column, `benchmarks/avh/speed.py`; fits are kept between calls, so that moving the target alone is the
        fastest. A table's target pays for the draft's patterns first. Under `calibrated`, `row_count` of the whole table
        comes with one column. `UsageError` before the first run, `NotFoundError` for a column that was not in it.
        """
        settings, draft = self._config.pipeline(pipeline), self.draft(pipeline)
        if draft is None:
            return self._reprogrammer.reprogram(settings, columns, change or WhatIf())
        return leaned(self._reprogrammer.reprogram(settings, columns, change or WhatIf(), pattern_share(draft)), draft)

    def adopt(self, pipeline: str, change: WhatIf, *, by: str | None = None) -> Draft:
        """Make what `reprogram` gives for all columns the draft; decisions on what stays the same stay."""
        settings, draft = self._config.pipeline(pipeline), self.required(pipeline)
        who = self._people.require(by, "reviewer", "change the draft")
        measured, results = self._reprogrammer.batches(settings), self.reprogram(pipeline, change=change)
        # Rules may have been added meanwhile.
        self._reviews.amend(settings.name, lambda now: run_of(settings, now or draft, results, change, who, measured))
        return self.required(pipeline)

    def next_bounds(self, pipeline: str, constraint: Constraint, batch: str) -> NextBounds:
        """The bounds that a constraint would have next, with and without a batch; see `workflows.what_if`.

        `UsageError` before the first suggestion run, `NotFoundError` for a column that was not in it.
        """
        settings = self._config.pipeline(pipeline)
        if constraint.worded:
            return NextBounds(None, None)  # nothing is learned of it
        measured = self._reprogrammer.measured(settings, constraint)
        column = measured.history.column
        history = self._history.history(settings.name, [column])
        # What failed is not learned from; but of this batch both is told.
        failed, begins = tuple(untaught(history.standings, column) - {batch}), begins_of(history, [column])
        told = replace(measured, untaught=failed, begins=begins.get(column, ""), rows_begin=begins.get(TABLE, ""))
        return next_bounds(told, history.column(column), constraint, batch, self._runs.excluded(pipeline))

    def caught(self, pipeline: str, constraints: Sequence[Constraint]) -> list[tuple[str, ...]]:
        """For each constraint, with bounds as edited, the synthetic issues of the last suggestion run that it catches.

        The union over a column's constraints is what their conjunction catches. At once, as `reprogram`.
        """
        return self._reprogrammer.caught(self._config.pipeline(pipeline), constraints)


def _known(item: DraftItem, out: Sequence[str]) -> tuple[str, ...]:
    """The columns to take out, once each; `ConstraintError` for what is none of the rule's, and where none would be left."""
    try:
        several.without(item.suggestion.constraint, out) if out else None
    except ValueError as error:
        raise ConstraintError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
    return tuple(dict.fromkeys(out))


def _bound(value: float | None, open_end: float) -> float | None:
    return None if value == open_end else value
