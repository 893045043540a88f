"""One browser session: which pipeline and tab are seen, what was loaded of it, and what there is to tell."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import param

from avh_ui.commands_named import pasteable, place_of
from avh_ui.config import Role
from avh_ui.config_contacts import NOBODY, Contacts
from avh_ui.constraints.program import Program
from avh_ui.errors import AvhError, ConflictError, NotFoundError
from avh_ui.history.series import History
from avh_ui.metrics.profiler import Progress, Watch
from avh_ui.review.draft import Draft
from avh_ui.review.feedback import Feedback
from avh_ui.ui.state.address import REVIEW, Address
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.reading import count
from avh_ui.workflows.services import Services

T = TypeVar("T")
Phase = Literal["loading", "ready", "nothing", "failed"]
Tone = Literal["success", "info", "warning", "error"]
# The page is told at most this often, in seconds: more would only be work.
TOLD_EVERY = 0.2
# Runs slow work away from the event loop and hands its result over; immediate where there is no loop (tests, notebooks).
Runner = Callable[[Callable[[], Any], Callable[[Any], None]], None]

# Makes a change in the session's next tick; callable from any thread.
Soon = Callable[[Callable[[], None]], None]


@dataclass(frozen=True)
class Toast:
    """Something to tell the person: a toast in the app."""

    tone: Tone
    text: str


@dataclass(frozen=True)
class Loaded:
    """What was read of one pipeline. A part that could not be read is None, with its error under the same name in `problems`."""

    pipeline: str
    cadence: str
    draft: Draft | None
    history: History | None
    versions: tuple[Program, ...]
    log: tuple[Feedback, ...]
    excluded: tuple[str, ...]
    problems: dict[str, AvhError]
    read_only: str = ""
    notes: tuple[str, ...] = ()
    mark: str = ""
    unstarted: AvhError | None = None


def load(services: Services, pipeline: str, watch: Watch | None = None) -> Loaded:
    """Read everything the app shows of a pipeline. A broken part does not hide the others; safe in a thread.

    `watch` is told how many batches of the history were read.
    """
    problems: dict[str, AvhError] = {}

    def part(name: str, read: Callable[[], Any], otherwise: Any) -> Any:
        try:
            return read()
        except AvhError as error:
            problems[name] = error
            return otherwise

    # First: what is written while the rest is read moves the mark, and is looked at again.
    mark = part("draft", lambda: services.programs.mark(pipeline), "")
    cadence = part("pipeline", lambda: services.cadence(pipeline), "daily")
    draft = part("draft", lambda: services.suggestions.draft(pipeline), None)
    of = {item.current.column for item in draft.items if item.current.measure.where} if draft is not None else set[str]()
    history = part("history", lambda: services.batches.history(pipeline, watch=watch, beside=of), None)
    versions = part("versions", lambda: tuple(services.programs.versions(pipeline)), ())
    log = part("feedback", lambda: tuple(services.runs.feedback(pipeline)), ())
    excluded = part("feedback", lambda: tuple(services.runs.excluded(pipeline)), ())
    read_only = part("draft", lambda: services.suggestions.read_only, "")
    notes = part("notes", lambda: services.batches.notes(pipeline, draft.run.last_batch), ()) if draft is not None else ()
    unstarted = part("source", lambda: services.batches.unstarted(pipeline), None) if draft is None else None
    return Loaded(pipeline, cadence, draft, history, versions, log, excluded, problems, read_only, notes, mark, unstarted)


def immediately(work: Callable[[], Any], done: Callable[[Any], None]) -> None:
    """The runner without a loop."""
    done(work())


def at_once(change: Callable[[], None]) -> None:
    """A change without a loop to wait for."""
    change()


class SessionState(Observable):
    """The session's root state. `draft`, `history` and `versions` are of `pipeline`; `said` is the quiet status line."""

    pipeline = param.String("", doc="the pipeline seen; '' when there is none")
    tab = param.String(REVIEW, doc="the name of the page seen")
    phase: param.Selector[str] = param.Selector(default="loading", objects=["loading", "ready", "nothing", "failed"])
    draft = param.Parameter(None)
    history = param.Parameter(None)
    versions = param.Parameter(())
    log = param.Parameter((), doc="what people said of alarms, oldest first")
    excluded = param.Parameter((), doc="the batches that the next suggestion leaves out")
    cadence = param.String("daily")
    problems = param.Dict({})
    notice = param.Parameter(None)
    said = param.String("")
    notes = param.Parameter((), doc="sentences on what is not measured of the batch that the draft was last learned from")
    unstarted = param.Parameter(None, doc="the error that says why no batch can be profiled yet, and what to do; None where one may be")
    read_only = param.String("", doc="why nothing can be decided or recorded, as last read")
    stale = param.String("", doc="what somebody else has done that this page does not show, in a sentence; '' while it shows all")
    progress = param.String("", doc="how much was read of a pipeline that is loading")
    loads = param.Integer(0, doc="how often something was loaded: views rebuild on it")

    def __init__(self, services: Services, *, run: Runner = immediately, soon: Soon = at_once, actor: str = "", **params: Any) -> None:
        super().__init__(**params)
        self.services, self.run, self.soon = services, run, soon
        self.reads = run  # what the first page shows may be read before it is sent; the rest follows
        self.actor = actor or services.people.actor
        self._told: tuple[tuple[str, str], ...] = ()  # the batches that were said to be unreadable
        self.mark = ""  # of what was read last, see `Programs.mark`
        self.wanted = ""  # the suggestion the address named, until it is loaded

    @property
    def live(self) -> Program | None:
        """The version that pipelines enforce now."""
        return self.versions[0] if self.versions else None

    @property
    def pipelines(self) -> list[str]:
        """The pipelines there are."""
        return self.services.pipelines()

    @property
    def contacts(self) -> Contacts:
        """Who sends the table of the pipeline, and who answers for its rules; nobody of a pipeline that avh.yml no longer has."""
        try:
            return self.services.pipeline(self.pipeline).contacts
        except NotFoundError:
            return NOBODY

    @property
    def reading(self) -> str:
        """What is read, and how far that is: `Reading orders … 3,400 of 10,000 batches`."""
        return f"Reading {self.pipeline} … {self.progress}".rstrip() if self.pipeline else "Reading the workspace …"

    def command(self, *words: str, batch: bool = False) -> str:
        """A command as a person can paste it into a shell: its words, with `batch` the newest batch that is known (else ID), and where the
        workspace is, if that is not the folder that the app was started in.
        """
        known = self.history.batches if batch and self.history is not None else ()
        named = ("--batch", shlex.quote(known[-1]) if known else "ID") if batch else ()
        return " ".join(("avh", *words, *named, self.place)).rstrip()

    @property
    def place(self) -> str:
        """`-w DIR`, which commands need where the app was started in another folder than its workspace; else ''."""
        return place_of(self.services.root)

    def refusal(self, needed: Role, action: str) -> str:
        """Why this person may not do what takes a role; '' for who may. Buttons that would be refused show it."""
        return self.services.people.refusal(needed, action, by=self.actor)

    def attempt(self, work: Callable[[], T], done: Callable[[T], object], failed: Callable[[AvhError], object] | None = None) -> None:
        """Work away from the event loop, and hand over what came of it; an AvhError goes to `failed`, and is told where there is none."""

        def tried() -> T | AvhError:
            try:
                return work()
            except AvhError as error:
                return error

        def adopt(found: T | AvhError) -> None:
            if not isinstance(found, AvhError):
                done(found)
            elif failed is not None:
                failed(found)
            else:
                self.tell("error", str(found))

        self.run(tried, adopt)

    def record(self, write: Callable[[], object], advice: str = "", again: Callable[[], None] | None = None) -> bool:
        """Write what a person said or decided; whether it was kept. Where somebody was first, all is read anew, or what `again` reads."""
        try:
            write()
        except ConflictError as error:
            self.tell("warning", f"Not recorded: {error}{advice}")
            (again or self.refresh)()
        except AvhError as error:
            self.tell("error", str(error))
        else:
            return True
        return False

    def open(self, address: Address) -> None:
        """Show what an address names; an unknown pipeline is told and the first one shown instead."""
        names = self.pipelines
        if not names:
            self.param.update(pipeline="", phase="nothing")
            return
        name = address.pipeline or names[0]
        if name not in names:
            self.tell("warning", str(NotFoundError("pipeline", name, names)))
            name = names[0]
        self.wanted = address["suggestion"] if address.tab == REVIEW else ""
        self.tab = address.tab
        self.choose(name, again=True)

    def choose(self, pipeline: str, *, again: bool = False) -> None:
        """Load a pipeline and show it; nothing when it is shown already."""
        if pipeline == self.pipeline and not again:
            return
        self.param.update(pipeline=pipeline, phase="loading", progress="")
        self.refresh()

    def refresh(self) -> None:
        """Read the pipeline anew, as after somebody else's change."""
        pipeline = self.pipeline
        told = time.monotonic()

        def hear(progress: Progress) -> None:
            nonlocal told
            if time.monotonic() - told >= TOLD_EVERY:
                told = time.monotonic()
                self.soon(lambda: self._read(pipeline, progress))

        self.reads(lambda: load(self.services, pipeline, Watch(hear)), self._adopt)

    def _read(self, pipeline: str, progress: Progress) -> None:
        if self.phase == "loading" and pipeline == self.pipeline:
            self.progress = f"{progress.done:,} of {count(progress.total, 'batch')}"

    def _adopt(self, loaded: Loaded) -> None:
        if loaded.pipeline != self.pipeline:
            return  # another one was chosen while this was loading
        self.mark = loaded.mark
        failed = "draft" in loaded.problems
        phase: Phase = "failed" if failed else "nothing" if loaded.draft is None else "ready"
        self.param.update(
            draft=loaded.draft,
            history=loaded.history,
            versions=loaded.versions,
            log=loaded.log,
            excluded=loaded.excluded,
            cadence=loaded.cadence,
            problems=loaded.problems,
            phase=phase,
            progress="",
            read_only=loaded.read_only,
            notes=loaded.notes,
            unstarted=loaded.unstarted,
            loads=self.loads + 1,
        )
        unread = tuple(loaded.history.unread.items()) if loaded.history is not None else ()
        if unread and unread != self._told:
            more = f" And {len(unread) - 1:,} more." if len(unread) > 1 else ""
            self.tell("warning", f"Batch {unread[0][0]} is left out: {unread[0][1]}{more}")
        self._told = unread

    def tell(self, tone: Tone, text: str) -> None:
        """Notify, with `place` in the commands that the text names; the same text twice is told twice, since param takes no two notices for
        equal.
        """
        self.notice = Toast(tone, pasteable(text, self.place))
