"""What is typed into a field stays, in whichever batches the server is told of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from avh_ui.ui.components.panes import field
from avh_ui.ui.components.text_fields import TextArea, TextLine
from avh_ui.ui.state.new_rule import NewRuleState, TryingState
from avh_ui.ui.views.new_rule import NewRuleView
from tests.fakes.workspaces import CONSTRAINTS, FakeWorkspace
from tests.unit.ui.conftest import sit_down

# What the browser sends of a field that is typed into, left, and typed into again, and what stands in it then.
TYPED_AGAIN = [{"value_input": "> 1x"}, {"value": "> 1x"}, {"value_input": "> 1"}]


def batches(events: list[dict[str, str]]) -> list[list[dict[str, str]]]:
    """The same messages as a quick server hears of them and as busy ones do: each way to cut them into batches."""
    ways = []
    for cuts in range(2 ** (len(events) - 1)):
        made = [dict(events[0])]
        for at, event in enumerate(events[1:]):
            if cuts >> at & 1:
                made[-1].update(event)
            else:
                made.append(dict(event))
        ways.append(made)
    return ways


@pytest.mark.parametrize("make", [TextLine, TextArea])
@pytest.mark.parametrize("way", batches(TYPED_AGAIN), ids=str)
def test_a_text_typed_after_the_field_was_left_stays(make: Callable[[], Any], way: list[dict[str, str]]) -> None:
    widget, told = make(), list[str]()
    widget.param.watch(lambda event: told.append(event.new), "value_input")
    for events in way:
        widget._process_events(events)
    assert widget.value_input == "> 1"
    assert told in (["> 1x", "> 1"], ["> 1"])


def test_a_field_that_is_left_keeps_its_text_and_says_so() -> None:
    widget = TextLine(value="a")
    assert widget.value_input == "a"
    widget._process_events({"value_input": "ab"})
    # The browser draws a text later than it is told of it, and may leave the field with the text drawn before.
    widget._process_events({"value": "a"})
    assert (widget.value, widget.value_input) == ("ab", "ab")


def test_the_server_fills_a_field_unless_something_newer_was_typed() -> None:
    widget = field("Why")
    widget.show("a")
    assert (widget.value, widget.value_input) == ("a", "a")
    widget._process_events({"value_input": "ab"})
    widget.show("")
    assert (widget.value, widget.value_input) == ("", "")
    widget._events = {"value_input": "b"}  # sent, and nobody was told of it
    widget.show("c")
    assert widget.value_input == ""


@pytest.mark.parametrize("way", batches(TYPED_AGAIN), ids=str)
def test_the_form_of_a_rule_shows_what_was_typed(way: list[dict[str, str]]) -> None:
    desk = sit_down(FakeWorkspace().drafted(*CONSTRAINTS), "?pipeline=orders")
    state = NewRuleState(desk.session, desk.queue, desk.decisions)
    view = NewRuleView(state, TryingState(desk.session))
    state.open()
    state.say("has")
    for events in way:
        view.fields["lower"]._process_events(events)
    view.fields["where"]._process_events({"value_input": ""})
    assert state.typed["lower"] == view.fields["lower"].value_input == "> 1"
