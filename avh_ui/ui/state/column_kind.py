"""What the column of the suggestion under the cursor is, and putting it right."""

from __future__ import annotations

from typing import get_args

from avh_ui.config import CONFIG_NAME, ColumnKind
from avh_ui.constraints.column_kind import KnownKind
from avh_ui.review.draft import Draft
from avh_ui.ui.state.evidence import EvidenceState

# Takes back what a person said.
AS_FOUND = ""


class ColumnKindState:
    """Of the item that the evidence shows."""

    def __init__(self, evidence: EvidenceState) -> None:
        self.evidence = evidence

    @property
    def column(self) -> str:
        """The column looked at; '' where nothing is, or the rule is of no single column."""
        item = self.evidence.item
        return "" if item is None or self.known is None else item.current.column

    @property
    def known(self) -> KnownKind | None:
        """What the draft says that it is."""
        item, draft = self.evidence.item, self.evidence.session.draft
        return None if item is None or draft is None else draft.run.kinds.get(item.current.column)

    @property
    def choices(self) -> dict[str, str]:
        """The kinds by what they are called in the list; a person's word can be taken back."""
        known = self.known
        back = {"as its values say": AS_FOUND} if known is not None and known.by else {}
        return {**back, **{kind: kind for kind in get_args(ColumnKind)}}

    @property
    def fixed(self) -> str:
        """Why it cannot be changed here; '' where it can."""
        session, known = self.evidence.session, self.known
        if known is not None and known.corrected and not known.by:
            return f"{CONFIG_NAME} says it: change it there."
        return session.refusal("reviewer", "say what a column is")

    def pick(self, kind: str) -> None:
        """Say that the column is of this kind; what is the same changes nothing."""
        session, column, known = self.evidence.session, self.column, self.known
        if not column or known is None or kind == known.kind:
            return

        def done(_: Draft) -> None:
            said = f"is {kind}" if kind else "is what its values say"
            session.tell("success", f"{column} {said}: suggest anew to go by it.")
            session.refresh()

        pipeline = session.pipeline
        session.attempt(lambda: session.services.suggestions.say_kind(pipeline, column, kind, by=session.actor), done)
