"""The only reader of the environment: every `AVH_*` variable, its type and its default."""

from __future__ import annotations

import getpass
import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Process-wide settings. `actor`: who decisions are recorded for when no `--by` is given."""

    actor: str
    java_home: str | None
    log_level: str


def load_settings() -> Settings:
    """Read `AVH_ACTOR`, `AVH_JAVA_HOME` and `AVH_LOG_LEVEL`; unset ones fall back to the login name, none and WARNING."""
    env = os.environ
    return Settings(
        actor=env.get("AVH_ACTOR") or _login(),
        java_home=env.get("AVH_JAVA_HOME") or env.get("JAVA_HOME") or None,
        log_level=(env.get("AVH_LOG_LEVEL") or "WARNING").upper(),
    )


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        # A container may run under a number that no password file names.
        return "unknown"
