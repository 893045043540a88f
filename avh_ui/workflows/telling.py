"""Whether people hear of a run, and whether it is news to them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection

from avh_ui.config import Config
from avh_ui.validator.run import Run, RunStore

# Tells of a run, given what gives the keys of what alarmed before it; sentences on who could not be told.
Notify = Callable[[Run, Callable[[], Collection[str]]], tuple[str, ...]]


def tells_nobody(run: Run, before: Callable[[], Collection[str]]) -> tuple[str, ...]:  # noqa: ARG001
    """Where nobody is to be told."""
    return ()


def hears_nothing(run: Run, config: Config, *, notify: bool) -> bool:
    """Whether nobody hears of a run: where nobody is named nobody heard of an alarm."""
    return not notify or (not config.notify and run.status != "pass")


def unpassed_before(run: Run, runs: RunStore, config: Config) -> frozenset[str]:
    """What did not pass in the newest kept run of another batch, and of this one if validated before, where people heard of those;
    nothing where no database can be read: then all is news. It is read before this run is among the kept.
    """
    if not config.notify or run.status == "pass":
        return frozenset()
    with contextlib.suppress(Exception):
        recent = runs.recent(run.pipeline, 2, quiet=False)
        before = [*[kept for kept in recent if kept.batch != run.batch][-1:], *(kept for kept in recent if kept.batch == run.batch)]
        return frozenset(outcome.key for kept in before for outcome in kept.outcomes if outcome.status != "pass")
    return frozenset()
