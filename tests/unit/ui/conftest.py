"""State of the app over a workspace in memory: no browser, no widgets."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from avh_ui.review.draft import DraftItem
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.decisions import Decisions
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.publishing import PublishState
from avh_ui.ui.state.queue import QueueState
from avh_ui.ui.state.session import SessionState
from avh_ui.workspace import Workspace
from tests.fakes.demo_workspace import demo_workspace


@dataclass
class Desk:
    """Everything one session has."""

    workspace: Workspace
    session: SessionState
    queue: QueueState
    decisions: Decisions
    evidence: EvidenceState
    publishing: PublishState

    def item(self, suggestion_id: str) -> DraftItem:
        """An item as it is stored."""
        draft = self.workspace.draft(self.session.pipeline)
        assert draft is not None
        return draft.item(suggestion_id)


def sit_down(workspace: Workspace, address: str = "") -> Desk:
    """A session of a workspace, opened at an address."""
    session = SessionState(workspace.services)
    queue = QueueState(session)
    decisions = Decisions(session, queue)
    evidence = EvidenceState(session, queue, decisions)
    publishing = PublishState(session)
    session.open(Address.parse(address))
    return Desk(workspace, session, queue, decisions, evidence, publishing)


@pytest.fixture
def desk() -> Desk:
    """A fresh session of a fresh workspace."""
    return sit_down(demo_workspace())
