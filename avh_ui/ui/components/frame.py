"""The page around the app in a server: its bar, theme, icons, and what its head has the browser fetch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import panel_material_ui as pmui
from bokeh.document import Document
from panel.io.resources import component_resource_path
from panel.io.server import server_html_page_for_session
from panel.io.state import set_curdoc, state
from panel.util import edit_readonly

from avh_ui.ui.components.component import Component
from avh_ui.ui.components.icons import LOGO
from avh_ui.ui.theme import theme_config

TITLE = "avh review"
PAGE = Path(__file__).parents[1] / "page.html"
SKELETON = (Path(__file__).parents[1] / "skeleton.css").read_text(encoding="utf-8")
_DIST = Path(pmui.__file__).parent / "dist"
# Where what is the same for everybody ends, see `page.html`.
MARK = "<!-- what follows is of one session -->"
# These values tell the page that the bar has a colour of its own (the theme's), on which its controls are not white. It lies over the
# skeleton, which is there until all is drawn.
_LOOK: dict[str, Any] = {
    "position": "relative",
    "zIndex": 1,
    ".MuiAppBar-root": {"bgcolor": "primary.contrastText", "color": "primary.main"},
    ".MuiAppBar-root > .MuiLinearProgress-root": {"display": "none"},
    # The room below the bar is made by an empty heading, which nobody is to be read.
    ".MuiToolbar-root > h5:only-child": {"visibility": "hidden"},
    # The lines of the bar, and as much room above the page (`shell.TWO_LINES`): two, or three where the pages need two of them.
    "@media (max-width: 900px)": {
        ".MuiToolbar-root": {"minHeight": "100px", "paddingLeft": "10px", "paddingRight": "6px"},
        # In the first of them, beside the other buttons.
        '.MuiToolbar-root [aria-label="Toggle theme"]': {"alignSelf": "flex-start", "marginTop": "10px"},
    },
    "@media (max-width: 640px)": {".MuiToolbar-root": {"minHeight": "128px"}},
}


def frame(header: Sequence[Any], main: Sequence[Any], *, dark: bool, pages: Sequence[str]) -> Any:
    """The page around these; `pages` are the names in its bar while it is drawn. What its head needs goes to the current document."""
    icon = f"data:image/svg+xml,{quote(LOGO)}"
    if state.curdoc is not None:
        state.curdoc.template_variables.update(_in_head(dark, pages))
    page = pmui.Page(
        template=PAGE,
        meta_title=TITLE,
        meta_name=TITLE,
        meta_description="Review suggested data-quality rules",
        favicon=icon,
        meta_apple_touch_icon=icon,
        header=list(header),
        main=list(main),
        dark_theme=dark,
        theme_config=theme_config(),
        sx=_LOOK,
    )
    # The bar follows the whole process: every event of every session would be told to every page, twice. What takes long says so itself.
    # It is made to follow the page's own parameter, which nothing sets: a mere False would leave the page among the process's watchers,
    # and with it all of its session, for as long as the process lives.
    with edit_readonly(page):
        page.busy = page.param.loading
    return page


def head(resources: Any, *, dark: bool, pages: Sequence[str]) -> str:
    """All of a page up to the mark, as the server gives it to everybody: made for nobody, of a page without anything in it."""
    document = Document()
    with set_curdoc(document):
        frame([], [], dark=dark, pages=pages).server_doc(document)
    nobody: Any = SimpleNamespace(document=document, token="nobody")
    page: str = server_html_page_for_session(
        nobody, resources, TITLE, template=document.template, template_variables=document.template_variables
    )
    return page[: page.index(MARK)] + MARK


def _in_head(dark: bool, pages: Sequence[str]) -> dict[str, Any]:
    """What the template asks for beside what Panel gives it."""
    return {
        **_files(state.rel_path or ""),
        "skeleton_css": SKELETON,
        "logo": LOGO,
        "dark": dark,
        "pages": [name.capitalize() for name in pages],
        "mark": MARK,
    }


@lru_cache(maxsize=8)
def _files(_below: str) -> dict[str, list[str]]:
    """What a browser is to fetch ahead, by addresses for pages below a path; a request may name one that is for itself alone.

    The fonts are those that every page is written in: a browser asks for them last, when the first text is laid out, and text is unseen
    until then.
    """
    files = [file for weight in (400, 700) for file in sorted(_DIST.glob(f"roboto-latin-{weight}-normal-*.woff2"))]
    return {
        "modules": [pmui.Page._render_esm(server=True), *Component.addresses()],
        "fonts": [component_resource_path(pmui.Page, "_bundle_path", file) for file in files],
    }
