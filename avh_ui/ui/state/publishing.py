"""Publishing: what the draft would change against the live version, the versions so far, rolling back, and who did what."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import param

from avh_ui.constraints.program import Program
from avh_ui.errors import AvhError, ConflictError
from avh_ui.metrics.profiler import Watch
from avh_ui.review.difference import ConstraintChange, Difference, difference
from avh_ui.review.draft_changes import changes
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.exports import csv_text
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.session import SessionState
from avh_ui.workflows.coverage import Coverage
from avh_ui.workflows.preview import Preview

# What is typed, looked at and read of one pipeline, and of no other.
_OF_PIPELINE = (
    "message",
    "reason",
    "problem",
    "chosen",
    "version",
    "trail",
    "preview",
    "notes",
    "moved",
    "promises",
    "validated",
    "again",
    "coverage",
)


class PublishState(Observable):
    """The publish page: `message` and the `reason` to roll back as typed, `busy` while a version is written, `problem` when not.

    `chosen` is the change looked at (its constraint's key), `version` the version looked at (0 = none). `trail` is the audit log, an
    AvhError when it cannot be read, None before it is; `preview` is what publishing would do, None before it is known; `notes` are
    sentences on what was not measured of the draft's latest batch.
    """

    message = param.String("")
    reason = param.String("")
    busy = param.Boolean(False)
    problem = param.String("")
    beside = param.String("message", doc="the text beside which the problem is said: `message` or `reason`")
    chosen = param.String("")
    version = param.Integer(0)
    trail = param.Parameter(None)
    preview = param.Parameter(None)
    validated = param.Parameter(frozenset(), doc="the batches of which a run is kept")
    notes = param.Parameter(())
    moved = param.Parameter((), doc="what has changed of the draft since it was shown, in sentences")
    promises = param.Parameter({}, doc="what each version promises and what came of it, by its number; empty until it is read")
    coverage = param.Parameter(None, doc="what the draft would notice and leave open; None until it is told")
    again = param.Boolean(False, doc="whether what enforces the same is published all the same")
    published = param.Integer(0, doc="how many versions this session has published")

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._trail_of: tuple[str, int, int, str] = ("", -1, -1, "")
        self._watch = Watch()
        fresh = {name: self.param[name].default for name in _OF_PIPELINE}
        session.param.watch(lambda *_: self.param.update(**fresh), "pipeline")
        # What somebody else decides is part of what is about to be published.
        session.param.watch(lambda *_: self.visit() if session.tab == "publish" else None, "draft")

    @property
    def next_version(self) -> int:
        """The number that the version would get."""
        return (self.session.live.version if self.session.live else 0) + 1

    @property
    def four_eyes(self) -> bool:
        """Whether the pipeline asks for an approver who has decided nothing in the draft."""
        return self.session.services.pipeline(self.session.pipeline).four_eyes if self.session.pipeline else False

    @property
    def refusal(self) -> str:
        """Why this person may publish nothing, by their role; '' for who may."""
        return self.session.refusal("approver", "publish")

    @property
    def barred(self) -> bool:
        """Whether this person may not publish the draft, because of four eyes."""
        return self.four_eyes and self.session.actor in self.authors

    @property
    def authors(self) -> tuple[str, ...]:
        """Whose change the draft is; everybody who decided in it until that is known."""
        draft = self.session.draft
        return () if draft is None else self.seen.authors if self.seen is not None else draft.editors

    @property
    def seen(self) -> Preview | None:
        """What publishing the draft would do, where that is known of the draft as it is."""
        preview, draft = self.preview, self.session.draft
        return preview if preview is not None and draft is not None and preview.draft == draft.digest else None

    @property
    def others(self) -> tuple[str, ...]:
        """What publishing would change besides rules, in sentences."""
        return self.preview.others if self.preview is not None else ()

    @property
    def obstacle(self) -> str:
        """Why there is nothing to publish; '' where there is something."""
        draft, live = self.session.draft, self.session.live
        if draft is None or not draft.accepted():
            return "Nothing is accepted yet: accept suggestions in the review to put them into a program."
        if live is not None and self.unchanged and not self.again:
            return f"Nothing changed: the draft enforces what the live version {live.version} does."
        return ""

    @property
    def unchanged(self) -> bool:
        """Whether the draft enforces what the live version does, learned from the same batches."""
        draft, live = self.session.draft, self.session.live
        return live is not None and draft is not None and bool(draft.accepted()) and not self.difference().total and not self.others

    @property
    def through(self) -> bool:
        """Whether nothing is left to decide or to publish: the live version enforces all that was accepted."""
        draft = self.session.draft
        return self.session.live is not None and self.unchanged and draft is not None and not draft.count("pending")

    def difference(self) -> Difference:
        """The draft against the live version."""
        return difference(self.session.draft, self.session.live)

    @property
    def change(self) -> ConstraintChange | None:
        """The change looked at, the first one when none was chosen."""
        found = self.difference().changes
        return next((change for change in found if change.either.key == self.chosen), found[0] if found else None)

    @property
    def looked_at(self) -> Program | None:
        """The version looked at."""
        return next((program for program in self.session.versions if program.version == self.version), None)

    # Looking

    def visit(self, address: Address | None = None) -> None:
        """The tab is shown: read what was done, unless it is there; an address names a change or a version."""
        if address is not None:
            number = int(address["version"]) if address["version"].isdecimal() else 0
            self.param.update(chosen=address["suggestion"], version=number)
        session, draft = self.session, self.session.draft
        of = (session.pipeline, session.loads, self.published, draft.digest if draft else "")
        if not session.pipeline or of == self._trail_of:
            return
        self._trail_of = of

        def read() -> dict[str, Any]:
            found: dict[str, Any] = {"preview": None, "notes": (), "promises": {}, "validated": frozenset()}
            with suppress(AvhError):  # who publishes is told
                found["preview"] = session.services.programs.preview(of[0]) if draft is not None else None
                found["validated"] = frozenset(run.batch for run in session.services.runs.recent(of[0]))
                found["promises"] = {p.version: session.services.programs.promise(of[0], p) for p in session.versions}
                found["notes"] = session.services.batches.notes(of[0], session.draft.run.last_batch) if session.draft else ()
            try:
                return {**found, "trail": tuple(session.services.programs.audit(of[0]))}
            except AvhError as error:
                return {**found, "trail": error}

        def adopt(found: dict[str, Any]) -> None:
            if of == self._trail_of:
                self.param.update(**found)

        session.run(read, adopt)
        self._tell_open(of)

    def _tell_open(self, of: tuple[str, int, int, str]) -> None:
        """Which faults the draft would leave unnoticed, where it changes anything: told in seconds, and given up for the next draft."""
        session = self.session
        self._watch.cancelled.set()
        self._watch = watch = Watch()
        self.coverage = None
        if session.tab != "publish" or not self.difference().total or not session.draft.accepted():
            return

        def adopt(found: Coverage) -> None:
            if of == self._trail_of:
                self.coverage = found

        # What it cannot be told of is said on the page of coverage.
        session.attempt(lambda: session.services.coverages.coverage(of[0], "draft", watch=watch), adopt, lambda _: None)

    def look(self, key: str) -> None:
        """Look at a change."""
        self.chosen = key

    def move(self, step: int) -> None:
        """To the next change."""
        keys = [change.either.key for change in self.difference().changes]
        if keys:
            at = keys.index(self.chosen) if self.chosen in keys else 0
            self.chosen = keys[min(max(at + step, 0), len(keys) - 1)]

    def audit_csv(self) -> str:
        """The audit log as CSV."""
        entries = self.trail if isinstance(self.trail, tuple) else ()
        return csv_text(("at", "by", "did", "subject", "why"), [(e.at, e.by, e.did, e.subject, e.why) for e in entries])

    def versions_csv(self) -> str:
        """The published versions as CSV."""
        header = ("version", "published", "by", "message", "rules", "sha256", "signed")
        found = self.session.versions
        rows = [(p.version, p.created_at, p.author, p.message, len(p.constraints), p.sha256, bool(p.signature)) for p in found]
        return csv_text(header, rows)

    # Acting

    def approve(self) -> None:
        """Publish the draft; the outcome is told, an error is kept in `problem`."""
        pipeline, services, actor, message = self.session.pipeline, self.session.services, self.session.actor, self.message.strip()
        if not message:
            self.param.update(problem="Say what changes and why: the message is kept with the version.", beside="message")
            return
        shown, version = self.session.draft, self.next_version
        digest, again = shown.digest if shown else None, self.again
        self._write(
            lambda: services.programs.publish(pipeline, by=actor, message=message, draft=digest, version=version, again=again),
            "is published",
            "message",
        )

    def roll_back(self) -> None:
        """Publish the version looked at anew; `reason` says why."""
        pipeline, services, actor, version = self.session.pipeline, self.session.services, self.session.actor, self.version
        reason = self.reason.strip()
        if not reason:
            why = f"Say why version {version} should be enforced again: the reason is kept with the new version."
            self.param.update(problem=why, beside="reason")
            return
        self._write(
            lambda: services.programs.rollback(pipeline, version, by=actor, message=reason), f"is version {version} again", "reason"
        )

    def _write(self, publish: Callable[[], Program], done: str, field: str) -> None:
        """`field` names the text that is kept with the version; what is typed into it meanwhile stays."""
        if self.busy:
            return
        said = getattr(self, field)
        self.param.update(busy=True, problem="", moved=(), beside=field)

        def written(program: Program) -> None:
            if getattr(self, field) == said:
                setattr(self, field, "")
            self._written(program, done)

        self.session.attempt(publish, written, self._refused)

    def _refused(self, error: AvhError) -> None:
        if isinstance(error, ConflictError):
            self._look_again(error)
        else:
            self.param.update(busy=False, problem=str(error))

    def _written(self, outcome: Program, done: str) -> None:
        if outcome.pipeline == self.session.pipeline:
            # Who looks what others did may have seen it since it was written.
            others = (program for program in self.session.versions if program.version != outcome.version)
            self.session.versions = (outcome, *others)
        self.param.update(busy=False, version=0, chosen="", again=False, published=self.published + 1)
        rules = count(len(outcome.constraints), "rule")
        self.session.tell("success", f"Version {outcome.version} of {outcome.pipeline} {done}, with {rules}.")
        self.visit()

    def _look_again(self, conflict: ConflictError) -> None:
        """Somebody was first: show the draft as it is now, and what has changed since it was looked at."""
        before, session = self.session.draft, self.session
        self.param.update(busy=False, problem=str(conflict), moved=())

        def adopted(*_: Any) -> None:
            session.param.unwatch(watcher)
            same = before is not None and session.draft is not None and session.pipeline == before.pipeline
            # The list says it better than the last of the decisions alone.
            if same and (moved := tuple(changes(before, session.draft))):
                self.param.update(moved=moved, problem=f"{conflict.message} Meanwhile:")

        watcher = session.param.watch(adopted, "loads")
        session.refresh()
