"""The rows of a pandas DataFrame that break rules: judged as an Arrow table, given back as the DataFrame that they are of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from avh_ui.constraints.row_rules import RowRule
from avh_ui.metrics.profiler import Watch
from avh_ui.validator.arrow_rows import ArrowRows, Elsewhere
from avh_ui.validator.row_table import FAILED, BrokenRows, free_name
from avh_ui.workflows.frames import table_of

if TYPE_CHECKING:
    import pandas as pd


class PandasRows:
    """Implements `validator.row_table.RowTable`. Index and types of the DataFrame stay; what a row breaks is a list of dicts."""

    def __init__(self, df: pd.DataFrame, elsewhere: Elsewhere | None = None) -> None:
        self._df, self._rows = df, ArrowRows(table_of(df), elsewhere)

    def marked(self, rules: Sequence[RowRule], name: str = FAILED) -> pd.DataFrame:
        """The DataFrame with one more column."""
        free_name(name, [str(column) for column in self._df.columns])
        return self._df.assign(**{name: self._rows.failed(rules).to_pylist()})

    def split(self, rules: Sequence[RowRule], name: str = FAILED, to: str | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The good rows, and the bad ones with what they break."""
        marked, bad = self.marked(rules, name), self._rows.bad(rules)
        if to is not None:
            self._rows.split(rules, name, to)
        return self._df[~bad], marked[bad]

    def found(self, rules: Sequence[RowRule], watch: Watch, among: Sequence[str] = ()) -> BrokenRows:
        """What breaks the rules."""
        return self._rows.found(rules, watch, among)

    def write_bad(self, rules: Sequence[RowRule], folder: str, more: Mapping[str, str]) -> None:
        """The bad rows as one Parquet file in a new folder."""
        self._rows.write_bad(rules, folder, more)
