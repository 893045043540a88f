"""`avh watch`: judges what comes, again and again, in one process; for teams without a scheduler."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.failures import tell
from avh_ui.cli.options import open_services, workspace_option
from avh_ui.cli.output import say
from avh_ui.cli.validating_many import validate_many, worst
from avh_ui.errors import NotFoundError, ProgramNotFoundError

if TYPE_CHECKING:
    from avh_ui.workflows.services import Services

_UNITS = {"s": 1, "m": 60, "h": 3600}


class Every(click.ParamType):  # type: ignore[type-arg]
    """A time such as `30s`, `5m` or `2h`, in seconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds, at least one."""
        if isinstance(value, int | float):
            return float(value)
        number, unit = value[:-1], _UNITS.get(value[-1:])
        if unit is None or not number.isdigit() or int(number) < 1:
            self.fail(f"{value!r} is no time: write 30s, 5m or 2h.", param, ctx)
        return float(int(number) * unit)


@click.command("watch", short_help="Judge new batches as they come, again and again.")
@click.argument("pipelines", metavar="[PIPELINE]...", nargs=-1)
@workspace_option()
@click.option("--every", type=Every(), default="5m", show_default=True, help="How long to wait after each round: 30s, 5m, 2h.")
@click.option(
    "--once",
    is_flag=True,
    help="One round alone; the exit code is the worst of its batches, as of `avh validate --new`; 3 where a PIPELINE has no program.",
)
@click.pass_context
def command(ctx: click.Context, root: Path, pipelines: tuple[str, ...], every: float, once: bool) -> None:
    """Judge new batches of each PIPELINE (all of avh.yml by default) as they come.

    A round is `avh validate --new` of each pipeline that has a program, in one process: runs are kept and people are told. What goes wrong
    with one pipeline is said, and the others go on. avh.yml is read anew for each round. Ctrl-C or SIGTERM ends it after
    the batch that is being judged, with 0.
    """
    # In later rounds what cannot be opened is waited for; who starts this is there to mend it.
    open_services(root)
    if not once:
        from avh_ui.constraints.readable import duration

        # Rounds that find nothing print nothing: without this line nobody knows that it runs.
        say(f"Watching {', '.join(pipelines) or 'all pipelines of avh.yml'}: a round every {duration(every)}. Ctrl-C ends it.", err=True)
    with stopping() as stop:
        watched = Watched(root, pipelines, stop)
        while True:
            code = watched.round()
            if once or stop.wait(every):
                break
    ctx.exit(code if once else 0)


class Watched:
    """The pipelines of a workspace over many rounds; what was said of one is not said again while it stays so."""

    def __init__(self, root: Path, pipelines: tuple[str, ...], stop: threading.Event) -> None:
        self._root, self._pipelines, self._stop = root, pipelines, stop
        self._said: dict[str, str] = {}
        # By pipeline and batch how many rounds were judged or let go by since it came.
        self._rounds: dict[tuple[str, str], int] = {}

    def round(self) -> int:
        """Judge what is new; the worst exit code of its batches."""
        from avh_ui.config import CONFIG_NAME

        # Services anew each round: who could not be told of a run is tried again, and avh.yml may have changed.
        found: list[tuple[Services, str]] = []
        codes = [self._unless_said(CONFIG_NAME, partial(self._open, found))]
        for services, name in found:
            if not self._stop.is_set():
                codes.append(self._unless_said(name, partial(self._judge, services, name)))
        return worst(codes)

    def _open(self, found: list[tuple[Services, str]]) -> int:
        services = open_services(self._root)
        there = services.pipelines()
        found += [(services, name) for name in self._pipelines or there if name in there]
        if unknown := [name for name in self._pipelines if name not in there]:
            raise NotFoundError("pipeline", unknown[0], there)
        return 0

    def _judge(self, services: Services, name: str) -> int:
        """The new batches of a pipeline, until it is to end."""
        services.programs.load(name)
        codes = [0]
        waiting = services.to_judge(name)
        self._rounds = {at: count for at, count in self._rounds.items() if at[0] != name or at[1] in waiting}
        for batch in waiting:
            if not self._stop.is_set() and self._is_due(name, batch):
                asked = {"store": None, "quarantine": None, "record": True, "notify": True}
                codes.append(
                    validate_many(services, name, [batch], form="text", output=None, fail_at="error", new=True, brief=True, **asked)
                )
        return worst(codes)

    def _is_due(self, name: str, batch: str) -> bool:
        """Whether to judge a batch that waits: in the 1st, 2nd, 4th, 8th ... round since it came.

        One that is empty or cannot be read waits on, since it has no profile. Judged in each round, it would keep 288 runs a day.
        """
        self._rounds[name, batch] = rounds = self._rounds.get((name, batch), 0) + 1
        return rounds & (rounds - 1) == 0

    def _unless_said(self, what: str, act: Callable[[], int]) -> int:
        """What an action gives; 3 where it cannot be done, with the reason once."""
        try:
            code = act()
        except ProgramNotFoundError as error:
            if self._said.get(what) != error.message:
                say(f"{what}: it is not watched. {error}", err=True)
            self._said[what] = error.message
            # Who names it waits for a verdict; of all pipelines some may have no program yet.
            return 3 if what in self._pipelines else 0
        except Exception as error:  # noqa: BLE001 (a round that fails is no end: the next may not)
            told = f"{type(error).__name__} {error}"
            code = tell(error).code if self._said.get(what) != told else 3
            self._said[what] = told
            return code if code in (3, 4) else 3
        self._said.pop(what, None)
        return code


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set, in place of ending the process; a second one ends it as ever."""
    stop = threading.Event()

    def end(number: int, _frame: Any) -> None:
        stop.set()
        signal.signal(number, before[number])

    before: dict[int, Any] = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
