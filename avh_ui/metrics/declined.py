"""What Arrow leaves to Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from avh_ui.metrics.rows import RowTest


class DeclinedError(Exception):
    """Why something is Spark's to read or to compute; a clause without a full stop, such as `its options name multiLine`.

    `test` is the condition that it is about, where all else can be computed without it.
    """

    def __init__(self, why: str, test: RowTest | None = None) -> None:
        super().__init__(why)
        self.test = test
