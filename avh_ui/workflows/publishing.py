"""Publishing: the accepted constraints become the pipeline's next program version, with the evidence they were approved on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from avh_ui.config import Pipeline
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import Program, SchemaConstraint
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.constraints.schema import not_compared
from avh_ui.constraints.several import columns_of
from avh_ui.errors import AvhError, ConflictError, NothingChangedError, NotPermittedError, ProgramNotFoundError, UsageError
from avh_ui.history.repository import HistoryRepository
from avh_ui.review.difference import difference
from avh_ui.review.draft import Draft
from avh_ui.review.draft_changes import last_change
from avh_ui.review.plain import plain
from avh_ui.review.repository import ReviewRepository, required_draft
from avh_ui.validator.schema_drift import schema_of
from avh_ui.workflows.calendar import batches_per_year, cadence_of
from avh_ui.workflows.expected import expected_alarms, expected_rate
from avh_ui.workflows.people import People
from avh_ui.workflows.preview import Preview, authors_of, pattern_series, preview_of
from avh_ui.workflows.program_backtest import tried
from avh_ui.workflows.types_before import with_types_before

# As much of a digest as people copy: 48 bits, so that two drafts of a pipeline never share it by chance.
SHORTEST_DIGEST = 12


@dataclass(frozen=True)
class Publisher:
    """Publishes and rolls back the programs of one pipeline; `repriced` tells what the draft's edited bounds cost."""

    pipeline: Pipeline
    people: People
    history: HistoryRepository
    reviews: ReviewRepository
    programs: ProgramStore
    repriced: Callable[[Draft], Draft]

    def publish(
        self, by: str | None, message: str, shown: str | None = None, version: int | None = None, *, again: bool = False
    ) -> Program:
        """Approve the draft; `UsageError` when nothing is accepted or said, `NothingChangedError` where it enforces what the live version
        does and was learned from the same batches, unless it is to be published `again`.

        `shown` is the digest of the draft that the approver saw, or its first 12 characters or more, and `version` the number they saw:
        `ConflictError` when the draft has changed since, or somebody published. The draft cannot change while it is published.
        `NotPermittedError` unless `by` is approver and, where the pipeline has four eyes, has no decision in the draft.
        """
        who = self.people.require(by, "approver", "publish")
        if not message.strip():
            raise UsageError("A published version needs a message.", hint="Say what changed and why, with -m.")
        if shown is not None and len(shown) < SHORTEST_DIGEST:
            raise UsageError(f"{shown!r} is too short for a draft's digest.", hint=f"Give its first {SHORTEST_DIGEST} characters or all.")
        draft = required_draft(self.reviews, self.pipeline.name)
        _same(draft, shown or draft.digest)
        live = self.live()
        # Who saw another version than the live one is told of that.
        if not again and draft.accepted() and live is not None and version in (None, live.version + 1) and self._unchanged(draft, live):
            raise NothingChangedError(live.version)
        # Made before the lock, which is held for the check and the write alone: backtests of a wide table take their time.
        program = self._program(self.repriced(draft), who, message, version)
        published: list[Program] = []
        try:
            with self.reviews.held(self.pipeline.name) as now:
                _same(now, draft.digest)
                published.append(self.programs.publish(program))
        except AvhError:
            # What is published stays so, should the lock not be given back in order.
            if not published:
                raise
        return published[0]

    def _program(self, draft: Draft, by: str, message: str, version: int | None) -> Program:
        accepted = draft.accepted()
        if not accepted:
            pending = draft.count("pending")
            raise UsageError(
                f"Nothing is accepted in the draft of {self.pipeline.name!r}; {pending} suggestions wait for a decision.",
                hint=f"Accept some in `avh review` or with `avh decide {self.pipeline.name} --pile safe --by NAME`.",
            )
        if self.pipeline.four_eyes and by in (authors := self.authors(draft)):
            raise self._two_eyes(authors, by)
        # The levels of avh.yml at this moment hold, not those at the time of suggesting.
        # What is a guess only warns, and whoever states a rule says how severe it is.
        level = self.pipeline.severities.level
        constraints = tuple(c if c.guess or c.origin == "manual" else replace(c, level=level) for c in accepted)
        return Program(
            pipeline=self.pipeline.name,
            version=version or self._next(),
            constraints=constraints,
            schema=self._schema(draft),
            created_at=_now(),
            author=by,
            message=message.strip(),
            fpr_target=draft.run.fpr,
            key=_key(draft, constraints),
            evidence=self._evidence(draft, constraints, by),
        )

    def authors(self, draft: Draft) -> tuple[str, ...]:
        """Whose change against the live program a draft is; see `preview.authors_of`."""
        return authors_of(draft, self.live(), self.reviews.chain(self.pipeline.name))

    def live(self) -> Program | None:
        """The newest version; None where nothing is published."""
        try:
            return self.programs.load(self.pipeline.name)
        except ProgramNotFoundError:
            return None

    def preview(self) -> Preview:
        """What publishing the draft would do; nothing is written."""
        draft = self.repriced(required_draft(self.reviews, self.pipeline.name))
        chain = self.reviews.chain(self.pipeline.name)
        about = draft, self.live(), self.other_changes(), chain, self.history, self._next()
        return preview_of(*about, four_eyes=self.pipeline.four_eyes, year=round(batches_per_year(self._cadence())))

    def _cadence(self) -> str:
        return cadence_of(self.pipeline, self.history.batches(self.pipeline.name))

    def other_changes(self) -> tuple[str, ...]:
        """What publishing would change besides the constraints, in sentences: columns, what was learned from, and severities."""
        draft, versions = self.reviews.draft(self.pipeline.name), self.programs.versions(self.pipeline.name)
        if draft is None or not versions:
            return ()
        live, following, level = self.programs.load(self.pipeline.name, max(versions)), self._schema(draft), self.pipeline.severities.level
        changes = live.schema.drift(following.columns) if following.level != "off" else []
        if following.level != "off" and (first := sorted(not_compared(live.schema, following.columns))):
            changes.append(f"Expected for the first time: {', '.join(map(repr, first))}; the live version says nothing of nested columns.")
        old_levels = {c.level for c in live.constraints if not c.guess and c.origin != "manual"}
        changes += _learned_anew(draft, live)
        changes += [f"Severity: {old} becomes {level}." for old in sorted(old_levels - {level})]
        if live.schema.level != following.level:
            changes.append(f"Severity: schema {live.schema.level} becomes schema {following.level}.")
        return tuple(changes)

    def _unchanged(self, draft: Draft, live: Program) -> bool:
        return not difference(draft, live).total and not self.other_changes()

    def _schema(self, draft: Draft) -> SchemaConstraint:
        newest = self.history.load(self.pipeline.name, draft.run.last_batch)
        columns = with_types_before(self.history, self.pipeline.name, draft.run.last_batch, schema_of(newest))
        level, source = self.pipeline.severities.schema_level, self.pipeline.source
        # In a table or query nobody can say what its values were written as.
        written = source.format if source.untyped or source.format == "json" else ""
        include, exclude = self.pipeline.columns.include, self.pipeline.columns.exclude
        return SchemaConstraint(columns, newest.covers_all, written, include, exclude, level=level)

    def roll_back(self, version: int, by: str | None, message: str) -> Program:
        """Publish an older version's document anew, as the next version; its evidence says where it came from. `UsageError` without a
        reason: whoever finds an older program enforced reads it there.

        It was approved when it was new, so four eyes ask for nobody else: who rolls back is in a hurry.
        """
        who = self.people.require(by, "approver", "roll back")
        if not message.strip():
            raise UsageError(
                f"Say why version {version} should be enforced again.", hint="Say it with -m: it is kept with the new version."
            )
        old = self.programs.load(self.pipeline.name, version)
        following = self._next()
        if version == following - 1:
            raise UsageError(f"Version {version} of {self.pipeline.name!r} is the live one already.")
        audit = {"audit": self.reviews.chain(self.pipeline.name).last}
        evidence = {**old.evidence, **audit, "rolled_back_from": following - 1, "rolled_back_to": version, "approver": who}
        fresh = replace(old, version=following, created_at=_now(), author=who, message=message.strip(), evidence=evidence)
        return self.programs.publish(replace(fresh, sha256="", signature="", public_key=""))

    def _two_eyes(self, authors: tuple[str, ...], by: str) -> NotPermittedError:
        others = sorted(name for name in self.people.roles if self.people.may(name, "approver") and name not in authors)
        return NotPermittedError(
            f"{by!r} has decided on this draft of {self.pipeline.name!r}, and its four_eyes in avh.yml asks for another approver.",
            hint=f"Ask {' or '.join(others[:3])}." if others else "Somebody who has decided nothing of what changes has to publish it.",
        )

    def _next(self) -> int:
        # The number is fixed before the write: when somebody publishes in between, the store refuses.
        return max(self.programs.versions(self.pipeline.name), default=0) + 1

    def _evidence(self, draft: Draft, constraints: tuple[Constraint, ...], by: str) -> dict[str, Any]:
        run = draft.run
        statuses = {status: draft.count(status) for status in ("accepted", "edited", "rejected", "pending")}
        deciders = sorted({item.decided_by for item in draft.items if item.in_program})
        return {
            "history": {"first": run.first_batch, "last": run.last_batch, "batches": run.batches},
            "suggested_at": run.created_at,
            "draft": draft.digest,
            "audit": self.reviews.chain(self.pipeline.name).last,
            "fpr_target": run.fpr,
            "expected_alarms": {
                "per_batch": expected_rate(constraints),
                "per_year": expected_alarms(constraints, self._cadence()),
            },
            "decisions": {**statuses, "by": deciders, **_reasons(draft)},
            "backtest": self._backtests(draft, constraints),
            "approver": by,
            "excluded": list(run.excluded),
            "settings": asdict(run.settings) if run.settings else None,
        }

    def _backtests(self, draft: Draft, constraints: tuple[Constraint, ...]) -> list[dict[str, Any]]:
        """Per constraint on how many batches of its window it would have fired; the batches before the window are looked back to alone."""
        history = self.history.history(self.pipeline.name, columns_of(constraints), upto=draft.run.last_batch)
        patterns = {c.key: series for c, series in pattern_series(self.history, constraints, draft, history.batches)}
        results: list[dict[str, Any]] = []
        window = slice(-draft.run.batches, None)
        for constraint in constraints:
            found = tried(constraint, history, patterns.get(constraint.key))
            if found is None:
                continue
            fired = [b for b, f in zip(history.batches[window], found.fired[window], strict=True) if f]
            of = {"constraint": constraint.key, "column": constraint.column, "metric": constraint.metric}
            results.append({**of, "judged": int(found.judged[window].sum()), "fired": fired})
        return results


