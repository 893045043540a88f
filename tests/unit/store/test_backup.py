"""docs/operating.md, Backup: copied in its order, while people go on working, a workspace is whole again."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import avh_ui
from avh_ui.cli.main import cli
from tests.data.release_0_1.make import table

WRITTEN = Path(__file__).parents[2] / "data" / "release_0_1"


def avh(root: Path, *words: str) -> Result:
    return CliRunner().invoke(cli, [*words, "-w", str(root)])


def copy(root: Path, to: Path, store: str) -> None:
    if store == "reviews.db":
        with closing(sqlite3.connect(root / store)) as source, closing(sqlite3.connect(to / store)) as target:
            source.backup(target)
    else:
        shutil.copytree(root / store, to / store)


def go_on(root: Path, version: int) -> None:
    """What people and schedulers do between two steps of a backup."""
    ws = avh_ui.open(root)
    draft = ws.draft("orders")
    assert draft is not None
    action = "accept" if version % 2 else "reject"
    ws.decide("orders", [draft.items[3].suggestion.id], action, by="ann", why="between")
    assert ws.publish("orders", by="ann", message="between").version == version
    avh_ui.validate(table(3), pipeline="orders", batch="2026-01-04", programs=root / "programs", history=root / "history")


@pytest.mark.parametrize(
    ("order", "whole"),
    [(("history", "programs", "reviews.db"), True), (("reviews.db", "programs", "history"), False)],
)
def test_a_copy_in_the_order_of_the_page_is_whole(tmp_path: Path, order: tuple[str, ...], whole: bool) -> None:
    root, to = tmp_path / "ws", tmp_path / "backup"
    shutil.copytree(WRITTEN, root)
    to.mkdir()
    for version, store in enumerate(order, start=3):
        copy(root, to, store)
        go_on(root, version)
    for beside in ("avh.yml", "keys"):
        (shutil.copytree if (root / beside).is_dir() else shutil.copy)(root / beside, to / beside)
    answer = avh(to, "programs", "verify")
    assert (answer.exit_code == 0) == whole, answer.output
    if whole:
        run = avh_ui.validate(table(3), pipeline="orders", batch="2026-01-04", programs=to / "programs", history=to / "history")
        assert (run.status, run.program_version, run.notes) == ("pass", 3, ())
        assert avh_ui.open(to).check_audit("orders") == []


def test_a_copy_without_reviews_is_said_to_be_compared_with_no_log(tmp_path: Path) -> None:
    for left_out in ((), ("reviews.db",)):
        root = tmp_path / f"ws{len(left_out)}"
        shutil.copytree(WRITTEN, root, ignore=shutil.ignore_patterns(*left_out))
        told = avh(root, "doctor").output
        assert ("the review database holds nothing of it" in told) == bool(left_out)
        assert ("audit log of orders: nothing was changed after it was written" in told) != bool(left_out)
        assert avh(root, "programs", "verify").exit_code == 0
