"""What suggestion runs measured, in memory."""

from __future__ import annotations

from collections.abc import Sequence

from avh_ui.inference.by_history.measured import MeasuredColumn


class FakeMeasured:
    """`MeasuredRepository`."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[MeasuredColumn, ...]] = {}

    def save(self, pipeline: str, columns: Sequence[MeasuredColumn]) -> None:
        self.kept[pipeline] = tuple(columns)

    def load(self, pipeline: str) -> tuple[MeasuredColumn, ...]:
        return self.kept.get(pipeline, ())
