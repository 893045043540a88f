"""Messages that Panel could not send at once and then left unsent."""

from __future__ import annotations

from functools import wraps
from typing import Any

from panel.io import document


def send_late_messages() -> None:
    """Have Panel send what it left; once per process, for all sessions.

    What comes while the socket is written to waits, and a task is to write it. Where the task before it ends first, that lifts the mark
    that something waits, and the new one finds no mark and gives up (Panel 1.9.4, `_dispatch_msgs`). The page shows the change with the
    next one, or never: on a machine under load, 3 of about 110 outcomes never came. These names are Panel's own: a release without them
    is left as it is.
    """
    written = getattr(document, "_dispatch_msgs", None)
    known = {"_WRITE_MSGS", "_WRITE_BLOCK", "schedule_write_events"} <= vars(document).keys()
    if written is None or not known or hasattr(written, "__wrapped__"):
        return

    @wraps(written)
    async def dispatch(doc: Any) -> None:
        await written(doc)
        if doc in document._WRITE_MSGS and doc not in document._WRITE_BLOCK:
            document.schedule_write_events(doc, [], [])  # nothing more, and what waits

    document._dispatch_msgs = dispatch
