"""Frames of Spark that several others use: computed when the first of these runs, and kept as long as one of them is there."""

from __future__ import annotations

import contextlib
import weakref
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# What no frame uses any more. It is let go at the next call: Python may tell of a frame that it has gone while it speaks to Java, and to
# speak to Java then would mix the two.
_unused: deque[DataFrame] = deque()


def share(frames: Sequence[DataFrame]) -> None:
    """Have Spark keep these once they are computed, in memory or on its disks; nothing runs now. What nobody uses any more is let go."""
    while _unused:
        # Its session may have ended, and all that it kept with it.
        with contextlib.suppress(Exception):
            _unused.popleft().unpersist()
    for frame in frames:
        frame.persist()


def used_by(frames: Sequence[DataFrame], users: Sequence[DataFrame]) -> None:
    """Keep shared frames until all of their users have gone. What was made of a user computes them anew after that."""
    left = [len(users)]

    def gone() -> None:
        left[0] -= 1
        if not left[0]:
            _unused.extend(frames)

    for user in users:
        weakref.finalize(user, gone).atexit = False
