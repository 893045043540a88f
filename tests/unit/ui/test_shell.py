"""Views rendered to Bokeh models in this process, without a browser."""

from __future__ import annotations

import asyncio
import socket
from types import SimpleNamespace

import panel as pn
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from avh_ui.errors import NotFoundError, PortInUseError
from avh_ui.ui.app import _in_thread, build, check_port
from avh_ui.ui.components import component
from avh_ui.ui.components.address_bar import AddressBar
from avh_ui.ui.components.markup import Markup, join, tag
from avh_ui.ui.notebook import show
from avh_ui.ui.state.address import Address
from avh_ui.ui.views.shell import Shell
from avh_ui.workspace import Workspace
from tests.fakes.demo_workspace import demo_workspace


@pytest.fixture
def workspace() -> Workspace:
    return demo_workspace()


@pytest.fixture
def shell(workspace: Workspace) -> Shell:
    made = Shell(workspace.services)
    made.start(Address("orders", pile="all"))
    pn.panel(made).get_root(Document())
    return made


def texts(shell: Shell) -> str:
    return "".join(str(pane.object) for pane in pn.panel(shell).select(pn.pane.HTML))


def test_markup_escapes_all_but_itself() -> None:
    assert tag("b", "a < b", tag("i", '"'), None, cls="x", title="<'>") == '<b class="x" title="&lt;&#x27;&gt;">a &lt; b<i>&quot;</i></b>'
    assert join("<", Markup("<br>")) == "&lt;<br>"
    assert tag("b", "\ud800\0") == "<b>?\N{REPLACEMENT CHARACTER}</b>"


def test_values_of_the_data_are_text(shell: Shell) -> None:
    review = shell.pages["review"]
    shell.session.choose("hostile")
    review.state.query = "script"
    assert "&lt;script&gt;" in texts(shell)
    assert "<script>" not in texts(shell)
    assert next(row["column"] for row in review.queue_view.table.shown if "column" in row) == "<script>alert('x')</script>"


def test_the_table_gets_the_visible_page(shell: Shell) -> None:
    review = shell.pages["review"]
    assert len(review.queue_view.table.shown) == 50
    shell.command("accept")
    assert review.queue_view.table.shown[0]["status"] == "accepted"
    assert review.queue_view.table.cursor == review.state.visible[1]


