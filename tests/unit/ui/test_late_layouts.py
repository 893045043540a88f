"""What a page holds back, and that its parts refer to one style sheet."""

from __future__ import annotations

from bokeh.document import Document
from bokeh.models import InlineStyleSheet
from panel.io.state import set_curdoc

from avh_ui.ui.components.action_bar import ActionBar
from avh_ui.ui.components.late_layouts import Column
from avh_ui.ui.components.panes import card, column, html, row


def test_hidden_objects_are_made_once_one_of_them_is_shown() -> None:
    seen, first, second = html("seen"), html("first", visible=False), html("second", visible=False)
    inner = row(first, second)
    inner.visible = False
    model = Column(seen, inner).get_root(Document())
    assert [child.text for child in model.children] == ["seen"]
    inner.visible = True
    assert len(model.children) == 2
    line = model.children[1]
    assert line.children == []  # both are hidden in it
    changes: list[int] = []
    line.on_change("children", lambda _attr, _old, _new: changes.append(1))
    second.visible = True
    first.visible = True
    # One change: a browser told of two at once draws what is new twice.
    assert ([child.text for child in line.children], len(changes)) == (["first", "second"], 1)
    first.visible = False
    assert (len(line.children), line.children[0].visible) == (2, False)


def test_what_is_added_while_others_are_held_back_comes_in_its_place() -> None:
    hidden, last = html("hidden", visible=False), html("last")
    body = column(hidden, last)
    model = body.get_root(Document())
    body.insert(1, html("added"))
    assert [child.text for child in model.children] == ["added", "last"]
    hidden.visible = True
    assert [child.text for child in model.children] == ["hidden", "added", "last"]
    body.remove(last)
    assert [child.text for child in model.children] == ["hidden", "added"]


def test_the_parts_of_a_page_refer_to_one_model_of_a_common_sheet() -> None:
    document = Document()
    with set_curdoc(document):
        model = card(html("a"), html("b"), ActionBar(), card(ActionBar())).get_root(document)
        document.add_root(model)
        common = [sheet for sheet in document.select({"type": InlineStyleSheet}) if "--avh-paper:" in sheet.css]
        assert len(common) == 2  # with the building blocks of HTML, and without
        assert [sheet for sheet in model.stylesheets if sheet in common] == [
            sheet for sheet in model.children[3].stylesheets if sheet in common
        ]
        assert not [sheet for child in model.children for sheet in child.stylesheets if isinstance(sheet, str) and "--avh-paper:" in sheet]
