"""The rows of a batch that was read without Spark: judged here, and by Spark where a rule's condition takes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from avh_ui.constraints.row_rules import RowRule
from avh_ui.metrics.profiler import Watch
from avh_ui.validator.row_table import BrokenRows, RowsTakeSparkError, RowTable

T = TypeVar("T")


class BatchRows:
    """Implements `validator.row_table.RowTable`. `there` gives the same rows as Spark reads them, and is asked at most once."""

    def __init__(self, here: RowTable, there: Callable[[], RowTable]) -> None:
        self._table, self._there = here, [there]

    def marked(self, rules: Sequence[RowRule], name: str) -> Any:
        """The table with one more column."""
        return self._of(lambda table: table.marked(rules, name))

    def split(self, rules: Sequence[RowRule], name: str, to: str | None = None) -> tuple[Any, Any]:
        """The good rows, and the bad ones with what they break."""
        return self._of(lambda table: table.split(rules, name, to))

    def found(self, rules: Sequence[RowRule], watch: Watch, among: Sequence[str] = ()) -> BrokenRows:
        """What breaks the rules."""
        return self._of(lambda table: table.found(rules, watch, among))

    def write_bad(self, rules: Sequence[RowRule], folder: str, more: Mapping[str, str]) -> None:
        """The bad rows as Parquet files in a new folder."""
        self._of(lambda table: table.write_bad(rules, folder, more))

    def _of(self, asked: Callable[[RowTable], T]) -> T:
        try:
            return asked(self._table)
        except RowsTakeSparkError:
            if not self._there:
                raise
        self._table = self._there.pop()()
        return asked(self._table)
