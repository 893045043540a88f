"""The part of a workspace that is seen: the app's pages as Panel views, in a notebook or an app of one's own."""

from __future__ import annotations

import importlib
from typing import Any


class ViewsOfWorkspace:
    """Every view takes a pipeline (None = the first one) and works by itself."""

    def review(self, pipeline: str | None = None) -> Any:
        """The whole app: its pages behind tabs."""
        return _view("review", self, pipeline)

    def overview(self, pipeline: str | None = None) -> Any:
        """All pipelines with their health, and one of them as columns over batches."""
        return _view("overview", self, pipeline)

    def what_if(self, pipeline: str | None = None) -> Any:
        """What another target, number of clauses or span of history would suggest."""
        return _view("what_if", self, pipeline)

    def alarms(self, pipeline: str | None = None, batch: str = "") -> Any:
        """The validation runs, at one batch where one is named."""
        return _view("alarms", self, pipeline, batch=batch)

    def drift(self, pipeline: str | None = None, batch: str = "", against: str = "", column: str = "") -> Any:
        """A batch or span against another (the newest against the one before by default)."""
        return _view("drift", self, pipeline, batch=batch, against=against, column=column)

    def publishing(self, pipeline: str | None = None) -> Any:
        """The draft against the live version, the versions so far, and the audit log."""
        return _view("publishing", self, pipeline)


def _view(name: str, *args: Any, **options: Any) -> Any:
    # By name: the app is a higher layer, and only who asks for a view pays for loading it.
    return getattr(importlib.import_module("avh_ui.ui.notebook"), name)(*args, **options)
