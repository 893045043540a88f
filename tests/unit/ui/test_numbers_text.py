"""Help says what the numbers on the page mean, with these numbers."""

from __future__ import annotations

from dataclasses import replace

from avh_ui.review.plain import plain
from avh_ui.ui.components.markup import Markup
from avh_ui.ui.state.reading import rate
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.views.numbers_text import numbers
from avh_ui.ui.views.shell import Shell
from tests.fakes.demo_workspace import demo_workspace
from tests.unit.ui.conftest import Desk


def test_what_a_rate_and_a_catch_mean_of_the_rule_looked_at(desk: Desk) -> None:
    item = desk.queue.item
    assert item is not None
    desk.decisions.accept(desk.queue.visible[:3])
    said = numbers(desk.session, item)
    assert rate(item.current.fpr) in said
    assert f"Of {item.suggestion.variants} faults that were put into a batch it notices {len(item.caught)}," in said
    assert "The rates of the 3 accepted rules added up, times 365 batches a year." in said
    stated = replace(item, constraint=replace(item.current, origin="manual", fpr=0.0))
    unpriced = numbers(desk.session, stated)
    assert "Catches" not in unpriced
    assert "not known: no batch that is right was measured for it." in unpriced
    assert numbers(desk.session, None) == numbers(SessionState(desk.workspace.services), item) == Markup()


def test_help_is_of_what_is_looked_at_when_it_is_opened_and_leads_to_the_glossary() -> None:
    made = Shell(demo_workspace(hostile=False).services)
    made.session.choose("orders")
    queue = made.pages["review"].state
    for line in queue.lines[:2]:
        queue.go(line)
        made.command("help")
        assert plain(queue.item.current) in made.sheets["help"][0].object
        made.command("help")
    made.command("help")
    made.sheets["help"][1].param.trigger("clicks")
    assert (made.sheets["help"].open, made.sheets["glossary"].open) == (False, True)
    made.command("glossary")
    assert not made.sheets["glossary"].open
