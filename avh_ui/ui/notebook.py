"""The app and each of its pages in JupyterLab, or in an app of one's own."""

from __future__ import annotations

from typing import Any

import panel as pn
import panel_material_ui as pmui
from panel.viewable import Viewer

from avh_ui.ui.components.panes import card
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.door import Door
from avh_ui.ui.theme import theme_config
from avh_ui.ui.views.shell import Shell

# The CSS class within which the shortcuts act, since the notebook has keys of its own.
SCOPE = "avh-review"
HEIGHT = 760


class NotebookReview(Viewer):
    """The app at a fixed height, with its header on top of it; one page `alone` has the header once another page is turned to."""

    def __init__(self, shell: Shell, height: int = HEIGHT, *, alone: bool = False, **params: Any) -> None:
        super().__init__(**params)
        self.shell, self.height = shell, height
        self.header = card(*shell.header, padding="0 14px")
        if alone:
            self.header.visible, page = False, shell.session.tab
            shell.session.param.watch(lambda event: setattr(self.header, "visible", self.header.visible or event.new != page), "tab")

    def __panel__(self) -> Any:
        return pmui.Column(
            self.header,
            self.shell,
            height=self.height,
            sizing_mode="stretch_width",
            margin=0,
            theme_config=theme_config(),
            css_classes=[SCOPE],
        )


def review(workspace: Door, pipeline: str | None = None, *, height: int = HEIGHT) -> NotebookReview:
    """The review of a pipeline (the first one by default) as a view; the same one works in an app of one's own.

    `NotFoundError` for an unknown pipeline. Keys act after a click into the view.
    """
    return NotebookReview(_shell(workspace, Address(pipeline or "")), height)


def overview(workspace: Door, pipeline: str | None = None, *, height: int = HEIGHT) -> NotebookReview:
    """The page of all pipelines and of one as columns over batches, by itself."""
    return _alone(workspace, Address(pipeline or "", "overview"), height)


def what_if(workspace: Door, pipeline: str | None = None, *, height: int = HEIGHT) -> NotebookReview:
    """The page of other settings of the suggestions, by itself."""
    return _alone(workspace, Address(pipeline or "", "what-if"), height)


def alarms(workspace: Door, pipeline: str | None = None, *, batch: str = "", height: int = HEIGHT) -> NotebookReview:
    """The page of runs and alarms, by itself."""
    return _alone(workspace, Address(pipeline or "", "runs", batch=batch), height)


def drift(
    workspace: Door, pipeline: str | None = None, *, batch: str = "", against: str = "", column: str = "", height: int = HEIGHT
) -> NotebookReview:
    """The page that compares two batches or spans, by itself."""
    return _alone(workspace, Address(pipeline or "", "drift", column=column, batch=batch, against=against), height)


def publishing(workspace: Door, pipeline: str | None = None, *, height: int = HEIGHT) -> NotebookReview:
    """The page of what the next version changes, and of the versions so far, by itself."""
    return _alone(workspace, Address(pipeline or "", "publish"), height)


def _alone(workspace: Door, address: Address, height: int) -> NotebookReview:
    return NotebookReview(_shell(workspace, address), height, alone=True)


def _shell(workspace: Door, address: Address) -> Shell:
    if pn.state.curdoc is None or pn.state.curdoc.session_context is None:
        # A notebook has no server to fetch from, and the network may be closed: everything goes into the page.
        pn.extension(inline=True, notifications=True)
    if address.pipeline:
        workspace.pipeline(address.pipeline)
    shell = Shell(workspace, scope=SCOPE)
    shell.start(address)
    return shell
