"""Commands that sentences name can be pasted as they are, with the workspace that was typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from avh_ui.__main__ import main
from avh_ui.cli.commands_said import forget, pasteable
from avh_ui.cli.main import COMMANDS, cli
from avh_ui.cli.options import workspace_option
from avh_ui.cli.output import say
from avh_ui.commands_named import ASKED
from tests.fakes.workspaces import FakeWorkspace
from tests.unit.cli.conftest import Avh

Fake = Callable[[FakeWorkspace], FakeWorkspace]


@click.command()
@workspace_option()
def _said(root: Path) -> None:
    del root
    say("Go on with `avh publish orders`, `avh validate orders -w x` or `avh explain mean`; see `avh validate --help`.")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["-w", "a b"], "Go on with `avh publish orders --by NAME -m TEXT -w 'a b'`, `avh validate orders -w x` or `avh explain mean`"),
        (["-w", "."], "Go on with `avh publish orders --by NAME -m TEXT`, "),
        ([], "Go on with `avh publish orders --by NAME -m TEXT`, "),
    ],
)
def test_the_workspace_that_was_typed_is_in_each_command_that_needs_it(typed: list[str], said: str) -> None:
    out = CliRunner().invoke(_said, typed).output
    assert out.startswith(said)
    assert "see `avh validate --help`." in out


def test_one_command_knows_nothing_of_the_one_before() -> None:
    CliRunner().invoke(_said, ["-w", "elsewhere"])
    assert pasteable("`avh profile x`") == "`avh profile x -w elsewhere`"
    forget()
    assert pasteable("`avh profile x`") == "`avh profile x`"


def test_what_a_command_asks_of_a_person_is_named_once_and_only_in_a_call() -> None:
    forget()
    assert pasteable("`avh decide x --by ann`, `avh publish x -m why`") == "`avh decide x --by ann`, `avh publish x -m why --by NAME`"
    assert pasteable("`avh publish`") == "`avh publish`"


def test_what_is_asked_of_a_person_is_what_the_commands_refuse_to_run_without() -> None:
    required: dict[str, tuple[str, ...]] = {}
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        people = [option for option in command.params if option.required and option.name in ("by", "message")]
        if people:
            required[name] = tuple(f"{min(option.opts, key=len)} {option.metavar}" for option in people)
    assert required == ASKED


def test_an_error_names_commands_of_the_workspace_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fake: Fake
) -> None:
    fake(FakeWorkspace())
    monkeypatch.setattr("sys.argv", ["avh", "suggest", "orders", "-w", "there"])
    with pytest.raises(SystemExit):
        main()
    assert "`avh profile orders -w there`" in capsys.readouterr().err


def test_suggest_says_what_is_decided_already_and_how_to_go_on(avh: Avh, fake: Fake) -> None:
    made = fake(FakeWorkspace().profiled())
    avh("suggest", "orders")
    made.services.suggestions.decide("orders", [i.suggestion.id for i in made.draft("orders").items], "reject", by="ann", reason="known")  # type: ignore[union-attr]
    assert avh("suggest", "orders").out.splitlines()[-1] == (
        "Nothing is left to decide. `avh suggest orders --forget` suggests what was rejected with a reason, too."
    )
    last = avh("suggest", "orders", "--forget").out.splitlines()[-1]
    assert last.startswith("All is decided, as it was before: ")
    assert last.endswith(" rejected. Decide otherwise with `avh decide orders --accept --all --by NAME`, or by their ids.")
    made.services.suggestions.decide("orders", [i.suggestion.id for i in made.draft("orders").items], "accept", by="ann")  # type: ignore[union-attr]
    assert avh("suggest", "orders").out.splitlines()[-1].endswith(" accepted. Publish it with `avh publish orders --by NAME -m TEXT`.")
