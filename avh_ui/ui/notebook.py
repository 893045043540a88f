"""The review page in JupyterLab."""

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
    """The app at a fixed height, with its header on top of it."""

    def __init__(self, shell: Shell, height: int = HEIGHT, **params: Any) -> None:
        super().__init__(**params)
        self.shell, self.height = shell, height

    def __panel__(self) -> Any:
        header = card(*self.shell.header, padding="0 14px")
        return pmui.Column(
            header, self.shell, height=self.height, sizing_mode="stretch_width", margin=0, theme_config=theme_config(), css_classes=[SCOPE]
        )


def review(workspace: Door, pipeline: str | None = None, *, height: int = HEIGHT) -> NotebookReview:
    """The review of a pipeline (the first one by default) as a view; the same one works in an app of one's own.

    `NotFoundError` for an unknown pipeline. Keys act after a click into the view.
    """
    if pn.state.curdoc is None or pn.state.curdoc.session_context is None:
        # A notebook has no server to fetch from, and the network may be closed: everything goes into the page.
        pn.extension(inline=True, notifications=True)
    if pipeline:
        workspace.pipeline(pipeline)
    shell = Shell(workspace, scope=SCOPE)
    shell.start(Address(pipeline or ""))
    return NotebookReview(shell, height)
