"""`notify:` of avh.yml: who hears of a validation, and how. No secret stands there: those are read from the environment."""

from __future__ import annotations

import re
from typing import Any, Literal, Protocol, TypeVar, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, model_validator

from avh_ui.errors import nearest

When = Literal["fail", "warn", "not_evaluated", "pass"]
_ADDRESS = re.compile(r"[^\s@,;<>]+@[^\s@,;<>]+")
_VARIABLE = re.compile(r"\$AVH_HOOK[A-Z0-9_]*")


class Notice(BaseModel):
    """One receiver: a `webhook` (a URL, or `$AVH_HOOK_NAME` for one in the environment, since many are secrets themselves) or an `email`.

    `when` are the verdicts that are told, `pipelines` those it hears of (empty = all). `form: slack` sends a text alone,
    `openlineage` an event of the run: every verdict is told then, unless `when` and `repeat` say otherwise. Mail goes
    by `smtp` (`smtp://HOST:25`, `starttls://HOST:587`, `smtps://HOST:465`) from `sender`. With `repeat` what alarmed in the batch before
    is told again.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    webhook: str = ""
    form: Literal["json", "slack", "openlineage"] = "json"
    email: tuple[str, ...] = ()
    sender: str = ""
    smtp: str = "smtp://localhost:25"
    when: tuple[When, ...] = ("fail", "not_evaluated")
    pipelines: tuple[str, ...] = ()
    repeat: bool = False

    @model_validator(mode="before")
    @classmethod
    def _all_of_lineage(cls, data: Any) -> Any:
        if not isinstance(data, dict) or data.get("form") != "openlineage":
            return data
        return {"when": get_args(When), "repeat": True, **data}

    @model_validator(mode="after")
    def _addressed(self) -> Notice:
        if bool(self.webhook) == bool(self.email):
            raise ValueError("a receiver has either a webhook or an email")
        if self.webhook and not _VARIABLE.fullmatch(self.webhook) and urlsplit(self.webhook).scheme not in ("http", "https"):
            raise ValueError("a webhook is a URL with https://, or the name of a variable of the environment such as $AVH_HOOK_TEAM")
        if self.webhook and "@" in urlsplit(self.webhook).netloc:
            raise ValueError("a login does not belong into avh.yml, nor into a URL: take a webhook without one")
        if self.email and (wrong := next((a for a in (*self.email, self.sender) if not _ADDRESS.fullmatch(a)), None)) is not None:
            raise ValueError(f"{wrong!r} is no address of a mail: email and sender take some, such as data@example.org")
        parts = urlsplit(self.smtp)
        if parts.scheme not in ("smtp", "smtps", "starttls") or not parts.hostname:
            raise ValueError(f"{self.smtp!r} is no server of mail: write smtp://HOST:25, starttls://HOST:587 or smtps://HOST:465")
        if parts.password or parts.username:
            raise ValueError("a login does not belong into avh.yml: set AVH_SMTP_USER and AVH_SMTP_PASSWORD")
        return self

    @property
    def name(self) -> str:
        """What it is called where something goes wrong: never a URL's path, which may be a secret."""
        if self.email:
            return f"the receiver {', '.join(self.email)}"
        return f"the webhook {self.webhook if self.webhook.startswith('$') else urlsplit(self.webhook).hostname}"


class Notified(Protocol):
    """What has receivers, and pipelines that they hear of: an avh.yml."""

    notify: tuple[Notice, ...]
    pipelines: dict[str, Any]


N = TypeVar("N", bound=Notified)


def with_known_pipelines(config: N) -> N:
    """The same; `ValueError` for a receiver that hears of a pipeline which is not there: it would hear of nothing."""
    for name in (name for notice in config.notify for name in notice.pipelines):
        if name not in config.pipelines:
            raise ValueError(f"notify names the pipeline {name!r}, which is none of avh.yml. {nearest(name, config.pipelines)}".rstrip())
    return config
