"""What people say of suggestions without deciding: comments, and whose they are to decide."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from avh_ui.errors import UsageError
from avh_ui.review.draft import Draft
from avh_ui.review.note import Note
from avh_ui.workflows.stated_rules import StatedRules

# A comment is a remark and no document; the app shows it whole.
LONGEST_COMMENT = 4_000


class Remarks(StatedRules):
    """Remarks on the items of a draft; a part of the service of suggestions. Nothing of what is said changes what is published."""

    def comment(self, pipeline: str, ids: Sequence[str], text: str, *, by: str | None = None) -> Draft:
        """Say something of suggestions without deciding, and return the draft after it; takes a reviewer, as deciding does."""
        who, said = self._people.require(by, "reviewer", "comment"), text.strip()
        if not said:
            raise UsageError("The comment is empty.", hint="Say something of the suggestion.")
        if len(said) > LONGEST_COMMENT:
            raise UsageError(f"The comment has {len(said):,} characters; {LONGEST_COMMENT:,} are kept.")
        return self._noted(pipeline, [Note(i, "comment", who, at_this_moment(), said) for i in named_once(ids)])

    def assign(self, pipeline: str, ids: Sequence[str], to: str, *, by: str | None = None, expected: dict[str, int] | None = None) -> Draft:
        """Say whose suggestions are to decide; '' takes an assignment back. `by` and `to` have to be able to decide.

        `expected` maps ids to the `assigned` that was seen: `ConflictError` when somebody assigned it meanwhile.
        """
        who, person = self._people.require(by, "reviewer", "assign suggestions"), to.strip()
        if person:
            self._people.require(person, "reviewer", "decide")
        return self._noted(pipeline, [Note(i, "assign", who, at_this_moment(), person) for i in named_once(ids)], expected)

    def _noted(self, pipeline: str, notes: Sequence[Note], expected: dict[str, int] | None = None) -> Draft:
        self._reviews.note(self._config.pipeline(pipeline).name, notes, expected)
        return self.required(pipeline)


def named_once(ids: Sequence[str]) -> list[str]:
    """Ids without repetitions, in their order; `UsageError` where there is none."""
    named = list(dict.fromkeys(ids))
    if not named:
        raise UsageError("No suggestion was named.", hint="Give ids, or all of them.")
    return named


def at_this_moment() -> str:
    """The time in UTC, as decisions and remarks keep it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
