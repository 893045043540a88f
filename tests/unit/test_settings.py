"""The environment variables that the product reads."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from avh_ui.settings import Settings, load_settings

NAMES = (
    "AVH_ACTOR",
    "LOGNAME",
    "USER",
    "LNAME",
    "USERNAME",
    "AVH_JAVA_HOME",
    "JAVA_HOME",
    "AVH_LOG_LEVEL",
    "AVH_LOG_DIR",
    "XDG_STATE_HOME",
)


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    # As in a container whose user has a number and no name.
    monkeypatch.setattr("pwd.getpwuid", _nobody)


def _nobody(_: int) -> None:
    raise KeyError("getpwuid(): uid not found")


def test_defaults() -> None:
    settings = load_settings()
    assert (settings.actor, settings.java_home, settings.log_level) == ("unknown", None, "WARNING")


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.setenv(name, "")
    folder = Path.home() / ".local" / "state" / "avh_ui"
    assert load_settings() == Settings(actor="unknown", java_home=None, log_level="WARNING", log_folder=folder, state_folder=folder)


def test_where_logs_go(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert load_settings().log_folder == Path(tempfile.gettempdir())
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert load_settings().log_folder == Path("/state/avh_ui")
    monkeypatch.setenv("AVH_LOG_DIR", "/logs")
    assert (load_settings().log_folder, load_settings().state_folder) == (Path("/logs"), Path("/state/avh_ui"))


def test_our_variables_come_before_the_system_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "login")
    monkeypatch.setenv("JAVA_HOME", "/java/system")
    assert (load_settings().actor, load_settings().java_home) == ("login", "/java/system")
    monkeypatch.setenv("AVH_ACTOR", "ada")
    monkeypatch.setenv("AVH_JAVA_HOME", "/java/ours")
    assert (load_settings().actor, load_settings().java_home) == ("ada", "/java/ours")


def test_the_log_level_is_in_capitals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AVH_LOG_LEVEL", "debug")
    assert load_settings().log_level == "DEBUG"


def test_a_change_after_import_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AVH_ACTOR", "grace")
    assert load_settings().actor == "grace"
    monkeypatch.setenv("AVH_ACTOR", "ada")
    assert load_settings().actor == "ada"
