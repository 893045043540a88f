"""The app and each of its pages in JupyterLab, or in an app of one's own."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

from avh_ui.ui.components.panes import PaneView, card
from avh_ui.ui.state.address import Address
from avh_ui.ui.theme import theme_config
from avh_ui.ui.views.shell import Shell
from avh_ui.workflows.services import Services

# The CSS class within which the shortcuts act, since the notebook has keys of its own.
SCOPE = "avh-review"
# In a cell of 1,008 pixels some 580 of them are the header, first steps, piles and filters: at 760 the list showed four rows, here six.
HEIGHT = 890
# A cell is smaller than the window: what stands side by side, and what is folded, is decided by its own size.
_MEASURED = {"container-type": "size"}


class NotebookReview(PaneView):
    """The app at a fixed height, with its header on top of it; one page `alone` has the header once another page is turned to."""

    def __init__(self, shell: Shell, height: int = HEIGHT, *, alone: bool = False) -> None:
        super().__init__()
        self.shell = shell
        self.header = card(*shell.header, padding="0 14px")
        if alone:
            self.header.visible, page = False, shell.session.tab
            shell.session.param.watch(lambda event: setattr(self.header, "visible", self.header.visible or event.new != page), "tab")
        look = {"sizing_mode": "stretch_width", "margin": 0, "theme_config": theme_config(), "css_classes": [SCOPE]}
        self.body = pmui.Column(self.header, shell, height=height, styles=_MEASURED, **look)


def show(services: Services, address: Address, *, alone: bool = True, height: int = HEIGHT) -> NotebookReview:
    """What an address names: a page by itself, or (not `alone`) the whole app opened there; `NotFoundError` for an unknown pipeline."""
    if pn.state.curdoc is None or pn.state.curdoc.session_context is None:
        # A notebook has no server to fetch from, and the network may be closed: everything goes into the page.
        pn.extension(inline=True, notifications=True)
    if address.pipeline:
        services.pipeline(address.pipeline)
    shell = Shell(services, scope=SCOPE)
    shell.start(address)
    return NotebookReview(shell, height, alone=alone)