def test_a_decision_draws_the_evidence_once(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    review = shell.pages["review"]
    chart = review.evidence_view.chart
    monkeypatch.setattr(chart, "draw", lambda _: drawn.append(review.evidence.item.suggestion.id))
    document = Document()
    monkeypatch.setattr(Document, "session_context", object())
    monkeypatch.setattr(component, "state", SimpleNamespace(curdoc=document, loaded=True))
    with component.together():
        shell.command("accept")
        assert drawn == []
    assert drawn == [review.state.cursor]


def test_messages_of_the_browser_are_not_trusted(shell: Shell) -> None:
    review = shell.pages["review"]
    before = review.state.cursor
    for message in ({"do": "look", "id": "no such"}, {"do": "sort", "name": "id"}, {"do": "turn", "page": 99}, {"do": "drop"}, {}):
        review.queue_view.table._handle_msg(message)
    shell.keyboard._handle_msg({"command": "publish"})
    assert review.state.sort == ""
    assert before in review.state.visible


def test_a_dragged_edge_reaches_the_form(shell: Shell) -> None:
    review = shell.pages["review"]
    view = review.evidence_view
    view.chart.band.top = 30_000.0
    assert review.evidence.bounds[1] == 30_000.0
    assert view.bounds.upper == "30000"
    assert "Would have alarmed on" in view.verdict.object
    assert len(view.chart.series.fired.data["x"]) == review.evidence.trial().result.fires
    assert view.form_actions.can("save")


def test_an_open_side_stays_open_while_dragging(shell: Shell) -> None:
    review = shell.pages["review"]
    review.state.query = "currency l1"
    review.evidence_view.chart.band.top = 0.2
    assert review.evidence.bounds == (None, 0.2)


def test_the_edges_of_a_constant_can_be_taken_apart(shell: Shell) -> None:
    review = shell.pages["review"]
    review.state.query = "complete_ratio"
    assert review.evidence.type_bounds("1", "1", of=review.state.cursor)
    band, scale = review.evidence_view.chart.band, review.evidence_view.chart.figure.y_range
    assert 0.03 * (scale.end - scale.start) < band.top - band.bottom < 0.04 * (scale.end - scale.start)
    edge = band.bottom - 0.1 * (scale.end - scale.start)
    band.bottom = edge
    lower, upper = review.evidence.bounds
    assert lower == pytest.approx(edge, rel=1e-2)
    assert upper == pytest.approx(1.0)


def test_the_chart_shows_both_spaces(shell: Shell) -> None:
    review = shell.pages["review"]
    review.state.query = "updated_at max"
    chart = review.evidence_view.chart
    assert chart.band.visible
    shell.command("space")
    assert not chart.band.visible
    assert len(chart.series.area.data["x"]) == 365  # each batch's id names the date that it is compared with
    shell.command("edit")
    assert chart.band.visible


def test_the_live_bounds_are_drawn(shell: Shell) -> None:
    review = shell.pages["review"]
    shell.command("accept")
    shell.pages["publish"].state.message = "First"
    shell.pages["publish"].state.approve()
    review.state.move(-1)
    reference = review.evidence_view.chart.series.reference.data
    assert reference["upper"][0] == review.evidence.item.current.upper
    assert "Live (version 1)" in review.evidence_view.facts.object


def test_the_page_and_its_address(workspace: Workspace) -> None:
    page = build(workspace.services)
    page.get_root(Document())
    address = page.main[0].select(AddressBar)[0]
    assert address.place["search"].startswith("?pipeline=orders&tab=overview")
    assert address.place["title"] == "Overview · orders · avh"


def test_the_back_button_leads_to_the_suggestion_of_a_review_that_this_session_has_not_shown(workspace: Workspace) -> None:
    """As after a reload elsewhere: its first visit chooses a pile, and must not do so once the suggestion is looked at."""
    last = workspace.draft("orders").items[-1].suggestion.id  # type: ignore[union-attr]
    back = f"?pipeline=orders&tab=review&suggestion={last}"
    shell = Shell(workspace.services)
    shell.start(Address.parse("?pipeline=orders&tab=publish"))
    shell.start(Address.parse(back))
    assert shell.pages["review"].state.cursor == last
    assert shell.address.place["search"] == back


def test_an_address_that_names_a_pile_shows_the_same_list_again(workspace: Workspace) -> None:
    first = Shell(workspace.services)
    first.start(Address.parse("?pipeline=orders&tab=review"))
    review = first.pages["review"]
    review.triaging.choose("eyes")
    review.state.move(2)
    search = first.address.place["search"]
    assert "pile=eyes" in search
    again = Shell(workspace.services)
    again.start(Address.parse(search))
    queue = again.pages["review"].state
    assert (queue.pile, queue.cursor, queue.lines) == (review.state.pile, review.state.cursor, review.state.lines)
    # Of a pile that does not have it all suggestions are shown.
    other = review.triaging.triage.items("eyes")[-1].suggestion.id
    again.start(Address("orders", "review", pile="redundant", suggestion=other))
    assert (queue.pile, queue.item.suggestion.id) == ("", other)


def test_a_workspace_without_pipelines(workspace: Workspace) -> None:
    workspace.services.config = workspace.config.model_copy(update={"pipelines": {}})
    shell = Shell(workspace.services)
    shell.start(Address())
    assert "This workspace has no pipeline yet" in texts(shell)


def test_a_notebook_view(workspace: Workspace) -> None:
    view = show(workspace.services, Address("orders"), height=500)
    root = pn.panel(view).get_root(Document())
    assert root.height == 500
    with pytest.raises(NotFoundError, match="Did you mean 'orders'"):
        workspace.review("ordrs")


def test_a_port_in_use_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        with pytest.raises(PortInUseError, match="cannot be used"):
            check_port(taken.getsockname()[1], "localhost")


@pytest.mark.parametrize("works", [True, False])
def test_work_that_ends_after_its_page_was_closed_ends_quietly(works: bool) -> None:
    document, handed = Document(), []

    def work() -> int:
        document.callbacks.destroy()  # as Bokeh does with a session's document
        return 1 if works else 1 // 0

    with set_curdoc(document):
        _in_thread(work, handed.append)
    (callback,) = document.session_callbacks
    asyncio.run(callback.callback())
    assert handed == []


def test_the_review_says_what_is_not_measured(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, ...]] = [("1 of 21 columns is not measured, because it is a variant: payload <b>.",), ()]
    asked: list[str | None] = []

    def notes(_pipeline: str, batch: str | None = None) -> tuple[str, ...]:
        asked.append(batch)
        return said.pop(0)

    monkeypatch.setattr(workspace.services.batches, "notes", notes)
    made = Shell(workspace.services)
    made.start(Address("orders", "review"))
    line = made.pages["review"].queue_view.unmeasured
    assert line.visible
    assert "1 of 21 columns is not measured, because it is a variant: payload &lt;b&gt;." in line.object
    assert asked == [made.session.draft.run.last_batch]
    made.session.refresh()
    assert not line.visible


def test_every_page_says_that_nothing_can_be_written_until_it_can(workspace: Workspace) -> None:
    reviews: object = workspace.services.suggestions._reviews
    vars(reviews)["read_only"] = "The disk is full."
    made = Shell(workspace.services)
    made.start(Address("orders", "overview"))
    said, again = made.warning.objects
    assert "The disk is full. It is tried again with every change" in said.object
    assert 'role="alert"' in said.object
    assert again.actions[0]["label"] == "Read again"
    vars(reviews)["read_only"] = ""
    again._handle_msg("refresh")
    assert not made.warning.objects


def test_what_others_did_interrupts_nobody_who_reads(workspace: Workspace) -> None:
    made = Shell(workspace.services)
    made.start(Address("orders", "overview"))
    made.session.stale = "bob made a new draft at 10:15 UTC: this page shows the one before."
    assert 'role="status"' in made.warning.objects[0].object
