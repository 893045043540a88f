"""Running `avh` in this process, over a workspace of fakes where a test asks for one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from avh_ui import bootstrap
from avh_ui.cli.main import cli
from tests.fakes.workspaces import FakeWorkspace


@dataclass(frozen=True)
class Answer:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


Avh = Callable[..., Answer]


@pytest.fixture
def avh() -> Avh:
    """`avh("profile", "orders", ...)`."""

    def run(*args: object) -> Answer:
        result = CliRunner().invoke(cli, [str(a) for a in args])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Callable[[FakeWorkspace], FakeWorkspace]:
    """Makes the commands open this workspace."""

    def use(workspace: FakeWorkspace) -> FakeWorkspace:
        monkeypatch.setattr(bootstrap, "open_services", lambda *_, **__: workspace.services)
        return workspace

    return use
