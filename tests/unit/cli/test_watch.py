"""`avh watch`: rounds over all pipelines in one process, each fault said once, and a clean end."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from avh_ui import bootstrap
from avh_ui.cli.watch import Watched, stopping
from avh_ui.errors import SourceError
from tests.fakes.workspaces import CONSTRAINTS, DAYS, FakeWorkspace, day, orders
from tests.unit.cli.conftest import Avh

Use = Callable[[FakeWorkspace], FakeWorkspace]


def test_a_round_judges_what_is_new_and_no_more(avh: Avh, fake: Use) -> None:
    workspace = fake(FakeWorkspace().published(*CONSTRAINTS[:2]))
    workspace.profiler.tables["orders"][day(DAYS)] = orders(DAYS, 200)
    workspace.profiler.tables["orders"][day(DAYS + 1)] = orders(DAYS + 1)
    first = avh("watch", "--once")
    assert (first.code, first.out.count("orders")) == (1, 2), first.out
    assert avh("watch", "--once").out == ""
    assert avh("watch", "oders", "--once").code == 3


def test_a_name_that_is_wrong_keeps_no_other_pipeline_from_being_watched(avh: Avh, fake: Use) -> None:
    workspace = fake(FakeWorkspace().published(*CONSTRAINTS[:2]))
    workspace.profiler.tables["orders"][day(DAYS)] = orders(DAYS)
    found = avh("watch", "orders", "oders", "--once")
    assert (found.code, found.out.count("orders")) == (3, 1), found.out
    assert "'oders'" in found.err


def test_a_batch_that_stays_without_a_profile_is_judged_again_more_and_more_seldom(fake: Use, capsys: pytest.CaptureFixture[str]) -> None:
    workspace = fake(FakeWorkspace().published(*CONSTRAINTS[:2]))
    workspace.profiler.tables["orders"][day(DAYS)] = orders(DAYS, 0)
    with stopping() as stop:
        watched = Watched(Path(), (), stop)
        judged = []
        for _ in range(9):
            watched.round()
            judged.append(bool(capsys.readouterr().out))
        assert judged == [True, True, False, True, False, False, False, True, False]
        # Mended at its source it is judged in its next turn, and then no more.
        workspace.profiler.tables["orders"][day(DAYS)] = orders(DAYS)
        turns = []
        for _ in range(20):
            watched.round()
            turns.append(bool(capsys.readouterr().out))
        assert turns.count(True) == 1
        assert watched._rounds == {}


def test_what_is_labelled_as_wrong_is_not_judged_again(avh: Avh, fake: Use) -> None:
    workspace = fake(FakeWorkspace().published(*CONSTRAINTS[:2]))
    workspace.profiler.tables["orders"][day(DAYS)] = orders(DAYS, 0)
    assert avh("watch", "--once").code == 1
    assert avh("validate", "orders", "--new").code == 1, "it has no profile"
    assert avh("label", "orders", "known-error", "--batch", day(DAYS), "--by", "ann").code == 0
    assert "0 batches to validate" in avh("validate", "orders", "--new").out
    assert avh("watch", "--once").out == ""
    assert avh("validate", "orders", "--batch", day(DAYS)).code == 1, "by its name it is"
    assert avh("label", "orders", "none", "--batch", day(DAYS), "--by", "ann").code == 0
    assert avh("watch", "--once").code == 1


def test_without_a_program_a_pipeline_is_not_watched_and_that_is_said_once(fake: Use, capsys: pytest.CaptureFixture[str]) -> None:
    fake(FakeWorkspace(days=2).profiled())
    with stopping() as stop:
        watched = Watched(Path(), (), stop)
        assert [watched.round(), watched.round()] == [0, 0]
        assert capsys.readouterr().err.count("orders: it is not watched. ") == 1
        # Asked for by its name it was not judged, which is no pass.
        assert Watched(Path(), ("orders",), stop).round() == 3


def test_a_fault_is_said_once_while_it_stays(fake: Use, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = fake(FakeWorkspace().published(*CONSTRAINTS[:2]))
    whole = bootstrap.open_services

    def down(*_: object, **__: object) -> object:
        raise SourceError("The folder is away.")

    with stopping() as stop:
        watched = Watched(Path(), (), stop)
        monkeypatch.setattr(bootstrap, "open_services", down)
        assert [watched.round(), watched.round()] == [3, 3]
        monkeypatch.setattr(bootstrap, "open_services", whole)
        workspace.profiler.tables["orders"][day(DAYS)] = orders(DAYS)
        assert watched.round() == 0
        monkeypatch.setattr(bootstrap, "open_services", down)
        assert watched.round() == 3
    assert capsys.readouterr().err.count("The folder is away.") == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_after_the_batch_that_is_judged(fake: Use, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    workspace = fake(FakeWorkspace().published(*CONSTRAINTS[:2]))
    for k in range(3):
        workspace.profiler.tables["orders"][day(DAYS + k)] = orders(DAYS + k)
    judge = workspace.services.runs.judge
    judged: list[object] = []

    def once(*args: object, **more: object) -> object:
        judged.append(args)
        os.kill(os.getpid(), number)
        return judge(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(workspace.services.runs, "judge", once)
    before = signal.getsignal(number)
    with stopping() as stop:
        assert Watched(Path(), (), stop).round() == 0
        assert stop.is_set()
    assert (len(judged), signal.getsignal(number)) == (1, before)


def test_it_says_that_it_watches(avh: Avh, fake: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(FakeWorkspace().published(*CONSTRAINTS[:2]))
    monkeypatch.setattr(Watched, "round", lambda _: os.kill(os.getpid(), signal.SIGTERM))
    answer = avh("watch", "--every", "30s")
    assert (answer.code, answer.out) == (0, "")
    assert answer.err == "Watching all pipelines of avh.yml: a round every 30 s. Ctrl-C ends it.\n"
    assert "Watching orders: a round every 5 min." in avh("watch", "orders").err


@pytest.mark.parametrize("every", ["5", "0s", "soon", "m"])
def test_a_time_that_is_none_is_refused(avh: Avh, every: str) -> None:
    answer = avh("watch", "--every", every)
    assert (answer.code, "is no time: write 30s, 5m or 2h" in answer.err) == (2, True)
