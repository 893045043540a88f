"""Models tell the same of themselves as Bokeh has them tell it."""

from __future__ import annotations

from typing import Any

import panel as pn
import pytest
from bokeh.core.has_props import HasProps
from bokeh.document import Document
from bokeh.models import Slider
from bokeh.themes import Theme

from avh_ui.ui import app
from avh_ui.ui.components.lean_models import tell_models_lean
from avh_ui.ui.state.address import Address
from avh_ui.ui.views.pages import PAGES
from avh_ui.ui.views.shell import Shell
from tests.fakes.demo_workspace import demo_workspace


def document() -> Document:
    """The review after every other page, with a theme of its own."""
    pn.extension()
    shell = Shell(demo_workspace(hostile=False).services)
    shell.start(Address.parse("?tab=review"))
    for page in PAGES:
        shell.session.tab = page.name
    shell.session.tab = "review"
    made: Document = app._page(shell).server_doc(Document())
    made.theme = Theme(json={"attrs": {"Slider": {"step": 7, "styles": {"color": "red"}}, "Axis": {"axis_line_width": 3}}})
    made.add_root(Slider(start=1, end=9, value=5))
    return made


def told(made: Document, monkeypatch: pytest.MonkeyPatch, ask: Any) -> list[Any]:
    with monkeypatch.context() as patch:
        patch.setattr(HasProps, "query_properties_with_values", ask)
        return [(m.id, list(m.properties_with_values(include_defaults=False).items())) for m in sorted(made.models, key=lambda m: m.id)]


def test_they_tell_the_same_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    tell_models_lean()
    lean = vars(HasProps)["query_properties_with_values"]
    made = document()
    found, as_ever = told(made, monkeypatch, lean), told(made, monkeypatch, lean.__wrapped__)
    assert len(found) > 150
    assert [one for one, other in zip(found, as_ever, strict=True) if repr(one) != repr(other)] == []
    (slider,) = made.select({"type": Slider})
    assert slider.properties_with_values(include_defaults=False)["step"] == 7
    assert "show_value" not in slider.properties_with_values(include_defaults=False)
    assert slider.properties_with_values()["show_value"] is True


def test_it_is_done_once() -> None:
    tell_models_lean()
    first = vars(HasProps)["query_properties_with_values"]
    tell_models_lean()
    assert vars(HasProps)["query_properties_with_values"] is first
    assert not hasattr(first.__wrapped__, "__wrapped__")
