"""The rules of a pipeline's draft that people state: adding, weighing, measuring and removing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from avh_ui.config import Config
from avh_ui.constraints.check import Check
from avh_ui.constraints.contradictions import refuse_contradictions
from avh_ui.errors import UsageError
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.column import Kind
from avh_ui.metrics.profiler import Profiler, Watch
from avh_ui.review.decision import Decision
from avh_ui.review.draft import Draft
from avh_ui.review.repository import ReviewRepository, required_draft
from avh_ui.review.suggestion import SuggestionRun
from avh_ui.validator.checking import each_check
from avh_ui.workflows.addable import Addable, addable
from avh_ui.workflows.measuring_rules import NOTHING_ASKED, RuleMeasures, TriedRules, measure_again
from avh_ui.workflows.null_answers import null_remark
from avh_ui.workflows.people import People
from avh_ui.workflows.stated_drafts import bare_run, chosen_rules, of_file, rules_of, stated, with_rules, without_rules
from avh_ui.workflows.stating import LATEST, Weighed, fitted, history_of, kinds_of, newest_profile, refuse_idle_rules, weighed
from avh_ui.workflows.text_comparisons import text_remark, text_remarks


class StatedRules:
    """What can be done with rules; a part of the service of suggestions, in whose queue they stand."""

    def __init__(
        self,
        config: Config,
        people: People,
        *,
        profiler: Profiler,
        history: HistoryRepository,
        reviews: ReviewRepository,
        asked: Callable[[str], RuleMeasures] = lambda _: NOTHING_ASKED,
    ) -> None:
        self._config, self._people, self._asked = config, people, asked
        self._profiler, self._history, self._reviews = profiler, history, reviews

    def draft(self, pipeline: str) -> Draft | None:
        """The current draft; None before the first `suggest`."""
        return self._reviews.draft(self._config.pipeline(pipeline).name)

    def required(self, pipeline: str) -> Draft:
        """The current draft; `NotFoundError` says how to make one."""
        return required_draft(self._reviews, self._config.pipeline(pipeline).name)

    def add(self, pipeline: str, rules: Check | Iterable[Any] = (), *, by: str | None = None) -> Draft:
        """Put rules (of `avh.checks`) into the draft, where they wait for a decision like any suggestion; those of avh.yml come along.

        All or none. `UsageError` for a rule that is there already, that contradicts another or that no table can keep, `NotFoundError` for
        a column that the table has not, `ConstraintError` for a condition that is none, or a rule that no batch could
        break, `NotEnoughHistoryError` before the first profile.
        """
        settings, who = self._config.pipeline(pipeline), self._people.require(by, "reviewer", "add rules")
        given = list(each_check(rules))
        if not given and not settings.rules and not any(of_file(item.suggestion) for item in rules_of(self.draft(pipeline))):
            raise UsageError("There is no rule to add.", hint="Give some, or write them under `rules:` of avh.yml.")
        refuse_contradictions(given)
        found = stated(settings, self._history, given, who)

        def with_them(draft: Draft | None) -> SuggestionRun:
            base = draft.run if draft is not None else bare_run(settings, self._history, found.table)
            return with_rules(base, draft, found, given, who)

        if not given and (draft := self.draft(pipeline)) is not None and not with_them(draft).changes_rules:
            return draft
        self._reviews.amend(settings.name, with_them)
        return self.required(pipeline)

    def add_fitting(self, pipeline: str, rules: Check | Iterable[Any], *, by: str | None = None) -> Addable:
        """Put those rules into the draft that it can take, one by one, and tell of the others why not.

        Errors as of `add`, but for those of a single rule.
        """
        settings = self._config.pipeline(pipeline)
        self._people.require(by, "reviewer", "add rules")
        found = addable(list(each_check(rules)), settings, newest_profile(settings, self._history), self.draft(pipeline))
        if found.rules:
            self.add(pipeline, found.rules, by=by)
        return found

    def remove(self, pipeline: str, ids: Sequence[str], *, by: str | None = None) -> Draft:
        """Take rules out of the draft that somebody added: by their ids, or their words. The live version keeps them until the next.

        What was decided of them goes too. `UsageError` for suggestions, which are rejected, and for rules of avh.yml.
        """
        settings, who = self._config.pipeline(pipeline), self._people.require(by, "reviewer", "remove rules")
        draft = self.required(pipeline)
        chosen = chosen_rules(draft, [ids] if isinstance(ids, str) else ids)
        without_rules(draft, chosen, who)
        decided = [one for one in chosen if draft.item(one).status != "pending"]
        if decided:
            self._reviews.record(
                settings.name,
                [Decision(one, "reset", who, datetime.now(UTC).isoformat(timespec="milliseconds"), "removed") for one in decided],
            )
        self._reviews.amend(settings.name, lambda now: without_rules(now or draft, chosen, who))
        return self.required(pipeline)

    def weigh(self, pipeline: str, rules: Check | Iterable[Any]) -> list[Weighed]:
        """How rules would have fared on the history as it is kept, whether they are in the draft or not; nothing is kept of them.

        Errors as of `add`, but for rules that the draft has or contradicts.
        """
        settings, given = self._config.pipeline(pipeline), list(each_check(rules))
        refuse_contradictions(given)
        table = newest_profile(settings, self._history)
        checks = fitted(given, settings, table)
        refuse_idle_rules(checks, table)
        kinds, history = kinds_of(table), history_of((check.measure for check in checks), settings, self._history)
        told = (" ".join(filter(None, (text_remark(c.measure, table), null_remark(c.measure, table)))) for c in checks)
        return [replace(weighed(check, kinds, history), remark=remark) for check, remark in zip(checks, told, strict=True)]

    def remarks(self, pipeline: str, rules: Check | Iterable[Any] | None = None) -> list[str]:
        """What to tell of rules (None: those of the draft) whose conditions compare otherwise than they seem, each a rule and why."""
        given = [item.current for item in rules_of(self.draft(pipeline))] if rules is None else [c.constraint() for c in each_check(rules)]
        if not given:
            return []
        return text_remarks(given, newest_profile(self._config.pipeline(pipeline), self._history))

    def columns(self, pipeline: str) -> dict[str, Kind]:
        """The columns of the newest profiled batch with their kinds: what rules can be of."""
        return kinds_of(newest_profile(self._config.pipeline(pipeline), self._history))

    def try_rule(
        self,
        pipeline: str,
        rules: Check | Iterable[Any],
        *,
        batches: int = LATEST,
        watch: Watch | None = None,
        by: str | None = None,
    ) -> TriedRules:
        """Measure what rules are of in the latest batches at their source, keep it in the history, and weigh the rules on it.

        Takes long, and may start Spark. A batch whose rows are no longer those that were profiled is passed over, with the reason.
        """
        settings = self._config.pipeline(pipeline)
        self._people.require(by, "reviewer", "measure batches")
        given = list(each_check(rules))
        refuse_contradictions(given)
        table = newest_profile(settings, self._history)
        checks = fitted(given, settings, table)
        refuse_idle_rules(checks, table)
        asked = [*self._asked(pipeline).measures, *(check.measure for check in checks)]
        measured, skipped, untold = measure_again(settings, self._profiler, self._history, asked, batches, watch or Watch())
        return TriedRules(tuple(self.weigh(pipeline, given)), measured, skipped, untold)
