"""What other people do to what a session shows: it appears without a reload, with their names, and nothing typed or ticked is lost."""

from __future__ import annotations

from dataclasses import dataclass

from avh_ui.constraints.program import Program
from avh_ui.errors import AvhError
from avh_ui.review.draft import Draft
from avh_ui.review.draft_changes import what_was_done
from avh_ui.review.feedback import Feedback
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.session import SessionState
from avh_ui.workflows.services import Services

# Milliseconds between two looks. One asks the database for one row (0.2 ms on SQLite), and the store for the names of its versions.
EVERY = 2_000


@dataclass(frozen=True)
class Found:
    """What stands at one look; `mark` differs from that of another look where something was written in between."""

    mark: str
    draft: Draft | None
    versions: tuple[Program, ...]
    log: tuple[Feedback, ...]


def look_at(services: Services, pipeline: str, known: str) -> Found | None:
    """Read what is there, unless nothing was written since the mark that is known."""
    mark = services.programs.mark(pipeline)
    if mark == known:
        return None
    draft, log = services.suggestions.draft(pipeline), tuple(services.runs.feedback(pipeline))
    return Found(mark, draft, tuple(services.programs.versions(pipeline)), log)


class Following:
    """Looks now and then, and adopts what others wrote. What asks for more than that is `stale`, until the page is read again."""

    def __init__(self, session: SessionState) -> None:
        self.session = session
        self._busy = False
        self._begin()
        session.param.watch(lambda *_: self._begin(), ["loads", "pipeline"])

    def _begin(self) -> None:
        self._mark, self._before, self._unread = self.session.mark, self.session.draft, ""
        self.session.stale = ""

    def look(self) -> None:
        """Ask once; nothing while the last answer is out, or the pipeline is read."""
        session = self.session
        if self._busy or session.phase != "ready":
            return
        self._busy = True
        pipeline, services, mark, shown = session.pipeline, session.services, self._mark, self._shown()

        def adopt(found: Found | None) -> None:
            self._busy = False
            # Asked before the session wrote or read something itself, it is older than what is shown: the next look tells.
            if found is not None and all(now is then for now, then in zip(self._shown(), shown, strict=True)):
                self._adopt(found)

        # Who reads or writes next is told why that fails; a message every two seconds helps nobody.
        session.attempt(lambda: look_at(services, pipeline, mark), adopt, self._failed)

    def _failed(self, _: AvhError) -> None:
        self._busy = False

    def _shown(self) -> tuple[object, ...]:
        session = self.session
        return session.pipeline, session.draft, session.versions, session.log

    def _adopt(self, found: Found) -> None:
        session, self._mark = self.session, found.mark
        if found.draft is None or found.draft.run != session.draft.run:
            session.stale = _of_run(found.draft)
            return
        told = [*_decided(self._before, found.draft, session.actor), *self._published(found.versions)]
        self._before = found.draft
        if found.draft != session.draft:
            session.draft = found.draft
        self._labelled(found.log)
        session.stale = self._unread
        if told:
            session.tell("info", " ".join(told))

    def _published(self, versions: tuple[Program, ...]) -> list[str]:
        session = self.session
        known = {program.version for program in session.versions}
        new = [program for program in versions if program.version not in known]
        if new:
            session.versions = versions
        return [f"{p.author} published version {p.version}: {p.message}" for p in new if p.author != session.actor][:1]

    def _labelled(self, log: tuple[Feedback, ...]) -> None:
        session = self.session
        known = {entry.seq for entry in session.log}
        new = [entry for entry in log if entry.seq not in known]
        if new:
            session.log = log
        others = [entry for entry in new if entry.by != session.actor]
        if others:
            who = _names({entry.by for entry in others})
            self._unread = f"{who} said something of the alarms on {others[-1].batch}: Runs and Incidents show what was there before."


def _decided(before: Draft, after: Draft, actor: str) -> list[str]:
    """What others decided and said between two looks: one deed in a sentence, several by their number."""
    old = before.by_id
    pairs = [(old[item.suggestion.id], item) for item in after.items if item.suggestion.id in old]
    decided = [item for was, item in pairs if item.revision > was.revision and item.decided_by != actor]
    said = [note for was, item in pairs for note in item.comments[len(was.comments) :] if note.by != actor]
    told = []
    if len(decided) == 1:
        told.append(what_was_done(decided[0]))
    elif decided:
        told.append(f"{_names({item.decided_by for item in decided})} decided on {count(len(decided), 'suggestion')}.")
    if said:
        told.append(f"{_names({note.by for note in said})} commented: “{said[-1].text}”")
    return told


def _of_run(draft: Draft | None) -> str:
    if draft is None:
        return "The draft is gone: this page shows what it was."
    run = draft.run
    who = run.stated_by or run.adopted_by or run.suggested_by or "Somebody"
    did = "changed the rules" if run.changes_rules else "changed what the draft is made of" if run.stated_by else "made a new draft"
    return f"{who} {did} at {run.created_at[11:16]} UTC: this page shows the one before."


def _names(people: set[str]) -> str:
    return " and ".join(sorted(people))
