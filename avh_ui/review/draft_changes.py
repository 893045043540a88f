"""What happened to a draft between two looks at it, in sentences."""

from __future__ import annotations

from avh_ui.review.draft import Draft, DraftItem
from avh_ui.review.plain import plain

_DONE = {"accepted": "accepted", "edited": "changed a rule to", "rejected": "rejected", "pending": "reopened"}


def changes(before: Draft, after: Draft) -> list[str]:
    """A sentence per suggestion that was decided otherwise, that came or that went; the newest decision first."""
    came = [item for item in after.items if item.suggestion.id not in before.by_id]
    gone = [item for item in before.items if item.suggestion.id not in after.by_id]
    other = [i for i in after.items if (old := before.by_id.get(i.suggestion.id)) is not None and _decided(old) != _decided(i)]
    moved = [what_was_done(item) for item in sorted(other, key=lambda i: -i.revision)]
    if before.run != after.run and not after.run.stated_by:
        moved.append(f"A new draft was made from {after.run.first_batch} to {after.run.last_batch} at {after.run.created_at}.")
    return [*moved, *(f"{_named(i)} is new." for i in came), *(f"{_named(i)} is gone." for i in gone)]


def last_change(draft: Draft) -> str:
    """The newest decision that stands in it as a sentence; '' when nothing is decided."""
    newest = max(draft.items, key=lambda item: item.revision, default=None)
    return what_was_done(newest) if newest is not None and newest.revision else ""


def what_was_done(item: DraftItem) -> str:
    """Who decided what of a suggestion last, and what it is now."""
    return f"{item.decided_by} {_DONE[item.status]} {_named(item)} ({item.decided_at[:16].replace('T', ' ')} UTC)."


def _decided(item: DraftItem) -> tuple[object, ...]:
    return item.status, item.revision, item.current.lower, item.current.upper


def _named(item: DraftItem) -> str:
    return f"“{plain(item.current).rstrip('.')}”"
