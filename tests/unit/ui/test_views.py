"""Every view builds its models from real state, and hostile names stay text."""

from __future__ import annotations

import pytest
from panel.io.state import state

from avh_ui.constraints.constraint import Constraint
from avh_ui.review.difference import compared
from avh_ui.ui.components.markup import Markup, join, tag
from avh_ui.ui.state.address import Address
from avh_ui.ui.views.difference_text import groups
from avh_ui.ui.views.shell import Shell
from tests.fakes.demo_workspace import HOSTILE, demo_workspace


@pytest.mark.parametrize(
    "address",
    [
        "",
        "?pipeline=orders&tab=publish",
        *(f"?pipeline={name}&tab={tab}" for name in ("orders", "hostile", "returns") for tab in ("overview", "runs", "drift")),
        "?pipeline=hostile",
        "?pipeline=returns",
        "?pipeline=returns&tab=publish",
    ],
)
def test_every_page_builds(address: str) -> None:
    shell = Shell(demo_workspace().services)
    try:
        shell.start(Address.parse(address))
        root = shell.__panel__().get_root()
        assert len(list(root.references())) > 5
    finally:
        state.reset()


def test_markup_escapes_everything_that_it_did_not_make() -> None:
    for name in HOSTILE:
        made = tag("b", name, title=name)
        assert "<script" not in made
        assert made.count("<") == 2
    assert join(Markup("<i>"), "<i>") == "<i>&lt;i&gt;"


def test_a_long_difference_is_cut_and_says_so() -> None:
    made = [Constraint(column=f"c{at}", metric="mean", kind="numeric", lower=0.0, upper=1.0) for at in range(60)]
    text = "".join(groups(compared((), made)))
    assert (text.count("<li"), text.count("and 10 more"), text.count("Added (60)")) == (50, 1, 1)
    assert "more" not in "".join(groups(compared((), made[:50])))
