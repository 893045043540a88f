"""Telling the receivers of avh.yml of a run: tried again where that helps, within bounds of time, and never instead of the verdict."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from avh_ui.config_notify import Notice
from avh_ui.errors import sentence_of
from avh_ui.notices import notice as words
from avh_ui.notices.sending import NotTakenError, mail, post
from avh_ui.settings import Settings
from avh_ui.validator.lineage import Dataset
from avh_ui.validator.results import Outcome
from avh_ui.validator.run import Run

# Three tries ride out a restart of a receiver; a pipeline waits for its exit code, so that one receiver has at most 10 seconds.
_PAUSES = (0.5, 2.0)
_SECONDS = 10.0
_ONE_TRY = 5.0
_SLOW = f"it took longer than {_SECONDS:.0f} seconds"


class Notifier:
    """The receivers of a workspace. One that could not be told of a run is not asked again by this process: a queue of batches must not
    wait for it each time.
    """

    def __init__(
        self,
        notices: Sequence[Notice],
        settings: Settings,
        pause: Callable[[float], None] = time.sleep,
        datasets: Mapping[str, Dataset] | None = None,
    ) -> None:
        self._notices, self._settings, self._pause, self._datasets = notices, settings, pause, datasets or {}
        self._lost: set[Notice] = set()

    def tell(self, run: Run, told_before: Callable[[], Collection[str]] = tuple) -> tuple[str, ...]:
        """Tell whom it concerns of a run; of those who could not be told a sentence each. Raises nothing.

        `told_before` gives the keys of what alarmed in the pipeline's batch before: a run with no other alarm is no news, but for
        `repeat`.
        """
        failed: list[str] = []
        for notice in self._notices:
            if not self._concerns(notice, run, told_before):
                continue
            why = "it could not be told of an earlier batch" if notice in self._lost else self._told(notice, run)
            if why:
                self._lost.add(notice)
                failed.append(f"{notice.name[0].upper()}{notice.name[1:]} was not told of batch {run.batch!r}: {why}.")
        return tuple(failed)

    def _concerns(self, notice: Notice, run: Run, told_before: Callable[[], Collection[str]]) -> bool:
        if run.status not in notice.when or (notice.pipelines and run.pipeline not in notice.pipelines):
            return False
        return notice.repeat or run.status == "pass" or not unpassed(run) <= set(told_before())

    def _told(self, notice: Notice, run: Run) -> str:
        """Hand it over; '' or why it was not taken."""
        end, why = time.monotonic() + _SECONDS, ""
        for pause in (*_PAUSES, None):
            try:
                left = end - time.monotonic()
                _within(left, partial(self._send, notice, run, max(0.1, min(_ONE_TRY, left))))
                return ""
            except NotTakenError as error:
                why = str(error)
                if not error.again or pause is None or time.monotonic() + pause >= end:
                    return why
            except Exception as error:  # noqa: BLE001 (whatever it is, the verdict stands and the others are told)
                return sentence_of(error).rstrip(".")
            self._pause(pause)
        return why

    def _send(self, notice: Notice, run: Run, seconds: float) -> None:
        secrets = self._settings.notify
        if notice.email:
            mail(notice, words.subject_of(run), words.text_of(run), (secrets.smtp_user, secrets.smtp_password), seconds)
            return
        url = notice.webhook
        if url.startswith("$"):
            url = secrets.hooks.get(url[1:], "")
            if not url:
                raise NotTakenError(f"the environment has no {notice.webhook[1:]}", again=False)
        post(url, words.body_of(run, notice.form, self._datasets.get(run.pipeline)), secrets.signing, seconds)


def _within(seconds: float, send: Callable[[], None]) -> None:
    """Do it in a thread of its own and raise what it raises; `NotTakenError` after so many seconds, when the thread is left to itself.

    A timeout of a socket is of each step: looking up a name has none, a mail takes eight steps, and a server that answers byte by byte
    never reaches it.
    """
    raised: list[Exception] = []

    def sent() -> None:
        try:
            send()
        except Exception as error:  # noqa: BLE001 (it is raised below, in the thread that waits)
            raised.append(error)

    thread = threading.Thread(target=sent, daemon=True)
    thread.start()
    thread.join(max(seconds, 0.1))
    if thread.is_alive():
        raise NotTakenError(_SLOW, again=False)
    if raised:
        raise raised[0]


def unpassed(run: Run) -> set[str]:
    """The keys of what did not pass in a run: people are told too of what could not be evaluated."""
    return {outcome.key for outcome in map(Outcome.of, run.results) if outcome.status != "pass"}
