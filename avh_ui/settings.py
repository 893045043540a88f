"""The only reader of the environment: every `AVH_*` variable, its type and its default."""

from __future__ import annotations

import getpass
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

# How variables begin that hold what sources log in with.
SECRET = "AVH_SECRET"


@dataclass(frozen=True, repr=False)
class NotifySecrets:
    """What notices are sent with: the key that webhooks are signed by, the login of mail, and the URLs of `$AVH_HOOK...` by that name."""

    signing: str = ""
    smtp_user: str = ""
    smtp_password: str = ""
    hooks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    """Process-wide settings. `actor`: who decisions are recorded for when no `--by` is given. `log_folder`: where unforeseen errors go.
    `state_folder`: what programs keep for this user alone. `spark_home`: a Spark of the user's own.
    """

    actor: str
    java_home: str | None
    log_level: str
    log_folder: Path
    state_folder: Path
    notify: NotifySecrets = NotifySecrets()
    spark_home: str | None = None
    # What sources log in with; never shown.
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)


def load_settings() -> Settings:
    """Read `AVH_ACTOR`, `AVH_JAVA_HOME`, `AVH_LOG_LEVEL`, `AVH_LOG_DIR`; of notices `AVH_NOTIFY_SECRET`, `AVH_SMTP_USER`,
    `AVH_SMTP_PASSWORD` and the webhooks and secrets that avh.yml names as `$AVH_HOOK...` and `$AVH_SECRET...`.

    `SPARK_HOME` is PySpark's own. Unset ones fall back to the login name, none, WARNING, and `avh_ui` in the user's folder for states
    of programs.
    """
    env = os.environ
    state = _state_folder(env.get("XDG_STATE_HOME"))
    return Settings(
        actor=env.get("AVH_ACTOR") or _login(),
        java_home=env.get("AVH_JAVA_HOME") or env.get("JAVA_HOME") or None,
        log_level=(env.get("AVH_LOG_LEVEL") or "WARNING").upper(),
        log_folder=Path(env.get("AVH_LOG_DIR") or state),
        state_folder=state,
        spark_home=env.get("SPARK_HOME") or None,
        secrets={name: value for name, value in env.items() if name.startswith(SECRET) and value},
        notify=NotifySecrets(
            signing=env.get("AVH_NOTIFY_SECRET") or "",
            smtp_user=env.get("AVH_SMTP_USER") or "",
            smtp_password=env.get("AVH_SMTP_PASSWORD") or "",
            hooks={name: value for name, value in env.items() if name.startswith("AVH_HOOK") and value},
        ),
    )


def without_pydantic_plugins() -> None:
    """Let pydantic look for no plugins in this process, unless somebody has said which: looking for them takes 20 ms."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def _state_folder(chosen: str | None) -> Path:
    """As the XDG base directory specification says; the folder for temporary files where there is no home."""
    try:
        return (Path(chosen) if chosen else Path.home() / ".local" / "state") / "avh_ui"
    except RuntimeError:
        return Path(tempfile.gettempdir())


def of_one_core() -> dict[str, str]:
    """The environment of a process that has one core: NumPy's threads would be in the way of the others, and wait for work busily."""
    return {"OPENBLAS_NUM_THREADS": "1", **os.environ}


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        # A container may run under a number that no password file names.
        return "unknown"
