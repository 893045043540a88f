"""The pages of the app, in the order of the top bar; each is declared in its own file."""

from __future__ import annotations

from avh_ui.ui.views.coverage import CoveragePage
from avh_ui.ui.views.drift import DriftPage
from avh_ui.ui.views.incidents import IncidentsPage
from avh_ui.ui.views.overview import OverviewPage
from avh_ui.ui.views.page import GLOSSARY, HELP, LINES, Page, Shortcut
from avh_ui.ui.views.publish import PublishPage
from avh_ui.ui.views.review import ReviewPage
from avh_ui.ui.views.runs import RunsPage
from avh_ui.ui.views.trial import TrialPage
from avh_ui.ui.views.what_if import WhatIfPage

PAGES: tuple[type[Page], ...] = (
    OverviewPage, ReviewPage, WhatIfPage, RunsPage, DriftPage, PublishPage, CoveragePage, IncidentsPage, TrialPage,
)  # fmt: skip

# Turning to a page by its place, whichever is shown.
TURNS = {f"tab-{at}": page.name for at, page in enumerate(PAGES, 1)}
EVERYWHERE = (*LINES, *(Shortcut((command[4:],), command, f"to {name.capitalize()}") for command, name in TURNS.items()), GLOSSARY, HELP)


def shortcuts() -> tuple[Shortcut, ...]:
    """All of them, each command once."""
    return tuple({shortcut.command: shortcut for shortcut in (*EVERYWHERE, *(s for page in PAGES for s in page.keys))}.values())