def _reasons(draft: Draft) -> dict[str, list[dict[str, str]]]:
    """What was rejected for one of the reasons, by whom; nothing where nothing was."""
    found = [
        {"constraint": i.suggestion.id, "rule": plain(i.suggestion.constraint), "reason": i.reason, "by": i.decided_by}
        for i in draft.items
        if i.reason is not None
    ]
    return {"rejected": found} if found else {}


def _key(draft: Draft, constraints: tuple[Constraint, ...]) -> tuple[str, ...]:
    """The key that somebody said or accepted, with a rule of rows matched by it too."""
    known = draft.run.row_key
    if known is None or (known.waits and not any(c.measure.key == known.columns for c in constraints)):
        return ()
    return known.columns


def _learned_anew(draft: Draft, live: Program) -> list[str]:
    """From which other batches, with which other target and by which other key the draft was suggested, in sentences."""
    run, before, said = draft.run, live.approval, []
    if before.last_batch and (run.first_batch, run.last_batch, run.batches) != (before.first_batch, before.last_batch, before.batches):
        learned = f"{run.batches:,} batches up to {run.last_batch}"
        said.append(f"Learned from {learned}; the live version from {before.batches:,} up to {before.last_batch}.")
    if run.fpr != live.fpr_target:
        said.append(f"False-alarm target: {live.fpr_target:g} becomes {run.fpr:g} per column and batch.")
    if (key := _key(draft, draft.accepted())) != live.key:
        said.append(f"Key: {', '.join(live.key) or 'none'} becomes {', '.join(key) or 'none'}.")
    return said


def _same(draft: Draft | None, shown: str) -> None:
    if draft is not None and draft.digest.startswith(shown.lower()):
        return
    last = f"Last {said} " if draft is not None and (said := last_change(draft)) else ""
    text = f"The draft is no longer the one that was shown ({shown[:SHORTEST_DIGEST]}): nothing was published."
    raise ConflictError(text, hint=f"{last}Look at it again before you publish.")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
