"""What people say of a suggestion without deciding: comments, and whose it is to decide. Notes are only ever added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NoteAction = Literal["comment", "assign"]


@dataclass(frozen=True)
class Note:
    """One entry about a suggestion. `text` is the comment, or the person it is assigned to ('' is nobody).

    `seq` is its place in the log (0 before it is recorded).
    """

    suggestion_id: str
    action: NoteAction
    by: str
    at: str
    text: str
    seq: int = 0
